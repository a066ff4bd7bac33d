"""Bare amounts: a number or the reason why it is none (quote sheets and API fields)."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.amount import read_amount


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1.98", "1.98"),
        ("1,234.5", "1234.5"),
        ("12,345,678", "12345678"),
        ("75000", "75000"),
        ("１．９８", "1.98"),
        (" 2.18 ", "2.18"),
        ("1e-5", "0.00001"),
        (".5", "0.5"),
    ],
)
def test_numbers(text: str, value: str) -> None:
    assert read_amount(text) == Decimal(value)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (None, "price_missing"),
        ("", "price_missing"),
        ("--", "price_missing"),
        ("NA", "price_missing"),
        ("0", "price_zero"),
        ("0.00", "price_zero"),
        ("-1.5", "price_negative"),
        ("NaN", "price_not_a_number"),
        ("inf", "price_infinite"),
        ("-Infinity", "price_infinite"),
        ("面议", "price_not_a_number"),
        ("1,23", "price_not_a_number"),
        ("1E100", "implausible"),  # no money column holds it; it must not stop the other rows
        ("1e-300", "implausible"),
        ("999999999999999", "implausible"),
        ("1.2.3", "price_not_a_number"),
        ("12元", "price_not_a_number"),
        (".", "price_not_a_number"),
        ("9" * 65, "price_not_a_number"),
    ],
)
def test_reasons(text: str | None, reason: str) -> None:
    assert read_amount(text) == reason


@given(st.text(max_size=80))
def test_never_raises_and_never_reads_zero_or_less(text: str) -> None:
    value = read_amount(text)
    assert isinstance(value, str) or (value > 0 and value.is_finite())
