"""Which week an issue speaks of, and up to when.

Weeks are ISO weeks in Asia/Shanghai; an issue is frozen at 04:00 on the Monday after, so a report that is
built late says what one built in time would have said. The running week has a preview up to now.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta

from warehouse.calendar import SHANGHAI, monday_of, week_label
from warehouse.errors import BadRequest

FREEZE = timedelta(days=7, hours=4)
_LABEL = re.compile(r"(\d{4})-W(\d{2})")


@dataclass(frozen=True, slots=True)
class IssueWeek:
    """The week (its Monday) and the moment the issue speaks of: its freeze, or now while it runs."""

    monday: date
    as_of: datetime
    running: bool

    @property
    def label(self) -> str:
        """`2026-W48`."""
        return week_label(self.monday)

    @property
    def sunday(self) -> date:
        return self.monday + timedelta(days=6)

    @property
    def start(self) -> datetime:
        """Monday 00:00 in Shanghai, as UTC."""
        return _midnight(self.monday)

    @property
    def end(self) -> datetime:
        """The end of what counts as seen in the week: the next Monday 00:00, or now."""
        return min(_midnight(self.monday + timedelta(days=7)), self.as_of)


def _midnight(day: date) -> datetime:
    return datetime.combine(day, time(), SHANGHAI).astimezone(UTC)


def freeze_of(monday: date) -> datetime:
    """When the week's issue is frozen: 04:00 on the Monday after, Shanghai, as UTC."""
    return _midnight(monday) + FREEZE


def _monday_of_label(label: str) -> date:
    match = _LABEL.fullmatch(label)
    try:
        if match:
            return date.fromisocalendar(int(match[1]), int(match[2]), 1)
    except ValueError:
        pass  # a week 53 of a year that has 52 is said so below
    raise BadRequest(f"{label!r} is no week such as 2026-W48")


def issue_week(label: str | None, now: datetime) -> IssueWeek:
    """The week asked for; None = the last frozen one. BadRequest for no week, or one that lies ahead."""
    if label is None:
        monday = monday_of(now) - timedelta(days=7)
        if freeze_of(monday) > now:
            monday -= timedelta(days=7)
        return IssueWeek(monday, freeze_of(monday), running=False)
    monday = _monday_of_label(label)
    if _midnight(monday) > now:
        raise BadRequest(f"{label} has not begun")
    freeze = freeze_of(monday)
    return IssueWeek(monday, min(freeze, now.astimezone(UTC)), running=freeze > now)
