"""What the site shows beyond the issue: all offers, all cells with their history, all sellers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from reports.issue.clock import IssueWeek

if TYPE_CHECKING:
    import duckdb

Row = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Market:
    """Rows of the queries in `reports/site/sql/`, in their order."""

    offers: list[Row]
    history: list[Row]
    levels: list[Row]
    providers: list[Row]


@cache
def _sql(name: str) -> str:
    return (files("reports.site") / "sql" / f"{name}.sql").read_text(encoding="utf-8")


def read_market(con: duckdb.DuckDBPyConnection, week: IssueWeek) -> Market:
    """From the connection on which the issue was read (the temp table issue_live is on it)."""
    tables = {name for (name,) in con.execute("SELECT table_name FROM duckdb_tables()").fetchall()}
    indexed = {"price_index", "index_keys", "index_key_weeks"} <= tables
    return Market(
        offers=_rows(con, "offers", {"as_of": week.as_of}),
        history=_rows(con, "history", {"week": week.monday}) if indexed else [],
        levels=_rows(con, "levels", {"week": week.monday}) if indexed else [],
        providers=_rows(con, "providers", {"as_of": week.as_of}),
    )


def _rows(con: duckdb.DuckDBPyConnection, name: str, given: Mapping[str, Any]) -> list[Row]:
    found = con.execute(_sql(name), dict(given))
    names = [str(column[0]) for column in found.description or ()]
    return [dict(zip(names, row, strict=True)) for row in found.fetchall()]
