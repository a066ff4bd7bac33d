"""Huawei Cloud: the calculator's anonymous JSON (menu, productInfo per region, export list).

Rebuilt after four public clients and an audit of the calculator's data (2026-09). No price of the
Chinese site is public, so every amount is a `rebuilt sample`; without samples the lists are empty. Kept
traps: unit suffixes (`8BSSUNIT.pluralUnit.23`; memory unit 102 = GB, 21 = MB), free-text accelerators
("2 * NVIDIA T4 / 2 * 16G"), duplicates, hidden flavours, RI rows whose `price` is 0 beside the real
`perPrice`, Windows rows, a spot announcement without a price, a config script that nobody should
execute, services without a calculator.
"""

from __future__ import annotations

from decimal import Decimal
from typing import Any, NamedTuple

from market.site import Answer, Ask, Route, Site, digest, js_answer, json_answer

ORIGIN = "https://portal.huaweicloud.com"
BASE = "/api/calculator/rest/cbc/portalcalculatornodeservice/v4/api"
REGIONS = {
    "cn-north-4": "华北-北京四",
    "cn-north-9": "华北-乌兰察布一",
    "cn-north-12": "华北-乌兰察布二零一",
    "cn-south-1": "华南-广州",
    "cn-east-3": "华东-上海一",
    "cn-southwest-2": "西南-贵阳一",
}


class Flavor(NamedTuple):
    """One flavour: text of its accelerator, yuan per hour and month (rebuilt sample)."""

    spec: str
    cpu: int
    ram_gb: int
    card: str
    hour: str
    month: str
    regions: str
    remark: str = "normal"
    in_mb: bool = False


FLAVORS = (
    Flavor(
        "pi2.2xlarge.4",
        8,
        32,
        "1 * NVIDIA T4 / 1 * 16G",
        "9.12",
        "4370.00",
        "cn-north-4 cn-south-1 cn-east-3",
    ),
    Flavor("pi2.4xlarge.4", 16, 64, "2 * NVIDIA T4 / 2 * 16G", "18.24", "8740.00", "cn-north-4 cn-south-1"),
    Flavor(
        "pi2.8xlarge.4", 32, 128, "4 * NVIDIA T4 / 4 * 16G", "36.48", "17480.00", "cn-north-4", in_mb=True
    ),
    Flavor("p2s.2xlarge.8", 8, 64, "1 * NVIDIA V100 / 1 * 32G", "19.80", "9480.00", "cn-north-4 cn-north-9"),
    Flavor("p2s.16xlarge.8", 64, 512, "8 * NVIDIA V100 / 8 * 32G", "158.40", "75840.00", "cn-north-4"),
    Flavor(
        "p2vs.2xlarge.8", 8, 64, "1 * NVIDIA V100 NVLink / 1 * 32G", "21.60", "10340.00", "cn-southwest-2"
    ),
    Flavor("g6v.2xlarge.2", 8, 16, "1/4 * NVIDIA T4 / 1 * 4G", "3.90", "1870.00", "cn-south-1"),
    Flavor("p1.2xlarge.8", 8, 64, "1 * NVIDIA P100 / 1 * 16G", "14.30", "6850.00", "cn-north-4", "hidden"),
    Flavor("ai1s.large.4", 2, 8, "1 * Ascend 310 / 1 * 8G", "2.60", "1245.00", "cn-north-9 cn-north-12"),
    Flavor("kx9.2xlarge.4", 8, 32, "1 * NVIDIA Z999 / 1 * 40G", "33.00", "15800.00", "cn-north-12"),
    Flavor("c7.large.2", 2, 4, "", "0.46", "220.00", "cn-north-4 cn-south-1"),
)


def flavors(ask: Ask, region: str) -> list[Flavor]:
    """What a region sells; nothing without samples."""
    return [f for f in FLAVORS if ask.samples and region in f.regions.split()]


def menu(ask: Ask) -> Answer:
    """`menuInfo`: services one level down; one has no calculator."""
    regions = [{"regionId": code, "regionName": name} for code, name in REGIONS.items()]
    services = [
        {"urlPath": path, "hasCalculator": has, "regionOnline": {"regionList": regions}}
        for path, has in (("ecs", True), ("bms", True), ("modelarts", True), ("vpn", False))
    ]
    units = {
        "measureID": {"4": "小时", "0": "天", "2": "月"},
        "BSSUNIT.pluralUnit.23": "核",
        "BSSUNIT.pluralUnit.102": "GB",
    }
    return json_answer(
        {"menuInfos": [{"categoryName": "计算", "subCategoryLists": services}], "languagePack": units}
    )


def plans(flavor: Flavor) -> list[dict[str, Any]]:
    """`planList`: hour, month, year, and the two RI rows."""
    year = f"{Decimal(flavor.month) * 10:.2f}"
    per_month = f"{Decimal(flavor.month) * Decimal('0.62'):.2f}"
    rows: list[tuple[str, int | None, str, str]] = [
        ("ONDEMAND", None, "price", flavor.hour),
        ("MONTHLY", 1, "price", flavor.month),
        ("YEARLY", 1, "price", year),
        ("RI", 1, "price", "0"),
        ("RI", 1, "perPrice", per_month),
    ]
    return [
        {
            "productId": f"00301-{digest(flavor.spec, mode, kind)}",
            "billingMode": mode,
            "periodNum": periods,
            "amount": float(amount),
            "originType": kind,
            "usageFactor": "Duration",
            "usageMeasureId": 4,
        }
        for mode, periods, kind, amount in rows
    ]


def entry(flavor: Flavor, system: str) -> dict[str, Any]:
    """One `ec2_vm` entry."""
    ram = (
        f"{flavor.ram_gb * 1024}BSSUNIT.pluralUnit.21"
        if flavor.in_mb
        else f"{flavor.ram_gb}BSSUNIT.pluralUnit.102"
    )
    spot = "Dynamic Price Spot;" if flavor.spec.startswith("p2s") else ""
    return {
        "resourceSpecCode": f"{flavor.spec}.{system}",
        "spec": flavor.spec,
        "cpu": f"{flavor.cpu}BSSUNIT.pluralUnit.23",
        "mem": ram,
        "instanceArch": "x86",
        "generation": "",
        "series": flavor.spec.split(".")[0],
        "imageSpec": system,
        "acceleratorCard": flavor.card,
        "localDisk": "",
        "productSpecSysDesc": f"{spot}Remark:{flavor.remark};",
        "planList": plans(flavor),
        "bakPlanList": [],
    }


def product_info(ask: Ask) -> Answer:
    """`productInfo` of ECS in one region: Linux and Windows rows, the first one twice."""
    region = ask.query("region")
    if ask.query("urlPath") != "ecs" or region not in REGIONS:
        return json_answer({"errorCode": "CBC.0100", "errorMsg": "Parameter error"}, status=400)
    rows = [entry(f, system) for f in flavors(ask, region) for system in ("linux", "win")]
    return json_answer({"region": region, "product": {"ec2_vm": ask.cut([*rows, *rows[:1]])}})


def export_list(ask: Ask) -> Answer:
    """POST `export/productlist`: the compact list keyed by region."""
    body = ask.json()
    if not isinstance(body, dict) or body.get("urlPath") != "ecs":
        return json_answer({"errorCode": "CBC.0100", "errorMsg": "Parameter error"}, status=400)
    found = {
        region: ask.cut(
            [
                {
                    "resourceSpecCode": f"{f.spec}.linux",
                    "ONDEMAND": float(f.hour),
                    "MONTHLY_1": float(f.month),
                    "YEARLY_1": float(f.month) * 10,
                }
                for f in flavors(ask, region)
            ]
        )
        for region in REGIONS
    }
    return json_answer(found)


def config(ask: Ask) -> Answer:
    """`config`: a script that a parser must not run (the real one of a sister service does not even
    parse).
    """
    return js_answer("module.exports = { generations: ['s7', 'c7', 'pi2', , ], broken: function( };\n")


SITE = Site(
    slug="huawei",
    name="华为云",
    origins={
        ORIGIN: (
            Route(f"{BASE}/menuInfo", menu),
            Route(f"{BASE}/productInfo", product_info),
            Route(f"{BASE}/export/productlist", export_list, "POST"),
            Route(f"{BASE}/config", config),
        )
    },
    swaps={
        "changed_field": (('"amount"', '"price"'), ('"ONDEMAND":', '"HOURLY":')),
        "changed_unit": (('"usageMeasureId":4', '"usageMeasureId":11'),),
    },
)
