"""Small markets for the tests of the index: weeks of prices become records, and rows come back as dicts."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path
from typing import Any

from warehouse.index import IndexResult, compute
from warehouse.index.method import Method, load_method
from warehouse.index.records import open_records

MONDAY = datetime(2026, 10, 4, 16, tzinfo=UTC)  # Monday 2026-10-05 00:00 in Shanghai
NOON = timedelta(hours=12)
WEEK = timedelta(weeks=1)
DAY = timedelta(days=1)

Record = dict[str, Any]


@cache
def vectors() -> dict[str, Any]:
    """The published vectors by id."""
    path = Path(__file__).parent.parent / "data" / "index_vectors.json"
    return {vector["id"]: vector for vector in json.loads(path.read_text(encoding="utf-8"))["vectors"]}


def at(week: int, day: int = 0, hours: float = 12) -> datetime:
    """A moment of the market: week from 0, day of the week from 0, hours after Shanghai midnight."""
    return MONDAY + week * WEEK + day * DAY + timedelta(hours=hours)


def records(weeks: Sequence[Mapping[str, float]], day: int = 0, **fields: Any) -> list[Record]:
    """One observation a key and week, every key its own seller, every week its own run."""
    return [
        {"provider": key, "price": price, "observed_at": at(week, day), "run": f"w{week}", **fields}
        for week, prices in enumerate(weeks)
        for key, price in prices.items()
    ]


def build(
    rows: Sequence[Record],
    runs: Sequence[Record] = (),
    *,
    now: datetime | None = None,
    method: Method | None = None,
    **arguments: Any,
) -> IndexResult:
    """The index of some records; `now` defaults to a minute after the last of them."""
    clock = now or max((row["observed_at"] for row in rows), default=MONDAY) + timedelta(minutes=1)
    con = open_records(rows, runs)
    try:
        return compute(con, now=clock, method=method or load_method(), **arguments)
    finally:
        con.close()


def series(result: IndexResult, **where: Any) -> list[Record]:
    """Rows of one cell in week order; by default list, CN, on_demand."""
    wanted = {"series": "list", "region_code": "CN", "billing_mode": "on_demand", **where}
    rows = result.price_index.to_pylist()
    return [row for row in rows if all(row[name] == value for name, value in wanted.items())]


def values(result: IndexResult, **where: Any) -> list[float | None]:
    """Index values of one cell in week order."""
    return [row["value"] for row in series(result, **where)]


def held(result: IndexResult) -> dict[int, str]:
    """Quarantine words by observation (numbered from 1 in the order of the records)."""
    return {row["obs"]: row["quarantine"] for row in result.held.to_pylist() if row["quarantine"]}


def reviews(result: IndexResult) -> list[int]:
    """Observations marked for review."""
    return [row["obs"] for row in result.held.to_pylist() if row["review"]]


def key_weeks(result: IndexResult, series_name: str = "list") -> dict[tuple[str, int], Record]:
    """What became of each key, by (key name's provider, week from 0)."""
    names = {row["key_no"]: row["provider"] for row in result.index_keys.to_pylist()}
    first = (MONDAY + timedelta(hours=8)).date()
    return {
        (names[row["key_no"]], (row["week"] - first).days // 7): row
        for row in result.index_key_weeks.to_pylist()
        if row["series"] == series_name
    }
