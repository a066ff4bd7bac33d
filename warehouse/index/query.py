"""The question of `suanjia index`: rows of price_index or price_level, and a chart for a terminal."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

import duckdb

from catalog.billing import BILLING_MODES
from pipeline.reading import card as card_reader
from warehouse.errors import BadRequest

SERIES = ("list", "member", "public_discount", "promo", "rentable")
_BARS = "▁▂▃▄▅▆▇█"
_GAP = "·"


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """Filters; None = no matter. Weeks are Mondays, both ends included."""

    series: str | None = "list"
    region: str | None = None
    card: str | None = None
    mode: str | None = None
    first: date | None = None
    last: date | None = None


def check(question: Question) -> Question:
    """The question with the card's canonical name. BadRequest for words that mean nothing."""
    if question.series is not None and question.series not in SERIES:
        raise BadRequest(f"no series is called {question.series!r}; one of {', '.join(SERIES)}, any")
    if question.mode is not None and question.mode not in BILLING_MODES:
        raise BadRequest(
            f"no billing mode is called {question.mode!r}; one of {', '.join(BILLING_MODES)}, any"
        )
    if question.first and question.last and question.first > question.last:
        raise BadRequest(f"--from {question.first} is after --to {question.last}")
    if question.card is None:
        return question
    reading = card_reader.read(question.card)
    if not isinstance(reading, card_reader.CardReading) or reading.card is None:
        raise BadRequest(f"no card is called {question.card!r}")
    return Question(
        series=question.series,
        region=question.region,
        card=reading.card,
        mode=question.mode,
        first=question.first,
        last=question.last,
    )


def index_rows(con: duckdb.DuckDBPyConnection, question: Question) -> list[dict[str, Any]]:
    """Rows of price_index in key order. BadRequest for a region without a cell."""
    return _select(con, "price_index", question, series=True)


def level_rows(con: duckdb.DuckDBPyConnection, question: Question) -> list[dict[str, Any]]:
    """Rows of price_level in key order; the series names the price kind (`rentable` means list)."""
    return _select(con, "price_level", question, series=False)


def _select(
    con: duckdb.DuckDBPyConnection, table: str, question: Question, *, series: bool
) -> list[dict[str, Any]]:
    wanted: list[tuple[str, Any]] = [
        ("region_code = ?", None if question.region is None else _region(con, question.region)),
        ("card = ?", question.card),
        ("billing_mode = ?", question.mode),
        ("week >= ?", question.first),
        ("week <= ?", question.last),
    ]
    if series:
        wanted.append(("series = ?", question.series))
    elif question.series is not None:
        wanted.append(("price_kind = ?", "list" if question.series == "rentable" else question.series))
    used = [(text, value) for text, value in wanted if value is not None]
    where = " AND ".join(text for text, _ in used) or "true"
    order = "series, " if series else ""
    last = "price_kind, week" if series else "price_kind, provider_class, week"
    result = con.execute(
        f"SELECT * FROM {table} WHERE {where} ORDER BY {order}region_code, card, billing_mode, {last}",
        [value for _, value in used],
    )
    names = [str(column[0]) for column in result.description or ()]
    return [dict(zip(names, row, strict=True)) for row in result.fetchall()]


def _region(con: duckdb.DuckDBPyConnection, text: str) -> str:
    """A code of a cell from a code or a name; 全国 and CN are the nation."""
    name = text.strip()
    found = con.execute("SELECT region_of($1)", [name]).fetchall()[0][0]
    code = str(found) if found is not None else name
    if con.execute("SELECT 1 FROM price_index WHERE region_code = $1 LIMIT 1", [code]).fetchall():
        return code
    if found is None:
        raise BadRequest(f"no region is called {text!r}")
    return code


def newest(rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """The last row of every cell."""
    last: dict[tuple[Any, ...], dict[str, Any]] = {}
    for row in rows:
        last[tuple(row[name] for name in ("series", "region_code", "card", "billing_mode", "price_kind"))] = (
            row
        )
    return list(last.values())


def cells(rows: Sequence[dict[str, Any]]) -> int:
    """How many cells the rows are of."""
    return len(newest(rows))


def printable(row: dict[str, Any]) -> float | None:
    """The value that may be shown: none in an outage, none where the cell is too thin."""
    return row["value"] if row["state"] in ("base", "published", "indicative") else None


def chart(rows: Sequence[dict[str, Any]], width: int = 52) -> str:
    """One line of bars over the last `width` weeks of one cell, with its lowest and highest value.

    A week without a value to show is a dot. Empty when there is nothing to draw.
    """
    shown = [printable(row) for row in rows][-width:]
    known = [value for value in shown if value is not None]
    if len(known) < 2:
        return ""
    low, high = min(known), max(known)
    step = (high - low) / (len(_BARS) - 1)
    bars = "".join(
        _GAP if value is None else _BARS[round((value - low) / step) if step else len(_BARS) // 2]
        for value in shown
    )
    return f"{low:.1f} {bars} {high:.1f}"
