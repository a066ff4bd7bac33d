"""From one method version to the next: never backwards in place, linked over an overlap (article A6).

Both versions are computed over the same history. Up to the week in which the new one begins to count the old
one's rows stand as they were published; from then on the new one's links move the old one's level. Where a
cell has not been computed by both in eight weeks before, there is nothing to link over: the series breaks,
with a new base. Either way the first row of the new version has the flag `method_change` and a note, and
every row the id of the version it comes from.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import date
from itertools import groupby
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from warehouse.index.outputs import IndexResult

PARALLEL_WEEKS = 8
Row = dict[str, Any]
_CELL = ("series", "region_code", "card", "billing_mode", "price_kind")
_OF_A_LINK = ("link", "grade", "sd_log", "ci_low", "ci_high", "share_moved", "direction")


def passed_on(
    con: duckdb.DuckDBPyConnection, old: IndexResult, new: IndexResult, switch: date
) -> IndexResult:
    """What is published when `new` counts from the Monday `switch` on and `old` before it.

    `con` still sees ix_fact. Nothing has a vintage yet.
    """
    both = pa.concat_tables([plain(old.index_keys), plain(new.index_keys)])
    names = sorted(set(both.column("key_name").to_pylist()))
    renumbered = [_Numbers(part.index_keys, names) for part in (old, new)]
    latest = {row["key_name"]: row for row in both.to_pylist()}
    keys = [latest[name] | {"key_no": number} for number, name in enumerate(names)]
    offers, weeks = (
        [numbers.of(getattr(part, table)) for numbers, part in zip(renumbered, (old, new), strict=True)]
        for table in ("index_key_offers", "index_key_weeks")
    )
    return replace(
        new,
        price_index=_linked(old.price_index, new.price_index, switch),
        price_level=_by_week(old.price_level, new.price_level, switch),
        held=_held(con, old.held, new.held, switch),
        index_keys=pa.Table.from_pylist(keys, both.schema),
        index_key_offers=_ordered(pa.concat_tables(offers).group_by(["key_no", "offer_id"]).aggregate([])),
        index_key_weeks=_ordered(_by_week(weeks[0], weeks[1], switch), "series", "key_no", "week"),
        price_parity=_by_week(old.price_parity, new.price_parity, switch),
        index_alarms=_ordered(_by_week(old.index_alarms, new.index_alarms, switch), *_CELL, "week"),
    )


def transition(old: Sequence[Mapping[str, Any]], new: Sequence[Mapping[str, Any]], switch: date) -> list[Row]:
    """One cell's published rows from both versions' rows of it, each in week order."""
    out: list[Row] = [dict(row) for row in old if row["week"] < switch]
    factor = _overlap(out, new, switch)
    first = True
    for row in new:
        if row["week"] < switch:
            continue
        told = dict(row)
        if first and out:
            told["flags"] = ",".join([*filter(None, row["flags"].split(",")), "method_change"])
            told["note"] = f"method {out[-1]['method_version']} to {row['method_version']}"
        first = False
        if row["value"] is not None:
            if row["state"] == "base":
                factor = 1.0
            elif factor is None:  # nothing to link over: a new base
                factor = 100.0 / row["value"]
                told |= dict.fromkeys(_OF_A_LINK) | {"state": "base"}
            for name in ("value", "check_value"):
                told[name] = None if row[name] is None else math.floor(row[name] * factor * 1e8 + 0.5) / 1e8
        out.append(told)
    return out


def _overlap(old: Sequence[Row], new: Sequence[Mapping[str, Any]], switch: date) -> float | None:
    """Old level over new level in the last week that both have a value in; None where there is no link."""
    known = {row["week"]: row["value"] for row in old if row["value"] is not None}
    before = [row for row in new if row["week"] < switch and row["value"] is not None]
    both = [row for row in before if row["week"] in known]
    base = max((row["week"] for row in before if row["state"] == "base"), default=switch)
    if len(both) < PARALLEL_WEEKS or both[-1]["week"] < base:
        return None
    return float(known[both[-1]["week"]] / both[-1]["value"])


def _linked(old: pa.Table, new: pa.Table, switch: date) -> pa.Table:
    def cells(table: pa.Table) -> dict[tuple[Any, ...], list[Row]]:
        rows: Iterable[Row] = table.to_pylist()
        return {
            cell: list(part) for cell, part in groupby(rows, key=lambda row: tuple(row[c] for c in _CELL))
        }

    before, after = cells(old), cells(new)
    rows = [
        row
        for cell in sorted(before.keys() | after.keys())
        for row in transition(before.get(cell, ()), after.get(cell, ()), switch)
    ]
    return pa.Table.from_pylist(rows, plain(new if new.num_rows else old).schema)


def _held(con: duckdb.DuckDBPyConnection, old: pa.Table, new: pa.Table, switch: date) -> pa.Table:
    con.register("ix_arrow", pa.concat_tables([old, new]).select(["obs"]))
    rows = con.execute(
        "SELECT DISTINCT f.obs FROM ix_fact AS f SEMI JOIN ix_arrow AS a ON a.obs = f.obs"
        " WHERE DATE '1970-01-01' + f.day < $1",
        [switch],
    ).fetchall()
    con.unregister("ix_arrow")
    early = pa.array([obs for (obs,) in rows], pa.int64())
    parts = [
        old.filter(pc.is_in(old.column("obs"), early)),
        new.filter(pc.invert(pc.is_in(new.column("obs"), early))),
    ]
    return _ordered(pa.concat_tables(parts), "obs")


def _by_week(old: pa.Table, new: pa.Table, switch: date) -> pa.Table:
    """Rows of the old one before the switch and of the new one from it on, in the order of the columns."""
    parts = [
        table.filter(test(table.column("week"), pa.scalar(switch, pa.date32())))
        for table, test in ((plain(old), pc.less), (plain(new), pc.greater_equal))
        if table.num_rows
    ]
    return _ordered(pa.concat_tables(parts)) if parts else new


def _ordered(table: pa.Table, *columns: str) -> pa.Table:
    """Sorted by some columns, by default by all that are not floats."""
    names = columns or [f.name for f in table.schema if not pa.types.is_floating(f.type)]
    return table.sort_by([(name, "ascending") for name in names]) if table.num_rows else table


def plain(table: pa.Table) -> pa.Table:
    """Without dictionaries: two tables have two."""
    columns = [
        column.cast(pa.string()) if pa.types.is_dictionary(column.type) else column
        for column in table.columns
    ]
    return pa.table(columns, names=table.column_names)


class _Numbers:
    """The numbers that one version's keys get among the keys of both."""

    def __init__(self, keys: pa.Table, names: list[str]) -> None:
        place = {name: number for number, name in enumerate(names)}
        self.new = np.array([place[name] for name in keys.column("key_name").to_pylist()], dtype=np.int32)

    def of(self, table: pa.Table) -> pa.Table:
        """A table with other key numbers."""
        if not table.num_rows:
            return table
        out = plain(table)
        at = out.schema.get_field_index("key_no")
        old = out.column("key_no").to_numpy(zero_copy_only=False)
        return out.set_column(at, "key_no", pa.array(self.new[old], pa.int32()))
