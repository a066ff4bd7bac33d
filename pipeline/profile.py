"""The profile of a run's offers: what later runs are compared with, small enough to live in the manifest."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterable
from decimal import ROUND_HALF_UP, Decimal
from statistics import median

from pipeline.offer import Offer


def levels(offers: Iterable[Offer]) -> dict[str, tuple[int, str]]:
    """`card|form|billing_mode|price_kind` → (offers, median CNY per card-hour), whole cards only."""
    prices: dict[str, list[Decimal]] = defaultdict(list)
    for offer in offers:
        if offer.price_cny_per_card_hour is not None and offer.share == 1:
            key = "|".join((offer.card, offer.form or "", offer.billing_mode, offer.price_kind))
            prices[key].append(offer.price_cny_per_card_hour)
    step = Decimal("0.000001")
    return {
        key: (len(found), str(median(found).quantize(step, ROUND_HALF_UP)))
        for key, found in sorted(prices.items())
    }


def fingerprint(offers: Iterable[Offer]) -> str:
    """SHA-256 over goods, prices and stock, whatever their order and the time of the visit."""
    lines = sorted(f"{o.offer_id}|{o.price.normalize():f}|{o.stock_idle}|{o.in_stock}" for o in offers)
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()
