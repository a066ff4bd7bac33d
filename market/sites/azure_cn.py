"""Azure China (21Vianet): the price-sheet download, a signed short-lived link and the CSV behind it.

Rebuilt after Microsoft's "Azure Retail Prices API for China", an analysis of one CSV of March 2026
(46,877 rows) and a CSV client. Real: the D2 v3 rows of that analysis (chinaeast2), which teach the
semantics: hourly without tax, reservations as the total of the term although the unit says "1 Hour". No
GPU price is public: every N-series row is a `rebuilt sample` (gross amounts are round, the CSV is net of
6 %). Kept traps: DevTest and Windows rows, Cloud Services, exact duplicates, rows of the future, tiers
above 0, secondary meter regions, a series nobody has mapped.
"""

from __future__ import annotations

import csv
import io
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import NamedTuple
from urllib.parse import quote

from market.site import Answer, Ask, Route, Site, digest, json_answer

API = "https://prices.azure.cn"
BLOB = "https://mcpricesheet.blob.core.chinacloudapi.cn"
FILE = "/retailpricesasync/{day}/AzureRetailPrices.csv"
HEAD = (
    "currencyCode,tierMinimumUnits,retailPrice,unitPrice,armRegionName,location,effectiveStartDate,meterId,meterName,"
    "productId,skuId,productName,skuName,serviceName,serviceFamily,unitOfMeasure,type,isPrimaryMeterRegion,armSkuName,"
    "term"
)
LOCATIONS = {
    "chinanorth": "CN North",
    "chinanorth2": "CN North 2",
    "chinanorth3": "CN North 3",
    "chinaeast": "CN East",
    "chinaeast2": "CN East 2",
    "chinaeast3": "CN East 3",
}
# rebuilt sample: (armSkuName, product, gross yuan per hour, regions)
SERIES = (
    (
        "Standard_NC4as_T4_v3",
        "Virtual Machines NCasT4 v3 Series",
        "5.30",
        "chinanorth3 chinaeast2 chinanorth2",
    ),
    ("Standard_NC8as_T4_v3", "Virtual Machines NCasT4 v3 Series", "7.42", "chinanorth3 chinaeast2"),
    ("Standard_NC16as_T4_v3", "Virtual Machines NCasT4 v3 Series", "12.72", "chinanorth3"),
    ("Standard_NC64as_T4_v3", "Virtual Machines NCasT4 v3 Series", "47.70", "chinanorth3"),
    ("Standard_NC6s_v3", "Virtual Machines NCSv3 Series", "26.50", "chinanorth2 chinaeast2"),
    ("Standard_NC12s_v3", "Virtual Machines NCSv3 Series", "53.00", "chinanorth2"),
    ("Standard_NC24s_v3", "Virtual Machines NCSv3 Series", "106.00", "chinanorth2"),
    ("Standard_NC24ads_A100_v4", "NCads A100 v4 Series Linux", "42.40", "chinanorth3"),
    ("Standard_NC48ads_A100_v4", "NCads A100 v4 Series Linux", "84.80", "chinanorth3"),
    ("Standard_NC96ads_A100_v4", "NCads A100 v4 Series Linux", "169.60", "chinanorth3"),
    ("Standard_NX12zz_v9", "Virtual Machines NXzz v9 Series", "9.54", "chinaeast3"),
)
SINCE = "2024-02-01T00:00:00Z"


class Line(NamedTuple):
    """One CSV row, before the identifiers that only repeat it."""

    sku: str
    product: str
    region: str
    price: Decimal
    kind: str = "Consumption"
    term: str = ""
    tier: str = "0"
    since: str = SINCE
    primary: str = "True"
    service: str = "Virtual Machines"
    suffix: str = ""

    def cells(self) -> list[str]:
        """The row in the order of HEAD."""
        name = self.sku.removeprefix("Standard_").replace("_", " ") + self.suffix
        meter = digest(self.sku, self.region, self.kind, self.suffix, length=32)
        uuid = f"{meter[:8]}-{meter[8:12]}-{meter[12:16]}-{meter[16:20]}-{meter[20:]}"
        product = "DZH318Z0" + digest(self.product, length=4).upper()
        return [
            "CNY",
            self.tier,
            f"{self.price:f}",
            f"{self.price:f}",
            self.region,
            LOCATIONS[self.region],
            self.since,
            uuid,
            name,
            product,
            f"{product}/{digest(self.sku, self.term, length=4).upper()}",
            self.product,
            name,
            self.service,
            "Compute",
            "1 Hour",
            self.kind,
            self.primary,
            self.sku,
            self.term,
        ]


def net(gross: str | Decimal) -> Decimal:
    """Without the 6 % VAT, as the CSV has it."""
    return (Decimal(gross) / Decimal("1.06")).quantize(Decimal("0.000001"))


def real_lines() -> list[Line]:
    """D2 v3 in chinaeast2, from the analysis of the CSV of 2026-03."""
    sku, product, region = "Standard_D2_v3", "Virtual Machines Dv3 Series", "chinaeast2"
    return [
        Line(sku, product, region, Decimal("0.678302")),
        Line(sku, product, region, Decimal("0.515510"), "SavingsPlanConsumption", "1 Year"),
        Line(sku, product, region, Decimal("0.373066"), "SavingsPlanConsumption", "3 Years"),
        Line(sku, product, region, Decimal("1624.528302"), "Reservation", "1 Year"),
        Line(sku, product, region, Decimal("2801.886792"), "Reservation", "3 Years"),
    ]


def sample_lines(now: datetime) -> list[Line]:
    """The N series (rebuilt sample) with everything a reader must leave out."""
    found: list[Line] = []
    for sku, product, gross, regions in SERIES:
        amount = Decimal(gross)
        for region in regions.split():
            found.append(Line(sku, product, region, net(amount)))
            found.append(
                Line(sku, product, region, net(amount * Decimal("0.72")), "SavingsPlanConsumption", "1 Year")
            )
            found.append(Line(sku, product, region, net(amount * 5600), "Reservation", "1 Year"))
            found.append(Line(sku, product, region, net(amount * 10200), "Reservation", "3 Years"))
            found.append(Line(sku, product, region, net(amount * Decimal("0.9")), "DevTestConsumption"))
    first = found[0]
    coming = (now.astimezone(UTC) + timedelta(days=40)).strftime("%Y-%m-01T00:00:00Z")
    return [
        *found,
        first,  # about 60 exact duplicates in the real file
        first._replace(product=first.product + " Windows", price=first.price * 2),
        first._replace(price=first.price - 1, since=coming),
        first._replace(price=first.price - 2, tier="100"),
        first._replace(region="chinaeast", primary="False"),
        first._replace(product="NCasT4 v3 Series Cloud Services", price=first.price + 1),
        first._replace(product="NCasT4 v3 Series Dedicated Host", price=first.price + 1),
        first._replace(service="Azure Kubernetes Service", price=first.price + 2),
    ]


def signature(path: str, expiry: str) -> str:
    """The link's signature: without it the blob host answers 403."""
    return digest("sas", path, expiry, length=40)


def download(ask: Ask) -> Answer:
    """`/api/retail/pricesheet/download`: where the CSV is, until when."""
    if ask.query("api-version") != "2023-06-01-preview":
        return json_answer(
            {"Error": {"Code": "BadRequest", "Message": "api-version is required"}}, status=400
        )
    day = ask.now.astimezone(UTC).date()
    expiry = (ask.now.astimezone(UTC) + timedelta(hours=4)).strftime("%Y-%m-%dT%H:%M:%SZ")
    path = FILE.format(day=f"{day:%Y%m%d}")
    query = f"sv=2021-08-06&se={quote(expiry, safe='')}&sr=b&sp=r&sig={signature(path, expiry)}"
    return json_answer(
        {"DownloadUrl": f"{BLOB}{path}?{query}", "LastRefreshedAt": f"{day}T00:05:12Z", "ExpiryTime": expiry}
    )


def sheet(ask: Ask) -> Answer:
    """The CSV; a link without its signature is refused as blob storage does."""
    expiry = ask.query("se")
    if ask.query("sig") != signature(ask.path, expiry):
        refusal = '<?xml version="1.0" encoding="utf-8"?><Error><Code>AuthenticationFailed</Code></Error>'
        return Answer(refusal.encode(), "application/xml", 403)
    lines = real_lines() + (sample_lines(ask.now) if ask.samples else [])
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\r\n")
    writer.writerow(HEAD.split(","))
    writer.writerows(line.cells() for line in ask.cut(lines))
    return Answer(text.getvalue().encode(), "application/octet-stream")


SITE = Site(
    slug="azure_cn",
    name="微软 Azure（世纪互联）",
    origins={
        API: (Route("/api/retail/pricesheet/download", download),),
        BLOB: (Route(FILE, sheet),),
    },
    swaps={
        "changed_field": (('"DownloadUrl"', '"Url"'), (",retailPrice,", ",price,")),
        "changed_header": ((",retailPrice,", ",listPrice,"),),
        "changed_unit": ((",1 Hour,", ",100 Hours,"), ("CNY,", "USD,")),
    },
)
