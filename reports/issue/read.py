"""Reading an issue from a generation: everything is a query of `reports/issue/sql/`."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import fields
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any, TypeVar

from reports.issue.clock import IssueWeek
from reports.issue.model import (
    BreakEven,
    Cell,
    Correction,
    Count,
    Coverage,
    Fit,
    Held,
    Issue,
    Parity,
    Workload,
)

if TYPE_CHECKING:
    import duckdb

Row = TypeVar("Row")
# An issue is published at 10:00 on the Monday after its week.
PUBLISHED = timedelta(hours=10)
# Tables that a generation without an index lacks: query → tables it needs.
_NEEDS = {
    "cells": ("price_index", "index_keys", "index_key_weeks"),
    "history": ("price_index",),
    "parity": ("price_parity",),
    "corrections": ("index_revisions",),
}


@cache
def _sql(name: str) -> str:
    return (files("reports.issue") / "sql" / f"{name}.sql").read_text(encoding="utf-8")


class _Reader:
    """A connection, the week's parameters, and the tables that this generation has."""

    def __init__(self, con: duckdb.DuckDBPyConnection, week: IssueWeek, told_until: datetime) -> None:
        self.con = con
        self.given: dict[str, Any] = {
            "week": week.monday,
            "start": week.start,
            "until": week.end,
            "as_of": week.as_of,
            "told_until": told_until,
        }
        names = con.execute("SELECT table_name FROM duckdb_tables() WHERE NOT internal").fetchall()
        self.tables = {name for (name,) in names}

    def rows(self, name: str) -> list[dict[str, Any]]:
        """The rows of a query; none where the generation has not the tables for it."""
        if not set(_NEEDS.get(name, ())) <= self.tables:
            return []
        sql = _sql(name)
        found = self.con.execute(sql, {key: value for key, value in self.given.items() if f"${key}" in sql})
        names = [column[0] for column in found.description or ()]
        return [dict(zip(names, map(_utc, row), strict=True)) for row in found.fetchall()]

    def all(self, name: str, kind: type[Row]) -> tuple[Row, ...]:
        """The rows as `kind`, whose fields are the query's columns."""
        names = {field.name for field in fields(kind)}  # type: ignore[arg-type]
        return tuple(kind(**{k: v for k, v in row.items() if k in names}) for row in self.rows(name))


def _utc(value: Any) -> Any:
    return value.astimezone(UTC) if isinstance(value, datetime) else value


def read_issue(
    con: duckdb.DuckDBPyConnection, week: IssueWeek, rebuilt: bool, told_until: datetime | None = None
) -> Issue:
    """The issue of a week from a read-only connection to a generation (a temp table is made on it).

    `told_until`: corrections recorded by then stood in the issue before; None: up to its hour of publication.
    """
    reader = _Reader(con, week, told_until or week.start + PUBLISHED)
    con.execute(_sql("live"), {"as_of": week.as_of, "until": week.end})
    generation = con.execute(
        "SELECT name, input_hash, code_version, coalesce(method_version, '') FROM generation"
    ).fetchall()[0]
    return Issue(
        week=week,
        rebuilt=rebuilt,
        generation=generation[0],
        input_hash=generation[1],
        code_version=generation[2],
        method_version=generation[3],
        coverage=_coverage(reader),
        workloads=workloads(con),
        fits=reader.all("fits", Fit),
        cells=reader.all("cells", Cell),
        history=_history(reader),
        parity=reader.all("parity", Parity),
        break_even=reader.all("break_even", BreakEven),
        counts=reader.all("counts", Count),
        held=reader.all("held", Held),
        corrections=reader.all("corrections", Correction),
        providers=dict(con.execute("SELECT provider, name FROM providers ORDER BY 1").fetchall()),
        regions=place_names(con),
    )


def _coverage(reader: _Reader) -> Coverage:
    rows = reader.rows("coverage")
    offers, sellers = reader.con.execute(
        "SELECT count(*), count(DISTINCT provider) FROM issue_live"
    ).fetchall()[0]
    return Coverage(
        planned=tuple(row["provider"] for row in rows if row["planned"]),
        complete=tuple(row["provider"] for row in rows if row["planned"] and row["answered"]),
        never=tuple(row["provider"] for row in rows if not row["asked"]),
        offers=offers,
        sellers=sellers,
    )


def place_names(con: duckdb.DuckDBPyConnection) -> dict[str, tuple[str, str]]:
    """Region code → (Chinese short name, English name or pinyin; a county has that of its city).

    A generation of an earlier version lacks some; there the Chinese name stands for both.
    """
    rows = con.execute("SELECT code, short, coalesce(english, pinyin) FROM regions").fetchall()
    latin = {code: name if name[0].isupper() else name.capitalize() for code, _, name in rows if name}
    return {
        code: (zh, next((latin[c] for c in (code, f"{code[:4]}00", f"{code[:2]}0000") if c in latin), zh))
        for code, zh, _ in rows
    }


def workloads(con: duckdb.DuckDBPyConnection) -> tuple[Workload, ...]:
    """The jobs of a generation with their names, in the order of the table."""
    found = []
    for name, text in con.execute("SELECT name, spec FROM workloads").fetchall():
        spec: Mapping[str, Any] = json.loads(text, parse_float=Decimal)
        zh = str(spec.get("title_zh") or spec.get("title_en") or name)
        found.append(Workload(name, zh, str(spec.get("title_en") or name), spec))
    return tuple(found)


def _history(reader: _Reader) -> Mapping[tuple[str, str, str], tuple[tuple[date, Decimal | None, str], ...]]:
    found: dict[tuple[str, str, str], list[tuple[date, Decimal | None, str]]] = defaultdict(list)
    for row in reader.rows("history"):
        key = (row["region_code"], row["card"], row["billing_mode"])
        found[key].append((row["week"], row["value"], row["state"]))
    return {key: tuple(points) for key, points in found.items()}
