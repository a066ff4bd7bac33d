"""How sure a link is: standard deviation of its log relatives, interval, and when a move is called flat.

With equal provider weights the variance of the two-stage mean is s² · Σ(1/n_p) / P²: thirty identical
hosts of one seller are one voice. With one key a provider, or one provider, it is the textbook s²/n.
"""

from __future__ import annotations

import math
from functools import cache

import numpy as np

from warehouse.index.fixed import Bools, Floats, Ints, to_float
from warehouse.index.groups import count, float_total, mean


def link_spread(pair: Ints, pair_group: Ints, relatives: Ints, size: int) -> tuple[Floats, Floats, Ints]:
    """(sd of log relatives, standard error of the two-stage mean, n) of each group; NaN below two keys.

    Rows must come in a fixed order: these are sums of floats.
    """
    group = pair_group[pair]
    centre, n = mean(group, relatives, size)
    deviation = to_float(relatives - centre[group])
    squares = float_total(group, deviation * deviation, size)
    inner = count(pair, len(pair_group))
    there = inner > 0
    inverse = float_total(pair_group[there], 1.0 / inner[there], size)
    providers = count(pair_group[there], size)
    with np.errstate(divide="ignore", invalid="ignore"):
        sd = np.where(n >= 2, np.sqrt(squares / (n - 1)), np.nan)
        se = sd * np.sqrt(inverse) / providers
    return sd, se, n


def interval(link: Ints, se: Floats, n: Ints, confidence: float, from_keys: int) -> tuple[Floats, Floats]:
    """Low and high end of the link's interval, as ratios; NaN below `from_keys` relatives."""
    enough = n >= from_keys
    width = np.full(len(n), np.nan)
    degrees, place = np.unique(n[enough] - 1, return_inverse=True)
    width[enough] = np.array([student_t(df, confidence) for df in degrees.tolist()])[place]
    width = width * se
    centre = to_float(link)
    return np.exp(centre - width), np.exp(centre + width)


def is_flat(low: Floats, high: Floats, moved_share: Floats, at_most: float) -> Bools:
    """持平: the interval holds 1 and at most a fifth of the keys moved, whatever the sign."""
    return (low <= 1.0) & (high >= 1.0) & (moved_share <= at_most)


@cache
def student_t(df: int, confidence: float) -> float:
    """Two-sided quantile of Student's t: P(|T| <= t) = confidence, to 1e-12."""
    low, high = 0.0, 1e4
    for _ in range(90):
        middle = (low + high) / 2
        if middle in (low, high):
            break
        if _within(middle, df) < confidence:
            low = middle
        else:
            high = middle
    return high


def _within(t: float, df: int) -> float:
    """P(|T| <= t), the finite series of Abramowitz & Stegun 26.7.3 and 26.7.4."""
    theta = math.atan(t / math.sqrt(df))
    sine, cosine = math.sin(theta), math.cos(theta)
    if df == 1:
        return 2 * theta / math.pi
    if df % 2:
        term, total = cosine, cosine
        for k in range(2, df - 1, 2):
            term *= cosine * cosine * k / (k + 1)
            total += term
        return 2 / math.pi * (theta + sine * total)
    term, total = 1.0, 1.0
    for k in range(1, df - 2, 2):
        term *= cosine * cosine * k / (k + 1)
        total += term
    return sine * total
