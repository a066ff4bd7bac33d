"""From the store to what the recursion eats: set steps in SQL (`warehouse/sql/index_*.sql`), arrays out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

import duckdb
import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from warehouse.database import sql_text
from warehouse.index.calendar import HOUR_US
from warehouse.index.method import Method
from warehouse.index.panel import KeyRow

Columns = dict[str, NDArray[Any]]


@dataclass(frozen=True, slots=True)
class Decision:
    """What a person decided about one held observation (`suanjia review`)."""

    obs: int
    action: Literal["release", "refuse"]
    decided_at: datetime
    by: str
    reason: str
    word: str = "level_hold"  # the quarantine word that a refusal keeps


def columns(con: duckdb.DuckDBPyConnection, query: str) -> Columns:
    """A query as NumPy columns; numbers without NULL, text as objects. Booleans must be cast to a number."""
    table = con.sql(query).to_arrow_table()
    return {name: _column(table.column(name)) for name in table.column_names}


def _column(column: pa.ChunkedArray) -> NDArray[Any]:
    """Straight from the buffers: the ready-made conversion would load pandas."""
    if pa.types.is_string(column.type):
        return np.array(column.to_pylist(), dtype=object)
    if column.null_count or column.type.bit_width < 8:
        raise ValueError(f"a column of {column.type} with {column.null_count} NULLs")
    kind = np.dtype(f"{'f' if pa.types.is_floating(column.type) else 'i'}{column.type.bit_width // 8}")
    parts = [
        np.frombuffer(chunk.buffers()[1], dtype=kind, count=len(chunk), offset=chunk.offset * kind.itemsize)
        for chunk in column.chunks
        if len(chunk)
    ]
    return np.concatenate(parts) if parts else np.empty(0, dtype=kind)


def script(con: duckdb.DuckDBPyConnection, name: str) -> None:
    """Run one of the SQL files."""
    con.execute(sql_text(name))


def set_variables(con: duckdb.DuckDBPyConnection, method: Method, now: datetime) -> None:
    """What the SQL files read."""
    scope = method.scope
    values: dict[str, Any] = {
        "ix_currency": scope.currency,
        "ix_classes": list(scope.classes),
        "ix_trusts": list(scope.trusts),
        "ix_kinds": list(scope.price_kinds),
        "ix_precision": scope.date_precision,
        "ix_sites": list(scope.sites),
        "ix_abroad": list(scope.abroad_labels),
        "ix_min": scope.min_cny,
        "ix_max": scope.max_cny,
        "ix_as_of": now,
        "ix_freeze_us": method.week.freeze_hours * HOUR_US,
    }
    for name, value in values.items():
        con.execute(f"SET VARIABLE {name} = $1", [value])


def read_goods(con: duckdb.DuckDBPyConnection, method: Method, now: datetime) -> list[KeyRow]:
    """Run the first set steps; the keys, sorted by name."""
    set_variables(con, method, now)
    script(con, "index_goods")
    rows = con.execute(
        "SELECT key_name, provider, card, billing_mode, price_kind, region_code, scope FROM ix_key"
        " ORDER BY key_no"
    ).fetchall()
    return [KeyRow(*row) for row in rows]


def decide(con: duckdb.DuckDBPyConnection, decisions: Sequence[Decision]) -> None:
    """Leave ix_verdict (obs, action, word): what reviewers decided about which observations.

    A decision is about its observation and about later ones of the same good within one per cent; the latest
    decision about an observation counts.
    """
    ordered = sorted(decisions, key=lambda d: (d.decided_at, d.obs))
    table = pa.table(
        {
            "place": pa.array(range(len(ordered)), pa.int64()),
            "obs": pa.array([d.obs for d in ordered], pa.int64()),
            "action": pa.array([d.action for d in ordered], pa.string()),
            "word": pa.array([d.word for d in ordered], pa.string()),
        }
    )
    temp(con, "ix_decision", table)
    script(con, "index_decisions")


def temp(con: duckdb.DuckDBPyConnection, name: str, table: pa.Table) -> None:
    """An Arrow table as a temp table."""
    con.register("ix_arrow", table)
    con.execute(f"CREATE OR REPLACE TEMP TABLE {name} AS SELECT * FROM ix_arrow")
    con.unregister("ix_arrow")
