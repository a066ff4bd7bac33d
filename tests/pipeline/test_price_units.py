"""Units that a source states: what conversion records, and Chinese spellings (see also test_units)."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.reading.units import parse_unit

D = Decimal


@pytest.mark.parametrize(
    ("text", "amount", "per_hour", "hours"),
    [
        ("0.001 CNY/card/hour", "1980", "1.980", 1),
        ("1e-5 CNY/unit/hour", "220000", "2.2", 1),
        ("1e-6 CNY/device/second", "16416", "59.0976", 1),
        ("CNY/server/minute", "0.03", "1.80", 1),
        ("CNY/card/5 minute", "0.10", "1.20", 1),
        ("CNY/server/12 month", "24000", "2.739726", 8760),
        ("CNY/card/30 day", "1039", "1.443056", 720),
        ("USD/server/2 year", "35040", "2", 17520),
        ("CNY/server/half_year", "198000", "45.205479", 4380),
    ],
)
def test_the_divisor_is_recorded(text: str, amount: str, per_hour: str, hours: int) -> None:
    unit = parse_unit(text)
    assert unit is not None
    assert unit.per_hours == hours
    assert round(D(amount) / unit.divisor, 6) == D(per_hour)
    assert round(unit.convert(D(amount)) / unit.per_hours, 6) == D(per_hour)


@pytest.mark.parametrize(
    ("text", "amount", "currency", "basis", "per", "count", "value"),
    [
        ("元/卡/小时", "1.88", "CNY", "card", "hour", 1, "1.88"),
        ("元/卡时", "1.88", "CNY", "card", "hour", 1, "1.88"),
        ("万元/台/月", "0.78", "CNY", "server", "month", 1, "7800"),
        ("元/台/3个月", "4380", "CNY", "server", "month", 3, "4380"),
        ("元/卡/分钟", "0.03", "CNY", "card", "hour", 1, "1.80"),
        ("POINT/device/second", "16416", "POINT", "device", "hour", 1, "59097600"),
    ],
)
def test_other_spellings(
    text: str, amount: str, currency: str, basis: str, per: str, count: int, value: str
) -> None:
    unit = parse_unit(text)
    assert unit is not None
    assert (unit.currency, unit.basis, unit.per, unit.per_count) == (currency, basis, per, count)
    assert unit.convert(D(amount)) == D(value)


@pytest.mark.parametrize(
    "text", ["元/月", "CNY/hour", "CNY/card/server/hour", "$/card/hour", "CNY//hour", "1.2.3 CNY/card/hour"]
)
def test_what_is_no_unit(text: str) -> None:
    assert parse_unit(text) is None


@given(
    st.decimals(min_value=D("0.000001"), max_value=D(10**9), places=6),
    st.sampled_from(["0.001", "1e-5", "1e-6", "1"]),
    st.sampled_from(["second", "minute", "hour", "month"]),
)
def test_conversion_is_exact(amount: Decimal, scale: str, per: str) -> None:
    unit = parse_unit(f"{scale} CNY/card/{per}")
    assert unit is not None
    steps = {"second": 3600, "minute": 60}.get(per, 1)
    assert unit.convert(amount) == amount * D(scale) * steps
