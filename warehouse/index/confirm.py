"""Who else has seen a price: sightings of (unit, provider, price), day by day, and holds that wait for
one.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

import numpy as np

from warehouse.index.fixed import Ints

# Columns packed into one integer, so that sorting them is sorting numbers.
PRICE_BITS = 30  # up to 1,073 CNY in units of 1e-6
PRICE_MASK = 2**PRICE_BITS - 1
PROVIDER_BITS = 12
_LONG_AGO = np.int64(-(2**62))
_NOT_YET = np.int64(2**62)


class Confirmations:
    """Answers whether a second provider has shown a price within a tolerance, without looking at every pair.

    A pair number stands for (unit, price, provider); pairs of one unit are neighbours, ordered by price.
    """

    def __init__(self, unit: Ints, combos: Ints, where: Ints, within: Fraction) -> None:
        """`combos` pack (group, price, provider), `unit` is theirs, `where` is each observation's combo."""
        price_provider = combos & (2 ** (PRICE_BITS + PROVIDER_BITS) - 1)
        pairs, pair_of_combo = np.unique(
            unit << (PRICE_BITS + PROVIDER_BITS) | price_provider, return_inverse=True
        )
        self.pair = pair_of_combo[where]
        self.provider = pairs & (2**PROVIDER_BITS - 1)
        self.price = pairs >> PROVIDER_BITS & PRICE_MASK
        self.unit = pairs >> (PROVIDER_BITS + PRICE_BITS)
        size = int(unit.max()) + 1 if len(unit) else 0
        self.unit_start = np.searchsorted(self.unit, np.arange(size + 1))
        self.within = within
        self.last = np.full(len(self.price), _LONG_AGO)  # last sighting before today
        self.first = np.full(len(self.price), _NOT_YET)  # first sighting today
        self.waiting: dict[int, list[int]] = {}

    def open_day(self, rows: Ints, time: Ints) -> None:
        """Sightings of today that are certain already; `rows` in time order."""
        backwards = rows[::-1]
        self.first[self.pair[backwards]] = time[backwards]

    def note(self, rows: list[int], time: int) -> None:
        """More sightings of one moment of today."""
        pairs = self.pair[rows]
        self.first[pairs] = np.minimum(self.first[pairs], time)

    def seen(self, row: int, since: int, until: int) -> bool:
        """Whether another provider's price within the tolerance was seen in since..until."""
        others = self._others(int(self.pair[row]))
        return bool(np.any((self.last[others] >= since) | (self.first[others] <= until)))

    def wait(self, row: int) -> None:
        """Remember a held row."""
        self.waiting.setdefault(int(self.pair[row]), []).append(row)

    def close_day(self, rows: Ints, time: Ints) -> Iterator[tuple[Ints, int]]:
        """(held rows, time of the sighting that confirms them); then today's sightings become past ones."""
        if self.waiting:
            today = set(np.unique(self.unit[self.pair[rows]]).tolist())
            for pair in [p for p in self.waiting if int(self.unit[p]) in today]:
                others = self._others(pair)
                earliest = int(self.first[others].min()) if len(others) else int(_NOT_YET)
                if earliest < _NOT_YET:
                    yield np.array(self.waiting.pop(pair)), earliest
        pairs = self.pair[rows]
        self.last[pairs] = np.maximum(self.last[pairs], time[rows])
        self.first[pairs] = _NOT_YET

    def _others(self, pair: int) -> Ints:
        """Pairs of other providers in the same unit whose price lies within the tolerance of this one."""
        low, high = self.unit_start[self.unit[pair]], self.unit_start[self.unit[pair] + 1]
        prices, own = self.price[low:high], int(self.price[pair])
        least = -(-own * (self.within.denominator - self.within.numerator) // self.within.denominator)
        most = own * (self.within.denominator + self.within.numerator) // self.within.denominator
        first, last = np.searchsorted(prices, least), np.searchsorted(prices, most, side="right")
        near: Ints = np.arange(low + first, low + last)
        others: Ints = near[self.provider[near] != self.provider[pair]]
        return others
