"""A market of five sellers over three weeks, published as a real generation, for tests of the issue.

Week 48 of 2026 is the issue. By hand: RTX4090 on demand falls 2 % at every seller in that week, A100-80G
rises 5 %, L20 does not move. Tencent's last run was blocked; one price is held; one row is refused; one offer
is new.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from decimal import ROUND_HALF_UP, Decimal
from pathlib import Path

from catalog.providers import load_providers
from pipeline.offer import Offer
from reports.fit.weekly import extra_tables
from reports.issue.model import Issue
from reports.render.figures import money
from tests.warehouse.warehouse_world import World, offer, rejection

WEEK = "2026-W48"
# Sunday evening of week 48, 20:00 in Shanghai; the issue is frozen on Monday at 04:00 (Sunday 20:00 UTC).
SUNDAY = datetime(2026, 11, 29, 12, tzinfo=UTC)
NOW = datetime(2026, 11, 30, 2, tzinfo=UTC)
WEEKS = 3
SELLERS = {
    "autodl": ("marketplace", None, "national", Decimal("0.95")),
    "matpool": ("marketplace", None, "pool", Decimal("1.00")),
    "aliyun": ("cloud", "110000", "region", Decimal("1.60")),
    "ctyun": ("cloud", "130700", "region", Decimal("1.45")),
    "tencent": ("cloud", "440100", "region", Decimal("1.50")),
}
# card: list price of an hour in week 46, and its factor from week to week.
CARDS = {
    "RTX4090": (Decimal("2.00"), (1, 1, Decimal("0.98"))),
    "A100-80G": (Decimal("6.50"), (1, 1, Decimal("1.05"))),
    "L20": (Decimal("3.20"), (1, 1, 1)),
}
VRAM = {"RTX4090": 24, "A100-80G": 80, "L20": 48}
SLIP = {
    "provider": "autodl",
    "provider_class": "marketplace",
    "zone": "X",
    "region_code": None,
    "scope": "national",
    "precision": "none",
    "price": Decimal("98.00"),
}
_CENT = Decimal("0.01")


def price(seller: str, card: str, week: int) -> Decimal:
    """The list price of a card-hour in week 46 + `week`, to the fen."""
    base, factors = CARDS[card]
    value = base * SELLERS[seller][3]
    for factor in factors[: week + 1]:
        value = (value * factor).quantize(_CENT, ROUND_HALF_UP)
    return value


def goods(seller: str, week: int, at: datetime, run: str) -> list[Offer]:
    """What a seller lists on a Sunday: every card by the hour in two zones, and the RTX4090 by the month."""
    kind, region, scope, _ = SELLERS[seller]
    common = {
        "provider": seller,
        "provider_class": kind,
        "region_code": region,
        "scope": scope,
        "precision": "none" if region is None else "city",
        "source_url": f"https://www.example.com/{seller}/prices?page=1&size=50",
        "evidence_kind": "catalog",
        "vcpu": Decimal(16),
        "ram_gb": Decimal(120),
    }
    stock = {"stock_idle": 3, "in_stock": True} if seller == "matpool" else {}
    rows = []
    for card in CARDS:
        for zone in ("A", "B"):
            good = {
                "card": card,
                "vram_gb": Decimal(VRAM[card]),
                "zone": zone,
                "price": price(seller, card, week),
            }
            rows.append(offer(run, at, **good, **stock, **common))
    month = {"billing_mode": "monthly", "term_hours": Decimal(730), "per_hours": Decimal(730), "zone": "A"}
    rows.append(offer(run, at, **month, price=price(seller, "RTX4090", week) * 500, **common))
    if seller == "autodl" and week == WEEKS - 1:
        rows.append(
            offer(run, at, card="A10", vram_gb=Decimal(24), zone="C", price=Decimal("1.20"), **common)
        )
    return rows


def lora_total(issue: Issue) -> str:
    """What the issue's cheapest 7B LoRA costs, as it is printed; the estimate of hours may be refitted."""
    best = {fit.workload: fit for fit in issue.fits if (fit.region_code, fit.rank) == ("CN", 1)}
    return money(best["lora-7b"].total_cny_p50)


def build(home: Path) -> World:
    """The data directory with its runs, loaded and published on the Monday after."""
    world = World(home, providers=dict(load_providers()))
    for week in range(WEEKS):
        sunday = SUNDAY - timedelta(weeks=WEEKS - 1 - week)
        for place, seller in enumerate(SELLERS):
            at, run = sunday + timedelta(minutes=place), f"crawl-{week}-{seller}"
            if seller == "tencent" and week == WEEKS - 1:
                world.run(provider=seller, run_id=run, outcome="blocked", complete=False, started_at=at)
                continue
            rows = goods(seller, week, at, run)
            refused = []
            if seller == "autodl" and week == WEEKS - 1:
                # A unit slip: fifty times the price of its like is held, never shown.
                rows.append(offer(run, at, **SLIP))
                refused.append(rejection(run, at, provider=seller, reason="unit_unknown"))
            world.run(rows, refused)
    world.load()
    world.publish(NOW, extra_tables=lambda con: extra_tables(con, NOW, world.providers, home))
    return world
