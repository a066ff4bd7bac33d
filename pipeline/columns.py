"""Arrow schemas of the segment files, derived from the dataclasses, and rows → tables with exact types.

Money and quantities are DECIMAL(18,6), times TIMESTAMPTZ in UTC with microseconds. A field whose annotation
allows None is nullable and no other is. `Listing.extra` becomes JSON text with sorted keys.
"""

from __future__ import annotations

import json
import types
import typing
from collections.abc import Sequence
from dataclasses import fields
from datetime import datetime
from decimal import ROUND_HALF_UP, Decimal
from functools import cache
from itertools import groupby
from operator import attrgetter, itemgetter
from typing import Any

import pyarrow as pa

SCALE = 6
PRECISION = 18
MONEY = pa.decimal128(PRECISION, SCALE)
MOMENT = pa.timestamp("us", tz="UTC")
_STEP = Decimal(1).scaleb(-SCALE)
_LIMIT = Decimal(10) ** (PRECISION - SCALE)

_ARROW: dict[Any, pa.DataType] = {
    str: pa.string(),
    int: pa.int64(),
    bool: pa.bool_(),
    Decimal: MONEY,
    datetime: MOMENT,
}


@cache
def schema_of(row_type: type) -> pa.Schema:
    """Arrow schema of a dataclass; TypeError for an annotation that has no column type."""
    hints = typing.get_type_hints(row_type)
    return pa.schema([_field(f.name, hints[f.name]) for f in fields(row_type)])


def _field(name: str, hint: Any) -> pa.Field:
    nullable = False
    if isinstance(hint, types.UnionType):
        inner = [h for h in typing.get_args(hint) if h is not type(None)]
        if len(inner) != 1:
            raise TypeError(f"{name}: no column type for {hint}")
        hint, nullable = inner[0], True
    if typing.get_origin(hint) is dict:
        return pa.field(name, pa.string(), nullable=nullable)
    if hint not in _ARROW:
        raise TypeError(f"{name}: no column type for {hint}")
    return pa.field(name, _ARROW[hint], nullable=nullable)


def quantized(value: Decimal, name: str) -> Decimal:
    """Six decimals, half up; ValueError for NaN, infinity and what DECIMAL(18,6) cannot hold."""
    if not value.is_finite() or abs(value) >= _LIMIT:
        raise ValueError(f"{name}: {value} is no DECIMAL({PRECISION},{SCALE})")
    return value.quantize(_STEP, ROUND_HALF_UP)


def _column(row_type: type, field: pa.Field, values: list[Any]) -> list[Any]:
    """Values of one column as Arrow takes them."""
    if not field.nullable and any(value is None for value in values):
        raise ValueError(f"{row_type.__name__}.{field.name} is None")
    if field.type == MONEY:
        return [None if value is None else quantized(value, field.name) for value in values]
    if field.type == MOMENT:
        naive = next((value for value in values if value is not None and value.tzinfo is None), None)
        if naive is not None:
            raise ValueError(f"{field.name}: {naive} has no time zone")
    if any(isinstance(value, dict) for value in values):
        return [json.dumps(value, ensure_ascii=False, sort_keys=True) for value in values]
    return values


def _key(row: Sequence[Any]) -> tuple[tuple[bool, Any], ...]:
    return tuple((True, value) if value is not None else (False, 0) for value in row)


def _sorted(columns: Sequence[list[Any]], rank: Sequence[int], first: int) -> list[int]:
    """Row numbers in the order of all columns of `rank`; the others than the `first` are looked at only where
    those agree."""

    def ordered(rows: list[int], by: Sequence[int]) -> list[tuple[Any, int]]:
        return sorted((_key([columns[c][row] for c in by]), row) for row in rows)

    made: list[int] = []
    for _, group in groupby(ordered(list(range(len(columns[0]))), rank[:first]), key=itemgetter(0)):
        rows = [row for _, row in group]
        made += rows if len(rows) == 1 else [row for _, row in ordered(rows, rank[first:])]
    return made


def table_of(row_type: type, rows: Sequence[Any], order: Sequence[str] = ()) -> pa.Table:
    """Rows of one dataclass as a table, sorted by the `order` columns and then by all the others.

    ValueError for a number or time the column cannot hold exactly, or None where the field forbids it.
    """
    schema = schema_of(row_type)
    columns = [_column(row_type, f, list(map(attrgetter(f.name), rows))) for f in schema]
    rank = [schema.names.index(name) for name in order]
    rank += [i for i in range(len(columns)) if i not in set(rank)]
    lines = _sorted(columns, rank, len(order))
    arrays = [pa.array([c[n] for n in lines], f.type) for c, f in zip(columns, schema, strict=True)]
    return pa.Table.from_arrays(arrays, schema=schema)
