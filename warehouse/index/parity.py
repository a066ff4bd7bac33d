"""Which region is dearer, like for like (rule 14): country-product-dummy regression.

Log price = region effect + card effect, ordinary least squares; the reference region is 100. Regions that
share no card with it, not even through a third region, cannot be compared and get no value.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np


def country_product_dummy(prices: Mapping[tuple[str, str], float], reference: str) -> dict[str, float]:
    """`prices` by (region, card) → level of each comparable region, reference = 100, six decimals.

    Empty when the reference has no price.
    """
    regions = _connected(prices, reference)
    cells = sorted(cell for cell in prices if cell[0] in regions)
    cards = sorted({card for _, card in cells})
    others = [region for region in regions if region != reference]
    design = np.zeros((len(cells), len(others) + len(cards)))
    for row, (region, card) in enumerate(cells):
        if region != reference:
            design[row, others.index(region)] = 1.0
        design[row, len(others) + cards.index(card)] = 1.0
    logs = np.array([math.log(prices[cell]) for cell in cells])
    effects = np.linalg.lstsq(design, logs, rcond=None)[0] if len(cells) else []
    levels = {region: 100.0 * math.exp(effects[i]) for i, region in enumerate(others)}
    if regions:
        levels[reference] = 100.0
    return {region: math.floor(levels[region] * 1e6 + 0.5) / 1e6 for region in sorted(levels)}


def _connected(prices: Mapping[tuple[str, str], float], reference: str) -> list[str]:
    found = {reference} if any(region == reference for region, _ in prices) else set()
    while True:
        cards = {card for region, card in prices if region in found}
        more = {region for region, card in prices if card in cards}
        if more <= found:
            return sorted(found)
        found |= more
