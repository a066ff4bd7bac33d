"""From a period and the seller's word for the billing mode to `billing_mode`, `per_hours`, `term_hours`.

The rules are those of the data dictionary ("per_hours"): what a prepaid period is called follows from its
length, not from the seller's word; a pack of N days is a pack whatever stands beside it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from catalog.periods import HOURS, period_hours

MODES: Final = frozenset(
    "on_demand prepaid_hour daily weekly monthly yearly reserved spot pack serverless".split()
)
# A price of one of these periods says its mode when the seller gives no word.
_MODE_BY_PERIOD: Final[dict[str, str]] = {
    "day": "daily",
    "week": "weekly",
    "month": "monthly",
    "quarter": "reserved",
    "half_year": "reserved",
    "year": "yearly",
}
_MODE_BY_HOURS: Final[dict[int, str]] = {24: "daily", 168: "weekly", 730: "monthly", 8760: "yearly"}
# What a price per hour may be called; any other word beside an hourly price is a term paid by the hour.
_HOURLY: Final = frozenset(("on_demand", "prepaid_hour", "spot", "serverless"))
_TERM = re.compile(r"(\d{1,4})\s*(hour|day|week|month|quarter|half_year|year|yr|小时|天|日|周|个月|月|年)s?")
_TERM_WORDS: Final[dict[str, str]] = {
    "yr": "year", "小时": "hour", "天": "day", "日": "day", "周": "week", "个月": "month", "月": "month",
    "年": "year",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Terms:
    """How a price is paid. `per_hours` is of the quoted amount, `term_hours` of the commitment."""

    billing_mode: str
    per_hours: Decimal
    term_hours: Decimal | None


def decide(per: str, per_count: int, mode: str | None, term_text: str | None = None) -> Terms | None:
    """Terms of a price, or None where period and word together do not say how it is billed.

    `per` is a period word of `catalog.periods`, `mode` one of MODES or None, `term_text` a commitment such
    as "1yr" or "3个月" beside an hourly or monthly amount.
    """
    if mode is not None and mode not in MODES:
        return None
    per_hours = Decimal(period_hours(per, per_count))
    term = read_term(term_text)
    if per == "day" and per_count > 1:
        return Terms("pack", per_hours, per_hours)
    if term is not None:
        return Terms(_committed(mode, term), per_hours, term)
    if per_hours == 1:
        return Terms(mode, per_hours, None) if mode in _HOURLY else _reserved_by_the_hour(mode, per_hours)
    named = _MODE_BY_HOURS.get(int(per_hours)) or _MODE_BY_PERIOD.get(per)
    if mode in {"spot", "serverless"}:
        return Terms(mode, per_hours, None)
    if named is None or int(per_hours) not in _MODE_BY_HOURS:
        named = "reserved"
    return Terms(named, per_hours, per_hours)


def read_term(text: str | None) -> Decimal | None:
    """Hours of a commitment such as `1yr`, `3 Years`, `30天`; None for no or unreadable text."""
    match = _TERM.search(text.lower()) if text else None
    if match is None:
        return None
    word = _TERM_WORDS.get(match[2], match[2])
    return Decimal(HOURS[word] * int(match[1]))


def _committed(mode: str | None, term: Decimal) -> str:
    if mode == "reserved":
        return mode
    return _MODE_BY_HOURS.get(int(term), "reserved")


def _reserved_by_the_hour(mode: str | None, per_hours: Decimal) -> Terms | None:
    """An hourly amount under a period word: `monthly` shown per hour commits to a month."""
    if mode is None:
        return None
    lengths = {"daily": 24, "weekly": 168, "monthly": 730, "yearly": 8760}
    term = Decimal(lengths[mode]) if mode in lengths else None
    return Terms(mode, per_hours, term)
