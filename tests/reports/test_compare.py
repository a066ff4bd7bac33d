"""Offers side by side, and the numbers at the edges."""

from __future__ import annotations

import json
from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reports.compare import Asked, CompareError, compare, find
from reports.fit.terms import Terms
from reports.marks import words
from reports.numbers import decimal_or_none, dumps, half_up, loads
from tests.reports.fitkit import NOW, offer

HOURLY = offer(price=2, offer_id="offer:h")
MONTHLY = offer(price=720, billing_mode="monthly", offer_id="offer:m")
LIVE = [HOURLY, MONTHLY, offer(price=1, billing_mode="monthly", offer_id="offer:x", provider="matpool")]


def row(chosen: Any, terms: Terms | None = None, **more: Any) -> dict[str, Any]:
    asked = Asked(**{"hours": Decimal(400), **more})
    [found] = compare([chosen], LIVE, {} if terms is None else {"autodl": terms}, asked, NOW)
    return found


@pytest.mark.parametrize(
    ("convertible", "rule"),
    [
        (None, "unknown"),
        ((), "new_order"),
        (("on_demand>weekly",), "new_order"),
        (("on_demand>monthly",), "converts"),
    ],
)
def test_try_by_the_hour_then_the_month(convertible: Any, rule: str) -> None:
    trial = row(HOURLY, Terms(convertible=convertible))["try_then_month"]
    assert trial["rule"] == rule
    assert (trial["hourly_cny"], trial["monthly_cny"], trial["total_cny"]) == (48, 720, 768)
    assert trial["all_by_the_hour_cny"] == 800
    assert trial["month_pays_above_hours"] == 360


def test_months_are_whole_and_need_no_trial() -> None:
    assert row(MONTHLY)["try_then_month"] is None
    assert row(MONTHLY)["total_cny"] == 720
    assert row(MONTHLY, hours=Decimal(731))["total_cny"] == 1440
    assert row(HOURLY, hours=Decimal(10))["try_then_month"]["monthly_cny"] == 0
    other = offer("A10", 3, offer_id="offer:a10")
    trial = row(other)["try_then_month"]
    assert trial["total_cny"] is None
    assert "no monthly price" in trial["reason"]


def test_no_total_without_a_price_or_the_cards() -> None:
    assert row(offer(price=None))["total_cny"] is None
    eight = offer("A100-80G", 40, gpu_count=8)
    assert row(eight, cards=4)["gpu_count"] == 8
    assert row(eight, cards=9)["total_cny"] is None
    assert "9 cards" in row(eight, cards=9)["reason"]
    known = Terms(free_disk_gb=Decimal(10))
    assert row(HOURLY, known, dataset_gb=Decimal(20))["total_cny"] is None
    paid = Terms(free_disk_gb=Decimal(10), disk_cny_per_gb_day=Decimal("0.1"))
    assert row(HOURLY, paid, dataset_gb=Decimal(20))["components"]["storage"] == 17


def test_old_and_unranked_offers_say_so() -> None:
    assert row(offer(age_hours=80))["old"] is True
    assert row(offer(price_kind="member"))["not_ranked_because"] == "price_kind"


def test_offers_are_found_by_id() -> None:
    assert find(LIVE, ["m", "offer:h"]) == [MONTHLY, HOURLY]
    with pytest.raises(CompareError, match="nothing"):
        find(LIVE, ["nothing"])


# --- numbers, marks ----------------------------------------------------------------------------------------


@given(st.decimals(allow_nan=False, allow_infinity=False, places=6, min_value=-(10**8), max_value=10**8))
def test_money_goes_out_and_comes_back(value: Decimal) -> None:
    assert loads(dumps({"x": value}))["x"] == value


@given(st.fractions(max_denominator=10**6), st.integers(0, 6))
def test_half_up_is_exact(value: Fraction, places: int) -> None:
    rounded = half_up(value, places)
    step = Fraction(1, 10**places)
    assert abs(Fraction(rounded) - value) <= step / 2
    if abs(abs(value) * 10**places % 1 - Fraction(1, 2)) == 0:
        assert abs(Fraction(rounded)) > abs(value)  # a half goes away from zero


@pytest.mark.parametrize("value", ["x", True, [], Decimal("NaN"), "inf", 1j])
def test_what_is_no_number(value: Any) -> None:
    with pytest.raises(ValueError, match="number"):
        decimal_or_none(value)


def test_numbers_are_read_by_their_text() -> None:
    assert decimal_or_none(2.1) == Decimal("2.1")
    assert decimal_or_none(None) is None
    assert json.loads(dumps({"a": Decimal("524.00"), "b": (Decimal("0.10"),)})) == {"a": 524, "b": [0.1]}
    with pytest.raises(ValueError, match="NaN"):
        loads('{"a": NaN}')


def test_marks_in_words() -> None:
    assert words("old,interruptible,one_seller", Decimal(75), "zh") == ["旧 3 天", "可能被回收", "仅 1 家"]
    assert words("old,under_review", 75.5, "en") == ["3 d old", "under review"]
    assert words(None, None, "zh") == []
    with pytest.raises(KeyError):
        words("odd", 1, "zh")
