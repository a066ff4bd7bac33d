"""Weeks are ISO weeks in Asia/Shanghai; a generation is named after the week it was built in."""

from __future__ import annotations

import re
from datetime import date, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

SHANGHAI = ZoneInfo("Asia/Shanghai")
_NAME = re.compile(r"index-(\d{4}-W\d{2})-v(\d{4,})\.duckdb")


def monday_of(moment: datetime) -> date:
    """The Monday of the Shanghai week in which an aware moment lies."""
    day = moment.astimezone(SHANGHAI).date()
    return day - timedelta(days=day.weekday())


def week_label(monday: date) -> str:
    """`2026-W48` of the Monday of a week."""
    year, week, _ = monday.isocalendar()
    return f"{year}-W{week:02d}"


def generation_name(monday: date, vintage: int) -> str:
    """`index-2026-W48-v0003.duckdb`."""
    return f"index-{week_label(monday)}-v{vintage:04d}.duckdb"


def vintages(folder: Path, monday: date) -> list[int]:
    """The revision numbers that this week has in the folder, ascending."""
    label = week_label(monday)
    found = [_NAME.fullmatch(path.name) for path in folder.glob(f"index-{label}-v*.duckdb")]
    return sorted(int(match[2]) for match in found if match)


def generations(folder: Path) -> list[Path]:
    """All published generations of a folder, oldest first."""
    found = [(match, path) for path in folder.glob("index-*.duckdb") if (match := _NAME.fullmatch(path.name))]
    return [path for match, path in sorted(found, key=lambda pair: (pair[0][1], int(pair[0][2])))]
