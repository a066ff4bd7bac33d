"""Baidu AI Cloud: the calculator's anonymous JSON (regions, flavours per zone, priceV2 single and
batch).

Rebuilt after a public calculator client and a multi-cloud document search, live-tested 2026-06-03. No
GPU price is public: all amounts are `rebuilt sample` (0.185 yuan a minute for the V100 is the figure of
an undated document). Kept traps: postpay is yuan per *minute*; `money` is null when the root disk does
not fit the flavour; the total holds the system disk; the batch answer is duration-major; `cdsResources`
is an object here and a list there.
"""

from __future__ import annotations

from decimal import Decimal
from typing import Any, NamedTuple

from market.site import Answer, Ask, Route, Site, json_answer

ORIGIN = "https://cloud.baidu.com"
REGIONS = {
    "bj": "华北 - 北京",
    "gz": "华南 - 广州",
    "su": "华东 - 苏州",
    "bd": "华北 - 保定",
    "hkg": "中国香港",
}
BATCH_MAX = 10
DISK_MINUTE = Decimal("0.0004")  # rebuilt sample: system disk, yuan per minute
DISK_MONTH = Decimal("14")


class Flavor(NamedTuple):
    """One flavour: yuan per minute and per month (rebuilt sample), the root disk that fits."""

    spec: str
    cpu: int
    ram: int
    card: str
    cards: int
    minute: str
    month: str
    disk: str
    regions: str


FLAVORS = (
    Flavor(
        "bcc.gn3.c12m50.1v100-16g", 12, 50, "V100-16G", 1, "0.185", "5220.00", "enhanced_ssd_pl1", "bj gz su"
    ),
    Flavor("bcc.gn3.c48m200.4v100-16g", 48, 200, "V100-16G", 4, "0.74", "20880.00", "enhanced_ssd_pl1", "bj"),
    Flavor("bcc.gn5.c18m74.1a10", 18, 74, "A10", 1, "0.162", "4600.00", "premium_ssd", "bj bd"),
    Flavor("bcc.gn5.c72m296.4a10", 72, 296, "A10", 4, "0.648", "18400.00", "premium_ssd", "bj bd"),
    Flavor("bcc.gn1.c8m36.1t4", 8, 36, "T4", 1, "0.1", "2980.00", "ssd", "gz su"),
    Flavor("ebc.lgn7t.c128m1024.8a800", 128, 1024, "A800", 8, "5.6", "161000.00", "enhanced_ssd_pl1", "bd"),
    Flavor("bcc.g5.c2m8", 2, 8, "", 0, "0.0061", "180.00", "ssd", "bj gz su bd hkg"),
)
BY_SPEC = {f.spec: f for f in FLAVORS}


def region_list(ask: Ask) -> Answer:
    """POST `region_list`."""
    rows = [{"value": code, "name": name} for code, name in REGIONS.items()]
    return json_answer({"success": True, "status": 200, "result": ask.cut(rows)})


def flavor_entry(flavor: Flavor, mode: str) -> dict[str, Any]:
    """One entry of `flavors[]`."""
    spec_id = flavor.spec.split(".")[1]
    return {
        "spec": flavor.spec,
        "specId": spec_id,
        "instanceType": "N5",
        "cpuCount": flavor.cpu,
        "memoryCapacityInGB": flavor.ram,
        "gpuCardType": flavor.card,
        "gpuCardCount": flavor.cards,
        "ephemeralDiskInGb": 0,
        "productType": mode,
        "instanceFamily": "GPU" if flavor.card else "General",
        "specFamily": spec_id,
    }


def flavors(ask: Ask) -> Answer:
    """POST `bccFlavor`: zones of one region, flavours in both payment modes."""
    region = (ask.json() or {}).get("region")
    if region not in REGIONS:
        return json_answer({"success": False, "status": 400, "code": "BadRequest", "result": None})
    mine = [f for f in FLAVORS if ask.samples and region in f.regions.split()]
    zones = []
    for index, letter in enumerate("ab" if region == "bj" else "a"):
        entries = [flavor_entry(f, mode) for f in mine for mode in ("postpay", "prepay")]
        cds: Any = [{"storageType": "ssd"}] if index else {"storageTypes": ["ssd"]}
        zones.append(
            {
                "zoneName": f"cn-{region}-{letter}",
                "cdsResources": cds,
                "bccResources": {"flavorGroups": [{"groupId": "gpu", "flavors": ask.cut(entries)}]},
            }
        )
    return json_answer({"success": True, "status": 200, "result": {"zoneResources": zones}})


def quote(bcc: dict[str, Any], months: int) -> tuple[float | None, list[dict[str, Any]]]:
    """`(money, priceDetail)` of one instance: per minute for postpay, per `months` for prepay."""
    flavor = BY_SPEC.get(str(bcc.get("spec")))
    if flavor is None or bcc.get("rootDiskStorageType") != flavor.disk:
        return None, []
    if bcc.get("productType") == "postpay":
        machine, disk = Decimal(flavor.minute), DISK_MINUTE
    else:
        machine, disk = Decimal(flavor.month) * months, DISK_MONTH * months
    detail = [
        {"servicetype": "BCC", "price": [float(machine)]},
        {"servicetype": "SYS-CDS", "price": [float(disk)]},
    ]
    return float(machine + disk), detail


def price(ask: Ask) -> Answer:
    """POST `priceV2`: the single form (`bcc`) or the batch form (`bccList`, at most ten)."""
    body = ask.json()
    if not isinstance(body, dict) or body.get("region") not in REGIONS:
        return json_answer({"success": False, "status": 400, "code": "BadRequest", "result": None})
    if "bccList" in body:
        machines = body["bccList"]
        if len(machines) > BATCH_MAX:
            return json_answer({"success": False, "status": 400, "code": "BccListTooLong", "result": None})
        lengths = body.get("purchaseLengthList") or [1]
        results = []
        for months in lengths:
            for bcc in machines:
                money, detail = quote(bcc, int(months))
                results.append({"price": money, "priceDetail": detail})
        result: dict[str, Any] = {"bccPayResults": {"bccResults": ask.cut(results)}}
    else:
        money, detail = quote(body.get("bcc") or {}, int(body.get("purchaseLength") or 1))
        result = {"money": money, "priceDetail": ask.cut(detail)}
    return json_answer({"success": True, "status": 200, "result": result})


SITE = Site(
    slug="baidu",
    name="百度智能云",
    origins={
        ORIGIN: (
            Route("/api/region/region_list", region_list, "POST"),
            Route("/api/calculator/bccFlavor", flavors, "POST"),
            Route("/api/calculator/bcc/instance/priceV2", price, "POST"),
        )
    },
    swaps={
        "changed_field": (
            ('"gpuCardType"', '"gpuModel"'),
            ('"priceDetail"', '"prices"'),
            ('"money"', '"total"'),
        )
    },
)
