"""Two generations side by side, cell by cell."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb

from warehouse.database import reading
from warehouse.textout import cell

# Told once a table, so that a store that is wrong throughout does not print a million lines.
MOST = 20

# What may differ though the data are the same.
_CLOCKS = frozenset(("built_at", "published_at", "loaded_at", "duckdb_version"))
_VINTAGES = frozenset(("vintage", "supersedes", "note"))
_HANDED_IN = ("cheapest_fit", "workloads")
# Tables whose rows have a name of their own; the rest are compared as whole rows.
_KEYS: dict[str, tuple[str, ...]] = {
    "price_index": ("series", "region_code", "card", "billing_mode", "price_kind", "week"),
    "price_level": ("region_code", "card", "billing_mode", "price_kind", "provider_class", "week"),
    "index_key_weeks": ("series", "key_no", "week"),
    "index_keys": ("key_name",),
    "price_parity": ("week", "billing_mode", "region_code"),
    "administered_prices": ("provider", "billing_mode"),
    "offers": ("offer_id",),
    "observations": ("obs_id", "run_id", "locator"),
    "rejections": ("rejection_id", "run_id", "locator"),
    "runs": ("run_id", "provider"),
    "generation": ("name",),
    "cheapest_fit": ("week", "workload", "region_code", "rank"),
    "workloads": ("name",),
}


@dataclass(frozen=True, slots=True)
class Replayed:
    """A published file and its replay; what the replay cannot know is not compared."""

    published: Path
    again: Path
    knows_previous: bool
    knows_extra: bool


def compare(replayed: Replayed) -> Iterator[str]:
    """One sentence for each cell that differs, at most `MOST` a table."""
    with closing(reading(replayed.published)) as con:
        con.execute(f"ATTACH '{str(replayed.again).replace(chr(39), chr(39) * 2)}' AS again (READ_ONLY)")
        here = duckdb_names(con, con.execute("SELECT current_database()").fetchall()[0][0])
        there = duckdb_names(con, "again")
        for table in sorted(here.keys() | there.keys()):
            name = f"published/{replayed.published.name}: {table}"
            if table not in there:
                yield f"{name}: the replay has no such table"
            elif table not in here:
                yield f"{name}: only the replay has it"
            elif here[table] != there[table]:
                yield f"{name}: columns {here[table]}, in the replay {there[table]}"
            elif _comparable(table, replayed):
                yield from _table(con, name, table, here[table], replayed)


def duckdb_names(con: duckdb.DuckDBPyConnection, database: str) -> dict[str, list[str]]:
    """Tables and views of the main schema with their columns."""
    rows = con.execute(
        "SELECT table_name, column_name FROM duckdb_columns() WHERE database_name = $1"
        " AND schema_name = 'main' AND NOT internal ORDER BY table_name, column_index",
        [database],
    ).fetchall()
    out: dict[str, list[str]] = {}
    for table, column in rows:
        out.setdefault(table, []).append(column)
    return out


def _comparable(table: str, replayed: Replayed) -> bool:
    if table == "index_revisions":
        return replayed.knows_previous
    return table not in _HANDED_IN or replayed.knows_extra


def _table(
    con: duckdb.DuckDBPyConnection, name: str, table: str, columns: Sequence[str], replayed: Replayed
) -> Iterator[str]:
    left_out = _CLOCKS if replayed.knows_previous else _CLOCKS | _VINTAGES
    compared = [column for column in columns if column not in left_out and column != "input_hash"]
    listed = ", ".join(f'"{column}"' for column in compared)
    only = (
        f'SELECT {listed} FROM main."{table}" EXCEPT ALL SELECT {listed} FROM again.main."{table}"',
        f'SELECT {listed} FROM again.main."{table}" EXCEPT ALL SELECT {listed} FROM main."{table}"',
    )
    here, there = (
        con.execute(f"SELECT * FROM ({query}) ORDER BY ALL LIMIT {MOST}").fetchall() for query in only
    )
    key = [compared.index(column) for column in _KEYS.get(table, ()) if column in compared]
    if not key:
        for row in here:
            yield f"{name}: only here: {_shown(row)}"
        for row in there:
            yield f"{name}: only in the replay: {_shown(row)}"
        return
    old = {tuple(row[i] for i in key): row for row in here}
    new = {tuple(row[i] for i in key): row for row in there}
    for which in sorted(old.keys() | new.keys(), key=str):
        place = f"{name}: {'/'.join(cell(part) for part in which)}"
        if which not in new:
            yield f"{place}: only here"
        elif which not in old:
            yield f"{place}: only in the replay"
        else:
            for i, column in enumerate(compared):
                if old[which][i] != new[which][i]:
                    yield f"{place}: {column} {cell(old[which][i])}, in the replay {cell(new[which][i])}"


def _shown(row: Sequence[Any]) -> str:
    return " | ".join(cell(value) for value in row)
