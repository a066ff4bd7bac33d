"""Beside the index: administered prices, alarms, composites, transitions, another package's figures."""

from __future__ import annotations

import numpy as np
import pytest

from tests.warehouse.index.market import Record, at, build, held, records, series, values, vectors
from warehouse.index.administered import detect
from warehouse.index.check import departures
from warehouse.index.composite import geometric_aggregate, rereference
from warehouse.index.formulas import carli, dutot, jevons
from warehouse.index.method import load_method
from warehouse.index.parity import country_product_dummy
from warehouse.index.transition import transition

METHOD = load_method()


# Administered prices


def modes(ratios: list[float], mode: str = "spot") -> list[Record]:
    """One seller's goods by the hour and in another mode."""
    rows = []
    for i, ratio in enumerate(ratios):
        good = {"sku": f"s{i}", "card": f"C{i % 3}", "observed_at": at(0), "run": "r"}
        rows.append({**good, "price": 2.0 + i})
        rows.append({**good, "price": round((2.0 + i) * ratio, 6), "billing_mode": mode})
    return rows


def test_thirty_goods_at_exactly_half_are_one_rule() -> None:
    (row,) = build(modes([0.5] * 30)).administered_prices.to_pylist()
    assert row == {
        "provider": "a", "billing_mode": "spot", "base_mode": "on_demand", "n_goods": 30, "ratio": 0.5,
        "spread": 0.0, "administered": True,
    }  # fmt: skip


def test_thirty_goods_between_031_and_075_are_none() -> None:
    ratios = [0.31 + 0.44 * i / 29 for i in range(30)]
    (row,) = build(modes(ratios)).administered_prices.to_pylist()
    assert row["administered"] is False
    assert row["n_goods"] == 30


@pytest.mark.parametrize(("n", "rule"), [(4, False), (5, True)])
def test_few_goods_are_no_rule(n: int, rule: bool) -> None:
    (row,) = build(modes([480 / 730] * n, "monthly")).administered_prices.to_pylist()
    assert row["administered"] is rule


def test_rounding_to_the_cent_does_not_hide_a_rule() -> None:
    ratios = [round((2 + i) * 0.5, 2) / (2 + i) for i in range(30)]
    assert detect(ratios, METHOD.administered).administered


def test_a_sellers_rule_is_one_vote() -> None:
    # Thirty spot prices of a fall by a fifth because its hourly prices did; b and c stay: 0.8^(1/3).
    rows: list[Record] = []
    for w, level in enumerate((1.0, 0.8)):
        for i in range(30):
            rows.append({"provider": "a", "zone": f"z{i}", "price": (2 + i) * level, "billing_mode": "spot"})
            rows[-1] |= {"observed_at": at(w), "run": w}
        rows += [
            {"provider": p, "price": 2.0, "billing_mode": "spot", "observed_at": at(w), "run": w}
            for p in "bc"
        ]
    assert values(build(rows), billing_mode="spot")[1] == pytest.approx(100 * 0.8 ** (1 / 3), abs=1e-6)


# The low tail, and a price in a panel of five


def test_the_low_tail_is_screened_too() -> None:
    panel = [3.0, 3.0, 3.0, 3.2, 3.0]
    rows = [{"provider": f"p{i}", "price": p, "observed_at": at(0), "run": "r0"} for i, p in enumerate(panel)]
    late = {"provider": "x", "observed_at": at(0, 1), "run": "r1"}
    assert held(build([*rows, {**late, "price": 0.9}])) == {6: "level_hold"}
    # All equal, so the spread is zero: still screened.
    rows = [{**row, "price": 3.0} for row in rows]
    assert held(build([*rows, {**late, "price": 499.0}])) == {6: "level_hold"}


# The watchdog


def test_a_chain_that_drifts_raises_the_alarm() -> None:
    # Relisting by id, as in V06, over twenty weeks: the chain falls weekly, the multilateral index does not.
    weeks = [{"A": 10.0, "B": 10.0, f"S{w}": 8.0, f"S{w + 1}": 10.0} for w in range(20)]
    result = build(records(weeks))
    alarms = result.index_alarms.to_pylist()
    assert alarms
    assert all(row["departure"] > METHOD.check.alarm_log for row in alarms)
    quiet = build(records([{"A": 10.0, "B": 10.0 + w % 3, "C": 9.0} for w in range(20)]))
    assert quiet.index_alarms.num_rows == 0


def test_departures_are_measured_over_thirteen_weeks() -> None:
    chain, check = np.zeros(30), np.linspace(0, 0.029, 30)
    got = departures(chain, check, 13)
    assert got[29] == pytest.approx(0.013)
    assert got[5] == pytest.approx(0.005)


# Composites


def test_a_composite_without_any_component_is_refused() -> None:
    with pytest.raises(ValueError, match="no component"):
        geometric_aggregate({"a": [100, None]}, {"a": 1.0})
    with pytest.raises(ValueError, match="different length"):
        geometric_aggregate({"a": [100, 101], "b": [100]}, {"a": 1.0, "b": 1.0})
    with pytest.raises(ValueError, match="reference"):
        rereference([100, None], 1)


def test_a_region_that_shares_no_card_is_not_compared() -> None:
    prices = {("r", "x"): 2.0, ("s", "x"): 1.0, ("s", "y"): 4.0, ("t", "y"): 2.0, ("u", "z"): 9.0}
    got = country_product_dummy(prices, "r")
    # t is compared through s: 0.5 x 0.5.
    assert got == pytest.approx({"r": 100.0, "s": 50.0, "t": 25.0})
    assert country_product_dummy(prices, "nowhere") == {}


# Method changes


def rows_of(cell: list[float], version: str) -> list[Record]:
    out: list[Record] = []
    for w, value in enumerate(cell):
        link = value / cell[w - 1] if w else None
        state = "published" if w else "base"
        row = {"week": at(w).date(), "value": value, "link": link, "state": state, "check_value": value}
        out.append({**row, "grade": "B" if w else None, "flags": "", "method_version": version})
    return out


def test_a_new_method_goes_on_from_the_old_level() -> None:
    old = rows_of([100.0 + w for w in range(10)], "1.0.0")
    new = rows_of([100.0 * 0.99**w for w in range(12)], "2.0.0")
    got = transition(old, new, at(9).date())
    assert [row["value"] for row in got[:9]] == [row["value"] for row in old[:9]]
    # Week 8 stood at 108; from week 9 on the new links: 108 x 0.99, x 0.99 ...
    assert [row["value"] for row in got[9:]] == pytest.approx([108 * 0.99, 108 * 0.99**2, 108 * 0.99**3])
    assert [row["flags"] for row in got[8:11]] == ["", "method_change", ""]
    assert got[9]["note"] == "method 1.0.0 to 2.0.0"
    assert {row["method_version"] for row in got[:9]} == {"1.0.0"}


def test_a_new_method_needs_eight_weeks_beside_the_old() -> None:
    # Seven weeks side by side are nothing to link over: the series breaks, and goes on from 100.
    old, new = (
        rows_of([100.0 + w for w in range(10)], "1.0.0"),
        rows_of([50.0 * 2**w for w in range(10)], "2"),
    )
    got = transition(old, new, at(7).date())
    assert [row["value"] for row in got[6:]] == [106.0, 100.0, 200.0, 400.0]
    assert [row["state"] for row in got[6:]] == ["published", "base", "published", "published"]
    assert (got[7]["link"], got[7]["grade"], got[7]["flags"]) == (None, None, "method_change")
    linked = transition(old, new, at(8).date())
    assert [row["value"] for row in linked[8:]] == [214.0, 428.0]


def test_a_gap_at_the_change_is_linked_over_from_the_last_week_that_both_have() -> None:
    old, new = rows_of([100.0 + w for w in range(12)], "1.0.0"), rows_of([100.0] * 11 + [110.0], "2.0.0")
    new[9] |= {"value": None, "state": "outage", "link": None}
    new[10] |= {"value": 104.0}
    # Week 9 stood at 109 by the old one; the new one has no week 9: from week 8, at 108, it rose by 4 %.
    got = transition(old, new, at(10).date())
    assert [row["value"] for row in got[9:]] == [109.0, pytest.approx(108 * 1.04), pytest.approx(108 * 1.1)]


def test_a_base_of_the_new_method_stays_a_base() -> None:
    old, new = rows_of([100.0 + w for w in range(12)], "1.0.0"), rows_of([80.0] * 12, "2.0.0")
    new[10] |= {"value": 100.0, "state": "base", "link": None, "flags": "source_switch"}
    new[11] |= {"value": 105.0}
    got = transition(old, new, at(9).date())
    assert [row["value"] for row in got[9:]] == [pytest.approx(108.0), 100.0, 105.0]


def test_a_cell_that_only_one_of_them_has() -> None:
    cell = rows_of([100.0 + w for w in range(10)], "1.0.0")
    assert transition(cell, [], at(8).date()) == cell[:8]
    got = transition([], cell, at(8).date())
    assert [(row["week"], row["value"], row["state"]) for row in got] == [
        (at(8).date(), 100.0, "base"),
        (at(9).date(), pytest.approx(100 * 109 / 108), "published"),
    ]
    assert {row["flags"] for row in got} == {""}  # there was no series that could have broken


# Another package: PriceIndexCalc, where it is installed


def test_bilateral_formulas_agree_with_another_package() -> None:
    other = pytest.importorskip("PriceIndexCalc.pandas_modules.bilateral")
    given = vectors()["V01"]["input"]
    before, after = (np.array(list(given[name].values())) for name in ("prices_t0", "prices_t1"))
    for ours in (jevons, dutot, carli):
        theirs = getattr(other, ours.__name__)(before, after)
        assert ours(before.tolist(), after.tolist()) == pytest.approx(theirs, abs=1e-12)
    rows = series(build(records([given["prices_t0"], given["prices_t1"]])))
    assert rows[1]["link"] == pytest.approx(float(other.jevons(before, after)), abs=1e-10)


@pytest.mark.parametrize("vector", ["V04", "V06"])
def test_geks_and_chain_agree_with_another_package(vector: str) -> None:
    multilateral = pytest.importorskip("PriceIndexCalc.pandas_modules.multilateral")
    bilateral = pytest.importorskip("PriceIndexCalc.pandas_modules.bilateral")
    pandas = pytest.importorskip("pandas")
    given = vectors()[vector]["input"]
    weeks: list[dict[str, float]] = given.get("weeks") or given["weeks_by_listing_id"]
    frame = pandas.DataFrame(
        [
            {"month": w, "id": key, "price": price, "quantity": 1.0}
            for w, week in enumerate(weeks)
            for key, price in sorted(week.items())
        ]
    )
    theirs = multilateral.geks(frame, bilateral_method="jevons")
    rows = series(build(records(weeks)))
    assert [row["check_value"] for row in rows] == pytest.approx([100 * value for value in theirs], abs=1e-6)
    for w in range(1, len(weeks)):
        both = sorted(weeks[w - 1].keys() & weeks[w].keys())
        old, new = (np.array([week[key] for key in both]) for week in (weeks[w - 1], weeks[w]))
        assert rows[w]["link"] == pytest.approx(float(bilateral.jevons(old, new)), abs=1e-9)
