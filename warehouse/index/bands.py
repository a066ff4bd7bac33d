"""The bands of the level rule: how far a price may lie from a median before it is held or marked."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from warehouse.index.fixed import Bools, Ints
from warehouse.index.method import LevelHold

PASS, REVIEW, HOLD, UNSURE = 0, 1, 2, 3
States = NDArray[np.int8]


class Bands:
    """The four bounds as fractions, so that comparing a price with a median is exact."""

    def __init__(self, rule: LevelHold) -> None:
        self.below, self.above = Fraction(rule.hold_below), Fraction(rule.hold_above)
        self.review_below, self.review_above = Fraction(rule.review_below), Fraction(rule.review_above)
        self.apart = Fraction(rule.across_classes)

    def states(self, price: Ints, low: Ints, high: Ints) -> States:
        """Verdicts for medians known to lie in low..high; UNSURE where that does not decide."""

        def under(bound: Fraction, median: Ints) -> Bools:
            return price * bound.denominator < bound.numerator * median

        def over(bound: Fraction, median: Ints) -> Bools:
            return price * bound.denominator > bound.numerator * median

        out = np.full(len(price), UNSURE, dtype=np.int8)
        out[under(self.below, low) | over(self.above, high)] = HOLD
        inside = ~under(self.below, high) & ~over(self.above, low)
        out[inside & (under(self.review_below, low) | over(self.review_above, high))] = REVIEW
        out[~under(self.review_below, high) & ~over(self.review_above, low)] = PASS
        return out

    def state(self, price: int, median: int) -> int:
        """The verdict on one price, median known."""
        for low, high, verdict in (
            (self.below, self.above, HOLD),
            (self.review_below, self.review_above, REVIEW),
        ):
            if price * low.denominator < low.numerator * median:
                return verdict
            if price * high.denominator > high.numerator * median:
                return verdict
        return PASS

    def across(self, price: int, median: int) -> int:
        """The verdict on one price, median of other classes."""
        up, down = self.apart.numerator, self.apart.denominator
        return HOLD if price * down > up * median or price * up < down * median else PASS

    def quiet(self, spreads: Sequence[tuple[int, int]]) -> bool:
        """Whether every price of a pool passes at any median; of the (lowest, highest) of its groups."""
        pairs = [pair for low, high in spreads for pair in ((low, high), (high, low))]
        lowest, highest = min(low for low, _ in spreads), max(high for _, high in spreads)
        return (
            all(self.state(price, median) == PASS for price, median in pairs)
            and self.across(lowest, highest) == PASS
            and self.across(highest, lowest) == PASS
        )
