"""What a source's answers look like when all is well: units, table headers, content types.

`spiders/expected/<slug>.json` is written together with the golden file of a source and reviewed like it. A
crawl in which one unit of a route has given way to another is a layout change, whatever else it read: prices
in a wrong unit are the worst kind of wrong. Another spelling (`元/小时` for `元/卡时`) is no other unit.
Headers and content types are compared by `suanjia probe`. This module imports no Scrapy.
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
_YUAN = frozenset(("元", "￥", "¥", "RMB", "CNY"))
_SCALE = re.compile(r"\d[\d.]*(?:e-?\d+)?(?= [A-Z]{3}/)")
_BASES = (("card", "card|卡|张"), ("machine", "server|device|instance|整机|台"), ("unit", "unit"))
_PERIODS = re.compile(r"(\d*)\s*([a-z_]+|小时|分钟|个月|半年|季度|[秒分时天日周月季年])(?: [^/]*)?$")


@dataclass(frozen=True, slots=True)
class Expected:
    """The reviewed profile of a source; an empty part is not compared."""

    units: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # of each route
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
    units = {route: tuple(words) for route, words in row["units"].items()}
    return Expected(units, tuple(row["columns"]), row["content_types"])


def observed(run: Run) -> dict[str, Any]:
    """The profile of a crawl, as it would stand in the file."""
    return {
        "units": {route: sorted(units) for route, units in sorted(run.units.items())},
        "columns": list(run.columns),
        "content_types": dict(sorted(run.content_types.items())),
    }


def check(run: Run, expected: Expected) -> None:
    """Compare a crawl with its profile: differences go to `run.drift`, an unknown unit is a problem."""
    for route, units in run.units.items():
        known = set(expected.units.get(route, ()))
        _compare_units(run, route, set(units), known | set(run.known_units if known else ()))
    if expected.columns and run.columns:
        _compare_columns(run, expected)
    for route, content_type in expected.content_types.items():
        found = run.content_types.get(route)
        if found is not None and found != content_type:
            run.changed(f"Content-Type of {route}", content_type, found)


def _compare_units(run: Run, route: str, found: set[str], known: set[str]) -> None:
    """A route that the profile does not know is not compared, and one that was not asked misses nothing."""
    strange = sorted(unit for unit in found - {""} if not any(_same(unit, one, run) for one in known))
    expected = known - {"", *run.known_units}
    gone = sorted(one for one in expected if not any(_same(unit, one, run) for unit in found))
    if known and strange:
        run.changed("unit", ", ".join(gone or sorted(known)), ", ".join(strange))
        if gone and not run.config.limit:
            # A unit more is another price column; a unit instead of another is a change of unit.
            run.problem("layout_changed", f"unit {gone[0]!r} is gone, {strange[0]!r} has come", "", route)


def _same(unit: str, other: str, run: Run) -> bool:
    """Do two spellings mean one unit? What one of them leaves open (card or machine, currency) is no
    difference; the period is none where the source states it beside every price."""
    scale, money, basis, period = zip(_meaning(unit), _meaning(other), strict=True)
    if scale[0] != scale[1] or (period[0] != period[1] and not run.periods_vary):
        return False
    return all(a == b or "" in (a, b) for a, b in (money, basis))


def _meaning(unit: str) -> tuple[str, str, str, str]:
    """(scale, currency, what one amount pays for, period) of a unit in either way of writing it."""
    scale, money = _SCALE.match(unit), _MONEY.search(unit)
    word = money.group().upper() if money else ""
    basis = next((name for name, words in _BASES if re.search(words, unit)), "")
    head, slash, tail = unit.rpartition("/")
    per = _PERIODS.search((tail if slash else head or unit).removeprefix("卡").removeprefix("张").strip())
    period = f"{per[1]} {_ALIASES.get(per[2], per[2])}".strip() if per else ""
    return scale.group() if scale else "", "元" if word in _YUAN else word, basis, period.removeprefix("1 ")


def _compare_columns(run: Run, expected: Expected) -> None:
    gone = [name for name in expected.columns if name not in run.columns]
    new = [name for name in run.columns if name not in expected.columns]
    for position, name in enumerate(gone):
        found = new[position] if position < len(new) else "missing"
        run.changed(f"column {name}", name, found)
    for name in new[len(gone) :]:
        run.changed(f"column {name}", "not there", name)
