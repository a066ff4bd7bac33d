"""The price of a key on a day, from crawls and sheets, against a plain reading of the rule."""

from __future__ import annotations

from collections import defaultdict
from statistics import median
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.warehouse.index.market import MONDAY, Record, at
from warehouse.index.calendar import micros
from warehouse.index.holding import hold
from warehouse.index.method import load_method
from warehouse.index.prepare import decide, read_goods, script
from warehouse.index.records import open_records

METHOD = load_method()
NOW = at(1)
PRICE = st.sampled_from([1.0, 1.1, 1.25, 1.5, 1.9])
# (offer, day, run of the day, price, in stock): what a run tells of an offer, two of them of a key.
TOLD = st.tuples(
    st.integers(0, 3), st.integers(0, 2), st.integers(0, 2), PRICE, st.sampled_from([None, True, False])
)


def record(row: tuple[int, int, int, float, bool | None], kind: str) -> Record:
    offer, day, run, price, in_stock = row
    return {
        "provider": "p",
        "zone": "alone" if offer == 0 else "crowd",
        "sku": f"s{offer}",
        "price": price,
        "in_stock": in_stock,
        # Within a run the offers come a second apart, in a sheet they share the moment.
        "observed_at": at(0, day, 6 * run + (offer / 3600 if kind == "crawl" else 0)),
        "run": f"{day}.{run}",
    }


def crawls(names: set[str]) -> list[Record]:
    return [{"run": run, "provider": "p", "kind": "crawl", "started_at": at(0)} for run in sorted(names)]


def daily(rows: list[Record], runs: list[Record]) -> dict[tuple[str, int], tuple[Any, ...]]:
    """(zone, day) → twice the price, twice the price in stock, may be bought, shows stock, in stock."""
    con = open_records(rows, runs)
    keys = read_goods(con, METHOD, NOW)
    decide(con, [])
    hold(con, METHOD, micros(NOW))
    script(con, "index_daily")
    found = con.execute(
        "SELECT key_no, day, twice, twice_in_stock, may_be_bought, shows_stock, in_stock FROM ix_day"
    ).fetchall()
    con.close()
    zone = {number: key.name.split("|")[3] for number, key in enumerate(keys)}
    first = micros(MONDAY) // 86_400_000_000 + 1  # MONDAY is told in UTC, the day before
    return {(zone[key], day - first): tuple(told) for key, day, *told in found}


def plain(rows: list[Record]) -> dict[tuple[str, int], tuple[Any, ...]]:
    """The last run of each day, and the last that had the key in stock; the median of its offers."""
    days: dict[tuple[str, int], list[Record]] = defaultdict(list)
    for row in rows:
        days[row["zone"], (row["observed_at"] - MONDAY).days].append(row)

    def twice(some: list[Record]) -> int | None:
        if not some:
            return None
        last = max(some, key=lambda row: row["observed_at"])["run"]
        return round(2_000_000 * median(row["price"] for row in some if row["run"] == last))

    out = {}
    for key, told in days.items():
        stock = [row["in_stock"] for row in told]
        out[key] = (
            twice(told),
            twice([row for row in told if row["in_stock"]]),
            any(s is not False for s in stock),
            any(s is not None for s in stock),
            any(s is True for s in stock),
        )
    return out


@settings(max_examples=60, deadline=None)
@given(st.lists(TOLD, min_size=1, max_size=24, unique_by=lambda row: row[:3]))
def test_the_day_of_crawls_is_the_plain_reading(told: list[tuple[int, int, int, float, bool | None]]) -> None:
    rows = [record(row, "crawl") for row in told]
    assert daily(rows, crawls({row["run"] for row in rows})) == plain(rows)


def test_a_good_told_twice_by_a_crawl_counts_with_both_prices() -> None:
    rows = [
        record((0, 0, 0, price, True), "crawl") for price in (1.9, 1.904)
    ]  # within one per cent: no conflict
    runs = [{"run": "0.0", "provider": "p", "kind": "crawl", "started_at": at(0)}]
    assert daily(rows, runs) == {("alone", 0): (3_804_000, 3_804_000, True, True, True)}


def test_two_sheets_that_differ_at_one_moment_count_with_both_prices() -> None:
    told = ((1.0, "a"), (1.5, "b"))
    rows = [{**record((0, 0, 0, price, None), "sheet"), "run": name} for price, name in told]
    assert daily(rows, [])["alone", 0][0] == 2_500_000
