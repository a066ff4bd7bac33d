"""Matpool 矩池云 (matgo.cn = matpool.com): a public JSON market, paged, prices in 1/100000 yuan per unit and
hour.

Rebuilt after public client code (quziang/matpool-gpu of 2026-09-07, Aoblex/matpool-cli) and dated price
reports: `GET /api/machine_pools` needs no token and has no `code` in a good answer; `machine_category` must
be an integer; `discountPriceMillicent` may be missing; a unit (份) is not always one card; `total` counts
cards, not free units. Real: card, price and date. Made up: pool ids, hosts, drivers, stock, and that the
priced cards stand in 1区, which a source says for the A16 only (the answer has no place for "region
unknown").
"""

from __future__ import annotations

from decimal import Decimal
from html import escape
from typing import Any, NamedTuple

from market.facts import Fact, latest, provider_facts
from market.site import (
    Answer,
    Ask,
    Route,
    Site,
    digest,
    html_answer,
    js_answer,
    json_answer,
    page,
    pick,
    script,
)

ORIGIN = "https://matgo.cn"
PER_PAGE_MAX = 100
BUNDLE = "/fe-next/js/host-market.5f0c21d8.js"


class Model(NamedTuple):
    """What the API calls a card: full name, memory as the host reports it, pools that hold it."""

    name: str
    ram_mb: int
    pools: int
    cpu: str


# Names as documented (full names in `gpu_model`); numbers of pools are ours, enough for a second page.
MODELS: dict[str, Model] = {
    "NVIDIA A16": Model("NVIDIA A16", 15356, 9, "Intel(R) Xeon(R) Silver 4314"),
    "RTX 4090": Model("NVIDIA GeForce RTX 4090", 24564, 52, "Intel(R) Xeon(R) Gold 6430"),
    "RTX 3090": Model("NVIDIA GeForce RTX 3090", 24576, 38, "AMD EPYC 7302 16-Core Processor"),
    "A100-PCIE 40GB": Model("NVIDIA A100-PCIE-40GB", 40960, 13, "Intel(R) Xeon(R) Gold 6348"),
}
DRIVERS = ("535.183.01", "550.54.14", "570.86.15")
TWO_CARD_UNIT = 5  # every fifth 3090 pool sells units of two cards


def hourly(ask: Ask) -> list[Fact]:
    """Hourly list prices by card at the market's clock."""
    found = latest(
        provider_facts("matpool"),
        ask.now,
        lambda f: f.card_raw if (f.mode, f.price_kind, f.per) == ("on_demand", "list", "hour") else None,
    )
    return [f for f in found.values() if f.card_raw in MODELS]


def pool(fact: Fact, number: int) -> dict[str, Any]:
    """One entry of `pools[]`: a unit costs its cards' price, `gpuIds` names them."""
    model = MODELS[fact.card_raw]
    cards = 2 if fact.card_raw == "RTX 3090" and number % TWO_CARD_UNIT == 0 else 1
    millicent = int(fact.amount * cards * 100_000)
    hardware: dict[str, Any] = {
        "gpu": {"gpuName": model.name, "gpuRamMB": model.ram_mb, "gpuIds": list(range(cards))},
        "machine": {"cpuName": model.cpu, "ramMB": 61440 * cards, "diskGB": 200},
        "priceMillicent": millicent,
    }
    if number % 3:
        hardware["discountPriceMillicent"] = millicent
    total = 4 + 4 * pick(8, fact.card_raw, number, "total")
    return {
        "resource_pool_id": f"pool-{digest(fact.card_raw, number)}",
        "gpu_model": model.name,
        "domain": 0,
        "driver_version": DRIVERS[number % len(DRIVERS)],
        "max_available_units": pick(total // cards, fact.card_raw, number, "free"),
        "total": total,
        "machine": {"agentId": 100 + pick(900, fact.card_raw, number), "hardware": hardware},
    }


def machine_pools(ask: Ask) -> Answer:
    """M1: category 0 is GPU; a category or page that is no integer is `code` 6 with HTTP 200."""
    try:
        category = int(ask.query("machine_category", "x"))
        number, size = int(ask.query("page", "1")), int(ask.query("per_page", "20"))
    except ValueError:
        return json_answer({"code": 6, "msg": "param illegal"})
    if number < 1 or size < 1:
        return json_answer({"code": 6, "msg": "param illegal"})
    size = min(size, PER_PAGE_MAX)
    pools = (
        [pool(f, n) for f in hourly(ask) for n in range(MODELS[f.card_raw].pools)] if category == 0 else []
    )
    pools.sort(key=lambda p: digest(p["resource_pool_id"]))
    paging = {"page": number, "per_page": size, "num_pages": -(-len(pools) // size), "total": len(pools)}
    start = (number - 1) * size
    return json_answer({"pools": ask.cut(pools[start : start + size]), "pagination": paging})


def machines(ask: Ask) -> Answer:
    """M2: hosts; `page` and `per_page` are required, `gpu.available` is 0 although units are free."""
    if not (ask.query("page").isdigit() and ask.query("per_page").isdigit()):
        return json_answer({"code": 6, "msg": "param illegal"})
    number, size = max(1, int(ask.query("page"))), max(1, int(ask.query("per_page")))
    rows = []
    for fact in hourly(ask):
        entry = pool(fact, 1)
        hardware = entry["machine"]["hardware"]
        machine = {
            "agentId": entry["machine"]["agentId"],
            "resourceID": pick(500, fact.card_raw, "resource"),
            "domain": entry["domain"],
            "gpu": {"available": 0, "total": 4, "max": 4},
            "cpu": {"available": 16, "total": 16, "max": 16},
            "unit": {"available": 4, "total": 4, "max": 4},
            "hardware": {
                **hardware,
                "gpu": {"gpuIds": [0], "gpuName": hardware["gpu"]["gpuName"]},
                "npu": None,
            },
            "items": [{"id": pick(9999, fact.card_raw, "item")}],
        }
        rows.append(machine)
    paging = {"total": len(rows), "numPages": -(-len(rows) // size), "page": number, "perPage": size}
    start = (number - 1) * size
    return json_answer(
        {"code": 0, "msg": "", "machines": ask.cut(rows[start : start + size]), "pagination": paging}
    )


def needs_login(ask: Ask) -> Answer:
    """The account's own routes: HTTP 200 and code 176."""
    return json_answer({"code": 176, "msg": "check jwt token failed"})


def home(ask: Ask) -> Answer:
    """Home page: from-prices (very likely the monthly rate shown per hour) and promotions, no hourly list."""
    found = latest(
        provider_facts("matpool"),
        ask.now,
        lambda f: (f.card_raw, f.price_kind) if f.price_kind in {"floor", "promo"} else None,
    )
    items = []
    for fact in found.values():
        price = Decimal(fact.amount_low)
        text = f"¥{price}/h 起" if fact.price_kind == "floor" else f"限时特惠 ¥{price}/h"
        items.append(
            f'<li class="gpu-card"><h3>{escape(fact.card_raw)}</h3><span class="price">{text}</span></li>'
        )
    body = f'<h1>矩池云</h1><ul class="gpu-list">{"".join(items)}</ul><a href="/host-market/gpu">主机市场</a>'
    return html_answer(page("矩池云 Matpool - GPU 云服务器", body))


def market_page(ask: Ask) -> Answer:
    """The market is drawn by script from M1; the first paint has no cards."""
    body = f'<div id="__next"><div class="market-empty">加载中…</div></div><script src="{BUNDLE}"></script>'
    return html_answer(page("主机市场 - 矩池云", body))


def bundle(ask: Ask) -> Answer:
    """The page's script: all pages of M1, one card a pool."""
    return js_answer(script("matpool_market.js"))


SITE = Site(
    slug="matpool",
    name="矩池云",
    origins={
        ORIGIN: (
            Route("/", home),
            Route("/host-market/gpu", market_page),
            Route(BUNDLE, bundle),
            Route("/api/machine_pools", machine_pools),
            Route("/api/machines", machines),
            *(Route(f"/api/{name}", needs_login) for name in ("hardwares", "machine", "nodes", "orders")),
        )
    },
    aliases={"https://matpool.com": ORIGIN},
    robots="User-agent: *\nDisallow: /user/\nDisallow: /console/\n",
    swaps={
        "changed_field": (
            ('"priceMillicent"', '"unitPrice"'),
            ('"discountPriceMillicent"', '"unitDiscountPrice"'),
        ),
        "changed_unit": (
            ('"priceMillicent"', '"priceCent"'),
            ('"discountPriceMillicent"', '"discountPriceCent"'),
        ),
    },
)
