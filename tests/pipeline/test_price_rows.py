"""The hand-checked price cells: every row right, no reject row read as a price."""

from __future__ import annotations

import json
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from catalog.reasons import reasons
from pipeline.reading.price import PriceReading, PriceReject, read
from tests.pipeline.price_line import line

DATA = Path(__file__).parent / "data"
ROWS = [json.loads(text) for text in (DATA / "price_text.jsonl").read_text("utf-8").splitlines()][1:]
SIBLINGS = [json.loads(text) for text in (DATA / "price_siblings.jsonl").read_text("utf-8").splitlines()]

# Rows that are not fully right, with the reason. P0391 needs a word: its text dates the level to the past
# (从年初的), the file calls that `implausible`, and so does the reader: a past level is none of today's.
MISSES: dict[str, str] = {}


def wrong(row: dict[str, Any], got: PriceReading | PriceReject) -> list[str]:
    """What differs from the expectation of a row."""
    expect = row["expect"]
    if isinstance(got, PriceReject):
        if "reject" not in expect:
            return [f"rejected as {got.reject}"]
        found = [] if got.reject == expect["reject"] else [f"{got.reject} for {expect['reject']}"]
        if "money" in expect:
            wanted = {key: number(value) for key, value in expect["money"].items()}
            have = {key: number(value) for key, value in (got.money.row() if got.money else {}).items()}
            found += [] if have == wanted else [f"money {have}"]
        return found
    if "reject" in expect:
        return [f"READ as a price: {line(got)}"]
    defaults = {
        "per_count": 1, "approx": False, "tax": "unknown",
        "price_kind": "floor" if expect["price_high"] is None else "list",
    }  # fmt: skip
    have = got.row()
    wanted = {**defaults, **{key: value for key, value in expect.items() if key not in {"open", "note"}}}
    return [
        f"{key} {have.get(key)!r} for {value!r}"
        for key, value in wanted.items()
        if number(have.get(key)) != number(value)
    ]


def number(value: Any) -> Any:
    """Floats and ints as exact numbers, all else as it is."""
    return Decimal(str(value)) if isinstance(value, (int, float)) and not isinstance(value, bool) else value


@pytest.mark.parametrize("row", ROWS, ids=[row["id"] for row in ROWS])
def test_row(row: dict[str, Any]) -> None:
    got = read(row["text"], row["context"])
    found = wrong(row, got)
    assert not (isinstance(got, PriceReading) and "reject" in row["expect"]), found
    if row["id"] not in MISSES:
        assert found == []


def test_at_least_98_percent_and_the_misses_are_true() -> None:
    bad = {row["id"] for row in ROWS if wrong(row, read(row["text"], row["context"]))}
    assert bad == set(MISSES)
    assert len(ROWS) == 338
    assert len(bad) <= 0.02 * len(ROWS)


@pytest.mark.parametrize("row", SIBLINGS, ids=range(len(SIBLINGS)))
def test_sibling(row: dict[str, str]) -> None:
    """Own variants of every kind of row: other cards, numbers, units, orders, contexts."""
    assert line(read(row["text"], row["context"])) == row["expect"]


def test_every_reason_is_in_the_catalog() -> None:
    words = {row["expect"]["reject"] for row in ROWS if "reject" in row["expect"]}
    words |= {row["expect"].split()[1] for row in SIBLINGS if row["expect"].startswith("reject")}
    assert words <= set(reasons())
    assert len(words) >= 30


def test_a_providers_own_meaning_of_a_name() -> None:
    assert line(read("5.5元/时", "A100")).startswith("A100/?")
    assert line(read("5.5元/时", "A100", "compshare")).startswith("A100-80G/80")


def test_hints_fill_only_what_the_page_leaves_open() -> None:
    assert line(read("1.98/h", "RTX 4090")) == "reject currency_unknown"
    assert (
        line(read("1.98/h", "RTX 4090", currency_hint="CNY"))
        == "RTX4090/24 x1 card 1.98 CNY/hour on_demand list"
    )
    assert "USD/hour" in line(read("$0.34/h", "RTX 4090", currency_hint="CNY"))
    assert "spot list" in line(read("1.19元/时", "RTX 4090", mode_hint="spot"))


@pytest.mark.parametrize(
    ("text", "low"),
    [("0.03元/分钟", "1.80"), ("0.0005元/秒", "1.8000"), ("0.15元/5分钟", "1.8"), ("1.80元/时", "1.80")],
)
def test_minutes_and_seconds_as_hours(text: str, low: str) -> None:
    got = read(text, "RTX 4090")
    assert isinstance(got, PriceReading)
    hourly = got.in_hours()
    assert (hourly.price_low, hourly.per, hourly.per_count) == (Decimal(low), "hour", 1)
    assert hourly.native_low == got.native_low == Decimal("1.8")
