"""Checks over the offers of one run: what a seller's own rules say about its prices, and what holds for all.

`check` needs the run alone, `servers` the levels of other sellers too (`pipeline.gates` has them from the
manifests of earlier runs). A verdict changes no price. It is told in the run's message, for a person to look
at: a rule that no longer holds is news about the seller, or a page read wrongly.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from itertools import pairwise
from typing import Final

from catalog import table
from pipeline.offer import IDENTITY, Offer

# Hours by which a prepaid period is spread when periods are compared: the shortest month there is.
_SPREAD: Final = {
    "daily": Decimal(24),
    "weekly": Decimal(168),
    "monthly": Decimal(720),
    "yearly": Decimal(8640),
}
_TERMS: Final = ("on_demand", "daily", "weekly", "monthly", "yearly")
_CENT: Final = Decimal("0.005")  # of one printed price, which is rounded or cut to the cent
_DISCOUNTS: Final = frozenset(("public_discount", "member", "promo"))
_SERVER_CARDS: Final = 8


@dataclass(frozen=True, slots=True)
class Verdict:
    """Why an offer wants a look; `detail` says which numbers disagree."""

    offer_id: str
    reason: str
    detail: str


@dataclass(frozen=True, slots=True)
class Rule:
    """`mode` costs `factor` times what one unit of `base` costs, give or take `tolerance` of it. `excepted`:
    families of instances (`;` between them) that are known not to follow it."""

    mode: str
    base: str
    factor: Decimal
    tolerance: Decimal
    excepted: frozenset[str] = frozenset()

    def covers(self, sku: str | None) -> bool:
        """Does the rule speak of this instance type?"""
        return (sku or "").partition(".")[0] not in self.excepted


@cache
def rules() -> Mapping[str, tuple[Rule, ...]]:
    """The sellers' own rules, by provider."""
    found: dict[str, list[Rule]] = defaultdict(list)
    for row in table.rows("metering.csv"):
        excepted = frozenset(filter(None, row["except"].split(";")))
        rule = Rule(row["mode"], row["base"], Decimal(row["factor"]), Decimal(row["tolerance"]), excepted)
        found[row["provider"]].append(rule)
    return {provider: tuple(of) for provider, of in found.items()}


def check(offers: Iterable[Offer]) -> list[Verdict]:
    """What the run's own prices say, by offer."""
    groups: dict[tuple[object, ...], list[Offer]] = defaultdict(list)
    for offer in _firm(offers):
        groups[_good(offer)].append(offer)
    checks: tuple[Callable[[Sequence[Offer]], Iterator[Verdict]], ...] = (_own_rules, _order, _discounts)
    found = [verdict for group in groups.values() for one in checks for verdict in one(group)]
    return sorted(found, key=lambda v: (v.offer_id, v.reason, v.detail))


def servers(offers: Iterable[Offer], medians: Mapping[str, Decimal]) -> list[Verdict]:
    """A card-hour of a whole server rented by the month lies under the card's on-demand median.

    `medians`: card → on-demand median of other sellers, CNY per card-hour.
    """
    return sorted(_servers(_firm(offers), medians), key=lambda v: (v.offer_id, v.detail))


def told(verdicts: Sequence[Verdict]) -> str:
    """The verdicts as part of a message; "" for none."""
    return f"to look at: {counted([v.detail for v in verdicts])}" if verdicts else ""


def counted(details: Sequence[str], most: int = 3) -> str:
    """How many prices, and what is the matter with the first of them."""
    return f"{len(details)} prices ({'; '.join(details[:most])}{' …' if len(details) > most else ''})"


def _firm(offers: Iterable[Offer]) -> list[Offer]:
    return [offer for offer in offers if offer.quarantine is None and not offer.is_floor]


def _good(offer: Offer) -> tuple[object, ...]:
    """What is sold, however it is paid for."""
    paid = {"billing_mode", "term_hours", "price_kind", "tier"}
    return tuple(getattr(offer, name) for name in IDENTITY if name not in paid)


def _own_rules(group: Sequence[Offer]) -> Iterator[Verdict]:
    plain = {offer.billing_mode: offer for offer in group if offer.price_kind == "list"}
    for rule in rules().get(group[0].provider, ()):
        offer, base = plain.get(rule.mode), plain.get(rule.base)
        shown_per_hour = rule.mode not in ("on_demand", "spot") and offer and offer.per_hours == 1
        if offer is None or base is None or shown_per_hour or not rule.covers(offer.sku):
            continue
        wanted = base.price * rule.factor
        slack = wanted * rule.tolerance + _CENT * (rule.factor + 1)
        if abs(offer.price - wanted) > slack:
            ratio = (offer.price / base.price).quantize(Decimal("0.001"))
            said = f"{_name(offer)} is {ratio} × {rule.base}, {rule.factor} expected"
            yield Verdict(offer.offer_id, "metering_rule", said)


def _order(group: Sequence[Offer]) -> Iterator[Verdict]:
    """A month by the hour costs less than a day by the hour, and that less than an hour."""
    for kind in sorted({offer.price_kind for offer in group}):
        by_mode = {o.billing_mode: o for o in group if o.price_kind == kind and o.billing_mode in _TERMS}
        ordered = [by_mode[mode] for mode in _TERMS if mode in by_mode]
        for shorter, longer in pairwise(ordered):
            if _hourly(longer) > _hourly(shorter):
                said = f"{_name(longer)} is dearer by the hour than {shorter.billing_mode}"
                yield Verdict(longer.offer_id, "period_order", said)


def _discounts(group: Sequence[Offer]) -> Iterator[Verdict]:
    """A discount is not above the list price of the same good and term."""
    listed = {(o.billing_mode, o.term_hours): o for o in group if o.price_kind == "list"}
    for offer in group:
        base = listed.get((offer.billing_mode, offer.term_hours))
        if offer.price_kind in _DISCOUNTS and base is not None and offer.price > base.price:
            said = f"{_name(offer)} {offer.price_kind} is {offer.price}, list {base.price}"
            yield Verdict(offer.offer_id, "discount_above_list", said)


def _servers(offers: Sequence[Offer], medians: Mapping[str, Decimal]) -> Iterator[Verdict]:
    for offer in offers:
        median, own = medians.get(offer.card), offer.price_cny_per_card_hour
        whole = offer.billing_mode == "monthly" and offer.gpu_count >= _SERVER_CARDS
        if whole and median is not None and own is not None and own >= median:
            said = f"{_name(offer)} is {own} a card-hour, on demand {median}"
            yield Verdict(offer.offer_id, "period_order", said)


def _hourly(offer: Offer) -> Decimal:
    spread = _SPREAD.get(offer.billing_mode, offer.per_hours)
    return offer.price / (offer.per_hours if offer.per_hours == 1 else spread)


def _name(offer: Offer) -> str:
    return f"{offer.provider} {offer.card} {offer.billing_mode}"
