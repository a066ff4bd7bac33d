"""Siblings of the published vectors: other numbers, other patterns, worked out by hand.

Each answer is written as the arithmetic that a person would do; beside it stands what a common mistake gives.
"""

from __future__ import annotations

import math
from datetime import timedelta
from typing import Any

import pytest

from tests.warehouse.index.market import Record, at, build, held, key_weeks, records, series, values
from warehouse.index.composite import geometric_aggregate


def levels(*ratios: float) -> Any:
    """Index levels from ratios to the base."""
    return pytest.approx([100 * ratio for ratio in ratios], abs=1e-6, rel=0)


def without(weeks: list[dict[str, float]], gaps: dict[str, list[int]]) -> list[dict[str, float]]:
    """Prices with some sellers missing in some weeks."""
    return [
        {name: p for name, p in week.items() if w not in gaps.get(name, ())} for w, week in enumerate(weeks)
    ]


# V04, V07: absence


def test_two_weeks_missing_then_back() -> None:
    weeks = [
        {"A": 2.0, "B": 3.0, "C": 4.0, "D": 5.0},
        {"A": 2.2, "B": 3.0, "C": 4.0},
        {"A": 2.2, "B": 2.7, "C": 4.0},
        {"A": 2.2, "B": 2.7, "C": 4.4, "D": 5.5},
    ]
    result = build(records(weeks))
    # While D is away it moves with A, B and C; what it did meanwhile is in the week in which it is back.
    assert values(result) == levels(1, 1.1 ** (1 / 3), 0.99 ** (1 / 3), (1.1 * 0.9 * 1.1 * 1.1) ** 0.25)
    assert float(key_weeks(result)["D", 2]["price"]) == pytest.approx(5 * 0.99 ** (1 / 3), abs=5e-7)
    assert [row["n_imputed"] for row in series(result)] == [0, 1, 1, 0]
    dropped, carried = 1.089 ** (1 / 3), (1.1 * 0.9) ** 0.25
    assert values(result)[3] != pytest.approx(100 * dropped, abs=1e-3)
    assert values(result)[2] != pytest.approx(100 * carried, abs=1e-3)


@pytest.mark.parametrize(("away", "link"), [(4, 1.2 ** (1 / 3)), (5, 1.0)])
def test_back_after_four_weeks_is_linked_and_after_five_is_new(away: int, link: float) -> None:
    back = away + 1
    full = [{"A": 2.4 if w >= back else 2.0, "B": 3.0, "C": 4.0} for w in range(back + 2)]
    result = build(records(without(full, {"A": list(range(1, back))})))
    assert series(result)[back]["link"] == pytest.approx(link, abs=1e-10)
    assert values(result)[-1] == pytest.approx(100 * link, abs=1e-6)
    assert [row["n_imputed"] for row in series(result)][:6] == [0, 1, 1, 1, 1, 0]


def test_one_key_leaves_while_another_comes() -> None:
    # w1: B gone (imputed), E enters; w2: E counts. B leaves after two complete runs of its seller without it.
    rows = records([{"A": 2.0, "C": 5.0}, {"A": 1.8, "C": 5.0}, {"A": 1.8, "C": 5.5}])
    rows += [
        {"provider": "E", "price": p, "observed_at": at(w), "run": f"w{w}"} for w, p in ((1, 9.0), (2, 8.1))
    ]
    rows += [{"provider": "B", "zone": z, "price": 3.0, "observed_at": at(0), "run": "B0"} for z in "xy"]
    rows += [
        {"provider": "B", "zone": "x", "price": 3.0, "observed_at": at(w), "run": f"B{w}"} for w in (1, 2)
    ]
    runs = [
        {
            "run": f"B{w}",
            "provider": "B",
            "kind": "crawl",
            "started_at": at(w) - timedelta(hours=1),
            "complete": True,
        }
        for w in (0, 1, 2)
    ]
    result = build(rows, runs)
    # w1: A 0.9, B's x 1.0 and y with its class (A 0.9, B 1, C 1), C 1.0.
    y = 0.9 ** (1 / 3)
    first = (0.9 * y**0.5) ** (1 / 3)
    # w2: y is gone; A 1, B 1, C 1.1, E 0.9.
    assert values(result) == levels(1, first, first * 0.99**0.25)
    assert [row["n_offers"] for row in series(result)] == [4, 4, 4]


# V09: two stages


def test_a_seller_is_one_voice_however_many_keys_it_has() -> None:
    moves = {"A": [0.8, 0.8, 0.8], "B": [1.1], "C": [1.0, 1.21]}
    rows = [
        {
            "provider": p,
            "zone": str(i),
            "price": 2.0 * (m if w else 1),
            "observed_at": at(w, d),
            "run": (w, d),
        }
        for p, ms in moves.items()
        for i, m in enumerate(ms)
        for w in (0, 1)
        for d in (0, 1)
    ]
    row = series(build(rows))[1]
    assert row["link"] == pytest.approx((0.8 * 1.1 * 1.1) ** (1 / 3), abs=1e-10)
    assert row["link"] != pytest.approx((0.8**3 * 1.1 * 1.21) ** (1 / 6), abs=1e-4)


# V08, V16: quarantine


def five_and(odd: list[float]) -> list[dict[str, float]]:
    return [{**{f"s{i}": 2.0 + i for i in range(5)}, "odd": price} for price in odd]


def test_a_true_cut_by_half_is_a_week_late_and_then_complete() -> None:
    result = build(records(five_and([4.0, 2.0, 2.0, 2.0])))
    assert values(result) == levels(1, 1, 0.5 ** (1 / 6), 0.5 ** (1 / 6))
    assert [row["n_quarantined"] for row in series(result)] == [0, 1, 0, 0]
    assert held(result) == {}


def test_a_slip_of_a_digit_is_never_seen_in_the_index() -> None:
    result = build(records(five_and([4.0, 0.4, 4.0, 4.0])))
    assert values(result) == levels(1, 1, 1, 1)
    assert list(held(result).values()) == ["level_hold"]
    # Within the level rule it fails the test of its cell, and is forgotten when the old price is back.
    result = build(records(five_and([4.0, 2.1, 4.0, 4.0])))
    assert values(result) == levels(1, 1, 1, 1)
    assert list(held(result).values()) == ["outlier"]


def test_everybody_cuts_by_a_third_and_nobody_is_held() -> None:
    result = build(records([{f"s{i}": (3.0 + i) * level for i in range(6)} for level in (1.0, 2 / 3)]))
    assert values(result) == pytest.approx([100, 200 / 3], abs=1e-4)
    assert held(result) == {}


# V14: outages


def test_two_weeks_of_nothing_are_linked_over() -> None:
    result = build(records([{"A": 2.0, "B": 8.0}, {}, {}, {"A": 2.6, "B": 6.4}, {"A": 2.6, "B": 6.4}]))
    assert [(row["value"], row["state"]) for row in series(result)][1:3] == [(None, "outage")] * 2
    assert [values(result)[w] for w in (0, 3, 4)] == levels(1, 1.04**0.5, 1.04**0.5)


def test_a_seller_that_is_down_moves_with_each_of_its_places() -> None:
    # Beijing falls by a tenth, Shenzhen rises by a fifth; P is down for a week, then back with its places.
    moves = {"110000": [1.0, 0.9, 0.9], "440300": [1.0, 1.2, 1.2]}
    rows: list[Record] = [
        {"provider": p, "region_code": place, "price": 2.0 * m, "observed_at": at(w), "run": f"{p}{w}"}
        for p in "PQR"
        for place, ms in moves.items()
        for w, m in enumerate(ms)
        if (p, w) != ("P", 1)
    ]
    result = build(rows)
    assert values(result) == levels(1, (0.9 * 1.2) ** 0.5, (0.9 * 1.2) ** 0.5)
    assert values(result, region_code="110000") == levels(1, 0.9, 0.9)
    assert values(result, region_code="440300") == levels(1, 1.2, 1.2)
    assert [row["flags"] for row in series(result)] == ["", "provider_outage", ""]
    assert [row["n_imputed"] for row in series(result)] == [0, 2, 0]


# V17: grades over time


def test_grades_fall_at_once_and_rise_after_two_weeks() -> None:
    # Eight sellers that never move; so many of them are away in each week.
    away = [0, 0, 1, 0, 0, 5, 5, 0, 1, 1]
    weeks = [{f"s{i}": 2.0 + i for i in range(8) if i >= n} for n in away]
    rows = series(build(records(weeks)))
    # 1 of 8 imputed is over a tenth: B. 5 of 8 is over half: suppressed, which shows C the first time.
    assert [row["grade"] for row in rows] == [None, "A", "B", "B", "A", "C", None, None, "B", "B"]
    assert [row["state"] for row in rows] == [
        "base", *["published"] * 4, "indicative", "suppressed", "suppressed", "published", "published",
    ]  # fmt: skip
    assert {row["value"] for row in rows} == {100.0}


def test_one_seller_is_never_published_however_many_keys_it_has() -> None:
    moves = [0.9, 0.95, 1.0, 1.0, 1.05, 1.1]
    rows = [
        {"zone": f"z{i}", "price": 3.0 * (m if w else 1), "observed_at": at(w), "run": f"w{w}"}
        for i, m in enumerate(moves)
        for w in (0, 1)
    ]
    row = series(build(rows))[1]
    assert (row["grade"], row["state"], row["flags"]) == ("C", "indicative", "single_provider")
    logs = [math.log(m) for m in moves]
    mean = math.fsum(logs) / 6
    sd = math.sqrt(math.fsum((x - mean) ** 2 for x in logs) / 5)
    width = 2.570581836 * sd / math.sqrt(6)
    assert row["link"] == pytest.approx(math.exp(mean), abs=1e-10)
    assert [row["sd_log"], row["ci_low"], row["ci_high"]] == pytest.approx(
        [sd, math.exp(mean - width), math.exp(mean + width)], abs=1e-8
    )
    # The interval holds 1, but four of six keys moved: a fall of 0.4 % is a fall, not 持平.
    assert row["direction"] == "down"


def test_flat_is_one_key_of_five_that_moved() -> None:
    weeks = [{f"s{i}": 2.0 for i in range(5)}, {**{f"s{i}": 2.0 for i in range(4)}, "s4": 2.2}]
    row = series(build(records(weeks)))[1]
    assert row["link"] == pytest.approx(1.1**0.2, abs=1e-10)
    assert (row["share_moved"], row["direction"]) == (0.2, "flat")


# V11: days and weeks


def test_week_and_day_edges_of_shanghai() -> None:
    rows = [
        {"price": p, "observed_at": at(w, d, hours), "run": f"{w}{d}{hours}"}
        for w, d, hours, p in (
            (0, 0, 12, 2.0),
            (1, 0, 0, 2.0),  # Monday 00:00 belongs to the new week
            (1, 3, 8, 5.0),
            (1, 3, 23.99, 3.0),  # the day's last one counts
            (1, 6, 23.99, 2.25),  # Sunday 23:59
            (2, 0, 0, 2.0),
        )
    ]
    told = key_weeks(build(rows))
    assert float(told["a", 1]["price"]) == pytest.approx((2.0 * 3.0 * 2.25) ** (1 / 3), abs=5e-7)
    assert float(told["a", 2]["price"]) == 2.0


def test_the_price_of_a_key_is_the_median_of_its_offers() -> None:
    offers = [
        {"sku": s, "price": p, "observed_at": at(0), "run": "r"}
        for s, p in zip("xyzw", (2.0, 2.5, 4.0, 3.0), strict=True)
    ]
    assert float(key_weeks(build(offers))["a", 0]["price"]) == 2.75
    assert float(key_weeks(build(offers[:3]))["a", 0]["price"]) == 2.5


# Stock


def test_what_cannot_be_had_is_missing_in_both_series() -> None:
    def offer(seller: str, week: int, price: float, stock: bool | None) -> Record:
        return {
            "provider": seller,
            "price": price,
            "in_stock": stock,
            "observed_at": at(week),
            "run": f"w{week}",
        }

    rows = [offer(s, w, 2.0 + 0.2 * w, True) for s in "BC" for w in (0, 1)]
    rows += [
        offer("A", 0, 2.0, True),
        offer("A", 1, 3.0, False),
        offer("D", 0, 2.0, None),
        offer("D", 1, 2.2, None),
    ]
    result = build(rows)
    assert values(result) == levels(1, 1.1)
    assert values(result, series="rentable") == levels(1, 1.1)
    assert [row["n_offers"] for row in series(result, series="rentable")] == [3, 3]
    assert series(result)[1]["in_stock_share"] == pytest.approx(2 / 3, abs=1e-6)


# V10, V05, V20


def test_a_component_without_a_link_is_left_out_of_the_link() -> None:
    got = geometric_aggregate({"a": [100, 110, 121, 121], "b": [100, None, 90, 99]}, {"a": 0.6, "b": 0.4})
    # b has no link to week 1 nor from it; its first link is that of week 3.
    assert got == pytest.approx([100, 110, 121, 121 * 1.1**0.4], abs=1e-9)


def test_the_check_series_of_three_weeks_with_a_gap() -> None:
    result = build(records([{"A": 2.0, "B": 3.0}, {"A": 2.4}, {"A": 2.4, "B": 2.7}]))
    # Bilateral: 0→1 A alone 1.2; 1→2 A alone 1; 0→2 both, (1.2 x 0.9)^(1/2).
    want = levels(1, (1.2 * 1.2 * 1.08**0.5) ** (1 / 3), (1.08**0.5 * 1.2 * 1.08**0.5) ** (1 / 3))
    assert [row["check_value"] for row in series(result)] == want


def test_two_regions_like_for_like() -> None:
    prices = {
        ("110000", "A"): 2.0,
        ("110000", "B"): 8.0,
        ("440300", "A"): 1.8,
        ("440300", "B"): 6.0,
        ("110000", "C"): 30.0,
    }
    rows = [
        {"region_code": place, "card": card, "price": p, "observed_at": at(0), "run": "r"}
        for (place, card), p in prices.items()
    ]
    got = {row["region_code"]: row["value"] for row in build(rows).price_parity.to_pylist()}
    # A is at 90 %, B at 75 %; C is not sold there and says nothing. The ratio of averages would be 29.25.
    assert got == pytest.approx({"110000": 100.0, "440000": 100 * (0.9 * 0.75) ** 0.5}, abs=1e-6)


def test_regions_at_the_same_prices_are_at_par() -> None:
    rows = [
        {"region_code": place, "card": card, "price": p, "observed_at": at(0), "run": "r"}
        for place in ("110000", "440300", "130700")
        for card, p in (("A", 2.0), ("B", 8.0))
    ]
    assert {row["value"] for row in build(rows).price_parity.to_pylist()} == {100.0}
