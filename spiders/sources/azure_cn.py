"""Azure China (21Vianet): the official price sheet, a CSV behind a signed link that lives a few hours.

The link is followed and never kept. Yuan without the 6 % VAT (×1.06 gives round numbers, three of three).
A reservation's amount is for the whole term, whatever the unit column says. Documented by Microsoft."""

import re
from collections.abc import Iterator
from typing import IO

from spiders.base import FileSpider, Listing, Place, Request, Response, Route, loads, published, text

TYPES = {"Consumption": {}, "Reservation": {"mode": "reserved"},
         "SavingsPlanConsumption": {"mode": "reserved", "tier": "savings_plan"}}  # fmt: skip
KEPT = (  # the word that counts the others, the column, what it must hold
    ("no GPU", "serviceName", "Virtual Machines"), ("no GPU", "armSkuName", r"Standard_N\w+"),
    ("secondary region", "isPrimaryMeterRegion", "(?i:true)"),
    ("secondary region", "armRegionName", "china(north|east)[23]?"), ("dev_test", "type", "|".join(TYPES)),
    ("not_linux", "productName", "(?!.*(Windows|Dedicated Host|Cloud Services)).*"),
    ("spot", "skuName", "(?!.*(Spot|Low Priority)).*"), ("tier above 0", "tierMinimumUnits", r"0(\.0*)?"),
)  # fmt: skip
PRICED = ("currencyCode", "retailPrice", "effectiveStartDate", "unitOfMeasure")


class AzureCn(FileSpider):
    """Linux machines of the N series."""

    name = "azure_cn"
    routes = (Route("pricesheet"),)
    origins = ("https://prices.azure.cn",)
    evidence_kind = "pricing"
    scope = "region"
    periods_vary = True
    signed_links = True
    index = ("https://prices.azure.cn/api/retail/pricesheet/download?api-version=2023-06-01-preview",)

    def find_files(self, response: Response) -> Iterator[tuple[str, str] | Request]:
        answer = loads(self.text_of(response))
        if link := text(answer, "DownloadUrl"):
            yield self.signed_link(link), text(answer, "LastRefreshedAt") or ""

    def read_file(self, stream: IO[bytes], at: Place) -> Iterator[Listing]:
        seen: set[tuple[str, ...]] = set()
        for line, row in self.table(stream, at, *PRICED, *(column for _, column, _ in KEPT)):
            why = next((word for word, column, held in KEPT if not re.fullmatch(held, row[column])), "")
            if (start := published(row["effectiveStartDate"])) and start > self.config.now:
                why = why or "future_price"
            if why or (cells := tuple(row.values())) in seen:
                self.skip(why or "duplicate")
                continue
            seen.add(cells)
            plan, term = TYPES[row["type"]], row.get("term") or row.get("reservationTerm") or None
            if row["unitOfMeasure"] != "1 Hour" or bool(term) != bool(plan):
                self.moved("unit and term", "1 Hour, a term for plans", f"{row['unitOfMeasure']} {term}", at)
                return  # nothing of such a file counts
            per = term.lower().rstrip("s") if term and row["type"] == "Reservation" else "hour"
            yield at.at(f"line={line}").listing(
                price_text=row["retailPrice"], unit=f"{row['currencyCode']}/instance/{per}", term_text=term,
                **{"mode": "on_demand", **plan}, sku=row["armSkuName"], region_text=row["armRegionName"],
                os="linux", tax="excluded", price_kind="list", status="offered",
            )  # fmt: skip
