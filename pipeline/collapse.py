"""Many live listings of one good become one offer; two prices that cannot both be right become a conflict.

Hosts and pools of a marketplace are priced by the median of their live listings. Any other source has one
price per good: the same price twice is one offer, prices more than 1 % apart are quarantined as `conflict`
(docs/method.md, rule 14b).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime
from decimal import Decimal

from pipeline.offer import Offer

_MANY_LISTINGS = frozenset(("host", "pool"))
_SAME_PRICE = Decimal("0.01")


def collapse(offers: Iterable[Offer]) -> list[Offer]:
    """One offer a good and observation time, ordered by provider, good and time.

    The result does not depend on the order of the input.
    """
    groups: dict[tuple[str, datetime], list[Offer]] = defaultdict(list)
    for offer in offers:
        groups[offer.offer_id, offer.observed_at].append(offer)
    out: list[Offer] = []
    for group in groups.values():
        out.extend(_one_good(sorted(group, key=lambda o: (o.price, o.evidence, o.locator))))
    return sorted(out, key=lambda o: (o.provider, o.offer_id, o.observed_at, o.price, o.locator))


def _one_good(group: list[Offer]) -> list[Offer]:
    if len(group) == 1:
        return group
    low, high = group[0].price, group[-1].price
    if (high - low) <= low * _SAME_PRICE or group[0].scope in _MANY_LISTINGS:
        return [_median(group)]
    return [replace(offer, quarantine="conflict") for offer in group]


def _median(group: list[Offer]) -> Offer:
    """The offer at the median. With an even number the two in the middle are averaged, exactly."""
    middle = group[(len(group) - 1) // 2]
    upper = group[len(group) // 2]
    merged = replace(
        middle,
        listings=len(group),
        price_min=group[0].price,
        price_max=group[-1].price,
        max_cards=_largest(group),
        stock_idle=_total([o.stock_idle for o in group]),
        stock_total=_total([o.stock_total for o in group]),
        in_stock=_any_in_stock(group),
    )
    if upper.price == middle.price:
        return merged
    return replace(
        merged,
        price=(middle.price + upper.price) / 2,
        price_high=_mean(middle.price_high, upper.price_high),
        price_cny_per_card_hour=_mean(middle.price_cny_per_card_hour, upper.price_cny_per_card_hour),
        price_cny_per_card_hour_gross=_mean(
            middle.price_cny_per_card_hour_gross, upper.price_cny_per_card_hour_gross
        ),
    )


def _mean(a: Decimal | None, b: Decimal | None) -> Decimal | None:
    return None if a is None or b is None else (a + b) / 2


def _largest(group: list[Offer]) -> int | None:
    """The largest purchase one host allows; hosts with nothing free count only when all are empty."""
    live = [o.max_cards for o in group if o.max_cards is not None and o.in_stock is not False]
    known = live or [o.max_cards for o in group if o.max_cards is not None]
    return max(known, default=None)


def _total(values: list[int | None]) -> int | None:
    known = [value for value in values if value is not None]
    return sum(known) if known else None


def _any_in_stock(group: list[Offer]) -> bool | None:
    states = {offer.in_stock for offer in group}
    if True in states:
        return True
    return None if None in states else False
