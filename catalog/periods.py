"""Hours per billing period: the one place that says how long a month is.

A calendar month is 730 hours, a year 8760. A pack of N days is 24 x N and never a month. Other divisors
(720, 600, 480 ...) exist in sellers' own arithmetic; they are checks on a source, never a conversion.
"""

from __future__ import annotations

from decimal import Decimal
from typing import Final

HOURS: Final[dict[str, int]] = {
    "hour": 1,
    "day": 24,
    "week": 168,
    "month": 730,
    "quarter": 2190,
    "half_year": 4380,
    "year": 8760,
}
"""Hours of one period, by the period words of the database, the quote sheet and the readers."""

SECONDS_PER_HOUR: Final = 3600
MINUTES_PER_HOUR: Final = 60

_SUB_HOUR: Final[dict[str, int]] = {"minute": MINUTES_PER_HOUR, "second": SECONDS_PER_HOUR}

PERIODS: Final[frozenset[str]] = frozenset(HOURS) | frozenset(_SUB_HOUR)
"""Every period word a price may carry, `minute` and `second` included."""


def hours(per: str, per_count: Decimal | int = 1) -> Decimal:
    """Hours of `per_count` periods, as a Decimal.

    `minute` and `second` are no whole number of hours; use `per_hour` to convert such prices exactly.
    Raises KeyError for a word that is no period of at least an hour.
    """
    return Decimal(HOURS[per]) * Decimal(per_count)


def per_hour(amount: Decimal, per: str, per_count: Decimal | int = 1) -> Decimal:
    """`amount` for `per_count` periods, as an amount per hour (Decimal division, context precision).

    Prices per minute and per second are multiplied, so they convert without any rounding when
    `per_count` is 1. Raises KeyError for an unknown period word.
    """
    if per in _SUB_HOUR:
        return amount * _SUB_HOUR[per] / Decimal(per_count)
    return amount / hours(per, per_count)


def period_hours(per: str, per_count: int = 1) -> int:
    """The `per_hours` of an offer: 1 for hour, minute and second goods, else hours of the whole period.

    Raises KeyError for an unknown period word.
    """
    return 1 if per in _SUB_HOUR else HOURS[per] * per_count
