"""Tencent Cloud: the anonymous purchase workbench, all modes with live stock per zone.

Rebuilt after three independent clients and the official SDK classes `InstanceTypeQuotaItem` and
`ItemPrice`. Real: the domestic list of 2021 (hour and month; the seller's own document, year inferred),
put into the zones that documents named for a family. `rebuilt sample`: stock, tiers, terms, spot,
discounts, CPU families. The workbench spells `…ThreeYears` and `…FiveYears` (plural); `Gpu` is an
integer, `GpuCount` a float that may be a fraction.
"""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from market.facts import Fact, latest, provider_facts
from market.site import Answer, Ask, Route, Site, json_answer, pick

ORIGIN = "https://workbench.cloud.tencent.com"
MODES = ("PREPAID", "POSTPAID_BY_HOUR", "SPOTPAID")
REGIONS: dict[str, tuple[str, str, dict[str, str]]] = {  # region → name, area, zone → families sold there
    "ap-guangzhou": (
        "华南地区（广州）",
        "华南地区",
        {
            "ap-guangzhou-3": "GN10Xp GN7 GN8 GN6",
            "ap-guangzhou-4": "GT4 GN10Xp GN7",
            "ap-guangzhou-6": "GN7 GI3X",
        },
    ),
    "ap-shanghai": (
        "华东地区（上海）",
        "华东地区",
        {"ap-shanghai-4": "GT4 GN10X GN7", "ap-shanghai-5": "GN7 GN6S"},
    ),
    "ap-nanjing": ("华东地区（南京）", "华东地区", {"ap-nanjing-1": "GN7"}),
    "ap-beijing": (
        "华北地区（北京）",
        "华北地区",
        {"ap-beijing-3": "GN7 GN8", "ap-beijing-5": "GT4 GN10Xp GN7"},
    ),
    "ap-chengdu": ("西南地区（成都）", "西南地区", {"ap-chengdu-1": "GN7"}),
    "ap-chongqing": ("西南地区（重庆）", "西南地区", {"ap-chongqing-1": "GN10X"}),
}
STOCK = ("EnoughStock", "NormalStock", "UnderStock", "WithoutStock")
TIERED = frozenset({"GN7", "GN8", "GN10X"})  # rebuilt sample: families with tiered hours


def types(ask: Ask) -> dict[str, dict[str, Fact]]:
    """Instance type → mode → fact, domestic list in CNY."""
    found = latest(
        provider_facts("tencent"),
        ask.now,
        lambda f: (f.sku, f.mode) if f.fact_id.startswith("TCD-") and f.price_kind == "list" else None,
    )
    rows: dict[str, dict[str, Fact]] = {}
    for fact in found.values():
        rows.setdefault(fact.sku, {})[fact.mode] = fact
    return {sku: modes for sku, modes in rows.items() if set(modes) == {"on_demand", "monthly"}}


def envelope(response: dict[str, Any]) -> Answer:
    """`code` 0 with the API's `Response` inside, errors included."""
    return json_answer(
        {"code": 0, "data": {"Response": {**response, "RequestId": "0f0e0d0c-0000-4000-8000-000000000000"}}}
    )


def region_list(ask: Ask) -> Answer:
    """`queryCvmRegion`, GET or POST."""
    rows = [
        {"region": region, "name": name, "area": area, "zones": [{"zone": zone} for zone in zones]}
        for region, (name, area, zones) in REGIONS.items()
    ]
    return envelope({"RegionSet": ask.cut(rows)})


def zeros() -> dict[str, Any]:
    """Every money field of `Price`, in the workbench's spelling."""
    names = ["UnitPrice", "UnitPriceDiscount"]
    names += [
        f"{n}{step}" for step in ("SecondStep", "ThirdStep") for n in ("UnitPrice", "UnitPriceDiscount")
    ]
    names += ["OriginalPrice", "DiscountPrice"]
    names += [
        f"{n}{term}"
        for term in ("OneYear", "ThreeYears", "FiveYears")
        for n in ("OriginalPrice", "DiscountPrice")
    ]
    return dict.fromkeys(names, 0.0) | {"ChargeUnit": "HOUR", "Discount": 100}


def price(mode: str, family: str, hour: Decimal, month: Decimal, samples: bool) -> dict[str, Any]:
    """`Price` of one type and mode; yuan per hour, per month, or per term."""
    row = zeros()
    if mode == "PREPAID":
        row |= {"ChargeUnit": "MONTH", "OriginalPrice": float(month), "DiscountPrice": float(month)}
        if samples:
            for term, months, rate in (("OneYear", 12, "0.83"), ("ThreeYears", 36, "0.5")):
                row[f"OriginalPrice{term}"] = float(month * months)
                row[f"DiscountPrice{term}"] = float(
                    (month * months * Decimal(rate)).quantize(Decimal("0.01"))
                )
        return row
    row |= {"UnitPrice": float(hour), "UnitPriceDiscount": float(hour)}
    if mode == "SPOTPAID":
        row["UnitPriceDiscount"] = float((hour * Decimal("0.2")).quantize(Decimal("0.01")))
        row["Discount"] = 20
    elif samples and family in TIERED:
        for step, rate in (("SecondStep", "0.5"), ("ThirdStep", "0.34")):
            tier = float((hour * Decimal(rate)).quantize(Decimal("0.01")))
            row[f"UnitPrice{step}"] = row[f"UnitPriceDiscount{step}"] = tier
    return row


def quota(zone: str, sku: str, mode: str, facts: dict[str, Fact], samples: bool) -> dict[str, Any]:
    """One entry of `InstanceTypeQuotaSet`."""
    family, _, size = sku.partition(".")
    cards = float(facts["on_demand"].cards)
    level = STOCK[3] if zone.startswith("ap-shanghai") else STOCK[pick(4, zone, sku, mode)]
    sold_out = level == "WithoutStock"
    memory = int("".join(ch for ch in size.split("LARGE")[-1] if ch.isdigit()) or 0)
    return {
        "Zone": zone,
        "InstanceType": sku,
        "InstanceFamily": family,
        "TypeName": f"GPU计算型{family}",
        "InstanceChargeType": mode,
        "Cpu": 8 * max(1, int(cards)),
        "Memory": memory,
        "Gpu": int(cards),
        "GpuCount": cards,
        "CpuType": "Intel Xeon",
        "Status": "SOLD_OUT" if sold_out else "SELL",
        "StatusCategory": level,
        "SoldOutReason": "该可用区资源售罄" if sold_out else "",
        "InstanceBandwidth": 5.0,
        "LocalDiskTypeList": [],
        "Remark": "",
        "Price": price(mode, family, facts["on_demand"].amount, facts["monthly"].amount, samples),
    }


def cpu_quota(zone: str) -> dict[str, Any]:
    """A CPU type (rebuilt sample): `GpuCount` 0."""
    return {
        "Zone": zone,
        "InstanceType": "S5.LARGE8",
        "InstanceFamily": "S5",
        "TypeName": "标准型S5",
        "InstanceChargeType": "POSTPAID_BY_HOUR",
        "Cpu": 4,
        "Memory": 8,
        "Gpu": 0,
        "GpuCount": 0.0,
        "CpuType": "Intel Xeon",
        "Status": "SELL",
        "StatusCategory": "EnoughStock",
        "SoldOutReason": "",
        "InstanceBandwidth": 1.5,
        "LocalDiskTypeList": [],
        "Remark": "",
        "Price": price("POSTPAID_BY_HOUR", "S5", Decimal("0.66"), Decimal("190"), False),
    }


def instances(ask: Ask) -> Answer:
    """POST `/cgi/api`: what one region (and zone) sells; no paging."""
    body = ask.json()
    if not isinstance(body, dict) or body.get("action") != "DescribeZoneInstanceConfigInfos":
        return envelope({"Error": {"Code": "InvalidAction", "Message": "The request action is invalid."}})
    region = str(body.get("region") or ask.query("region"))
    if region not in REGIONS:
        return envelope(
            {"Error": {"Code": "UnsupportedRegion", "Message": "The request does not support the region."}}
        )
    filters = {f["Name"]: f["Values"] for f in body.get("data", {}).get("Filters", [])}
    modes = [m for m in filters.get("instance-charge-type", MODES) if ask.samples or m != "SPOTPAID"]
    priced = types(ask)
    rows = []
    for zone, families in REGIONS[region][2].items():
        if zone not in filters.get("zone", [zone]):
            continue
        wanted = set(families.split()) & set(filters.get("instance-family", families.split()))
        for sku, facts in priced.items():
            if sku.partition(".")[0] in wanted:
                rows += [quota(zone, sku, mode, facts, ask.samples) for mode in modes]
        if ask.samples and "instance-family" not in filters:
            rows.append(cpu_quota(zone))
    return envelope({"InstanceTypeQuotaSet": ask.cut(rows)})


SITE = Site(
    slug="tencent",
    name="腾讯云",
    origins={
        ORIGIN: (
            Route("/cgi/area/queryCvmRegion", region_list, "GET POST"),
            Route("/cgi/api", instances, "POST"),
        )
    },
    swaps={
        "changed_field": (('"UnitPrice"', '"HourPrice"'), ('"GpuCount"', '"GpuNum"')),
        "changed_unit": (
            ('"ChargeUnit":"HOUR"', '"ChargeUnit":"MINUTE"'),
            ('"ChargeUnit":"MONTH"', '"ChargeUnit":"DAY"'),
        ),
    },
)
