"""Periods, reasons and billing words."""

from __future__ import annotations

from decimal import Decimal

import pytest

from catalog import periods
from catalog.billing import BILLING_MODES, PRICE_KINDS, billing_words, lookup
from catalog.reasons import reason_text, reasons
from catalog.table import rows

FREE_TEXT = """not_gpu no_number purchase_price multiple_cards vague_number budget_not_price ambiguous_card
discount_only fractional_gpu implausible quote_required ambiguous_card_count truncated_range demand_side
login_required not_rental truncated_range_by_sibling ratio_not_price currency_suspect_by_sibling missing_unit
multiple_offers js_calculator inconsistent card_sku_conflict revenue_not_price derived_estimate
card_vram_conflict ambiguous_basis missing_period teaser_price price_in_image free_trial""".split()
SHEET = """price_missing price_zero price_negative price_not_a_number price_infinite unit_unknown
currency_unknown
unknown_card card_vram_conflict mode_unknown date_missing date_in_future count_unknown not_an_offer expired
implausible multiple_cards fractional_gpu""".split()


def test_hours_of_the_periods() -> None:
    assert dict(periods.HOURS) == {
        "hour": 1,
        "day": 24,
        "week": 168,
        "month": 730,
        "quarter": 2190,
        "half_year": 4380,
        "year": 8760,
    }


def test_prices_per_minute_and_second_convert_exactly() -> None:
    assert periods.per_hour(Decimal("0.185"), "minute") == Decimal("11.100")
    assert periods.per_hour(Decimal("0.000222"), "second") == Decimal("0.799200")
    assert periods.per_hour(Decimal(1440), "month").quantize(Decimal("0.0001")) == Decimal("1.9726")
    assert periods.per_hour(Decimal("8314.10"), "day", 30).quantize(Decimal("0.0001")) == Decimal("11.5474")
    assert periods.period_hours("year", 3) == 26280
    assert periods.period_hours("minute") == 1


@pytest.mark.parametrize("word", ["fortnight", "", "hours"])
def test_an_unknown_period_is_an_error(word: str) -> None:
    with pytest.raises(KeyError):
        periods.hours(word)


@pytest.mark.parametrize("code", sorted({*FREE_TEXT, *SHEET, "unknown_family"}))
def test_every_reason_has_words_in_both_languages(code: str) -> None:
    reason = reasons()[code]
    assert reason.zh and reason.en
    assert reason_text(code, "zh") == reason.zh and reason.en in reason_text(code)


def test_an_unknown_reason_is_its_own_word() -> None:
    assert reason_text("no_such_code") == "no_such_code"


@pytest.mark.parametrize(
    ("word", "provider", "mode", "hours"),
    [
        ("按量", None, "on_demand", None),
        ("按秒计费", None, "on_demand", None),
        ("后付费", None, "on_demand", None),
        ("包时", None, "prepaid_hour", 1),
        ("包日", None, "daily", 24),
        ("包周", None, "weekly", 168),
        ("包 月", None, "monthly", 730),
        ("月结", None, "monthly", 730),
        ("季付", None, "reserved", 2190),
        ("半年付", None, "reserved", 4380),
        ("年付", None, "yearly", 8760),
        ("三年付", None, "reserved", 26280),
        ("预留实例", None, "reserved", None),
        ("节省计划", None, "reserved", None),
        ("抢占式实例", None, "spot", None),
        ("SPOT", None, "spot", None),
        ("资源包", None, "pack", None),
        ("Dynamic", "compshare", "prepaid_hour", 1),
        ("Dynamic", "ucloud", "on_demand", None),
        ("Postpay", "compshare", "on_demand", None),
        ("POSTPAID_BY_HOUR", "tencent", "on_demand", None),
        ("payg", "autodl", "on_demand", None),
        ("YEARLY_3", "huawei", "reserved", 26280),
    ],
)
def test_billing_words(word: str, provider: str | None, mode: str, hours: int | None) -> None:
    found = lookup(word, provider)
    assert found is not None and (found.billing_mode, found.term_hours) == (mode, hours)


@pytest.mark.parametrize(
    ("word", "kind", "tier"),
    [
        ("会员价", "member", "member"),
        ("学生", "member", "student"),
        ("首单", "promo", "first_order"),
        ("夜间", "promo", "night"),
        ("长租特惠", "promo", None),
        ("官网折扣价", "public_discount", None),
        ("起", "floor", None),
        ("原价", "list", None),
    ],
)
def test_price_kinds(word: str, kind: str, tier: str | None) -> None:
    found = lookup(word)
    assert found is not None and (found.price_kind, found.tier) == (kind, tier)


def test_the_table_uses_known_modes_and_kinds_only() -> None:
    for provider in {row["provider"] for row in rows("billing_words.csv")}:
        for word in billing_words(provider).values():
            assert word.billing_mode in (None, "free_trial", "no_card", *BILLING_MODES), word
            assert word.price_kind in (None, *PRICE_KINDS), word
    assert lookup("包治百病") is None
