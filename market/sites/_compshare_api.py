"""CompShare's signed API: zones, instance types, prices in three arrays (UCloud style, HTTP 200 for
every error).

Rebuilt after the vendor's API document (2026-06-26), its command line client and public clients. Real:
cn-wlcb-01 on 2026-04-17 (list and one account's price, five modes for the 4090); other zones and cards
are `rebuilt sample` from the price list. Kept traps: a region query returns other zones too, memory is
MB in the price call and GB in the type list, `Dynamic` is the *prepaid* hour, spot is not sold for five
cards, prices cover the whole machine.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from decimal import ROUND_HALF_UP, Decimal
from typing import Any, NamedTuple

from market.facts import Fact, latest, provider_facts
from market.site import Answer, Ask, json_answer, pick

TEST_PUBLIC_KEY = "market-test-public-key"
TEST_PRIVATE_KEY = "market-test-private-key"
MODES = {
    "Postpay": "on_demand",
    "Dynamic": "prepaid_hour",
    "Day": "daily",
    "Month": "monthly",
    "Spot": "spot",
}
HOURS = {"Postpay": 1, "Dynamic": 1, "Day": 22, "Month": 600}  # the seller's own rule
NO_SPOT = frozenset({"4090_48G", "A800", "H20", "P40", "2080"})
MEMBER = Decimal("0.95")


class Zone(NamedTuple):
    """A zone and the cards on sale there."""

    region: str
    zone: str
    name: str
    pod: bool
    cards: str


ZONES = (
    Zone("cn-wlcb", "cn-wlcb-01", "华北二A", False, "4090 3090 3080Ti 4090_48G 5090 A800 H20 P40 2080"),
    Zone("cn-sh2", "cn-sh2-01", "上海二A", False, "5090"),
    Zone("cn-sh2", "cn-sh2-02", "上海二B", False, "4090 3090 A100"),
    Zone("cn-bj2", "cn-bj2-03", "华北一C", True, "4090 5090"),
)
SHAPES = {  # card → GB, vCPU, GB RAM per card; 3080Ti and 3090 as seen in the zone's answers, the rest ours
    "4090": (24, 16, 64),
    "3090": (24, 16, 64),
    "3080Ti": (12, 12, 32),
    "4090_48G": (48, 16, 64),
    "5090": (32, 14, 64),
    "A800": (80, 14, 100),
    "H20": (96, 20, 200),
    "P40": (24, 10, 32),
    "2080": (8, 8, 16),
    "A100": (80, 14, 100),
}


def error(code: int, text: str, action: str) -> Answer:
    """An error as the API writes it."""
    return json_answer({"RetCode": code, "Action": f"{action}Response", "Message": text})


def sign(params: Mapping[str, str], private_key: str) -> str:
    """SHA-1 over the parameters sorted by name, name and value run together, then the private key."""
    text = "".join(f"{k}{params[k]}" for k in sorted(params) if k != "Signature") + private_key
    return hashlib.sha1(text.encode(), usedforsecurity=False).hexdigest()


def card_key(raw: str) -> str:
    """A fact's card in the API's spelling."""
    return raw.replace("4090-48G", "4090_48G").replace("4090 48G", "4090_48G")


def zone_facts(ask: Ask) -> dict[tuple[str, str, str, str], Fact]:
    """`(zone, card, mode, price kind)` → fact."""
    found = latest(
        provider_facts("compshare"),
        ask.now,
        lambda f: (
            (f.region_raw, card_key(f.card_raw), f.mode, f.price_kind)
            if f.region_raw.startswith("cn-")
            else None
        ),
    )
    return {(f.region_raw, card_key(f.card_raw), f.mode, f.price_kind): f for f in found.values()}


def listed_hour(ask: Ask, card: str) -> Decimal | None:
    """Newest hourly list or floor price of a card anywhere: the base of sample prices."""
    found = latest(
        provider_facts("compshare"),
        ask.now,
        lambda f: (
            f.mode
            if card_key(f.card_raw) == card and f.price_kind in {"list", "floor"} and f.per == "hour"
            else None
        ),
    )
    fact = found.get("on_demand")
    return fact.amount if fact else None


def cents(amount: Decimal) -> Decimal:
    """Half-up to the cent."""
    return amount.quantize(Decimal("0.01"), ROUND_HALF_UP)


def amounts(ask: Ask, zone: str, card: str, charge: str) -> tuple[Decimal, Decimal] | None:
    """`(list, after discount)` of one card and charge type; None where it is not sold or not known."""
    mode = MODES[charge]
    facts = zone_facts(ask)
    listed, member = (facts.get((zone, card, mode, kind)) for kind in ("list", "member"))
    if listed:
        return listed.amount, member.amount if member else listed.amount
    if not ask.samples or (charge == "Spot" and card in NO_SPOT):
        return None
    hour = listed_hour(ask, card)
    if hour is None:
        return None
    price = cents(hour * (Decimal("0.65") if charge == "Spot" else HOURS[charge]))
    return price, cents(price * MEMBER)


def support_zones(ask: Ask, params: Mapping[str, str]) -> Answer:
    """DescribeCompShareSupportZone."""
    rows = [
        {
            "Region": z.region,
            "Zone": z.zone,
            "Describe": z.name,
            "RegionId": 100 + i,
            "ZoneId": 1000 + i,
            "IsPod": z.pod,
        }
        for i, z in enumerate(ZONES)
        if params.get("Region", z.region) == z.region
    ]
    return json_answer(
        {"RetCode": 0, "Action": "DescribeCompShareSupportZoneResponse", "ZoneInfo": ask.cut(rows)}
    )


def instance_types(ask: Ask, params: Mapping[str, str]) -> Answer:
    """DescribeAvailableCompShareInstanceTypes: a query for cn-wlcb brings cn-sh2-02 along."""
    region, wanted = params.get("Region"), params.get("Zone")
    rows = []
    for zone in ZONES:
        stray = region == "cn-wlcb" and zone.zone == "cn-sh2-02"
        if (zone.region != region and not stray) or (wanted and wanted != zone.zone):
            continue
        for card in zone.cards.split():
            if (
                amounts(ask, zone.zone, card, "Spot" if params.get("InstanceType") == "spot" else "Postpay")
                is None
            ):
                continue
            gb, cpu, ram = SHAPES[card]
            sizes = [
                {
                    "Gpu": n,
                    "Collection": [{"Cpu": cpu * n, "Memory": [ram * n], "MinimalCpuPlatform": ["Auto"]}],
                }
                for n in (1, 2, 4, 8)
            ]
            status = "SoldOut" if pick(6, zone.zone, card) == 0 else "Normal"
            rows.append(
                {
                    "Name": card,
                    "Zone": zone.zone,
                    "Status": status,
                    "GraphicsMemory": {"Value": gb, "Rate": 1},
                    "MachineSizes": sizes,
                }
            )
    action = "DescribeAvailableCompShareInstanceTypesResponse"
    return json_answer({"RetCode": 0, "Action": action, "AvailableInstanceTypes": ask.cut(rows)})


def detail(charge: str, amount: Decimal, discount: int) -> dict[str, Any]:
    """One element of a price array."""
    return {
        "ChargeType": charge,
        "Instance": float(amount),
        "Disks": 0,
        "SystemDisks": 0,
        "CompShareImage": 0,
        "InstanceDiscountType": discount,
    }


def instance_price(ask: Ask, params: Mapping[str, str]) -> Answer:
    """GetCompShareInstancePrice: all modes, or the one of `ChargeType`; `Memory` in MB must fit the shape."""
    action = "GetCompShareInstancePrice"
    zone = next((z for z in ZONES if z.zone == params.get("Zone") and z.region == params.get("Region")), None)
    card = params.get("GpuType", "")
    try:
        count, cpu, memory = (int(params[k]) for k in ("Gpu", "Cpu", "Memory"))
    except (KeyError, ValueError):
        return error(220, "Missing params", action)
    if zone is None or card not in zone.cards.split():
        return error(230, "Params [GpuType] not available", action)
    _, shape_cpu, shape_ram = SHAPES[card]
    if count not in {1, 2, 4, 8} or cpu != shape_cpu * count or memory != shape_ram * 1024 * count:
        return error(230, "Params [Cpu,Memory] not available", action)
    arrays: dict[str, list[dict[str, Any]]] = {
        "PriceDetails": [],
        "OriginalPriceDetails": [],
        "ListPriceDetails": [],
    }
    for charge in [params["ChargeType"]] if params.get("ChargeType") else MODES:
        pair = amounts(ask, zone.zone, card, charge) if charge in MODES else None
        if pair is None:
            continue
        listed, paid = pair[0] * count, pair[1] * count
        night = 1 if card == "5090" and charge == "Postpay" else 0
        arrays["PriceDetails"].append(detail(charge, cents(paid * Decimal("0.9")) if night else paid, night))
        arrays["OriginalPriceDetails"].append(detail(charge, paid, 0))
        arrays["ListPriceDetails"].append(detail(charge, listed, 0))
    if not arrays["ListPriceDetails"]:
        return error(230, "Params [ChargeType] not available", action)
    return json_answer(
        {"RetCode": 0, "Action": f"{action}Response"} | {k: ask.cut(v) for k, v in arrays.items()}
    )


ACTIONS = {
    "DescribeCompShareSupportZone": support_zones,
    "DescribeAvailableCompShareInstanceTypes": instance_types,
    "GetCompShareInstancePrice": instance_price,
}


def call(ask: Ask) -> Answer:
    """`/`: any action, signed; parameters from the query or the form."""
    params = ask.form()
    action = params.get("Action", "")
    if params.get("PublicKey") != TEST_PUBLIC_KEY:
        return error(172, "PublicKey error", action)
    if params.get("Signature") != sign(params, TEST_PRIVATE_KEY):
        return error(171, "Signature VerifyAC Error", action)
    if action not in ACTIONS:
        return error(161, f"Action [{action}] not found", action)
    return ACTIONS[action](ask, params)
