"""The watchdog (rule 16): GEKS-Jevons over a rolling window, mean splice on published values.

A bilateral index between two weeks is the same two-stage mean as a link, over keys observed in both.
Within the first window every value is the full GEKS one, so the first values move until that window is
full; from then on a value is fixed by the splice. With all pairs there, splicing GEKS by the mean over the
overlap is the same as the mean over the overlap of (published value + bilateral to the new week), because
the GEKS levels of a window add up to zero in logs; the second form also works where a pair has no key in
common.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from warehouse.index.fixed import MISSING, Bools, Floats, Ints, divide, to_float
from warehouse.index.groups import RowSums


@dataclass(frozen=True, slots=True)
class Stretch:
    """One run of a cell from a base week to its next base or the end; rows of the good's active weeks."""

    cell: int
    first: int
    end: int


def bilaterals(prices: Ints, leaf: Ints, cells: Sequence[tuple[Ints, Ints]], window: int) -> Floats:
    """Logs of bilateral indices [cell, week, lag - 1] from week - lag to week; NaN without a common key.

    `prices` [week, key], fixed logs or MISSING, keys sorted by leaf; `leaf` numbers (provider, narrowest
    region) from 0; a cell is (its leaves sorted by provider, where each provider's leaves begin in them).
    """
    weeks = len(prices)
    by_key = np.ascontiguousarray(prices.T)
    there = (by_key != MISSING).astype(np.int64)
    filled = np.where(there > 0, by_key, 0)
    starts = np.searchsorted(leaf, np.arange(int(leaf.max(initial=-1)) + 1))
    out = np.full((len(cells), weeks, window - 1), np.nan)
    # All cells at once: their leaves one after the other, with where each provider and each cell begins.
    sizes = np.array([len(leaves) for leaves, _ in cells], dtype=np.int64)
    providers = np.array([len(begin) for _, begin in cells], dtype=np.int64)
    leaves = np.concatenate([leaves for leaves, _ in cells])
    offset = np.cumsum(sizes) - sizes
    begin = np.concatenate([begin + at for (_, begin), at in zip(cells, offset, strict=True)])
    cell_begin = np.cumsum(providers) - providers
    of_leaf, of_seller = RowSums(starts, np.arange(len(leaf))), RowSums(begin, leaves)
    for lag in range(1, min(window, weeks)):
        both = there[:, lag:] & there[:, :-lag]
        moved = filled[:, lag:] - filled[:, :-lag]
        moved *= both
        n = of_seller(of_leaf(both))
        total = of_seller(of_leaf(moved))
        inner = np.where(n > 0, divide(total, np.maximum(n, 1)), 0)
        k = np.add.reduceat(n > 0, cell_begin, axis=0, dtype=np.int64)
        mean = to_float(np.add.reduceat(inner, cell_begin, axis=0)) / np.maximum(k, 1)
        out[:, lag:, lag - 1] = np.where(k > 0, mean, np.nan)
    return out


def geks(cubes: Floats, stretches: Sequence[Stretch], window: int) -> Floats:
    """Logs of the check series [stretch, week], 0 in its base week; NaN outside it and unconnected.

    Cells of many goods may be handed in together, each counting its own active weeks.
    """
    weeks = cubes.shape[1]
    out = np.full((len(stretches), weeks), np.nan)
    first = np.array([s.first for s in stretches], dtype=np.int64)
    end = np.array([s.end for s in stretches], dtype=np.int64)
    cell = np.array([s.cell for s in stretches], dtype=np.int64)
    size = np.minimum(first + window, end) - first
    for length in np.unique(size).tolist():
        alike = np.flatnonzero(size == length)
        levels = full_window(_matrices(cubes, cell[alike], first[alike], length))
        out[alike[:, None], first[alike, None] + np.arange(length)] = levels
    for week in range(window, weeks):
        rolling = np.flatnonzero((week >= first + window) & (week < end))
        if len(rolling):
            before = out[rolling, week - window + 1 : week][:, ::-1]
            out[rolling, week] = _means(before + cubes[cell[rolling], week])
    return out


def full_window(matrices: Floats) -> Floats:
    """GEKS levels of windows from bilateral logs [window, from, to]: mean over link weeks, first week 0."""
    return _means((matrices[:, 0, :, None] + matrices).transpose(0, 2, 1))


def _matrices(cubes: Floats, cell: Ints, first: Ints, size: int) -> Floats:
    out = np.full((len(cell), size, size), np.nan)
    out[:, np.arange(size), np.arange(size)] = 0.0
    for t in range(1, size):
        row = cubes[cell, first + t, :t][:, ::-1]
        out[:, :t, t] = row
        out[:, t, :t] = -row
    return out


def _means(values: Floats) -> Floats:
    """Mean of what is known along the last axis; NaN where nothing is."""
    known: Bools = ~np.isnan(values)
    n = known.sum(axis=-1)
    total: Floats = np.where(known, values, 0.0).sum(axis=-1)
    return np.where(n > 0, total / np.maximum(n, 1), np.nan)


def departures(chain: Floats, check: Floats, weeks: int) -> Floats:
    """How far the check series has moved from the chain over `weeks`, in logs; NaN where unknown.

    A younger series is measured from its base.
    """
    gap = check - chain
    before = np.zeros(len(gap))
    before[weeks:] = gap[:-weeks]
    return np.asarray(gap - before)
