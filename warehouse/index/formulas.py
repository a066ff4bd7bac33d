"""Bilateral formulas side by side, for whoever asks why it is Jevons; the index itself uses Jevons alone.

Each takes prices of the same goods in two weeks, in the same order, all positive.
"""

from __future__ import annotations

import math
from collections.abc import Sequence


def jevons(before: Sequence[float], after: Sequence[float]) -> float:
    """Geometric mean of the price relatives."""
    return math.exp(math.fsum(math.log(b / a) for a, b in zip(before, after, strict=True)) / len(before))


def dutot(before: Sequence[float], after: Sequence[float]) -> float:
    """Ratio of the average prices: moves with the units of the goods."""
    return math.fsum(after) / math.fsum(before)


def carli(before: Sequence[float], after: Sequence[float]) -> float:
    """Arithmetic mean of the relatives: drifts upward when prices bounce."""
    return math.fsum(b / a for a, b in zip(before, after, strict=True)) / len(before)


def harmonic(before: Sequence[float], after: Sequence[float]) -> float:
    """Harmonic mean of the relatives: drifts downward."""
    return len(before) / math.fsum(a / b for a, b in zip(before, after, strict=True))
