"""Units that a source states convert exactly: what is recorded, Chinese spellings, and what is no unit."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.reading.units import parse_unit

D = Decimal


@pytest.mark.parametrize(
    ("text", "amount", "currency", "basis", "per", "count", "value", "hours"),
    [
        ("CNY/card/hour", "1.98", "CNY", "card", "hour", 1, "1.98", 1),
        # AutoDL 2080 thousandths of a yuan; Matpool 220000 / 100000 = 2.20
        ("0.001 CNY/card/hour", "2080", "CNY", "card", "hour", 1, "2.080", 1),
        ("1e-5 CNY/unit/hour", "220000", "CNY", "unit", "hour", 1, "2.20", 1),
        # Gongji 16416 points a second: 16416 x 3600 / 1,000,000 = 59.0976 yuan an hour for 8 cards
        ("1e-6 CNY/device/second", "16416", "CNY", "device", "hour", 1, "59.0976", 1),
        # Baidu 0.185 a minute = 11.10 an hour
        ("CNY/server/minute", "0.185", "CNY", "server", "hour", 1, "11.100", 1),
        ("CNY/card/5 minute", "0.10", "CNY", "card", "hour", 1, "1.20", 1),
        ("CNY/server/12 month", "24000", "CNY", "server", "month", 12, "24000", 8760),
        ("CNY/server/half_year", "198000", "CNY", "server", "half_year", 1, "198000", 4380),
        ("CNY/card/30 day", "1039", "CNY", "card", "day", 30, "1039", 720),
        ("USD/server/2 year", "35040", "USD", "server", "year", 2, "35040", 17520),
        ("元/卡/小时", "1.88", "CNY", "card", "hour", 1, "1.88", 1),
        ("元/卡时", "1.88", "CNY", "card", "hour", 1, "1.88", 1),
        ("万元/台/月", "0.78", "CNY", "server", "month", 1, "7800", 730),
        ("元/台/3个月", "4380", "CNY", "server", "month", 3, "4380", 2190),
        ("元/卡/分钟", "0.03", "CNY", "card", "hour", 1, "1.80", 1),
        ("POINT/device/second", "16416", "POINT", "device", "hour", 1, "59097600", 1),
    ],
)
def test_a_stated_unit(
    text: str, amount: str, currency: str, basis: str, per: str, count: int, value: str, hours: int
) -> None:
    """The value is exact, and the recorded divisor leads from the printed amount to the same hourly price."""
    unit = parse_unit(text)
    assert unit is not None
    assert (unit.currency, unit.basis, unit.per, unit.per_count) == (currency, basis, per, count)
    assert unit.convert(D(amount)) == D(value)
    assert unit.per_hours == hours
    assert round(D(amount) / unit.divisor, 6) == round(D(value) / hours, 6)


@pytest.mark.parametrize(
    "text",
    ["", "CNY", "CNY/card", "CNY/card/fortnight", "yuan/card/hour", "0 CNY/card/hour", "CNY/rack/month",
     "-1 CNY/card/hour", "CNY/card/0 month", "CNY/card/hour extra", "元/月", "CNY/hour",
     "CNY/card/server/hour", "$/card/hour", "CNY//hour", "1.2.3 CNY/card/hour"],
)  # fmt: skip
def test_what_is_no_unit(text: str) -> None:
    assert parse_unit(text) is None


@given(st.text(max_size=60))
def test_never_raises(text: str) -> None:
    parse_unit(text)


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
