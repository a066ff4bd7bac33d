"""Units stated by spiders convert exactly."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.reading.units import parse_unit


@pytest.mark.parametrize(
    ("unit", "amount", "currency", "basis", "per", "count", "value"),
    [
        ("CNY/card/hour", "1.98", "CNY", "card", "hour", 1, "1.98"),
        ("0.001 CNY/card/hour", "2080", "CNY", "card", "hour", 1, "2.080"),
        # AutoDL 2080 milli-yuan; Matpool 220000 / 100000 = 2.20
        ("1e-5 CNY/unit/hour", "220000", "CNY", "unit", "hour", 1, "2.20"),
        # Gongji 16416 points a second: 16416 x 3600 / 1,000,000 = 59.0976 yuan an hour for 8 cards
        ("1e-6 CNY/device/second", "16416", "CNY", "device", "hour", 1, "59.0976"),
        # Baidu 0.185 a minute = 11.10 an hour
        ("CNY/server/minute", "0.185", "CNY", "server", "hour", 1, "11.100"),
        ("CNY/server/12 month", "1000", "CNY", "server", "month", 12, "1000"),
        ("CNY/card/half_year", "9000", "CNY", "card", "half_year", 1, "9000"),
        ("USD/card/30 day", "900", "USD", "card", "day", 30, "900"),
        ("CNY/card/5 minute", "0.10", "CNY", "card", "hour", 1, "1.20"),
    ],
)
def test_units(unit: str, amount: str, currency: str, basis: str, per: str, count: int, value: str) -> None:
    got = parse_unit(unit)
    assert got is not None
    assert (got.currency, got.basis, got.per, got.per_count) == (currency, basis, per, count)
    assert got.convert(Decimal(amount)) == Decimal(value)


@pytest.mark.parametrize(
    "text",
    ["", "CNY", "CNY/card", "CNY/card/fortnight", "yuan/card/hour", "0 CNY/card/hour", "CNY/rack/month",
     "-1 CNY/card/hour", "CNY/card/0 month", "CNY/card/hour extra"],
)  # fmt: skip
def test_no_unit(text: str) -> None:
    assert parse_unit(text) is None


@given(st.text(max_size=60))
def test_never_raises(text: str) -> None:
    parse_unit(text)
