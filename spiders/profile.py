"""What a source's answers look like when all is well: units, table headers, content types.

`spiders/expected/<slug>.json` is written together with the golden file of a source and reviewed like it. A
crawl in which one unit has given way to another is a layout change, whatever else it read: prices in a
wrong unit are the worst kind of wrong. Headers and content types are compared by `suanjia probe`. This
module imports no Scrapy.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.resources import files
from typing import Any

from spiders.listing import Listing
from spiders.run import Run

_UNIT = re.compile(
    r"(?P<per>每|/|／|按|包)\s*(?P<n>\d{1,3}\s*)?(?P<word>小时|分钟|个月|月|季度?|半年|年|天|日|周|星期|时|分|秒|"
    r"hours?|hrs?|h|days?|d|weeks?|months?|mo|years?|yr|min(?:ute)?s?|s(?:ec)?)(?![A-Za-z])",
    re.I,
)
_ALIASES = {
    "小时": "hour", "时": "hour", "h": "hour", "hr": "hour", "分钟": "minute", "分": "minute",
    "min": "minute", "秒": "second", "s": "second", "sec": "second", "天": "day", "日": "day",
    "d": "day", "周": "week", "星期": "week", "个月": "month", "月": "month", "mo": "month",
    "季": "quarter", "季度": "quarter", "半年": "half_year", "年": "year", "yr": "year",
}  # fmt: skip
_MONEY = re.compile(r"万元|元|￥|¥|RMB|CNY|USD|\$|积分|算力点|点", re.I)


@dataclass(frozen=True, slots=True)
class Expected:
    """The reviewed profile of a source; an empty part is not compared."""

    units: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()
    content_types: Mapping[str, str] = field(default_factory=dict)


def unit_of(listing: Listing) -> str:
    """The unit of a price as one word: the stated `unit` where the price itself says none, else period and
    currency as the text around it says.

    `hour 元` for a cell under “按需价格（元/小时）”; "" where nothing says it (the reader will reject that).
    """
    if listing.unit is not None and not _UNIT.search(listing.price_text):
        return listing.unit
    header = listing.context.rsplit(" | ", 1)[-1]
    for text in (listing.price_text, header, listing.context):
        if found := _UNIT.search(text):
            word = found["word"].lower()
            count = (found["n"] or "").strip()
            period = _ALIASES.get(word) or _ALIASES.get(word.rstrip("s")) or word.rstrip("s")
            money = _MONEY.search(listing.price_text) or _MONEY.search(header)
            currency = money.group().upper() if money else ""
            currency = "元" if currency in ("￥", "¥", "RMB", "CNY") else currency
            return " ".join(part for part in (count, period, currency) if part)
    return ""


def load(slug: str) -> Expected | None:
    """The profile of a source, None if it has none (a declared provider)."""
    path = files("spiders.expected") / f"{slug}.json"
    if not path.is_file():
        return None
    row = json.loads(path.read_text("utf-8"))
    return Expected(tuple(row["units"]), tuple(row["columns"]), row["content_types"])


def observed(run: Run) -> dict[str, Any]:
    """The profile of a crawl, as it would stand in the file."""
    return {
        "units": sorted(run.units),
        "columns": list(run.columns),
        "content_types": dict(sorted(run.content_types.items())),
    }


def check(run: Run, expected: Expected) -> None:
    """Compare a crawl with its profile: differences go to `run.drift`, an unknown unit is a problem."""
    units, known = set(run.units), set(expected.units)
    if run.periods_vary:
        units, known = {_bare(unit) for unit in units}, {_bare(unit) for unit in known}
    strange = sorted(units - known - {""})
    gone = sorted(known - units)
    if expected.units and strange:
        run.changed("unit", ", ".join(gone or expected.units), ", ".join(strange))
        if gone and not run.config.limit:
            # A unit more is another price column; a unit instead of another is a change of unit.
            run.problem("layout_changed", f"unit {gone[0]!r} is gone, {strange[0]!r} has come")
    if expected.columns and run.columns:
        _compare_columns(run, expected)
    for route, content_type in expected.content_types.items():
        found = run.content_types.get(route)
        if found is not None and found != content_type:
            run.changed(f"Content-Type of {route}", content_type, found)


def _bare(unit: str) -> str:
    """`CNY/instance` of `0.85 CNY/instance/3 year`."""
    return unit.rpartition("/")[0].rpartition(" ")[2]


def _compare_columns(run: Run, expected: Expected) -> None:
    gone = [name for name in expected.columns if name not in run.columns]
    new = [name for name in run.columns if name not in expected.columns]
    for position, name in enumerate(gone):
        found = new[position] if position < len(new) else "missing"
        run.changed(f"column {name}", name, found)
    for name in new[len(gone) :]:
        run.changed(f"column {name}", "not there", name)
