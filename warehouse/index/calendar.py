"""ISO weeks of Asia/Shanghai as numbers. Week 0 began on Monday 1969-12-29; times are µs since 1970 UTC.

China has had no summer time since 1991, so Shanghai is UTC+8 for every date that the index knows.
"""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta

from warehouse.index.fixed import Ints
from warehouse.index.method import Method

HOUR_US = 3_600_000_000
DAY_US = 24 * HOUR_US
_OFFSET = 8 * HOUR_US
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def micros(moment: datetime) -> int:
    """µs since 1970 of an aware time."""
    return (moment - _EPOCH) // timedelta(microseconds=1)


def moment_of(time: int) -> datetime:
    """Aware UTC time of µs since 1970."""
    return _EPOCH + timedelta(microseconds=time)


def week_of(time: int) -> int:
    """Number of the Shanghai week that a moment falls in."""
    return int(((time + _OFFSET) // DAY_US + 3) // 7)


def monday_of(week: int) -> int:
    """µs of Monday 00:00 Shanghai, the week's first moment."""
    return (week * 7 - 3) * DAY_US - _OFFSET


def date_of(week: int) -> date:
    """The Monday as a date."""
    return date(1969, 12, 29) + timedelta(weeks=week)


def week_number(monday: date) -> int:
    """The number of the week that a date falls in."""
    return (monday - date(1969, 12, 29)).days // 7


def freeze_of(week: int, method: Method) -> int:
    """µs from which on nothing that is seen enters the week."""
    return monday_of(week + 1) + method.week.freeze_hours * HOUR_US


def publish_of(week: int, method: Method) -> int:
    """µs at which the week's values are due."""
    return monday_of(week + 1) + method.week.publish_hours * HOUR_US


def freezes_of(times: Ints, method: Method) -> Ints:
    """The freeze of the week that each moment falls in (µs)."""
    week = ((times + _OFFSET) // DAY_US + 3) // 7
    out: Ints = ((week + 1) * 7 - 3) * DAY_US - _OFFSET + method.week.freeze_hours * HOUR_US
    return out
