"""What must hold in every market (article A7, and invariants 1 and 5 to 8 of the cases)."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from tests.warehouse.index.market import Record, at, build, series
from tests.warehouse.index.strategies import as_records, key_histories
from warehouse.index import IndexResult, compute
from warehouse.index.check import bilaterals
from warehouse.index.composite import rereference
from warehouse.index.fixed import ln_fixed
from warehouse.index.grades import NONE, SUPPRESSED, B, C, raw_grades, shown_grades
from warehouse.index.method import load_method
from warehouse.index.records import open_records

WEEKS = 6
MARKETS = key_histories(weeks=WEEKS)
NOW = at(WEEKS, 0, 5)
FEW = settings(max_examples=8, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def same(a: IndexResult, b: IndexResult, but: tuple[str, ...] = ()) -> None:
    """Every published table is equal, row by row."""
    for name in ("price_index", "price_level", "index_key_weeks", "price_parity", "administered_prices"):
        left, right = getattr(a, name), getattr(b, name)
        keep = [column for column in left.column_names if column not in but]
        assert left.select(keep).to_pylist() == right.select(keep).to_pylist(), name


@pytest.mark.slow
@FEW
@given(MARKETS, st.randoms(use_true_random=False))
def test_order_of_the_rows_changes_no_byte(keys: list[dict[str, Any]], random: Any) -> None:
    rows = as_records(keys, days=(0, 2))
    shuffled = rows.copy()
    random.shuffle(shuffled)
    same(build(rows, now=NOW), build(shuffled, now=NOW))


@pytest.mark.slow
@FEW
@given(MARKETS)
def test_rows_told_twice_change_nothing(keys: list[dict[str, Any]]) -> None:
    rows = as_records(keys)
    same(build(rows, now=NOW), build(rows + rows, now=NOW))


@pytest.mark.slow
@settings(FEW, max_examples=6)
@given(MARKETS)
def test_one_thread_and_many_give_the_same(keys: list[dict[str, Any]]) -> None:
    rows = as_records(keys, days=(0, 1, 3))
    results = []
    for threads in (1, 4):
        con = open_records(rows)
        con.execute(f"SET threads = {threads}")
        results.append(compute(con, now=NOW, method=load_method()))
        con.close()
    same(*results)


@pytest.mark.slow
@FEW
@given(MARKETS, st.sampled_from([0.5, 2.0, 4.0]))
def test_scaling_one_key_changes_no_index(keys: list[dict[str, Any]], factor: float) -> None:
    # Holding back looks at levels and at other sellers' prices, so it is switched off here.
    method = load_method()
    lenient = replace(
        method,
        level_hold=replace(method.level_hold, min_observations=10**9),
        outlier=replace(method.outlier, z=1e3, few_ratio=1e9),
    )
    rows = as_records(keys)
    target = keys[0]["zone"]
    scaled = [row | {"price": row["price"] * factor} if row["zone"] == target else row for row in rows]
    a, b = (build(some, now=NOW, method=lenient).price_index.to_pylist() for some in (rows, scaled))
    for left, right in zip(a, b, strict=True):
        assert (left["state"], left["n_imputed"]) == (right["state"], right["n_imputed"])
        assert (left["value"] is None) == (right["value"] is None)
        if left["value"] is not None:
            assert math.isclose(left["value"], right["value"], abs_tol=1e-7)


@pytest.mark.slow
@FEW
@given(MARKETS, st.sampled_from([0.25, 0.5, 2.0, 4.0, 8.0]))
def test_multiplying_all_prices_multiplies_levels_and_leaves_indices(
    keys: list[dict[str, Any]], factor: float
) -> None:
    # Invariant 5. An index on base 100 is a ratio of prices: what multiplies by k is the level behind it.
    rows = as_records(keys)
    a = build(rows, now=NOW)
    b = build([row | {"price": row["price"] * factor} for row in rows], now=NOW)
    for left, right in zip(a.price_level.to_pylist(), b.price_level.to_pylist(), strict=True):
        assert float(right["median"]) == pytest.approx(float(left["median"]) * factor, abs=2e-5)
        assert float(right["min"]) == pytest.approx(float(left["min"]) * factor, abs=2e-5)
    for left, right in zip(a.price_index.to_pylist(), b.price_index.to_pylist(), strict=True):
        assert left["state"] == right["state"]
        assert left["value"] == pytest.approx(right["value"], abs=1e-7) if left["value"] else True


@FEW
@given(MARKETS, st.sampled_from([0.5, 2.0, 4.0]))
def test_multiplying_all_prices_changes_no_ranking(keys: list[dict[str, Any]], factor: float) -> None:
    # Invariant 5: who is cheaper than whom, cell by cell and key by key. Ties stay ties.
    rows = as_records(keys)
    a = build(rows, now=NOW)
    b = build([row | {"price": row["price"] * factor} for row in rows], now=NOW)

    def order(result: IndexResult) -> list[list[tuple[int, int]]]:
        weeks: dict[Any, list[tuple[Any, int]]] = {}
        for row in result.index_key_weeks.to_pylist():
            if row["state"] == "kept":
                weeks.setdefault((row["series"], row["week"]), []).append((row["price"], row["key_no"]))
        return [[(key, rank_of(price, told)) for price, key in told] for _, told in sorted(weeks.items())]

    def rank_of(price: Any, told: list[tuple[Any, int]]) -> int:
        return sum(1 for other, _ in told if other < price)

    assert order(a) == order(b)


@FEW
@given(MARKETS)
def test_levels_are_ordered(keys: list[dict[str, Any]]) -> None:
    # Invariant 6.
    for row in build(as_records(keys), now=NOW).price_level.to_pylist():
        assert row["min"] <= row["p25"] <= row["median"] <= row["p75"]
        assert row["n_offers"] >= row["n_providers"] >= 1


@FEW
@given(MARKETS)
def test_a_thin_cell_is_never_published(keys: list[dict[str, Any]]) -> None:
    # Invariant 7, and what every row promises.
    for row in build(as_records(keys), now=NOW).price_index.to_pylist():
        if row["state"] == "published":
            assert row["n_providers"] >= 2
            assert row["n_offers"] >= 5
            assert row["n_imputed"] <= 0.3 * row["n_offers"]
        if row["state"] == "outage":
            assert row["value"] is None
        else:
            assert row["value"] > 0
        assert (row["grade"] is not None) == (row["state"] in ("published", "indicative"))
        assert (row["link"] is None) == (row["state"] in ("base", "outage"))
        if row["state"] == "base":
            assert row["value"] == 100.0


@given(st.integers(0, 40), st.integers(0, 10), st.integers(0, 40))
def test_no_raw_grade_without_its_minimum(keys: int, providers: int, imputed: int) -> None:
    imputed = min(imputed, keys)
    gate = load_method().gate
    grade = raw_grades(np.array([keys]), np.array([providers]), np.array([imputed]), gate)[0]
    if grade >= B:
        assert providers >= 2
        assert keys >= 5


@given(st.lists(st.sampled_from([0, 1, 2, 3, -1]), min_size=1, max_size=14))
def test_a_grade_falls_at_once_and_rises_after_two_weeks(weeks: list[int]) -> None:
    # Rule 17 told week by week, of one cell; -1 is a week without a grade (an outage).
    raw_before = shown = NONE
    told: list[int] = []
    for week in weeks:
        raw = np.array([week], dtype=np.int8)
        if week != NONE:
            before = np.array([raw_before], dtype=np.int8)
            shown = int(shown_grades(raw, before, np.array([shown], dtype=np.int8))[0])
            if not told:
                assert shown == week
            elif week <= told[-1]:
                assert shown == (
                    C if week == SUPPRESSED and raw_before != SUPPRESSED and told[-1] > week else week
                )
            elif raw_before > told[-1]:
                assert shown == min(week, raw_before)
            else:
                assert shown == told[-1]
            told.append(shown)
        raw_before = week


@pytest.mark.slow
@FEW
@given(MARKETS)
def test_foreign_prices_move_nothing(keys: list[dict[str, Any]]) -> None:
    # Invariant 8: converted prices are outside, so no exchange rate can reach an index value.
    rows = as_records(keys)
    dollars = [row | {"currency": "USD", "price": 9.9, "zone": "usd" + row["zone"]} for row in rows]
    a, b = build(rows, now=NOW), build(rows + dollars, now=NOW)
    same(a, b, but=("key_no",))


@pytest.mark.slow
@FEW
@given(MARKETS, st.integers(1, WEEKS - 1))
def test_an_entering_key_never_changes_its_first_week(keys: list[dict[str, Any]], week: int) -> None:
    rows = as_records(keys)
    first = min((row["observed_at"] for row in rows), default=None)
    assume(first is not None and first < at(week))
    new = {"provider": "p0", "zone": "new", "price": 2.34, "observed_at": at(week), "run": "entry"}
    a, b = build(rows, now=NOW), build([*rows, new], now=NOW)
    # Where the entrant alone keeps a silent cell awake there was nothing to change.
    was = {cell(row): row for row in a.price_index.to_pylist() if row["week"] == at(week).date()}
    now = {cell(row): row for row in b.price_index.to_pylist() if row["week"] == at(week).date()}
    for key, row in was.items():
        if row["state"] not in ("outage", "base"):
            assert now[key]["value"] == row["value"]


def cell(row: Record) -> tuple[str, ...]:
    return (row["series"], row["region_code"], row["card"], row["billing_mode"])


@pytest.mark.slow
@FEW
@given(st.lists(st.lists(st.integers(180, 240), min_size=5, max_size=5), min_size=2, max_size=5))
def test_chained_equals_direct_on_a_constant_set(weeks: list[list[int]]) -> None:
    rows = [
        {"provider": f"p{i}", "price": cents / 100, "observed_at": at(week), "run": f"w{week}"}
        for week, prices in enumerate(weeks)
        for i, cents in enumerate(prices)
    ]
    result = build(rows)
    assume(not result.held.num_rows)
    for row, prices in zip(series(result), weeks, strict=True):
        direct = math.exp(math.fsum(math.log(b / a) for a, b in zip(weeks[0], prices, strict=True)) / 5)
        assert row["value"] == pytest.approx(100 * direct, abs=1e-7)
        assert row["check_value"] == pytest.approx(100 * direct, abs=1e-7)


@given(
    st.lists(
        st.lists(st.one_of(st.none(), st.integers(10, 1000)), min_size=4, max_size=4), min_size=2, max_size=6
    )
)
def test_bilateral_indices_are_reciprocal(weeks: list[list[int | None]]) -> None:
    missing = ln_fixed(np.array([1.0]), 1.0)[0] - 2**60
    prices = np.array(
        [[missing if c is None else ln_fixed(np.array([c]), 100.0)[0] for c in week] for week in weeks]
    )
    leaf, cells = np.arange(4), [(np.arange(4), np.array([0, 2]))]
    forward = bilaterals(prices, leaf, cells, len(weeks))[0]
    backward = bilaterals(prices[::-1], leaf, cells, len(weeks))[0]
    for late in range(len(weeks)):
        for lag in range(1, late + 1):
            there, back = forward[late, lag - 1], backward[len(weeks) - 1 - late + lag, lag - 1]
            assert np.isnan(there) == np.isnan(back)
            assert np.isnan(there) or math.isclose(there, -back, abs_tol=1e-12)


@given(st.lists(st.floats(50, 200), min_size=2, max_size=8), st.data())
def test_rereferencing_keeps_every_rate(index: list[float], data: st.DataObject) -> None:
    week = data.draw(st.integers(0, len(index) - 1))
    moved = rereference(index, week)
    assert moved[week] == pytest.approx(100.0)
    for i in range(1, len(index)):
        assert moved[i] / moved[i - 1] == pytest.approx(index[i] / index[i - 1])  # type: ignore[operator]


@pytest.mark.slow
@FEW
@given(st.lists(st.integers(150, 300), min_size=4, max_size=7), st.integers(85, 118), st.integers(85, 118))
def test_imputed_and_back_at_the_class_price_changes_nothing(cents: list[int], up: int, back: int) -> None:
    # Everybody moves together; the last key is absent in week 1 and back in week 2 where its class is.
    moves = [1.0, up / 100, up * back / 10000]
    full = [
        {"provider": f"p{i}", "price": c * moves[week] / 100, "observed_at": at(week), "run": f"w{week}"}
        for week in range(3)
        for i, c in enumerate(cents)
    ]
    last = f"p{len(cents) - 1}"
    gap = [row for row in full if not (row["provider"] == last and row["observed_at"] == at(1))]
    a, b = build(full), build(gap)
    assume(not a.held.num_rows)
    assert [row["value"] for row in series(b)] == pytest.approx([row["value"] for row in series(a)], abs=1e-4)
    # An observation may be marked for review; none is held back.
    assert b.held.column("quarantine").null_count == b.held.num_rows
