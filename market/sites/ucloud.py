"""UCloud: the signed price call of the cloud host (optional route, a user's own keys).

Rebuilt after the official SDK: same signature as CompShare's, HTTP 200 for every error,
`PriceDetail.UHost` without the disks that `Price` includes. The only public UCloud prices are those of a
training service of 2019-2021, so every amount is a `rebuilt sample`.
"""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal

from market.site import Answer, Ask, Route, Site, json_answer
from market.sites._compshare_api import TEST_PRIVATE_KEY, TEST_PUBLIC_KEY, error, sign

ORIGIN = "https://api.ucloud.cn"
ZONES = {
    "cn-bj2": ("cn-bj2-05", "V100S T4 T4/4"),
    "cn-sh2": ("cn-sh2-02", "V100S 4090"),
    "cn-gd": ("cn-gd-02", "T4 T4/4"),
}
HOURS = {"T4": "7.20", "T4/4": "2.40", "V100S": "15.60", "4090": "4.10"}  # rebuilt sample, yuan per card-hour
FACTORS = {"Dynamic": Decimal(1), "Month": Decimal(480), "Year": Decimal(4800), "Spot": Decimal("0.4")}
DISK = Decimal("0.05")


def price(ask: Ask, params: Mapping[str, str]) -> Answer:
    """GetUHostInstancePrice: one charge type, or Month and Year and Dynamic when none is given."""
    action = "GetUHostInstancePrice"
    zone, cards = ZONES.get(params.get("Region", ""), ("", ""))
    kind = params.get("GpuType", "")
    if not ask.samples or params.get("Zone", zone) != zone or kind not in cards.split():
        return error(230, "Params [GpuType] not available", action)
    if not params.get("Memory", "").isdigit() or int(params["Memory"]) % 1024:
        return error(230, "Params [Memory] not available", action)
    rows = []
    for charge in [params["ChargeType"]] if params.get("ChargeType") else ("Year", "Month", "Dynamic"):
        host = Decimal(HOURS[kind]) * FACTORS.get(charge, Decimal(1)) * int(params.get("GPU") or 1)
        disk = (
            DISK * FACTORS.get(charge, Decimal(1))
            if any(k.startswith("Disks.") for k in params)
            else Decimal(0)
        )
        paid = host * (Decimal("0.85") if charge == "Year" else Decimal(1))
        rows.append(
            {
                "ChargeType": charge,
                "Price": float(paid + disk),
                "OriginalPrice": float(host + disk),
                "PriceDetail": {"UHost": float(paid), "UDisk": float(disk)},
            }
        )
    return json_answer({"RetCode": 0, "Action": f"{action}Response", "PriceSet": ask.cut(rows)})


def types(ask: Ask, params: Mapping[str, str]) -> Answer:
    """DescribeAvailableInstanceTypes: GPU types of a region with their stock."""
    zone, cards = ZONES.get(params.get("Region", ""), ("", ""))
    rows = [
        {
            "Name": "G",
            "Zone": zone,
            "GpuType": kind,
            "Status": "Soldout" if kind == "4090" else "Normal",
            "GraphicsMemory": {"Value": {"T4": 16, "T4/4": 4, "V100S": 32, "4090": 24}[kind]},
            "MachineSizes": [
                {"Gpu": n, "Collection": [{"Cpu": 8 * n, "Memory": [32 * n]}]} for n in (1, 2, 4)
            ],
        }
        for kind in (cards.split() if ask.samples else ())
    ]
    action = "DescribeAvailableInstanceTypesResponse"
    return json_answer({"RetCode": 0, "Action": action, "AvailableInstanceTypes": ask.cut(rows)})


ACTIONS = {"GetUHostInstancePrice": price, "DescribeAvailableInstanceTypes": types}


def call(ask: Ask) -> Answer:
    """`/`: any action, signed."""
    params = ask.form()
    action = params.get("Action", "")
    if params.get("PublicKey") != TEST_PUBLIC_KEY:
        return error(172, "PublicKey error", action)
    if params.get("Signature") != sign(params, TEST_PRIVATE_KEY):
        return error(171, "Signature VerifyAC Error", action)
    return (
        ACTIONS[action](ask, params)
        if action in ACTIONS
        else error(161, f"Action [{action}] not found", action)
    )


SITE = Site(
    slug="ucloud",
    name="UCloud",
    origins={ORIGIN: (Route("/", call, "GET POST"),)},
    swaps={"changed_field": (('"UHost":', '"Host":'), ('"PriceSet"', '"Prices"'))},
)
