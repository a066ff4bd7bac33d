"""Units that a source states: read exactly, refused where unknown."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.reading.units import Unit, parse_unit

D = Decimal


@pytest.mark.parametrize(
    ("text", "amount", "converted", "currency", "basis", "per", "count", "hours"),
    [
        ("0.001 CNY/card/hour", "1980", "1.980", "CNY", "card", "hour", 1, 1),
        ("1e-5 CNY/unit/hour", "220000", "2.20000", "CNY", "card", "hour", 1, 1),
        ("1e-6 CNY/device/second", "16416", "59.097600", "CNY", "device", "second", 1, 1),
        ("CNY/server/minute", "0.03", "1.80", "CNY", "server", "minute", 1, 1),
        ("CNY/server/12 month", "24000", "24000", "CNY", "server", "month", 12, 8760),
        ("CNY/instance/3 month", "900", "900", "CNY", "server", "month", 3, 2190),
        ("CNY/card/30 day", "1039", "1039", "CNY", "card", "day", 30, 720),
        ("USD/server/hour", "32.7726", "32.7726", "USD", "server", "hour", 1, 1),
        ("CNY/server/year", "1650000", "1650000", "CNY", "server", "year", 1, 8760),
        ("CNY/server/2 years", "35040", "35040", "CNY", "server", "year", 2, 17520),
        ("元/月", "1999", "1999", "CNY", "card", "month", 1, 730),
        ("万元/台/月", "0.78", "7800.00", "CNY", "server", "month", 1, 730),
        ("元/卡时", "1.88", "1.88", "CNY", "card", "hour", 1, 1),
        ("元/3个月", "4380", "4380", "CNY", "card", "month", 3, 2190),
        ("元/半年", "198000", "198000", "CNY", "card", "half_year", 1, 4380),
        ("POINT/device/second", "16416", "59097600", "POINT", "device", "second", 1, 1),
        ("RMB/card/week", "398", "398", "CNY", "card", "week", 1, 168),
    ],
)
def test_units(
    text: str, amount: str, converted: str, currency: str, basis: str, per: str, count: int, hours: int
) -> None:
    unit = parse_unit(text)
    assert unit is not None
    assert (unit.currency, unit.basis, unit.per, unit.per_count) == (currency, basis, per, count)
    assert unit.convert(D(amount)) == D(converted)
    assert unit.per_hours == hours
    assert D(amount) * unit.factor == D(converted)


@pytest.mark.parametrize(
    "text",
    ["", "CNY", "CNY/card", "hour", "CNY/hour/day", "CNY/card/server/hour", "CNY/card/fortnight", "0 CNY/hour",
     "1.2.3 CNY/hour", "CNY/0 month", "$/hour", "/hour", "CNY//hour", "CNY/card/hour/x", "¤¤¤/hour"],
)  # fmt: skip
def test_what_is_no_unit(text: str) -> None:
    assert parse_unit(text) is None


@given(st.text(max_size=40))
def test_never_raises(text: str) -> None:
    unit = parse_unit(text)
    assert unit is None or isinstance(unit, Unit)


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
