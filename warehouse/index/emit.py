"""Rows of the recursion as Arrow tables with the columns of `warehouse/sql/index_schema.sql`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from warehouse.index.calendar import publish_of
from warehouse.index.fixed import MISSING, Bools, Codes, Floats, Ints, level, ratio, rounded, runs, to_float
from warehouse.index.grades import SUPPRESSED, B, C
from warehouse.index.groups import by_number
from warehouse.index.method import Method
from warehouse.index.panel import RENTABLE, Shape
from warehouse.index.state import (
    BASE,
    GRADED,
    OUTAGE,
    REASON_WORDS,
    RUNG_WORDS,
    STATE_WORDS,
)
from warehouse.index.uncertainty import is_flat

_STATES = ("base", "published", "indicative", "suppressed", "outage")
_GRADES = (None, "C", "B", "A")
_FLAGS = ("provider_outage", "composition", "single_provider", "source_switch")
_DIRECTIONS = ("up", "down", "flat", None)


Columns = dict[str, NDArray[Any]]


def joined(rows: Sequence[Any]) -> Columns:
    """The columns of many weeks' rows, one after the other; `week` becomes a column. Empty without rows."""
    names = [f.name for f in fields(rows[0]) if f.name != "week"] if rows else []
    out = {name: np.concatenate([getattr(row, name) for row in rows]) for name in names}
    if rows:
        sizes = [len(getattr(row, names[0])) for row in rows]
        out["week"] = np.repeat(np.array([row.week for row in rows], dtype=np.int64), sizes)
    return out


def words(codes: Ints | Codes, vocabulary: Sequence[str | None]) -> pa.Array:
    """Codes as a dictionary column; a code whose word is None is NULL."""
    known = [word for word in vocabulary if word is not None]
    place = np.array([known.index(word) if word is not None else -1 for word in vocabulary], dtype=np.int8)
    index = place[codes] if len(codes) else np.empty(0, dtype=np.int8)
    return pa.DictionaryArray.from_arrays(pa.array(index, mask=index < 0), pa.array(known, pa.string()))


def mondays(week: Ints) -> pa.Array:
    """Week numbers as dates."""
    return pa.array((week * 7 - 3).astype(np.int32)).cast(pa.date32())


def floats(values: Floats) -> pa.Array:
    """Floats, NaN as NULL."""
    return pa.array(values, mask=np.isnan(values))


def price_index(
    shape: Shape,
    col: Columns,
    check: Floats,
    coverage: Mapping[int, float],
    names: Mapping[str, str],
    method: Method,
    now: int,
) -> pa.Table:
    """The table without vintage, published_at and supersedes; sorted by its key.

    `check` runs beside the joined rows.
    """
    if not col:
        return pa.table({})
    cell, week, link = col["cell"], col["week"], col["link"]
    graded = col["state"] == GRADED
    printable = graded & (col["grade"] >= C)
    value = np.where(col["log"] == MISSING, np.nan, level(np.where(col["log"] == MISSING, 0, col["log"])))
    factor = np.where(link == MISSING, np.nan, ratio(np.where(link == MISSING, 0, link)))
    state = np.select(
        [col["state"] == BASE, col["state"] == OUTAGE, col["grade"] >= B, col["grade"] == C], [0, 4, 1, 2], 3
    )
    with np.errstate(invalid="ignore", divide="ignore"):
        stock = np.where(col["stock_shown"] > 0, rounded(col["in_stock"] / col["stock_shown"], 6), np.nan)
        flat = is_flat(col["low"], col["high"], col["moved"], method.uncertainty.flat_moved_share)
    flat |= factor == 1.0
    direction = np.where(~printable, 3, np.where(flat, 2, np.where(factor < 1.0, 1, 0)))
    order = np.lexsort((week, cell))
    numbers, at = np.unique(week, return_inverse=True)
    final = np.array([now >= publish_of(w + 1, method) for w in numbers.tolist()])[at]
    covered = np.array([coverage[w] for w in numbers.tolist()])[at]
    cells = shape.cells
    data = {
        "series": _names(cell, [c.series for c in cells]),
        "region_code": _names(cell, [c.region_code for c in cells]),
        "region": _names(cell, [names.get(c.region_code, c.region_code) for c in cells]),
        "card": _names(cell, [c.card for c in cells]),
        "billing_mode": _names(cell, [c.billing_mode for c in cells]),
        "price_kind": _names(cell, [c.price_kind for c in cells]),
        "week": mondays(week),
        "value": floats(value),
        "link": floats(factor),
        "state": words(state, _STATES),
        "grade": words(np.where(col["grade"] > SUPPRESSED, col["grade"], 0), _GRADES),
        "n_offers": pa.array(col["keys"], pa.int32()),
        "n_providers": pa.array(col["providers"], pa.int32()),
        "n_imputed": pa.array(col["imputed"], pa.int32()),
        "n_quarantined": pa.array(col["quarantined"], pa.int32()),
        "in_stock_share": floats(stock),
        "sd_log": floats(rounded(col["sd"], 10)),
        "ci_low": floats(rounded(col["low"], 10)),
        "ci_high": floats(rounded(col["high"], 10)),
        "check_value": floats(rounded(check, 8)),
        "coverage": floats(rounded(covered, 6)),
        "oldest_observation": _times(col["oldest"]),
        "flags": _flags(col),
        "share_moved": floats(rounded(col["moved"], 6)),
        "direction": words(direction, _DIRECTIONS),
        "status": words(final.astype(np.int64), ("provisional", "final")),
        "method_version": pa.array([method.id] * len(cell), pa.string()),
        "note": pa.nulls(len(cell), pa.string()),
    }
    return pa.table(data).take(pa.array(order))


def _names(cell: Ints, of_cell: list[str]) -> pa.Array:
    distinct = sorted(set(of_cell))
    place = {name: i for i, name in enumerate(distinct)}
    lookup = np.array([place[name] for name in of_cell], dtype=np.int32)
    return pa.DictionaryArray.from_arrays(pa.array(lookup[cell]), pa.array(distinct, pa.string()))


def _times(micros: Ints) -> pa.Array:
    return pa.array(micros, mask=micros < 0).cast(pa.timestamp("us", tz="UTC"))


def _flags(col: Mapping[str, NDArray[Any]]) -> pa.Array:
    single = (col["providers"] == 1) & (col["state"] != OUTAGE)
    columns: list[Bools] = [col["provider_outage"], col["composition"], single, col["source_switch"]]
    code = sum(
        (column.astype(np.int64) << i for i, column in enumerate(columns)), np.zeros(len(single), np.int64)
    )
    texts = [",".join(f for i, f in enumerate(_FLAGS) if n >> i & 1) for n in range(2 ** len(_FLAGS))]
    return words(code, texts)


def by_key(shape: Shape, col: Columns) -> Columns:
    """Joined key rows, week after week, by series, key and week; `micro` is the price · 10⁶ (0: none)."""
    if not col:
        return col
    _, of_key = _key_series(shape)
    rank = np.empty(shape.size, dtype=np.int64)
    rank[np.lexsort((shape.key_no, of_key))] = np.arange(shape.size)
    order = by_number(rank[col["key"]], shape.size)
    out = {name: column[order] for name, column in col.items()}
    out["micro"] = _micro(out["price"])
    return out


def key_weeks(shape: Shape, col: Columns) -> pa.Table:
    """The table index_key_weeks; `col` from `by_key`."""
    if not col:
        return pa.table({})
    kinds, of_key = _key_series(shape)
    key = col["key"]
    data = {
        "series": words(of_key[key], kinds),
        "key_no": pa.array(shape.key_no[key], pa.int32()),
        "week": mondays(col["week"]),
        "state": words(col["state"], STATE_WORDS),
        "reason": words(col["reason"], REASON_WORDS),
        "rung": words(col["rung"], RUNG_WORDS),
        "price": money(col["micro"], col["price"] != MISSING),
        "previous": money(_micro(col["before"]), col["before"] != MISSING),
    }
    return pa.table(data)


def _key_series(shape: Shape) -> tuple[list[str], Ints]:
    kinds = [
        RENTABLE if shape.twin[k] >= 0 else shape.cells[shape.top[k]].price_kind for k in range(shape.size)
    ]
    distinct = sorted(set(kinds))
    return distinct, np.array([distinct.index(kind) for kind in kinds], dtype=np.int64)


def _micro(log: Ints) -> Floats:
    """Weekly price · 10⁶ from its log, to a millionth of a micro, so that a plain price comes back whole.

    0 where there is none. Neighbours are often equal, and are computed once.
    """
    first, run = runs(log)
    there = log[first] != MISSING
    micro: Floats = np.where(there, rounded(np.exp(to_float(np.where(there, log[first], 0))) * 1e6, 4), 0.0)
    return micro[run]


def money(micro: Floats, there: Bools) -> pa.Array:
    """Prices · 10⁶ as DECIMAL(18,6), half up; NULL where there is none."""
    # DECIMAL(18,6) is the number of micros: build it from its bits instead of one Python object a row.
    wide = np.zeros((len(micro), 2), dtype=np.int64)
    wide[:, 0] = np.floor(micro + 0.5)
    valid = pa.array(there, pa.bool_()).buffers()[1] if len(micro) else None
    return pa.Array.from_buffers(pa.decimal128(18, 6), len(micro), [valid, pa.py_buffer(wide)])
