"""The service's clock: the machine's, or one that was set with --now and goes on from there.

APScheduler knows the machine's clock only, so the triggers of a shifted service are asked in its own time.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from apscheduler.triggers.base import BaseTrigger
from apscheduler.triggers.cron import CronTrigger

from warehouse.calendar import SHANGHAI


class Clock:
    """`now()` in the service's time, `real()` from it to the machine's."""

    def __init__(self, start: datetime | None = None) -> None:
        self.shifted = start is not None
        self.offset = start - datetime.now(UTC) if start else timedelta()

    def now(self) -> datetime:
        """Aware UTC time."""
        return datetime.now(UTC) + self.offset

    def real(self, moment: datetime) -> datetime:
        """The machine's time at a moment of the service's."""
        return moment - self.offset


def cron(when: Mapping[str, str]) -> CronTrigger:
    """A cron trigger in Asia/Shanghai. ValueError for a weekday that is a number: APScheduler counts from
    Monday, crontab from Sunday."""
    day = when.get("day_of_week", "mon")
    if not all(part in {"mon", "tue", "wed", "thu", "fri", "sat", "sun"} for part in day.split(",")):
        raise ValueError(f"day_of_week {day!r}: write mon, tue, … sun")
    return CronTrigger(**when, timezone=SHANGHAI)


class Shifted(BaseTrigger):  # type: ignore[misc]
    """A trigger of the service's time, told in the machine's."""

    def __init__(self, inner: CronTrigger, offset: timedelta) -> None:
        self.inner, self.offset = inner, offset

    def get_next_fire_time(self, previous_fire_time: datetime | None, now: datetime) -> Any:
        """APScheduler's question, in the machine's time."""
        before = previous_fire_time + self.offset if previous_fire_time else None
        found = self.inner.get_next_fire_time(before, now + self.offset)
        return found - self.offset if found else None
