"""Log-MAD with a floor, cell by cell (rule 8): which key-weeks are too far from what their cells did."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from warehouse.index.fixed import MISSING, UNIT, Bools, Floats, Ints
from warehouse.index.groups import twice_median
from warehouse.index.method import Outlier
from warehouse.index.panel import Shape

_FAR = np.int64(2**61)


class Releases(Protocol):
    """Who decides whether an outlier is confirmed (warehouse/index/release.py)."""

    def confirmed(self, key: int, week: int, low: int, high: int) -> bool:
        """Whether everything the key showed outside low..high (log prices) this week is confirmed by now."""

    def hold(self, key: int, week: int, low: int, high: int) -> None:
        """The key-week goes into quarantine."""

    def pending(self) -> list[int]:
        """Keys with something in quarantine."""

    def settle(self, key: int, released: bool) -> None:
        """The key has an accepted price again: what it had in quarantine is released, or forgotten."""


@dataclass(frozen=True, slots=True)
class Screen:
    """Per series key: flagged and not confirmed; confirmed against its cells; what would have passed."""

    flagged: Bools
    released: Bools
    low: Ints
    high: Ints


def bands(cell: Ints, relatives: Ints, cells: int, rule: Outlier) -> tuple[Floats, Floats]:
    """(centre, half width) of what passes in each cell, in units of log relatives.

    With too few relatives the centre is 0 and the width the absolute bound.
    """
    twice, n = twice_median(cell, relatives, cells)
    deviation = np.abs(2 * relatives - twice[cell])
    four_mad, _ = twice_median(cell, deviation, cells)
    scale = np.maximum(rule.mad_factor * four_mad / 4, rule.floor_log * UNIT)
    enough = n >= rule.min_relatives
    few = math.log(rule.few_ratio) * UNIT
    return np.where(enough, twice / 2, 0.0), np.where(enough, rule.z * scale, few)


def screen(
    shape: Shape, price: Ints, before: Ints, both: Bools, week: int, releases: Releases, rule: Outlier
) -> Screen:
    """Test this week's prices against every cell they are in.

    `price` per series key (MISSING where not observed), `before` per member (MISSING where the key is new
    there), `both` per member: accepted in both weeks, the only relatives that make the median and the
    MAD. A key that is confirmed leaves them and the rest is tested again. Keys of the rentable series
    follow their list key.
    """
    now = price[shape.member_key]
    tested = np.flatnonzero((now != MISSING) & (before != MISSING) & (shape.twin[shape.member_key] < 0))
    key, cell = shape.member_key[tested], shape.member_cell[tested]
    relative = now[tested] - before[tested]
    released = np.zeros(shape.size, dtype=bool)
    refused = np.zeros(shape.size, dtype=bool)
    low, high = np.full(shape.size, -_FAR), np.full(shape.size, _FAR)
    flagged = np.zeros(shape.size, dtype=bool)
    while len(tested):
        basis = both[tested] & ~released[key]
        centre, width = bands(cell[basis], relative[basis], len(shape.cells), rule)
        least = np.ceil(before[tested] + centre[cell] - width[cell]).astype(np.int64)
        most = np.floor(before[tested] + centre[cell] + width[cell]).astype(np.int64)
        low[:], high[:] = -_FAR, _FAR
        np.maximum.at(low, key, least)
        np.minimum.at(high, key, most)
        outside = (price != MISSING) & ((price < low) | (price > high))
        flagged = outside & ~released
        ask = np.flatnonzero(flagged & ~refused)
        answers = [releases.confirmed(int(k), week, int(low[k]), int(high[k])) for k in ask]
        released[ask[answers]] = True
        refused[ask] = True
        refused &= ~released
        if not any(answers):
            break
    flagged &= ~released
    follows = shape.twin >= 0
    flagged[follows] = flagged[shape.twin[follows]]
    released[follows] = released[shape.twin[follows]]
    return Screen(flagged, released, low, high)
