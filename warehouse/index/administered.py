"""Whether a seller sets one mode as a constant times another (spot = half the hourly price, month = 480
hours).

Then its many prices are one decision. Cells and levels give every provider one vote already; this says
where a vote is a rule.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from warehouse.index.method import Administered


@dataclass(frozen=True, slots=True)
class Rule:
    """Ratios of one provider's mode to its base mode: how many, their mean, their coefficient of
    variation.
    """

    n: int
    ratio: float
    spread: float
    administered: bool


def detect(ratios: Sequence[float], rule: Administered) -> Rule:
    """Judge the ratios (at least one, all positive); their order does not matter."""
    n = len(ratios)
    mean = math.fsum(ratios) / n
    variance = math.fsum((r - mean) ** 2 for r in ratios) / n
    spread = math.sqrt(variance) / mean
    return Rule(n, mean, spread, n >= rule.min_goods and spread <= rule.max_spread)
