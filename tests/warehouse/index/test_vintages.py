"""Freeze, late history, corrections and their reasons (decision 11, article A6)."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

import pytest

from tests.warehouse.index.market import Record, at, build, series
from warehouse.index import Decision, IndexResult, Previous


def price(week: int, amount: float, provider: str = "a", **fields: Any) -> Record:
    return {"price": amount, "observed_at": at(week), "run": f"w{week}", "provider": provider, **fields}


def market(weeks: int) -> list[Record]:
    return [price(w, 2.0 + w / 10, name) for w in range(weeks) for name in "abc"]


def after(result: IndexResult, built_at: datetime) -> Previous:
    return Previous(built_at, result.price_index, result.index_revisions)


def test_last_weeks_values_are_provisional_until_the_next_issue() -> None:
    # Monday 10:00 after the week is the issue; one week later the values are final.
    rows = market(3)
    before = build(rows, now=at(3, 0, 9.9))
    assert [row["status"] for row in series(before)] == ["final", "provisional", "provisional"]
    issue = build(rows, now=at(3, 0, 10))
    assert [row["status"] for row in series(issue)] == ["final", "final", "provisional"]


def test_values_that_stand_keep_vintage_and_date() -> None:
    first = build(market(3), now=at(3))
    second = build(market(4), now=at(4), previous=after(first, at(3)))
    assert [row["vintage"] for row in series(second)] == [1, 1, 1, 1]
    assert [row["published_at"] for row in series(second)] == [at(3), at(3), at(3), at(4)]
    assert second.index_revisions.num_rows == 0


def late(week: int, amount: float, loaded: datetime) -> tuple[list[Record], list[Record]]:
    rows = [price(week, amount, "d") | {"run": f"late{week}"}]
    return rows, [{"run": f"late{week}", "provider": "d", "kind": "import", "loaded_at": loaded}]


def test_late_history_makes_a_new_vintage_and_keeps_the_old_value() -> None:
    first = build(market(4), now=at(6))
    rows, runs = market(4), []
    for week, amount in ((0, 5.0), (1, 6.0), (2, 6.0)):
        more, told = late(week, amount, at(6, 1))
        rows, runs = rows + more, runs + told
    second = build(rows, runs, now=at(6, 2), previous=after(first, at(6)))
    got = series(second)
    assert [row["vintage"] for row in got][:4] == [1, 2, 2, 2]
    assert [row["supersedes"] for row in got][:4] == [None, 1, 1, 1]
    assert [row["note"] for row in got][:4] == [None, "late_history", "late_history", "late_history"]
    told = [row for row in second.index_revisions.to_pylist() if row["region_code"] == "CN"]
    assert [row["old_value"] for row in told if row["series"] == "list"] == [
        row["value"] for row in series(first)[1:4]
    ]
    one = told[0]
    # Week 1 was 2.1/2.0 = 1.05 for three; with d at 1.2 it is (1.05^3 x 1.2)^(1/4) = 1.085627.
    assert one["old_link"] == pytest.approx(1.05)
    assert one["new_link"] == pytest.approx((1.05**3 * 1.2) ** 0.25, abs=1e-8)
    assert (one["reason"], one["in_report"], one["published_at"], one["recorded_at"]) == (
        "late_history", True, at(6), at(6, 2),
    )  # fmt: skip
    # No market move is in there: weeks that were never final have no revision.
    assert {row["week"] for row in told} == {at(w).date() for w in (1, 2, 3)}


def test_a_provisional_value_may_change_without_a_correction() -> None:
    first = build(market(2), now=at(2))
    rows, runs = late(0, 5.0, at(2, 1))
    more, told = late(1, 6.0, at(2, 1))
    second = build([*market(2), *rows, *more], [*runs, *told], now=at(2, 2), previous=after(first, at(2)))
    last = series(second)[1]
    assert (last["vintage"], last["supersedes"], last["status"]) == (1, None, "provisional")
    assert last["published_at"] == at(2, 2)
    assert second.index_revisions.num_rows == 0


def test_a_review_and_a_code_change_are_named_as_such() -> None:
    rows = [price(w, 2.0 + i, f"s{i}") for w in range(4) for i in range(6)]
    rows += [price(0, 4.0, "x"), price(1, 2.0, "x")]
    first = build(rows, now=at(5))
    verdict = Decision(obs=len(rows), action="release", decided_at=at(5, 1), by="ling", reason="seen")
    second = build(rows, now=at(5, 2), previous=after(first, at(5)), decisions=[verdict])
    assert series(second)[1]["note"] == "review"
    older = Previous(at(5), first.price_index, first.index_revisions)
    old = Decision(obs=len(rows), action="release", decided_at=at(4), by="ling", reason="seen")
    third = build(rows, now=at(5, 2), previous=older, decisions=[old])
    assert series(third)[1]["note"] == "code"


def test_revisions_accumulate() -> None:
    first = build(market(3), now=at(5))
    rows, runs = late(0, 5.0, at(5, 1))
    more, told = late(1, 6.0, at(5, 1))
    second = build([*market(3), *rows, *more], [*runs, *told], now=at(5, 2), previous=after(first, at(5)))
    third = build(market(3), now=at(5, 3), previous=after(second, at(5, 2)))
    assert third.index_revisions.num_rows > second.index_revisions.num_rows > 0
    assert series(third)[1]["vintage"] == 3
    assert series(third)[1]["value"] == series(first)[1]["value"]


def test_what_is_seen_after_midnight_belongs_to_the_next_week() -> None:
    # Monday 02:00 is before the freeze (04:00), and still the new week's.
    rows = [*market(1), {"price": 2.2, "observed_at": at(1, 0, 2), "run": "night", "provider": "a"}]
    result = build(rows, now=at(1, 0, 3))
    assert [row["week"] for row in series(result)] == [at(0).date(), at(1).date()]
    assert timedelta(hours=3) > timedelta(0)
