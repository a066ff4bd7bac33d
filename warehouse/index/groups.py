"""Sums, counts, means and medians of integers by group, for arrays whose groups are numbered from 0.

`reduceat` and friends would need every group to be there; these take any subset of rows.
"""

from __future__ import annotations

import numpy as np

from warehouse.index.fixed import Bools, Floats, Ints, divide

_VALUE_BITS = 50  # signed logs up to a factor of e^56
_HALF = 1 << _VALUE_BITS - 1
_GROUPS = 1 << 63 - _VALUE_BITS
_FEW_ROWS = 16


def count(group: Ints, size: int) -> Ints:
    """How many rows each of `size` groups has."""
    return np.bincount(group, minlength=size).astype(np.int64, copy=False)


def total(group: Ints, values: Ints, size: int) -> Ints:
    """Exact sum of int64 values of each group (`bincount` would go through floats)."""
    out = np.zeros(size, dtype=np.int64)
    np.add.at(out, group, values)
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
    """(2 · median, count) of each group, so that the mean of the two in the middle stays an integer.

    Most prices stand still, so most values are 0: those are counted, the others sorted.
    """
    moved = np.flatnonzero(values)
    sorted_values = np.append(_sorted_within(group[moved], values[moved], size), 0)
    n, others = count(group, size), count(group[moved], size)
    start, below = np.cumsum(others) - others, count(group[values < 0], size)
    there = n > 0

    def nth(rank: Ints) -> Ints:
        above = rank >= below + n - others
        place = np.where(above, start + rank - (n - others), start + rank)
        place[~above & (rank >= below)] = len(moved)  # where the 0 is
        return sorted_values[place[there]]

    out = np.zeros(size, dtype=np.int64)
    out[there] = nth((n - 1) // 2) + nth(n // 2)
    return out, n


def _sorted_within(group: Ints, values: Ints, size: int) -> Ints:
    """Values by group, ascending inside each; group and value as one number where both fit into it."""
    if len(values) and size <= _GROUPS and max(int(values.max()), -int(values.min())) < _HALF:
        packed = np.sort(group << _VALUE_BITS | (values + _HALF))
        packed &= (1 << _VALUE_BITS) - 1
        packed -= _HALF
        return packed
    return values[np.lexsort((values, group))]


class RowSums:
    """Sums of neighbouring rows of a matrix: first the first row of every group, then the second is added …

    NumPy's own `reduceat` is slow down the rows of small groups.
    """

    def __init__(self, starts: Ints, take: Ints) -> None:
        """Rows of the matrix in the order of `take`, which `starts` cuts into groups, none of them empty."""
        self.starts, self.take = starts, take
        sizes = np.diff(np.append(starts, len(take)))
        most = int(sizes.max(initial=0))
        self.rounds = [
            (np.flatnonzero(sizes > nth), take[starts[sizes > nth] + nth])
            for nth in range(most if most <= _FEW_ROWS else 0)
        ]

    def __call__(self, matrix: Ints) -> Ints:
        """Exact sums, one row a group."""
        if not self.rounds:
            summed: Ints = np.add.reduceat(matrix[self.take], self.starts, axis=0)
            return summed
        out: Ints = matrix[self.rounds[0][1]]
        for rows, source in self.rounds[1:]:
            if len(rows) == len(out):
                out += matrix[source]
            else:
                out[rows] += matrix[source]
        return out


def by_number(number: Ints, size: int) -> Ints:
    """Stable order of numbers below `size`; NumPy sorts the short ones by counting them."""
    return np.argsort(number.astype(np.uint16 if size <= 1 << 16 else np.int64), kind="stable")


def any_of(group: Ints, flags: Bools, size: int) -> Bools:
    """Whether any row of each group has the flag."""
    return count(group[flags], size) > 0


def float_total(group: Ints, values: Floats, size: int) -> Floats:
    """Sum of floats of each group, added in the order of the rows: sort the rows first."""
    return np.bincount(group, weights=values, minlength=size).astype(np.float64)
