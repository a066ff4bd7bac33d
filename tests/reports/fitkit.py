"""Generated offers and planners for the tests of fit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

from reports.fit.job import Job
from reports.fit.market import Market
from reports.fit.proof import Sources
from reports.fit.sellable import Sellable
from reports.fit.terms import Terms
from reports.fit.use import Footprint, Good, Shape, Use

NOW = datetime(2026, 11, 30, 4, tzinfo=UTC)
SOURCES = Sources(("autodl", "matpool"), (), NOW)
PERIODS = {"daily": 24, "weekly": 168, "monthly": 730, "yearly": 8760}


def offer(card: str = "RTX4090", price: object = 2, **more: Any) -> Sellable:
    """A live list price: per card on a marketplace, or per machine when `gpu_count` is above 1."""
    mode = more.pop("billing_mode", "on_demand")
    hours = Decimal(str(more.pop("per_hours", PERIODS.get(mode, 1))))
    count = Decimal(str(more.pop("gpu_count", 1)))
    amount = None if price is None else Decimal(str(price))
    age = more.pop("age_hours", 1)
    per_card = None if amount is None else amount / hours / count
    values: dict[str, Any] = {
        "offer_id": f"offer:{card}-{amount}-{mode}-{count}-{more.get('provider', 'autodl')}",
        "provider": "autodl",
        "card": card,
        "billing_mode": mode,
        "price_kind": "list",
        "currency": "CNY",
        "price": amount,
        "per_hours": hours,
        "gpu_count": count,
        "basis": "card" if count == 1 else "server",
        "observed_at": NOW - timedelta(hours=age),
        "price_cny_per_card_hour": per_card,
        "price_cny_per_card_hour_gross": per_card,
    }
    return Sellable(**{**values, **more})


@dataclass
class FakePlanner:
    """Hours by card and count: `hours[card][cards]` or `hours[card]` for a job that scales without loss."""

    hours: Mapping[str, Any]
    spread: float = 1.0
    footprint: Footprint = field(default_factory=lambda: Footprint(0.0, 0.0, 0.0))
    ways: Sequence[tuple[int, int]] | None = None
    asked: list[tuple[Good, int, int]] = field(default_factory=list)
    ram_gib: float = 0.0
    leans_on_host: bool = False

    def counts(self, shape: Shape) -> Sequence[tuple[int, int]]:
        return shape.counts() if self.ways is None else self.ways

    def _hours(self, card: str, cards: int) -> float | None:
        known = self.hours.get(card)
        if isinstance(known, Mapping):
            return known.get(cards)
        return None if known is None else known / cards

    def card_seconds(self, good: Good) -> float | None:
        return self.bound(good, 1, 1)

    def bound(self, good: Good, cards: int, nodes: int) -> float | None:
        known = self.hours.get(good.card)
        if not known:
            return None
        if isinstance(known, Mapping):
            return min(h * n for n, h in known.items()) * 3600 / cards
        return known * 3600 / cards

    def use(self, good: Good, cards: int, nodes: int) -> Use | None:
        self.asked.append((good, cards, nodes))
        hours = self._hours(good.card, cards)
        if hours is None:
            return None
        seconds = round(hours * 3600)
        return Use(
            cards,
            nodes,
            f"plan {cards}",
            seconds,
            round(seconds * self.spread),
            self.ram_gib,
            self.leans_on_host,
        )

    def requirement(self) -> dict[str, Any]:
        return {"model": "test", "method": "lora"}

    def smallest(self, goods: Sequence[Good]) -> Mapping[str, Any] | None:
        return {"card": "A100-80G", "cards": 2, "nodes": 1}


def market(offers: Sequence[Sellable], terms: Mapping[str, Terms] | None = None, **more: Any) -> Market:
    return Market.build(offers, terms or {}, NOW, **more)


def job(**more: Any) -> Job:
    return Job(name="job", task={}, **more)
