"""Numbers as a reader sees them: rounded half-up once, here; every part of an issue prints the same text."""

from __future__ import annotations

from datetime import date, datetime
from decimal import Decimal

from reports.numbers import half_up
from warehouse.calendar import SHANGHAI

UP, DOWN = "▲", "▼"
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")


def money(value: Decimal) -> str:
    """`¥1,234.50`."""
    return f"¥{half_up(value):,.2f}"


def amount(value: Decimal) -> str:
    """`1,234.50`: the same number where the unit stands beside it."""
    return f"{half_up(value):,.2f}"


def index_value(value: Decimal) -> str:
    """`98.3`."""
    return f"{half_up(value, 1):,.1f}"


def percent(share: Decimal, places: int = 1) -> str:
    """A share of one as `26.4%`."""
    return f"{half_up(share * 100, places):,.{places}f}%"


def change(ratio: Decimal) -> str | None:
    """`▲0.8%` or `▼0.8%` of a ratio of prices; None when it rounds to nothing at two decimals."""
    moved = (ratio - 1) * 100
    for places in (1, 2):
        rounded = half_up(abs(moved), places)
        if rounded:
            return f"{UP if moved > 0 else DOWN}{rounded:,.{places}f}%"
    return None


def surplus(ratio: Decimal) -> str | None:
    """How much more a ratio is: `26.4%`, with two decimals where one would show nothing; None for no more."""
    for places in (1, 2):
        if half_up((ratio - 1) * 100, places):
            return percent(ratio - 1, places)
    return None


def count(value: Decimal | int) -> str:
    """A number of things without trailing zeros."""
    return f"{Decimal(value).normalize():,f}"


def hours(value: Decimal) -> str:
    """Whole hours."""
    return f"{half_up(value, 0):,.0f}"


def moment(at: datetime) -> str:
    """`10-04 20:00`, Shanghai."""
    return f"{at.astimezone(SHANGHAI):%m-%d %H:%M}"


def full_moment(at: datetime) -> str:
    """`2026-10-04 20:00`, Shanghai."""
    return f"{at.astimezone(SHANGHAI):%Y-%m-%d %H:%M}"


def iso_day(at: datetime) -> str:
    """`2026-10-04`, Shanghai."""
    return f"{at.astimezone(SHANGHAI):%Y-%m-%d}"


def day(value: date, lang: str) -> str:
    """`9 月 28 日`, `28 Sep`."""
    return f"{value.month} 月 {value.day} 日" if lang == "zh" else f"{value.day} {_MONTHS[value.month - 1]}"
