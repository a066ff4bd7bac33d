"""`suanjia cheapest`: what can be bought, for how many cards, where, how old — and in which order."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any

import duckdb
import pytest

from tests.warehouse.warehouse_world import T0, World, offer
from warehouse.cheapest import cheapest, question, sized_goods
from warehouse.errors import BadRequest
from warehouse.reader import open_latest

FLAGS: dict[str, Any] = {
    "card": None,
    "count": None,
    "min_vram": None,
    "region": None,
    "mode": "on_demand",
    "max_price": None,
    "max_age": None,
    "limit": 100,
}


class Shop:
    """A world with one run of offers, and the question asked of it."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.opened: list[duckdb.DuckDBPyConnection] = []

    def sells(self, **goods: dict[str, Any]) -> None:
        """Publish goods by sku; `age` in hours, everything else as fields of an offer."""
        for sku, changes in goods.items():
            at = T0 - timedelta(hours=float(changes.pop("age", 0)))
            row = offer(f"run-{sku.replace('_', '-')}", at, sku=sku, **changes)
            self.world.run([row], kind="import", complete=False)
        self.world.go(T0)

    def rows(self, now: datetime = T0, **flags: Any) -> list[dict[str, Any]]:
        con, _ = open_latest(self.world.home)
        self.opened.append(con)
        return cheapest(con, question(**{**FLAGS, **flags}), now)

    def skus(self, **flags: Any) -> list[str]:
        return [row["sku"] for row in self.rows(**flags)]


@pytest.fixture
def shop(world: World) -> Iterator[Shop]:
    made = Shop(world)
    yield made
    for con in made.opened:
        con.close()


def machine(cards: int, price: str, **changes: Any) -> dict[str, Any]:
    """A whole machine: `price` is for all its cards."""
    return {
        "basis": "server",
        "gpu_count": Decimal(cards),
        "price": Decimal(price),
        "max_cards": None,
        **changes,
    }


def card(price: str, **changes: Any) -> dict[str, Any]:
    """A price per card."""
    return {"price": Decimal(price), **changes}


def test_order_is_total_age_provider_key(shop: Shop) -> None:
    shop.sells(
        a=card("2.00", age=5),
        b=card("2.00", age=1, provider="beta"),
        c=card("2.00", age=1),
        d=card("1.99", age=100),
        e=card("2.00", age=1, provider="gamma"),
    )
    assert shop.skus() == ["d", "c", "b", "e", "a"]
    assert [row["rank"] for row in shop.rows()] == [1, 2, 3, 4, 5]


def test_count_asks_for_one_machine_and_the_price_of_the_purchase(shop: Shop) -> None:
    shop.sells(
        single=card("2.00", max_cards=1),
        host=card("2.10", max_cards=8),
        few_free=card("1.50", max_cards=8, stock_idle=2),
        at_least_four=card("1.90", min_cards=4, max_cards=8),
        eight=machine(8, "12.00"),
        unknown_size=card("2.20", max_cards=None),
    )
    two = shop.rows(count=2)
    assert [(r["sku"], r["total_per_hour_cny"]) for r in two] == [
        ("few_free", Decimal("3.00")),
        ("host", Decimal("4.20")),
        ("unknown_size", Decimal("4.40")),
        ("at_least_four", Decimal("7.60")),
        ("eight", Decimal("12.00")),
    ]
    assert shop.skus(count=8) == ["eight", "at_least_four", "host", "unknown_size"]
    assert shop.skus(count=9) == []
    # Without a count the order is by card-hour, and a machine shows what one card of it costs.
    assert shop.skus()[:3] == ["eight", "few_free", "at_least_four"]
    assert shop.rows()[0]["price_cny_per_card_hour"] == Decimal("1.5")


RANKS_BY_ITSELF: list[tuple[dict[str, Any], bool]] = [
    ({"in_stock": False}, False),
    ({"stock_idle": 0, "in_stock": False}, False),
    ({"stock_idle": 0}, False),
    ({"stock_idle": 1, "in_stock": True}, True),
    ({"in_stock": None}, True),
    ({"is_floor": True}, False),
    ({"price_kind": "floor", "is_floor": True}, False),
    ({"price_kind": "member"}, False),
    ({"price_kind": "promo"}, False),
    ({"price_kind": "public_discount"}, True),
    ({"share": Decimal("0.25"), "gpu_count": Decimal("0.25")}, False),
    ({"card": "vGPU-32G"}, False),
    ({"currency": "USD"}, False),
    ({"billing_mode": "monthly", "per_hours": Decimal(730)}, False),
    ({"billing_mode": "spot"}, False),
    ({"region_code": None}, True),
    ({"region_code": "CN"}, True),
    ({"region_code": "CN-N"}, True),
    ({"region_code": "130700"}, True),
    ({"region_code": "810000"}, False),
    ({"region_code": "820000"}, False),
    ({"region_code": "SG"}, False),
    ({"site": "international"}, False),
]


def test_what_ranks_by_itself(shop: Shop) -> None:
    shop.sells(**{f"n{i}": dict(changes) for i, (changes, _) in enumerate(RANKS_BY_ITSELF)})
    ranked = set(shop.skus())
    for i, (changes, ranks) in enumerate(RANKS_BY_ITSELF):
        assert (f"n{i}" in ranked) == ranks, changes


def test_a_virtual_card_ranks_when_it_is_asked_for(shop: Shop) -> None:
    shop.sells(a=card("0.50", card="vGPU-32G"), b=card("2.00"))
    assert shop.skus() == ["b"]
    assert shop.skus(card="vGPU-32G") == ["a"]


def test_modes(shop: Shop) -> None:
    shop.sells(
        hour=card("2.00"),
        month=card("730.00", billing_mode="monthly", per_hours=Decimal(730)),
        spot=card("0.80", billing_mode="spot"),
    )
    assert shop.skus() == ["hour"]
    assert shop.skus(mode="monthly") == ["month"]
    assert shop.skus(mode="any") == ["spot", "month", "hour"]
    with pytest.raises(BadRequest, match="no billing mode"):
        shop.rows(mode="hourly")


def test_rank_by_gross(shop: Shop) -> None:
    shop.sells(included=card("2.05", tax="included"), excluded=card("2.00", tax="excluded"))
    assert [(r["sku"], r["total_per_hour_cny"]) for r in shop.rows()] == [
        ("included", Decimal("2.05")),
        ("excluded", Decimal("2.12")),
    ]
    assert shop.skus(max_price=Decimal("2.10")) == ["included"]


def test_unknown_memory_fails_min_vram(shop: Shop) -> None:
    shop.sells(
        a=card("1.00", vram_gb=None, card="A100"),
        b=card("2.00", vram_gb=Decimal(24)),
        c=card("5.00", vram_gb=Decimal(80), card="A100-80G"),
    )
    assert shop.skus(min_vram=Decimal(24)) == ["b", "c"]
    assert shop.skus(min_vram=Decimal("24.5")) == ["c"]


PLACES = {
    "beijing": "110000",
    "haidian": "110108",
    "hebei": "130000",
    "zjk": "130700",
    "north": "CN-N",
    "nation": "CN",
    "pool": None,
    "hk": "810000",
    "us": "US",
}
LIES_IN = {
    "130000": "hebei zjk",
    "河北": "hebei zjk",
    "河北省": "hebei zjk",
    "张家口": "zjk",
    "130700": "zjk",
    "北京": "beijing haidian",
    "110100": "beijing haidian",
    "Beijing": "beijing haidian",
    "110108": "haidian",
    "华北": "beijing haidian hebei north zjk",
    "North China": "beijing haidian hebei north zjk",
    "CN": "nation",
    "全国": "nation",
    "China": "nation",
    "440000": "",
    "810000": "hk",
    "US": "us",
}


def test_a_region_holds_what_lies_in_it_and_nothing_above(shop: Shop) -> None:
    shop.sells(**{sku: {"region_code": code} for sku, code in PLACES.items()})
    found = {wanted: " ".join(sorted(shop.skus(region=wanted))) for wanted in LIES_IN}
    assert found == LIES_IN


def test_a_region_nobody_knows(shop: Shop) -> None:
    shop.sells(a={})
    with pytest.raises(BadRequest, match="no region is called '火星'"):
        shop.rows(region="火星")


def test_ages(shop: Shop) -> None:
    shop.sells(
        fresh=card("2.40", age=1),
        old=card("2.30", age=100),
        edge=card("2.20", age=168),
        stale=card("2.10", age=169),
        valid=card("2.00", age=600, valid_until=T0 + timedelta(hours=2)),
    )
    rows = shop.rows()
    assert [(r["sku"], r["old"]) for r in rows] == [
        ("valid", True),
        ("edge", True),
        ("old", True),
        ("fresh", False),
    ]
    assert shop.skus(max_age=Decimal(24)) == ["fresh"]
    assert shop.skus(max_age=Decimal(700)) == ["valid", "stale", "edge", "old", "fresh"]
    # Ages count to now, not to the build.
    assert shop.skus(now=T0 + timedelta(hours=1)) == ["valid", "old", "fresh"]
    assert shop.skus(now=T0 + timedelta(hours=3)) == ["old", "fresh"]


def test_cards_are_literals(shop: Shop) -> None:
    shop.sells(
        a=card("2.00"),
        b=card("2.10", card="RTX4090D"),
        c=card("2.20", card="RTX4090-48G", vram_gb=Decimal(48)),
        d=card("8.00", card="A100-80G", vram_gb=Decimal(80), form="SXM"),
        e=card("7.00", card="A100-80G", vram_gb=Decimal(80), form="PCIE"),
        f=card("6.00", card="A100-40G", vram_gb=Decimal(40)),
    )
    assert shop.skus(card="RTX4090") == ["a"]
    assert shop.skus(card="4090") == ["a"]
    assert shop.skus(card="4090D") == ["b"]
    assert shop.skus(card="4090 48G") == ["c"]
    assert shop.skus(card="A100-80G") == ["e", "d"]
    assert shop.skus(card="A100 80G SXM") == ["d"]
    assert shop.skus(card="A100") == []
    with pytest.raises(BadRequest, match="A100-40G, A100-80G"):
        shop.rows(card="A100-8")
    for name in (".*", "%", "' OR 1=1 --", "RTX9999", ""):
        with pytest.raises(BadRequest, match="no card"):
            shop.rows(card=name)
    con, _ = open_latest(shop.world.home)
    shop.opened.append(con)
    assert sized_goods(con, "A100") == ["A100-40G", "A100-80G"]


def test_limit(shop: Shop) -> None:
    shop.sells(a=card("2.00"), b=card("3.00"), c=card("1.00"))
    assert shop.skus(limit=2) == ["c", "a"]


def test_the_macro_answers_as_the_command_does(shop: Shop) -> None:
    shop.sells(
        a=card("2.00"),
        b=card("1.00", region_code="130700"),
        c=machine(8, "12.00"),
        d=card("0.50", in_stock=False),
        e=card("1.20", age=200),
    )
    con, _ = open_latest(shop.world.home)
    shop.opened.append(con)
    for count in (None, 1, 2, 8):
        for region in (None, "河北", "北京"):
            asked = con.execute(
                "SELECT rank, sku FROM cheapest('RTX4090', $1, $2)", [count, region]
            ).fetchall()
            told = [(r["rank"], r["sku"]) for r in shop.rows(card="RTX4090", count=count, region=region)]
            assert asked == told
