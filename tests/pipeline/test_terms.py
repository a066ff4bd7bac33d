"""Period and word → billing mode, hours of the amount, hours of the commitment."""

from __future__ import annotations

from decimal import Decimal

import pytest

from pipeline.terms import decide, read_term


@pytest.mark.parametrize(
    ("per", "count", "mode", "term", "expected"),
    [
        ("hour", 1, "on_demand", None, ("on_demand", 1, None)),
        ("minute", 1, "on_demand", None, ("on_demand", 1, None)),
        ("second", 1, "on_demand", None, ("on_demand", 1, None)),
        ("hour", 1, "prepaid_hour", None, ("prepaid_hour", 1, None)),
        ("hour", 1, "spot", None, ("spot", 1, None)),
        ("day", 1, None, None, ("daily", 24, 24)),
        ("day", 30, "monthly", None, ("pack", 720, 720)),
        ("day", 7, None, None, ("pack", 168, 168)),
        ("week", 1, None, None, ("weekly", 168, 168)),
        ("week", 2, None, None, ("reserved", 336, 336)),
        ("month", 1, None, None, ("monthly", 730, 730)),
        ("month", 3, "monthly", None, ("reserved", 2190, 2190)),
        ("month", 6, None, None, ("reserved", 4380, 4380)),
        ("month", 12, None, None, ("yearly", 8760, 8760)),
        ("quarter", 1, None, None, ("reserved", 2190, 2190)),
        ("half_year", 1, None, None, ("reserved", 4380, 4380)),
        ("year", 1, None, None, ("yearly", 8760, 8760)),
        ("year", 3, None, None, ("reserved", 26280, 26280)),
        ("hour", 1, "reserved", "1yr", ("reserved", 1, 8760)),
        ("hour", 1, "monthly", None, ("monthly", 1, 730)),
        ("hour", 1, None, "1 year", ("yearly", 1, 8760)),
    ],
)
def test_terms(
    per: str, count: int, mode: str | None, term: str | None, expected: tuple[str, int, int | None]
) -> None:
    got = decide(per, count, mode, term)
    assert got is not None
    assert (got.billing_mode, got.per_hours, got.term_hours) == expected


def test_an_hourly_amount_without_a_word_is_not_guessed() -> None:
    assert decide("hour", 1, None) is None


def test_an_unknown_word_is_not_guessed() -> None:
    assert decide("month", 1, "whatever") is None


@pytest.mark.parametrize(
    ("text", "hours"), [("1yr", 8760), ("3 month", 2190), ("3个月", 2190), ("30天", 720), ("2年", 17520)]
)
def test_commitments(text: str, hours: int) -> None:
    assert read_term(text) == Decimal(hours)


@pytest.mark.parametrize("text", [None, "", "soon", "month"])
def test_no_commitment(text: str | None) -> None:
    assert read_term(text) is None
