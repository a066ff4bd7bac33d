"""Reading what fit needs from a published generation (or one that is being built)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import TYPE_CHECKING

from reports.fit.market import Market
from reports.fit.proof import Sources, sources
from reports.fit.sellable import COLUMNS, Sellable, from_row
from reports.fit.terms import Terms

if TYPE_CHECKING:
    import duckdb

Grades = dict[tuple[str, str, str], str]  # (region_code, card, billing_mode) → A, B or C


# Offers as they stood at a moment: the latest unheld observation each; missing after one whole run without
# it, gone after two.
_AT = """
SELECT * EXCLUDE (runs_without), CASE runs_without WHEN 0 THEN 'active' ELSE 'missing' END AS state
FROM (
    SELECT o.*, (SELECT count(*) FROM runs AS r
                 WHERE r.provider = o.provider AND r.complete AND r.run_id <> o.run_id
                   AND r.ended_at > o.observed_at AND r.ended_at <= '{at}'::TIMESTAMPTZ) AS runs_without
    FROM price_at('{at}'::TIMESTAMPTZ) AS o
)
WHERE runs_without < 2
"""


def sellables(con: duckdb.DuckDBPyConnection, at: datetime | None = None) -> Iterator[Sellable]:
    """Every row of `offers`, or the offers as they stood `at` a moment; a missing column is unknown."""
    source = "offers" if at is None else f"({_AT.format(at=at.astimezone(UTC).isoformat())})"
    described = con.execute(f"SELECT * FROM {source} LIMIT 0").description or ()
    found = {str(column[0]) for column in described}
    names = [name for name in COLUMNS if name in found]
    for row in con.execute(f"SELECT {', '.join(names)} FROM {source}").fetchall():
        yield from_row(dict(zip(names, row, strict=True)))


def market_of(
    con: duckdb.DuckDBPyConnection,
    terms: Mapping[str, Terms],
    now: datetime,
    max_age_hours: Decimal | int | None = None,
    seen_until: datetime | None = None,
) -> tuple[Market, Sources]:
    """The market at `now` and what it is proven against; `seen_until` leaves out what was seen later."""
    market = Market.build(sellables(con, seen_until), terms, now, max_age_hours)
    return market, sources(con, seen_until or now, now)


def grades(con: duckdb.DuckDBPyConnection, until: date | None = None) -> Grades:
    """The last grade of each cell of the list series, of no week after `until`; empty without an index."""
    if not con.execute("SELECT 1 FROM duckdb_tables() WHERE table_name = 'price_index'").fetchall():
        return {}
    rows = con.execute(
        "SELECT region_code, card, billing_mode, arg_max(grade, week) FROM price_index"
        " WHERE series = 'list' AND grade IS NOT NULL AND week <= coalesce($1::DATE, week) GROUP BY ALL",
        [until],
    ).fetchall()
    return {(region, card, mode): grade for region, card, mode, grade in rows}
