"""Which week an issue speaks of (cases.md 30)."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reports.issue.clock import freeze_of, issue_week
from warehouse.errors import BadRequest


def at(text: str) -> datetime:
    return datetime.fromisoformat(text)


@pytest.mark.parametrize(
    ("now", "label"),
    [
        # Monday 05:00 in Shanghai is Sunday 21:00 in UTC, and speaks of the week that has just ended.
        ("2026-11-30T05:00:00+08:00", "2026-W48"),
        ("2026-11-30T04:00:00+08:00", "2026-W48"),
        ("2026-11-30T03:59:59+08:00", "2026-W47"),
        ("2026-12-01T02:00:00+08:00", "2026-W48"),
        ("2026-12-06T23:59:59+08:00", "2026-W48"),
        # The first days of January may belong to week 53.
        ("2027-01-05T10:00:00+08:00", "2026-W53"),
    ],
)
def test_the_default_is_the_last_frozen_week(now: str, label: str) -> None:
    week = issue_week(None, at(now))
    assert week.label == label
    assert not week.running


def test_a_late_report_speaks_of_the_same_moment() -> None:
    assert issue_week(None, at("2026-11-30T05:00:00+08:00")) == issue_week(
        None, at("2026-12-01T02:00:00+08:00")
    )


def test_the_running_week_ends_now() -> None:
    now = at("2026-11-26T12:00:00+08:00")
    week = issue_week("2026-W48", now)
    assert week.running
    assert week.as_of == now
    assert week.end == now


def test_between_sunday_and_the_freeze_nothing_is_added() -> None:
    week = issue_week("2026-W48", at("2026-11-30T02:00:00+08:00"))
    assert week.running
    assert week.end == datetime(2026, 11, 29, 16, tzinfo=UTC)


@pytest.mark.parametrize("label", ["2026-48", "2026-W54", "2025-W53", "W48", "2026-W00", "", "2026-W48 "])
def test_no_week(label: str) -> None:
    with pytest.raises(BadRequest, match="no week"):
        issue_week(label, at("2026-11-30T05:00:00+08:00"))


def test_a_week_that_lies_ahead() -> None:
    with pytest.raises(BadRequest, match="has not begun"):
        issue_week("2026-W50", at("2026-11-30T05:00:00+08:00"))


@given(st.datetimes(datetime(2020, 1, 1), datetime(2035, 1, 1)))
def test_the_default_was_frozen_within_the_last_week(moment: datetime) -> None:
    now = moment.replace(tzinfo=UTC)
    week = issue_week(None, now)
    assert week.as_of <= now < week.as_of + timedelta(days=7)
    assert week.as_of == freeze_of(week.monday)
    assert week.monday.isoweekday() == 1
    assert issue_week(week.label, now) == week
    assert week.start < week.end <= week.as_of
    assert week.sunday - week.monday == timedelta(days=6)
    assert date.fromisocalendar(int(week.label[:4]), int(week.label[6:]), 1) == week.monday
