"""All live offers, once: what cannot rank is counted by rule, the rest stands in groups by price."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Hashable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal

from reports.fit.bill import HOUR, Tariff, tariff
from reports.fit.sellable import DEFAULT_MAX_CARDS, Sellable, cannot_rank
from reports.fit.terms import UNKNOWN, Terms
from reports.fit.use import Good, Shape

Kind = tuple[str | None, str, str, str]  # region_code, site, billing_mode, provider


@dataclass(frozen=True, slots=True)
class Entry:
    """An offer that can rank, with everything about it that no job changes."""

    offer: Sellable
    tariff: Tariff
    terms: Terms
    age_hours: Decimal
    kind: Kind

    def ram_gb(self, purchases: int) -> Decimal | None:
        """Host memory of one machine, where the seller says it."""
        ram = self.offer.ram_gb
        return ram if ram is None or self.offer.whole_machine else ram * purchases

    @property
    def order(self) -> tuple[Decimal, str, str]:
        """How ties in the total are broken: younger price, provider, id."""
        return self.age_hours, self.offer.provider, self.offer.offer_id


@dataclass(slots=True)
class Group:
    """Offers that differ in price alone as far as a plan can see: same good, shape and period.

    `entries` stand in order of price, so what is true of the first bounds the rest.
    """

    good: Good
    shape: Shape
    metered: bool
    period_s: int
    min_periods: int
    entries: list[Entry] = field(default_factory=list)

    per_card_second: float = 0.0
    smallest: float = 0.0

    def settle(self) -> None:
        """Put the entries in order; note what bounds them: price of a card-second and of one purchase."""
        self.entries.sort(key=lambda entry: (entry.tariff.price, *entry.order))
        price = float(self.entries[0].tariff.price)
        self.per_card_second = price / (self.shape.size or 1) / (HOUR if self.metered else self.period_s)
        if not self.metered:
            self.smallest = price * self.min_periods * (1 if self.shape.size else self.shape.low)

    def only(self, kinds: Container[Kind]) -> Group | None:
        """The group as far as its offers are of these kinds; None where none is."""
        left = [entry for entry in self.entries if entry.kind in kinds]
        if not left or len(left) == len(self.entries):
            return self if left else None
        found = Group(self.good, self.shape, self.metered, self.period_s, self.min_periods, left)
        found.settle()
        return found

    def least(self, card_seconds: float) -> float:
        """A bound on every total here, from the card-seconds that no plan can go below."""
        return max(self.per_card_second * card_seconds, self.smallest)


@dataclass(slots=True)
class Market:
    """All offers that can rank, in groups; the others counted by the rule that keeps them out."""

    now: datetime
    max_age_hours: Decimal | int | None
    offers: int = 0
    removed: Counter[str] = field(default_factory=Counter)
    unpriced: list[Sellable] = field(default_factory=list)
    groups: dict[Good, list[Group]] = field(default_factory=dict)
    kinds: dict[Kind, Counter[str]] = field(default_factory=dict)  # offers by card, per kind
    views: dict[Hashable, object] = field(default_factory=dict)  # of `reports.fit.view`, by buyer's rules

    @classmethod
    def build(
        cls,
        offers: Iterable[Sellable],
        terms: Mapping[str, Terms],
        now: datetime,
        max_age_hours: Decimal | int | None = None,
    ) -> Market:
        """Sort the offers out at time `now`; the order of the input changes nothing."""
        market = cls(now, max_age_hours)
        groups: dict[tuple[object, ...], Group] = {}
        for offer in offers:
            market.offers += 1
            rule = cannot_rank(offer, now, max_age_hours)
            if rule is None and shape_of(offer).high < shape_of(offer).low:
                rule = "sold_out"  # fewer cards are free than one purchase takes
            if rule is not None:
                market.removed[rule] += 1
                if rule == "no_price":
                    market.unpriced.append(offer)
                continue
            market._add(offer, terms.get(offer.provider, UNKNOWN), groups)
        for group in groups.values():
            group.settle()
        for group in sorted(groups.values(), key=lambda group: group.entries[0].order):
            market.groups.setdefault(group.good, []).append(group)
        market.unpriced.sort(key=lambda offer: offer.offer_id)
        return market

    @property
    def goods(self) -> list[Good]:
        """The goods on sale, sorted."""
        return sorted(self.groups, key=lambda good: (good.card, good.form or ""))

    def _add(self, offer: Sellable, terms: Terms, groups: dict[tuple[object, ...], Group]) -> None:
        bill = tariff(offer, terms.granularity_s, terms.min_charge_s)
        good, shape = Good(offer.card, offer.form), shape_of(offer)
        key = good, shape, bill.metered, bill.period_s, bill.min_periods
        group = groups.setdefault(key, Group(*key))
        kind = offer.region_code, offer.site, offer.billing_mode, offer.provider
        group.entries.append(Entry(offer, bill, terms, offer.age_hours(self.now), kind))
        self.kinds.setdefault(kind, Counter())[offer.card] += 1


def shape_of(offer: Sellable) -> Shape:
    """What one can buy, never more than is shown free."""
    free = offer.stock_idle
    if offer.whole_machine:
        size = int(offer.gpu_count)
        return Shape(size, size, 1 << 20 if free is None else free)
    most = offer.max_cards or DEFAULT_MAX_CARDS
    return Shape(None, offer.min_cards or 1, most if free is None else min(most, free))
