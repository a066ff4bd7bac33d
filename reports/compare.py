"""Offers side by side, as buyers tabulate them: unit price, hours, storage, traffic, deposit, total.

With it what it costs to try by the hour and then go over to the month, by the seller's conversion rule.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from math import ceil
from typing import Any

from catalog.provider_model import Checklist, Provider
from reports.fit.bill import HOUR, Tariff, tariff
from reports.fit.extras import extras
from reports.fit.market import shape_of
from reports.fit.sellable import OLD_HOURS, Sellable, cannot_rank
from reports.fit.terms import UNKNOWN, Terms
from reports.fit.use import Footprint
from reports.numbers import half_up

USUAL_HOURS = (5, 20, 100)  # what comparisons between platforms are made for
NOTHING = Footprint(0.0, 0.0, 0.0)


class CompareError(ValueError):
    """An offer that is not there, or cannot be bought as asked."""


@dataclass(frozen=True, slots=True)
class Asked:
    """Hours of work on so many cards; `try_hours` by the hour before a month is taken."""

    hours: Decimal
    cards: int = 1
    dataset_gb: Decimal | None = None
    try_hours: Decimal = Decimal(24)


def checklist_of(provider: Provider | None) -> dict[str, dict[str, Any] | None]:
    """The buyer's questions to a seller, each with the answer, its source and date; None is unknown."""
    found: dict[str, dict[str, Any] | None] = {}
    for name in Checklist.model_fields:
        fact = None if provider is None else getattr(provider.checklist, name)
        if fact is None or fact.value == "unknown":
            found[name] = None
        else:
            found[name] = {"answer": fact.value, "source": fact.source, "as_of": fact.as_of}
    return found


def find(offers: Iterable[Sellable], ids: Sequence[str]) -> list[Sellable]:
    """The offers of these ids (`offer:…`, or the part after the colon), in the order asked."""
    by_id = {offer.offer_id: offer for offer in offers}
    found = []
    for ident in ids:
        name = ident if ident.startswith("offer:") else f"offer:{ident}"
        if name not in by_id:
            raise CompareError(f"no live offer {ident!r}")
        found.append(by_id[name])
    return found


def compare(
    chosen: Sequence[Sellable],
    live: Sequence[Sellable],
    terms: Mapping[str, Terms],
    asked: Asked,
    now: datetime,
) -> list[dict[str, Any]]:
    """One row an offer, in the order given. `live` holds the other offers of each seller (their months)."""
    return [_row(offer, live, terms.get(offer.provider, UNKNOWN), asked, now) for offer in chosen]


def _row(
    offer: Sellable, live: Sequence[Sellable], terms: Terms, asked: Asked, now: datetime
) -> dict[str, Any]:
    row: dict[str, Any] = {
        "offer_id": offer.offer_id,
        "provider": offer.provider,
        "region": offer.region or offer.region_label or offer.region_code,
        "card": offer.card,
        "form": offer.form,
        "billing_mode": offer.billing_mode,
        "price_cny_per_card_hour": offer.price_cny_per_card_hour,
        "tax": offer.tax,
        "hours": asked.hours,
        "age_hours": half_up(offer.age_hours(now), 2),
        "old": offer.age_hours(now) > OLD_HOURS,
        "not_ranked_because": cannot_rank(offer, now),
    }
    if offer.gross() is None:
        return {**row, **_no_total("no price in CNY")}
    units = _units(offer, asked.cards)
    if units is None:
        return {**row, **_no_total(f"cannot be bought as {asked.cards} cards in one machine")}
    bill = tariff(offer, terms.granularity_s, terms.min_charge_s)
    extra = extras(terms, asked.dataset_gb, NOTHING)
    seconds = ceil(asked.hours * HOUR) + extra.overhead_s
    compute = bill.parts(seconds, units) / HOUR
    if extra.missing:
        return {**row, **_no_total(extra.missing)}
    total = compute + extra.storage(seconds) + (extra.traffic or Decimal(0))
    return {
        **row,
        "gpu_count": units * (int(offer.gpu_count) if offer.whole_machine else 1),
        "components": {
            "compute": half_up(compute),
            "storage": None if extra.storage_per_day is None else half_up(extra.storage(seconds)),
            "traffic": None if extra.traffic is None else half_up(extra.traffic),
            "deposit_held": extra.deposit,
        },
        "total_cny": half_up(total),
        "unknown": list(extra.unknown),
        "notes": list(extra.notes),
        "totals_for_hours": {str(h): half_up(bill.parts(h * HOUR, units) / HOUR) for h in USUAL_HOURS},
        "try_then_month": _try(offer, live, terms, asked, bill, units),
    }


def _no_total(reason: str) -> dict[str, Any]:
    return {"components": None, "total_cny": None, "reason": reason}


def _units(offer: Sellable, cards: int) -> int | None:
    """Purchases that give so many cards in one machine."""
    shape = shape_of(offer)
    return shape.purchases(cards, 1)


def _try(
    offer: Sellable, live: Sequence[Sellable], terms: Terms, asked: Asked, bill: Tariff, units: int
) -> dict[str, Any] | None:
    """Hours by the meter first, then whole months of the same good from the same seller; None for no meter.

    Where the seller does not convert, the month is a new order: the money is the same, the data has to move.
    """
    if not bill.metered:
        return None
    months = [
        other
        for other in live
        if other.billing_mode == "monthly"
        and other.price_kind == offer.price_kind
        and (other.provider, other.card, other.form, other.region_code, other.gpu_count, other.tier)
        == (offer.provider, offer.card, offer.form, offer.region_code, offer.gpu_count, offer.tier)
        and other.gross() is not None
    ]
    rule = _rule(terms)
    tried = min(asked.try_hours, asked.hours)
    if not months:
        return {
            "try_hours": tried,
            "rule": rule,
            "total_cny": None,
            "reason": "no monthly price of this good",
        }
    month = min((tariff(m, terms.granularity_s, terms.min_charge_s) for m in months), key=lambda t: t.price)
    first = bill.parts(ceil(tried * HOUR), units) / HOUR
    rest = asked.hours - tried
    then = month.parts(ceil(rest * HOUR), units) / HOUR if rest > 0 else Decimal(0)
    return {
        "try_hours": tried,
        "rule": rule,
        "hourly_cny": half_up(first),
        "monthly_cny": half_up(then),
        "total_cny": half_up(first + then),
        "all_by_the_hour_cny": half_up(bill.parts(ceil(asked.hours * HOUR), units) / HOUR),
        "month_pays_above_hours": half_up(month.price / bill.price, 1),
    }


def _rule(terms: Terms) -> str:
    """`converts`, `new_order` or `unknown`: whether a metered machine can go over to the month."""
    if terms.convertible is None:
        return "unknown"
    return "converts" if "on_demand>monthly" in terms.convertible else "new_order"
