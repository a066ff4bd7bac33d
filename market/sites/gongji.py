"""Gongji 共绩算力: a static price page (elastic, batch, 30-day packs) and the keyed resource search.

Rebuilt after two surveys of the page (2026-10) and the vendor's Open API document (2026-07-15 and an
older state). Real: page prices of 2026-10-04. API: integers in *points per second for the whole device*
(1 yuan = 1,000,000 points); the two H20 × 8 rows are the document's own sample (16416), the others are
`rebuilt sample` computed from the page's hourly prices; `version: 0.9.0` in the header gives the older
`region_map` shape. Success is `code` "0000".
"""

from __future__ import annotations

from decimal import ROUND_HALF_UP, Decimal
from typing import Any

from market.facts import Fact, latest, provider_facts
from market.site import Answer, Ask, Route, Site, cells, fill, html_answer, json_answer, pick

PAGE = "https://www.gongjiyun.com"
API = "https://openapi.suanli.cn"
TEST_TOKEN = "market-test-token"
POINTS = Decimal(1_000_000)
REGIONS = {
    "hebeif-1": "河北一区",
    "xingjiangf-1": "新疆一区",
    "cn-fujian-5": "福建五区",
    "guangdong": "广东一区",
}
HOSTS = {"RTX 4090": "16核/64G"}


def prices(ask: Ask) -> list[Fact]:
    """Page prices by card, mode and pack."""
    facts = latest(
        provider_facts("gongji"),
        ask.now,
        lambda f: (f.card_raw, f.mode, f.cards) if f.currency == "CNY" else None,
    )
    return list(facts.values())


def price_page(ask: Ask) -> Answer:
    """`/pricing`: the unit stands in the next cell; the pack names days, never a month."""
    facts = ask.cut(prices(ask))
    parts: dict[str, list[str]] = {"on_demand": [], "spot": [], "pack": []}
    for fact in facts:
        card, price = f"{fact.card_raw} {fact.vram_gb}GB", f"¥{fact.amount_low}"
        line: list[str] = {
            "on_demand": [card, HOSTS.get(fact.card_raw, "-"), price, "元/卡时"],
            "spot": [card, price, "元/卡时"],
            "pack": [f"{fact.cards} × {fact.card_raw}", price, f"{fact.per_count}天"],
        }[fact.mode]
        parts[fact.mode].append(cells(line))
    elastic, batch, packs = ("\n".join(parts[mode]) for mode in ("on_demand", "spot", "pack"))
    return html_answer(fill("gongji_pricing.html", elastic=elastic, batch=batch, packs=packs))


def points(fact: Fact, cards: int) -> int:
    """Yuan per card-hour as points per second of a device."""
    return int((fact.amount * cards * POINTS / 3600).quantize(Decimal(1), ROUND_HALF_UP))


def device(
    name: str, cards: int, vram_gb: int, offers: dict[str, tuple[int, int]], old: bool
) -> dict[str, Any]:
    """One entry of `results[]`; memory in MB of the whole device."""
    rows = {
        region: {
            "region": region,
            "region_name": REGIONS[region],
            "mark": {"mark_name": ""},
            "price": price,
            "discount_price": discount,
            "inventory": pick(40, name, cards, region),
        }
        for region, (price, discount) in offers.items()
    }
    shape: dict[str, Any] = {"region_map": rows} if old else {"regions": list(rows.values())}
    return {
        "device_name": f"{name} x {cards}",
        "gpu_name": name,
        "gpu_count": cards,
        "gpu_memory": vram_gb * 1024 * cards,
        "memory": 65536 * cards,
        "cpu_cores": 16 * cards,
        "disk_size": 100,
        "disk_type": "SSD",
        **shape,
    }


def search(ask: Ask) -> Answer:
    """`resource/search`: wants token, timestamp and version headers."""
    if ask.header("token") != TEST_TOKEN:
        return json_answer({"code": "1001", "message": "token 无效或已过期", "data": None})
    if not ask.header("timestamp").isdigit() or not ask.header("version"):
        return json_answer({"code": "1002", "message": "缺少公共请求头", "data": None})
    old = ask.header("version") == "0.9.0"
    results = []
    if ask.samples:
        results.append(
            device("H20", 8, 96, {"hebeif-1": (16416, 16416), "xingjiangf-1": (16416, 13133)}, old)
        )
        for fact in prices(ask):
            if fact.mode == "on_demand" and fact.card_raw in {"RTX 4090", "L40S", "L20"}:
                for cards in (1, 8):
                    price = points(fact, cards)
                    regions = {"hebeif-1": (price, price), "cn-fujian-5": (price, price * 9 // 10)}
                    name = fact.card_raw.removeprefix("RTX ")
                    results.append(device(name, cards, int(fact.vram_gb), regions, old))
    return json_answer(
        {"code": "0000", "message": "success", "data": {"count": len(results), "results": ask.cut(results)}}
    )


SITE = Site(
    slug="gongji",
    name="共绩算力",
    origins={
        PAGE: (Route("/pricing", price_page), Route("/pricing.html", price_page)),
        API: (Route("/api/deployment/resource/search", search),),
    },
    aliases={"https://gongjiyun.com": PAGE},
    swaps={
        "changed_field": (("<th>显卡</th>", "<th>型号</th>"), ('"discount_price"', '"final_price"')),
        "changed_header": (("<th>价格</th>", "<th>单价</th>"),),
        "changed_unit": (("元/卡时", "元/卡天"),),
    },
)
