"""The search of fit against brute force, and what must hold whatever is sold."""

from __future__ import annotations

import random
from decimal import Decimal
from fractions import Fraction
from math import ceil
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from reports.fit.answer import answer
from reports.fit.extras import assumptions
from reports.fit.search import Asked, Result, search
from reports.fit.sellable import Sellable
from tests.reports.fitkit import NOW, SOURCES, FakePlanner, job, market, offer

CARDS = ("RTX4090", "A100-80G", "L20")
some_offers = st.lists(
    st.fixed_dictionaries(
        {
            "card": st.sampled_from(CARDS),
            "price": st.decimals("0.5", "60", places=2),
            "billing_mode": st.sampled_from(["on_demand", "daily", "monthly", "spot"]),
            "gpu_count": st.sampled_from([1, 1, 4, 8]),
            "age_hours": st.integers(0, 200),
            "provider": st.sampled_from(["autodl", "matpool", "gongji"]),
            "region_code": st.sampled_from([None, "CN", "110000", "440300"]),
            "stock_idle": st.sampled_from([None, 0, 2, 8, 16]),
            "max_cards": st.sampled_from([None, 1, 4, 10]),
        }
    ),
    max_size=14,
)
plans = st.fixed_dictionaries(
    {
        card: st.dictionaries(st.sampled_from([1, 2, 4, 8, 16]), st.floats(0.1, 400), max_size=4)
        for card in CARDS
    }
)
limits = st.fixed_dictionaries(
    {
        "interruptible": st.booleans(),
        "deadline_hours": st.sampled_from([None, Decimal(20)]),
        "budget_cny": st.sampled_from([None, Decimal(300)]),
        "regions": st.sampled_from([(), ("北京",), ("全国",)]),
    }
)


def made(rows: list[dict[str, Any]]) -> list[Sellable]:
    """Offers with ids of their own and prices for whole periods."""
    offers = []
    for n, row in enumerate(rows):
        hours = {"daily": 20, "monthly": 400}.get(row["billing_mode"], 1)
        price = row["price"] * hours * row["gpu_count"]
        offers.append(offer(**{**row, "price": price, "offer_id": f"offer:{n:03}"}))
    return offers


def hours_of(planner: FakePlanner, card: str, cards: int) -> float | None:
    return planner.hours[card].get(cards)


def brute(offers: list[Sellable], planner: FakePlanner, **more: Any) -> list[tuple[Fraction, str]]:
    """(total, id) of the best plan on every offer, cheapest first, by trying everything."""
    spot = assumptions().spot
    asked = job(**more)
    found = []
    for one in offers:
        if one.age_hours(NOW) > 168 or one.stock_idle == 0:
            continue
        if one.billing_mode == "spot" and not asked.interruptible:
            continue
        if asked.regions and one.region_code != {"北京": "110000", "全国": "CN"}[asked.regions[0]]:
            continue
        best: Fraction | None = None
        for cards, hours in planner.hours[one.card].items():
            for nodes in range(1, 9):
                if cards % nodes:
                    continue
                size = int(one.gpu_count)
                if size == 1:
                    most = one.max_cards or 8
                    most = min(most, one.stock_idle) if one.stock_idle is not None else most
                    if nodes > 1 or cards > most:
                        continue
                    bought = cards
                else:
                    free = one.stock_idle if one.stock_idle is not None else 10**6
                    if cards // nodes > size or nodes * size > free:
                        continue
                    # Only full machines of eight are joined.
                    if nodes > 1 and (cards // nodes != size or size < 8):
                        continue
                    bought = nodes
                seconds = round(hours * 3600)
                late = seconds
                if one.billing_mode == "spot":
                    late = ceil(seconds / (1 - spot.loss_p90))
                    seconds = ceil(seconds / (1 - spot.loss_p50))
                if asked.deadline_hours is not None and late > asked.deadline_hours * 3600:
                    continue

                def money(time: int, one: Sellable = one, bought: int = bought) -> Fraction:
                    assert one.price is not None
                    price = Fraction(one.price) * bought
                    if one.billing_mode in {"on_demand", "spot"}:
                        return price * time / 3600
                    return price * ceil(time / (int(one.per_hours) * 3600))

                if asked.budget_cny is not None and money(late) > asked.budget_cny:
                    continue
                total = money(seconds)
                best = total if best is None or total < best else best
        if best is not None:
            found.append((best, one.age_hours(NOW), one.provider, one.offer_id))
    return [(total, ident) for total, _, _, ident in sorted(found)]


def pairs(result: Result) -> list[tuple[Fraction, str]]:
    return [(Fraction(fit.exact_p50) / 3600, fit.entry.offer.offer_id) for fit in result.fits]


@settings(max_examples=400, deadline=None)
@given(some_offers, plans, limits, st.integers(1, 6))
def test_search_equals_brute_force(rows: Any, hours: Any, more: Any, limit: int) -> None:
    offers, planner = made(rows), FakePlanner(hours)
    expected = brute(offers, planner, **more)
    found = search(market(offers), job(**more), planner, Asked(limit=limit))
    assert pairs(found) == expected[:limit]
    counted = search(market(offers), job(**more), planner, Asked(limit=limit, count=True))
    assert pairs(counted) == expected[:limit]
    ranked = len(offers) - market(offers).removed.total()
    assert counted.removed.total() + len(expected) == ranked


def test_search_equals_brute_force_where_offers_lie_close() -> None:
    """Thirty offers of nearly the same total, plans that scale badly: a bound cut too early loses some."""
    rng = random.Random(11)
    for _ in range(150):
        hours = {
            card: {
                n: rng.uniform(30, 60) / n ** rng.uniform(0.4, 1.0) for n in rng.sample([1, 2, 4, 8, 16], 4)
            }
            for card in CARDS
        }
        rows = [
            {
                "card": rng.choice(CARDS),
                "price": Decimal(round(rng.uniform(8, 14) * 100)) / 100,
                "billing_mode": rng.choice(["on_demand", "on_demand", "daily", "spot"]),
                "gpu_count": rng.choice([1, 1, 4, 8]),
                "age_hours": rng.randrange(100),
                "provider": rng.choice(["autodl", "matpool", "gongji"]),
                "region_code": rng.choice([None, "110000"]),
            }
            for _ in range(30)
        ]
        offers, planner = made(rows), FakePlanner(hours)
        limit, more = rng.choice([1, 2, 5]), {"interruptible": rng.random() < 0.5}
        expected = brute(offers, planner, **more)
        assert pairs(search(market(offers), job(**more), planner, Asked(limit=limit))) == expected[:limit]


@settings(max_examples=100, deadline=None)
@given(some_offers, plans, st.randoms())
def test_shuffling_and_doubling_change_nothing(rows: Any, hours: Any, rng: random.Random) -> None:
    offers, planner = made(rows), FakePlanner(hours)
    first = answer(market(offers), job(), planner, SOURCES, why=True)
    shuffled = offers[:]
    rng.shuffle(shuffled)
    assert answer(market(shuffled), job(), planner, SOURCES, why=True) == first


@settings(max_examples=100, deadline=None)
@given(some_offers, plans, st.decimals("0.5", "60", places=2))
def test_a_dearer_offer_never_wins_and_losing_the_winner_never_helps(
    rows: Any, hours: Any, price: Decimal
) -> None:
    offers, planner = made(rows), FakePlanner(hours)
    before = pairs(search(market(offers), job(), planner, Asked(limit=1)))
    more = [*offers, offer("L20", price, offer_id="offer:zzz", age_hours=0)]
    after = pairs(search(market(more), job(), planner, Asked(limit=1)))
    extra = pairs(search(market(more[-1:]), job(), planner, Asked(limit=1)))
    if before and (not extra or extra[0][0] > before[0][0]):
        assert after == before
    if before:
        without = [one for one in offers if one.offer_id != before[0][1]]
        left = pairs(search(market(without), job(), planner, Asked(limit=1)))
        assert not left or left[0][0] >= before[0][0]


@settings(max_examples=50, deadline=None)
@given(some_offers, plans, st.integers(2, 9))
def test_scaling_all_prices_scales_totals_and_keeps_the_order(rows: Any, hours: Any, factor: int) -> None:
    planner = FakePlanner(hours)
    scaled = [{**row, "price": row["price"] * factor} for row in rows]
    one, many = (pairs(search(market(made(r)), job(), planner, Asked(limit=9))) for r in (rows, scaled))
    assert [(total * factor, ident) for total, ident in one] == many


def test_only_promising_ways_are_planned() -> None:
    """The search stops at the bound: dear cards are never planned."""
    planner = FakePlanner({"RTX4090": 10.0, "A100-80G": 9.0, "L20": 50.0})
    offers = [offer("RTX4090", 1), offer("A100-80G", 30), offer("L20", 20)]
    search(market(offers), job(), planner, Asked(limit=1))
    assert {good.card for good, _, _ in planner.asked} == {"RTX4090"}
