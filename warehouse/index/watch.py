"""The check series of every cell, beside its rows, and where it raises an alarm."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from warehouse.index.check import Stretch, bilaterals, departures, geks
from warehouse.index.emit import Columns, mondays
from warehouse.index.fixed import MISSING, Floats, Ints, rounded, to_float
from warehouse.index.groups import by_number
from warehouse.index.method import Method
from warehouse.index.panel import Shape
from warehouse.index.state import BASE, KEPT

BATCH_CELLS = 256  # whose bilateral indices are in memory at once


@dataclass(frozen=True, slots=True)
class Watch:
    """Beside the joined cell rows: the check value (NaN unknown), and the departure in logs (NaN unknown)."""

    check: Floats
    departure: Floats


def watch(shape: Shape, keys: Columns, rows: Columns, method: Method) -> Watch:
    """Check series of all cells, from the joined rows of the recursion."""
    n = len(rows["week"]) if rows else 0
    out = Watch(np.full(n, np.nan), np.full(n, np.nan))
    if not n:
        return out
    order = np.lexsort((rows["week"], rows["cell"]))
    start = np.searchsorted(rows["cell"][order], np.arange(len(shape.cells) + 1))
    batch: list[_Good] = []
    for good in _goods(shape, keys):
        batch.append(good)
        if sum(len(one.cells) for one in batch) >= BATCH_CELLS:
            _check(batch, rows, order, start, method, out)
            batch = []
    _check(batch, rows, order, start, method, out)
    return out


@dataclass(frozen=True, slots=True)
class _Good:
    """One widest cell with those under it: accepted prices [active week, key]."""

    weeks: Ints
    prices: Ints
    leaf: Ints
    cells: list[int]
    leaves: list[tuple[Ints, Ints]]


def _goods(shape: Shape, told: Columns) -> Iterator[_Good]:
    kept = told["state"] == KEPT
    key, week, price = told["key"][kept], told["week"][kept], told["price"][kept]
    if not len(key):
        return
    by_top = by_number(shape.top[key], len(shape.cells))
    key, week, price = key[by_top], week[by_top], price[by_top]
    tops, starts = np.unique(shape.top[key], return_index=True)
    cells_under: dict[int, list[int]] = {}
    for cell, top in enumerate(shape.cell_top.tolist()):
        cells_under.setdefault(top, []).append(cell)
    column = np.full(shape.size, -1, dtype=np.int64)
    first_member = np.searchsorted(shape.member_cell, np.arange(len(shape.cells) + 1))
    for top, a, b in zip(tops.tolist(), starts, np.r_[starts[1:], len(key)], strict=True):
        keys = np.unique(key[a:b])
        keys = keys[np.lexsort((keys, shape.own[keys], shape.provider[keys]))]
        leaf_ids = shape.provider[keys] << 32 | shape.own[keys]
        leaf = np.cumsum(np.r_[0, np.diff(leaf_ids) != 0])
        column[keys] = np.arange(len(keys))
        weeks, row = np.unique(week[a:b], return_inverse=True)
        prices = np.full((len(weeks), len(keys)), MISSING)
        prices[row, column[key[a:b]]] = price[a:b]
        cells, leaves = [], []
        for cell in cells_under[top]:
            members = shape.member_key[first_member[cell] : first_member[cell + 1]]
            at = np.unique(leaf[column[members[column[members] >= 0]]])
            if len(at):
                seller = shape.provider[keys[np.searchsorted(leaf, at)]]
                cells.append(cell)
                leaves.append((at, np.flatnonzero(np.r_[True, np.diff(seller) != 0])))
        yield _Good(weeks, prices, leaf, cells, leaves)
        column[keys] = -1


def _check(batch: list[_Good], rows: Columns, order: Ints, start: Ints, method: Method, out: Watch) -> None:
    """Check series of some goods. Each good counts its own active weeks; the shorter ones end in nothing."""
    window = method.check.window_weeks
    stretches: list[Stretch] = []
    where: list[tuple[Ints, Ints]] = []
    told = sum(len(good.cells) for good in batch)
    cubes = np.full((told, max((len(good.weeks) for good in batch), default=0), window - 1), np.nan)
    number = 0
    for good in batch:
        last = number + len(good.cells)
        cubes[number:last, : len(good.weeks)] = bilaterals(good.prices, good.leaf, good.leaves, window)
        for cell in good.cells:
            mine = order[start[cell] : start[cell + 1]]
            mine = mine[rows["log"][mine] != MISSING]
            bases = np.flatnonzero(rows["state"][mine] == BASE)
            ends = (
                np.r_[bases[1:], len(mine)] if len(bases) else bases
            )  # no level published yet: no base week
            for a, b in zip(bases, ends, strict=True):
                part = mine[a:b]
                at = np.searchsorted(good.weeks, rows["week"][part])
                stretches.append(Stretch(number, int(at[0]), int(at[-1]) + 1))
                where.append((part, at))
            number += 1
    if not stretches:
        return
    for series, (part, at) in zip(geks(cubes, stretches, window), where, strict=True):
        values = series[at]
        chain = to_float(rows["log"][part] - rows["log"][part[0]])
        out.check[part] = 100.0 * np.exp(values)
        out.departure[part] = departures(chain, values, method.check.alarm_weeks)


def alarms(shape: Shape, rows: Columns, seen: Watch, method: Method) -> pa.Table:
    """The table index_alarms, sorted by cell and week."""
    cell, week = (rows["cell"], rows["week"]) if rows else (np.empty(0, np.int64), np.empty(0, np.int64))
    with np.errstate(invalid="ignore"):
        loud = np.flatnonzero(np.abs(seen.departure) > method.check.alarm_log)
    loud = loud[np.lexsort((week[loud], cell[loud]))]
    cells = [shape.cells[c] for c in cell[loud].tolist()]
    return pa.table(
        {
            "series": pa.array([c.series for c in cells], pa.string()),
            "region_code": pa.array([c.region_code for c in cells], pa.string()),
            "card": pa.array([c.card for c in cells], pa.string()),
            "billing_mode": pa.array([c.billing_mode for c in cells], pa.string()),
            "price_kind": pa.array([c.price_kind for c in cells], pa.string()),
            "week": mondays(week[loud]),
            "departure": pa.array(rounded(np.abs(seen.departure[loud]), 10) * np.sign(seen.departure[loud])),
        }
    )
