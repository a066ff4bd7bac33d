"""Sums, counts, means and medians of integers by group, for arrays whose groups are numbered from 0.

`reduceat` and friends would need every group to be there; these take any subset of rows.
"""

from __future__ import annotations

import numpy as np

from warehouse.index.fixed import Bools, Floats, Ints, divide


def count(group: Ints, size: int) -> Ints:
    """How many rows each of `size` groups has."""
    return np.bincount(group, minlength=size).astype(np.int64)


def total(group: Ints, values: Ints, size: int) -> Ints:
    """Exact sum of int64 values of each group (`bincount` would go through floats)."""
    out = np.zeros(size, dtype=np.int64)
    if len(group):
        order = np.argsort(group, kind="stable")
        sorted_group = group[order]
        starts = np.flatnonzero(np.r_[True, sorted_group[1:] != sorted_group[:-1]])
        out[sorted_group[starts]] = np.add.reduceat(values[order], starts)
    return out


def mean(group: Ints, values: Ints, size: int) -> tuple[Ints, Ints]:
    """(mean, count) of each group; the mean of an empty group is 0."""
    n = count(group, size)
    sums = total(group, values, size)
    return np.where(n > 0, divide(sums, np.maximum(n, 1)), 0), n


def two_stage(pair: Ints, pair_group: Ints, values: Ints, size: int) -> tuple[Ints, Ints, Ints]:
    """Mean across providers of the mean inside the provider.

    `pair` numbers (group, provider) pairs, `pair_group[pair]` is the group. Returns (mean, rows,
    providers) of each of `size` groups.
    """
    inner, n = mean(pair, values, len(pair_group))
    there = n > 0
    outer, providers = mean(pair_group[there], inner[there], size)
    return outer, total(pair_group[there], n[there], size), providers


def twice_median(group: Ints, values: Ints, size: int) -> tuple[Ints, Ints]:
    """(2 · median, count) of each group, so that the mean of the two in the middle stays an integer."""
    order = np.lexsort((values, group))
    sorted_values = values[order]
    n = count(group, size)
    start = np.cumsum(n) - n
    there = n > 0
    low = start[there] + (n[there] - 1) // 2
    high = start[there] + n[there] // 2
    out = np.zeros(size, dtype=np.int64)
    out[there] = sorted_values[low] + sorted_values[high]
    return out, n


def any_of(group: Ints, flags: Bools, size: int) -> Bools:
    """Whether any row of each group has the flag."""
    return count(group[flags], size) > 0


def float_total(group: Ints, values: Floats, size: int) -> Floats:
    """Sum of floats of each group, added in the order of the rows: sort the rows first."""
    return np.bincount(group, weights=values, minlength=size).astype(np.float64)
