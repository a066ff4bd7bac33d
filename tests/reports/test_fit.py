"""Cheapest fit on generated offers and plans: arithmetic, rules, proof."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest

from reports.fit.answer import answer
from reports.fit.extras import assumptions
from reports.fit.proof import Sources, label
from reports.fit.search import Asked, search
from reports.fit.sellable import Sellable
from reports.fit.terms import Terms
from tests.reports.fitkit import NOW, SOURCES, FakePlanner, job, market, offer

PLAN = FakePlanner({"RTX4090": 12.0, "A100-80G": 3.0})


def fits(
    offers: Sequence[Sellable], planner: FakePlanner = PLAN, terms: Any = None, **more: Any
) -> list[Any]:
    return search(market(offers, terms), job(**more), planner, Asked(limit=50)).fits


def totals(
    offers: Sequence[Sellable], planner: FakePlanner = PLAN, terms: Any = None, **more: Any
) -> list[Decimal]:
    return [fit.total_p50 for fit in fits(offers, planner, terms, **more)]


def why(offers: Sequence[Sellable], **more: Any) -> dict[str, int]:
    document = answer(market(offers), job(**more), PLAN, SOURCES, why=True)
    return {row["rule"]: row["removed"] for row in document["why"]}


# --- totals ------------------------------------------------------------------------------------------------


def test_a_card_three_times_dearer_can_finish_the_job_cheaper() -> None:
    """4090 at 1.98 for 12 h against A100 at 6.80 for 3 h: 23.76 and 20.40; the winner holds until +16.5 %."""
    document = answer(market([offer("RTX4090", "1.98"), offer("A100-80G", "6.80")]), job(), PLAN, SOURCES)
    first, second = document["fits"][:2]
    assert (first["card"], first["total_cny_p50"]) == ("A100-80G", Decimal("20.40"))
    assert (second["card"], second["total_cny_p50"]) == ("RTX4090", Decimal("23.76"))
    assert first["margin_to_next_pct"] == Decimal("16.5")
    assert second["margin_to_next_pct"] is None


def test_whole_nodes_are_paid_and_idle_cards_shown() -> None:
    """12 cards on 8-card nodes: 2 nodes, the price of 16 cards, 4 idle."""
    planner = FakePlanner({"A100-80G": {12: 10.0}}, ways=[(12, 2)])
    [fit] = fits([offer("A100-80G", 40, gpu_count=8)], planner)
    assert (fit.bought, fit.use.cards, fit.use.nodes) == (16, 12, 2)
    assert fit.total_p50 == 800


def test_a_one_card_offer_is_never_sold_as_two() -> None:
    two = FakePlanner({"A100-80G": {2: 5.0}})
    assert fits([offer("A100-80G", 6, max_cards=1)], two) == []
    assert fits([offer("A100-80G", 6, gpu_count=1, basis="server")], two) == []
    assert [f.bought for f in fits([offer("A100-80G", 6, max_cards=2)], two)] == [2]
    assert fits([offer("A100-80G", 6, max_cards=8, stock_idle=1)], two) == []
    assert [
        f.bought for f in fits([offer("A100-80G", 6, min_cards=4)], FakePlanner({"A100-80G": {2: 5.0}}))
    ] == []
    least = FakePlanner({"A100-80G": {2: 5.0}}, ways=[(2, 1)])
    assert [f.bought for f in fits([offer("A100-80G", 6, min_cards=4)], least)] == [4]


@pytest.mark.parametrize(
    ("mode", "price", "hours", "total"),
    [
        ("monthly", 720, 400.0, 720),
        ("monthly", 720, 731.0, 1440),
        ("weekly", 210, 6.0, 210),
        ("daily", 36, 25.0, 72),
        ("prepaid_hour", 2, 1.5, 4),
        ("on_demand", 2, 1.5, 3),
        ("yearly", 8000, 1.0, 8000),
    ],
)
def test_prepaid_is_bought_in_whole_periods(mode: str, price: int, hours: float, total: int) -> None:
    assert totals(
        [offer("RTX4090", price, billing_mode=mode, max_cards=1)], FakePlanner({"RTX4090": hours})
    ) == [total]


def test_granularity_minimum_term_upfront_and_tax() -> None:
    planner = FakePlanner({"RTX4090": 1.01})
    one = {"max_cards": 1}
    assert totals([offer(price=2, **one)], planner, {"autodl": Terms(granularity_s=3600)}) == [4]
    assert totals([offer(price=2, **one)], planner, {"autodl": Terms(min_charge_s=7200)}) == [4]
    assert totals([offer(price=100, tax="excluded", billing_mode="daily", **one)], planner) == [106]
    assert totals([offer(price=100, tax="included", billing_mode="daily", **one)], planner) == [100]
    reserved = offer(price=50, billing_mode="reserved", per_hours=730, term_hours=Decimal(2190), **one)
    assert totals([reserved], planner) == [150]
    upfront = offer(price=50, billing_mode="reserved", per_hours=730, upfront=Decimal(300), **one)
    assert totals([upfront], planner) == [350]


def test_storage_traffic_and_transfer_beyond_the_free_part() -> None:
    terms = Terms(
        free_disk_gb=Decimal(50),
        disk_cny_per_gb_day=Decimal("0.01"),
        free_traffic_gb=Decimal(10),
        traffic_cny_per_gb=Decimal("0.8"),
        upload_mbps=Decimal(800),
        deposit_cny=Decimal(500),
        starts="image_pull",
    )
    [fit] = fits(
        [offer(price=3.6, max_cards=1)],
        FakePlanner({"RTX4090": 30.0}),
        {"autodl": terms},
        dataset_gb=Decimal(150),
    )
    moved = 150 * 1000 * 8 / 800
    assert fit.seconds_p50 == 30 * 3600 + moved + assumptions().image_pull_s
    assert fit.storage_p50 == 2  # 100 GB beyond the free 50, two days begun
    assert fit.extras.traffic == 112  # 140 GB beyond the free 10
    assert fit.extras.deposit == 500
    assert fit.total_p50 == fit.compute_p50 + 114


def test_unknown_terms_are_named_and_a_missing_price_leaves_no_total() -> None:
    document = answer(market([offer()]), job(dataset_gb=Decimal(100)), PLAN, SOURCES)
    assert document["fits"][0]["components"]["storage"] is None
    assert {"storage", "traffic", "transfer_time", "deposit"} == set(document["fits"][0]["unknown"])
    priced = {"autodl": Terms(free_disk_gb=Decimal(50))}
    document = answer(market([offer()], priced), job(dataset_gb=Decimal(100)), PLAN, SOURCES)
    assert document["fits"] == []
    [row] = document["unpriced"]
    assert row["total_cny_p50"] is None
    assert "disk" in row["reason"]
    assert "no_total" in document["nothing_fits_because"]


def test_an_offer_without_a_price_in_yuan_has_a_null_total_and_a_reason() -> None:
    dollars = offer(price=1, currency="USD", offer_id="offer:usd", price_cny_per_card_hour_gross=None)
    nothing = offer(price=None, offer_id="offer:none")
    document = answer(market([dollars, nothing, offer(price=9)]), job(), PLAN, SOURCES)
    assert [fit["provider"] for fit in document["fits"]] == ["autodl"]
    assert {row["offer_id"]: row["total_cny_p50"] for row in document["unpriced"]} == {
        "offer:usd": None,
        "offer:none": None,
    }
    assert all(row["reason"] for row in document["unpriced"])
    converted = offer(price=1, currency="USD", price_cny_per_card_hour_gross=Decimal("7.1"), max_cards=1)
    assert totals([converted], FakePlanner({"RTX4090": 10.0})) == [71]


# --- rules -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("more", "rule"),
    [
        ({"price_kind": "member"}, "price_kind"),
        ({"price_kind": "promo"}, "price_kind"),
        ({"price_kind": "floor"}, "price_kind"),
        ({"price_kind": "assessment"}, "price_kind"),
        ({"is_floor": True}, "floor"),
        ({"share": Decimal("0.5")}, "slice"),
        ({"gpu_count": "0.125", "share": Decimal("0.125")}, "slice"),
        ({"card": "vGPU-48G"}, "slice"),
        ({"age_hours": 169}, "stale"),
        ({"valid_until": NOW - timedelta(hours=1)}, "stale"),
        ({"in_stock": False}, "sold_out"),
        ({"stock_idle": 0}, "sold_out"),
        ({"stock_idle": 1, "min_cards": 2}, "sold_out"),
        ({"gpu_count": 8, "stock_idle": 7}, "sold_out"),
        ({"state": "delisted"}, "delisted"),
        ({"price": None}, "no_price"),
        ({"billing_mode": "spot"}, "interruptible"),
        ({"billing_mode": "serverless"}, "billing_mode"),
        ({"region_code": "810000"}, "region"),
        ({"site": "international"}, "region"),
        ({"card": "A10"}, "no_plan"),
    ],
)
def test_what_never_ranks_is_counted_by_its_rule(more: dict[str, Any], rule: str) -> None:
    cheap = offer(**{"price": "0.10", **more, "offer_id": "offer:bait"})
    honest = offer(price=50, offer_id="offer:honest")
    assert [fit.entry.offer.offer_id for fit in fits([cheap, honest])] == ["offer:honest"]
    assert why([cheap, honest]) == {rule: 1}


@pytest.mark.parametrize(
    "more",
    [
        {"price_kind": "public_discount"},
        {"age_hours": 168},
        {"age_hours": 5000, "valid_until": NOW + timedelta(hours=1)},
        {"in_stock": None},
        {"stock_idle": 1},
        {"region_code": "CN"},
        {"region_code": None},
        {"region_code": "CN-N"},
        {"tier": "savings_plan"},
    ],
)
def test_what_may_rank(more: dict[str, Any]) -> None:
    cheap = offer(**{"price": "0.10", **more, "offer_id": "offer:cheap"})
    assert fits([cheap, offer(price=50)])[0].entry.offer.offer_id == "offer:cheap"


@pytest.mark.parametrize(
    ("regions", "found"),
    [
        ((), {"CN", "110000", "440300", "130700", None, "CN-S"}),
        (("全国",), {"CN"}),
        (("CN",), {"CN"}),
        (("广东",), {"440300"}),
        (("440000",), {"440300"}),
        (("440300",), {"440300"}),
        (("北京", "张家口"), {"110000", "130700"}),
        (("110100",), {"110000"}),
        (("华南",), {"440300", "CN-S"}),
        (("HK", "810000"), {"810000"}),
    ],
)
def test_regions_take_what_lies_in_them_and_never_the_nation(
    regions: tuple[str, ...], found: set[str | None]
) -> None:
    places = ["CN", "110000", "440300", "130700", None, "CN-S", "810000"]
    offers = [offer(price=2, region_code=place, offer_id=f"offer:{place}") for place in places]
    assert {fit.entry.offer.region_code for fit in fits(offers, regions=regions)} == found


def test_a_stated_age_replaces_the_week_but_never_the_sellers_own_end() -> None:
    old, dated = offer(age_hours=200), offer(age_hours=200, valid_until=NOW + timedelta(hours=1))
    over = offer(age_hours=1, valid_until=NOW - timedelta(hours=1))
    assert market([old, dated, over]).removed == {"stale": 2}
    assert market([old, dated, over], max_age_hours=300).removed == {"stale": 1}
    assert market([old, dated, over], max_age_hours=24).removed == {"stale": 3}


def test_buyers_limits() -> None:
    two = [offer(price=2, provider="autodl"), offer("A100-80G", 40, provider="matpool")]
    assert [f.entry.offer.card for f in fits(two, cards=("A100-80G",))] == ["A100-80G"]
    assert [f.entry.offer.card for f in fits(two, providers=("autodl",))] == ["RTX4090"]
    assert fits(two, billing_modes=("monthly",)) == []
    assert [f.entry.offer.card for f in fits(two, deadline_hours=Decimal("1.5"), cards=("RTX4090",))] == [
        "RTX4090"
    ]
    spot = offer(price=1, billing_mode="spot")
    assert len(fits([spot], interruptible=True)) == 1
    assert len(fits([spot], interruptible=True, billing_modes=("spot",))) == 1
    assert fits([spot], interruptible=True, billing_modes=("on_demand",)) == []
    assert fits([spot], interruptible=False, billing_modes=("spot",)) == []
    assert fits([offer()], in_stock=True) == []
    assert len(fits([offer(in_stock=True)], in_stock=True)) == 1


def test_deadline_and_budget_are_tested_on_the_pessimistic_hours() -> None:
    planner = FakePlanner({"RTX4090": {1: 10.0}}, spread=1.5)
    one = offer(price=2, max_cards=1)
    assert len(fits([one], planner, deadline_hours=Decimal(15))) == 1
    assert fits([one], planner, deadline_hours=Decimal("14.9")) == []
    assert len(fits([one], planner, budget_cny=Decimal(30))) == 1
    assert fits([one], planner, budget_cny=Decimal("29.99")) == []


def test_host_memory() -> None:
    heavy = FakePlanner({"RTX4090": {1: 10.0}}, ram_gib=200.0, leans_on_host=True)
    assert fits([offer()], heavy) == []  # unknown memory is not enough memory for a plan that leans on it
    assert fits([offer(ram_gb=Decimal(128), max_cards=1)], heavy) == []
    assert len(fits([offer(ram_gb=Decimal(256), max_cards=1)], heavy)) == 1
    light = FakePlanner({"RTX4090": {1: 10.0}}, ram_gib=20.0)
    assert len(fits([offer()], light)) == 1
    assert fits([offer(ram_gb=Decimal(16), max_cards=1)], light) == []


def test_spot_is_stretched_and_marked_and_the_safe_choice_stands_beside_it() -> None:
    document = answer(
        market([offer(price=1, billing_mode="spot", max_cards=1), offer(price=2, max_cards=1)]),
        job(interruptible=True),
        PLAN,
        SOURCES,
    )
    first = document["fits"][0]
    assert first["billing_mode"] == "spot"
    assert first["interruptible"] is True
    assert first["hours_p50"] > 12
    assert first["hours_p90"] > first["hours_p50"]
    assert "interruptible" in first["mark"]
    assert any("interruption" in note for note in first["notes"])
    assert document["cheapest_non_interruptible"]["billing_mode"] == "on_demand"
    often = fits(
        [offer(price=1, billing_mode="spot", max_cards=1)],
        interruptible=True,
        spot_interruptions_per_day=Decimal(4),
    )
    assert often[0].seconds_p50 > first["hours_p50"] * 3600


# --- nothing fits ------------------------------------------------------------------------------------------


def test_nothing_fits_says_why_and_what_would() -> None:
    def ask(offers: Sequence[Sellable], planner: FakePlanner = PLAN, **more: Any) -> tuple[str, Any]:
        document = answer(market(offers), job(**more), planner, SOURCES)
        assert document["fits"] == []
        return document["nothing_fits_because"], document["smallest_that_would"]

    reason, smallest = ask([])
    assert "no live offer" in reason
    assert smallest["card"] == "A100-80G"
    reason, smallest = ask([offer("A10", 1)])
    assert "holds the job" in reason
    assert smallest == {"card": "A100-80G", "cards": 2, "nodes": 1}
    reason, smallest = ask([offer(price=2)], budget_cny=Decimal(10))
    assert "24.00 CNY (p90), over the budget of 10" in reason
    assert smallest["total_cny_p90"] == 24
    reason, smallest = ask([offer(price=2, max_cards=2)], deadline_hours=Decimal(4))
    assert "the fastest takes 6.00 h" in reason
    assert smallest["cards_used"] == 2
    reason, _ = ask([offer(price=2)], regions=("西藏",))
    assert "region 1" in reason


# --- proof -------------------------------------------------------------------------------------------------


def test_proof_names_complete_sources_or_what_is_missing() -> None:
    whole = label(Sources(("autodl", "matpool"), (), NOW), 1, 12)
    assert (
        whole == "no cheaper sellable offer in complete sources autodl, matpool at 2026-11-30T04:00:00+00:00"
    )
    parts = label(Sources(("autodl",), ("gongji", "matpool"), NOW), 1, 12)
    assert parts == "cheapest of 12 checked; gongji and matpool missing"
    assert label(Sources(("autodl",), ("a", "b", "c"), NOW), 1, 12).endswith("a, b and c missing")
    assert label(Sources((), (), NOW), 1, 3) == "cheapest of 3 checked"
    assert label(Sources(("autodl",), (), NOW), 2, 12) == "rank 2 of 12 checked"


def test_checked_counts_what_met_the_buyers_rules_however_far_the_search_went() -> None:
    offers = [offer(price=n + 1, offer_id=f"offer:{n:03}") for n in range(40)] + [
        offer(price=1, region_code="810000")
    ]
    for limit in (1, 3, 100):
        assert search(market(offers), job(), PLAN, Asked(limit=limit)).checked == 40
    assert search(market(offers), job(), PLAN, Asked(limit=1, count=True)).checked == 40
