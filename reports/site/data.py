"""The site's data files: small tables of names, and rows of numbers that point into them.

They are scripts that set a variable, since a page opened from a disk may not fetch a file. Prices are whole
numbers (fen, tenths of an index point), so that a browser prints the digits that SQL holds.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Hashable, Mapping
from datetime import date, timedelta
from decimal import Decimal
from typing import Any

from reports.issue.model import Cell, Issue
from reports.numbers import half_up
from reports.render import figures
from reports.render.links import is_machine, link
from reports.render.names import Names
from reports.render.words import LANGS, Words, choices
from reports.site.read import Market, Row

# Bits of the marks of an offer, in the order in which they are shown.
MARKS = ("sold_out", "interruptible", "under_review", "missing", "slice", "floor", "old")
OLD_HOURS = 72


class _Table:
    """Distinct values in order of appearance, and where each stands."""

    def __init__(self, shown: Callable[[Any], Any]) -> None:
        self._place: dict[Hashable, int] = {}
        self._shown = shown

    def __call__(self, value: Hashable) -> int:
        return self._place.setdefault(value, len(self._place))

    def values(self) -> list[Any]:
        return [self._shown(value) for value in self._place]


def script(name: str, value: Any) -> bytes:
    """A data file: `SUANJIA.<name> = …;`."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return f"window.SUANJIA=window.SUANJIA||{{}};SUANJIA.{name}={text};\n".encode()


def _both(issue: Issue) -> tuple[Names, Names]:
    zh, en = (Names(issue, lang) for lang in LANGS)
    return zh, en


def offers(issue: Issue, market: Market) -> dict[str, Any]:
    """Names and rows of the offers table; see `assets/site.js` for the order of the columns."""
    both = _both(issue)
    site = tuple(Words(lang, "reports.site") for lang in LANGS)
    providers = _Table(lambda slug: [n.provider(slug) for n in both])
    places = _Table(lambda key: [_place(key, n) for n in both])
    modes = _Table(lambda code: [n.mode(code) for n in both])
    kinds = _Table(lambda code: [w(f"offers.kind_{code}") for w in site])
    cards, urls = _Table(lambda text: text), _Table(list)
    rows = []
    for row in market.offers:
        card = row["card"] if row["form"] is None else f"{row['card']} {row['form']}"
        url = link(row["source_url"])
        rows.append(
            [
                cards(card),
                _plain(row["gpu_count"]),
                providers(row["provider"]),
                places((row["region_code"], row["scope"], row["label"])),
                modes(row["billing_mode"]),
                kinds(row["price_kind"]),
                _whole(row["gross"], 2),
                _stock(row),
                row["age_hours"],
                _marks(row),
                -1 if url is None else urls((url, int(is_machine(url)))),
                str(row["offer_id"]).removeprefix("offer:"),
            ]
        )
    return {
        "cards": cards.values(), "providers": providers.values(), "places": places.values(),
        "modes": modes.values(), "kinds": kinds.values(), "urls": urls.values(), "rows": rows,
    }  # fmt: skip


def _place(key: tuple[str | None, str | None, str | None], names: Names) -> str:
    code, scope, label = key
    if code is None and scope != "national" and label:
        return f"{names.place(None)} · {label}"
    return names.place("CN" if code is None and scope == "national" else code)


def _stock(row: Row) -> int | None:
    """Free cards; -1 for there is stock but not how much; 0 sold out; None unknown."""
    if row["stock_idle"] is not None:
        return int(row["stock_idle"])
    return None if row["in_stock"] is None else -1 if row["in_stock"] else 0


def _marks(row: Row) -> int:
    found = {
        "sold_out": row["in_stock"] is False,
        "interruptible": row["billing_mode"] == "spot",
        "under_review": row["review"] is not None,
        "missing": row["state"] == "missing",
        "slice": row["share"] != 1 or str(row["card"]).startswith("vGPU"),
        "floor": bool(row["is_floor"]) or row["price_kind"] == "floor",
        "old": row["age_hours"] > OLD_HOURS,
    }
    return sum(1 << bit for bit, name in enumerate(MARKS) if found[name])


def cells(issue: Issue, market: Market) -> dict[str, Any]:
    """Names, weeks and rows of the index cells; history as whole numbers, None where nothing is published."""
    both = _both(issue)
    regions = _Table(lambda code: [n.place(code) for n in both])
    modes, cards = _Table(lambda code: [n.mode(code) for n in both]), _Table(lambda text: text)
    values: dict[tuple[str, str, str], dict[date, Decimal | None]] = defaultdict(dict)
    levels: dict[tuple[str, str, str], dict[date, Decimal | None]] = defaultdict(dict)
    for row in market.history:
        values[(row["region_code"], row["card"], row["billing_mode"])][row["week"]] = row["value"]
    for row in market.levels:
        levels[(row["region_code"], row["card"], row["billing_mode"])][row["week"]] = row["level"]
    now = {(cell.region_code, cell.card, cell.billing_mode): cell for cell in issue.cells}
    monday = issue.week.monday
    first = min((min(weeks) for weeks in values.values()), default=monday)
    weeks = [first + timedelta(weeks=n) for n in range((monday - first).days // 7 + 1)]
    rows = []
    for key in sorted(values, key=lambda key: _order(key, now)):
        region, card, mode = key
        cell = now.get(key)
        shown = cell is not None and cell.state in {"base", "published", "indicative"}
        moved = cell is not None and shown and cell.link is not None and cell.direction is not None
        rows.append(
            [
                regions(region),
                cards(card),
                modes(mode),
                _history(values[key], weeks, 1),
                _history(levels[key], weeks, 2),
                cell.grade if cell is not None and shown else None,
                _change(cell) if moved and cell is not None else None,
                cell.n_offers if cell is not None else 0,
                cell.n_providers if cell is not None else 0,
            ]
        )
    return {
        "first": first.isoformat(), "weeks": len(weeks), "regions": regions.values(), "cards": cards.values(),
        "modes": modes.values(), "rows": rows,
    }  # fmt: skip


def _change(cell: Cell) -> list[Any]:
    """[direction, text as the issue prints it, number to sort by]."""
    ratio = cell.link or Decimal(1)
    text = None if cell.direction == "flat" else figures.change(ratio)
    return [cell.direction if text else "flat", text, _whole((ratio - 1) * 10_000, 0)]


def _order(key: tuple[str, str, str], now: Mapping[tuple[str, str, str], Any]) -> tuple[Any, ...]:
    cell = now.get(key)
    grade = (cell.grade if cell is not None else None) or "Z"
    silent = cell is None or cell.state not in {"base", "published", "indicative"}
    wanted: list[str] = choices()["headline_cards"]
    place = wanted.index(key[1]) if key[1] in wanted else len(wanted)
    leads = "A" if grade == "B" else grade
    return (silent, key[0] != "CN", leads, key[2] != "on_demand", place, key[1], key[2], key[0])


def _history(points: Mapping[date, Decimal | None], weeks: list[date], places: int) -> list[int | None]:
    return [None if (value := points.get(week)) is None else _whole(value, places) for week in weeks]


def _whole(value: Decimal, places: int) -> int:
    return int(half_up(value, places).scaleb(places))


def _plain(value: Decimal) -> int | float:
    return int(value) if value == value.to_integral_value() else float(value)
