"""Reading what fit needs from a published generation (or one that is being built)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime
from decimal import Decimal
from typing import TYPE_CHECKING

from reports.fit.market import Market
from reports.fit.proof import Sources, sources
from reports.fit.sellable import COLUMNS, MAX_AGE_HOURS, Sellable, from_row
from reports.fit.terms import Terms

if TYPE_CHECKING:
    import duckdb

Grades = dict[tuple[str, str, str], str]  # (region_code, card, billing_mode) → A, B or C


def sellables(con: duckdb.DuckDBPyConnection) -> Iterator[Sellable]:
    """Every row of `offers`; a column the generation does not have is unknown."""
    found = {str(name) for (name,) in con.execute("SELECT column_name FROM (DESCRIBE offers)").fetchall()}
    names = [name for name in COLUMNS if name in found]
    for row in con.execute(f"SELECT {', '.join(names)} FROM offers").fetchall():
        yield from_row(dict(zip(names, row, strict=True)))


def market_of(
    con: duckdb.DuckDBPyConnection,
    terms: Mapping[str, Terms],
    now: datetime,
    max_age_hours: Decimal | int = MAX_AGE_HOURS,
) -> tuple[Market, Sources]:
    """The market at `now` and what it is proven against."""
    return Market.build(sellables(con), terms, now, max_age_hours), sources(con, now)


def grades(con: duckdb.DuckDBPyConnection) -> Grades:
    """The last grade of each cell of the list series; empty where there is no index yet."""
    if not con.execute("SELECT 1 FROM duckdb_tables() WHERE table_name = 'price_index'").fetchall():
        return {}
    rows = con.execute(
        "SELECT region_code, card, billing_mode, arg_max(grade, week) FROM price_index"
        " WHERE series = 'list' AND grade IS NOT NULL GROUP BY ALL"
    ).fetchall()
    return {(region, card, mode): grade for region, card, mode, grade in rows}
