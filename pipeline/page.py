"""The prices of one page against each other: what contradicts its page is refused, what is odd is told.

A page is one body of evidence of one place, kind of site and tier; a refusal is a rejection with its reason
(docs/method.md), and no number is ever repaired. Everything here follows from the run's own listings, so
that a replay refuses the same rows.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal

from pipeline.offer import IDENTITY, Offer, Rejection
from pipeline.reading import card as card_reader
from pipeline.reading import checks
from pipeline.reading.checks import Row, Verdict
from pipeline.reading.normalise import normalise
from pipeline.reading.price import PriceReading, PriceReject
from spiders.listing import Listing

# How a good is paid for: what may differ between the prices of one good.
_PAID = frozenset(("billing_mode", "term_hours", "price_kind"))
_GOOD = tuple(name for name in IDENTITY if name not in _PAID)
_BROKEN = "truncated_range"
_PERIODS = {24: ("day", 1), 168: ("week", 1), 730: ("month", 1), 2190: ("quarter", 1), 4380: ("half_year", 1)}
_YEAR = 8760


@dataclass(frozen=True, slots=True)
class Made:
    """One reading: what became of one price of `listing`."""

    listing: Listing
    result: Offer | Rejection


def contradictions(made: Sequence[Made]) -> dict[int, Verdict]:
    """Place in `made` → the first verdict on it."""
    found: dict[int, Verdict] = {}
    for verdict in checks.check(_rows(made)):
        found.setdefault(int(verdict.key), verdict)
    return found


def off_level(offers: Sequence[Offer], medians: Mapping[str, Decimal]) -> list[Verdict]:
    """Offers far off the level of their card within their provider class, by key `offer_id`.

    `medians`: card → median of other sellers of the class, CNY per card-hour; else the catalog's levels.
    """
    rows = [
        Row(offer.offer_id, reading, provider_class=offer.provider_class)
        for offer in offers
        if offer.price_kind == "list" and (reading := _reading(offer)) is not None
    ]
    by_class = {(card, row.provider_class or ""): value for row in rows for card, value in medians.items()}
    return checks.level_guard(rows, by_class)


def _rows(made: Sequence[Made]) -> list[Row]:
    return [row for i, one in enumerate(made) if (row := _row(str(i), one)) is not None]


def _row(key: str, one: Made) -> Row | None:
    listing, result = one.listing, one.result
    page = _joined(
        listing.evidence, listing.source_url, listing.observed_at, listing.site, listing.region_text,
        listing.zone_text, listing.tier,
    )  # fmt: skip
    column = _joined(page, _column(listing))
    if isinstance(result, Rejection):
        card = _card(listing) if result.reason == _BROKEN else None
        return Row(key, PriceReject(_BROKEN), heading=_joined(page, card), column=column) if card else None
    reading = _reading(result)
    if reading is None:
        return None
    good = _joined(page, *(getattr(result, name) for name in _GOOD))
    return Row(key, reading, _joined(page, result.card), column, good, result.provider_class)


def _joined(*parts: object) -> str:
    return "\x1f".join("" if part is None else str(part) for part in parts)


def _column(listing: Listing) -> str:
    """What the prices of a column share: the stated unit, else the header."""
    return listing.unit or listing.context.rsplit(" | ", 1)[-1]


def _card(listing: Listing) -> str | None:
    text = listing.card_text or f"{listing.context} {listing.price_text}"
    names = {hit.card for hit in card_reader.find(normalise(text), listing.provider) if hit.card}
    return names.pop() if len(names) == 1 else None


def _reading(offer: Offer) -> PriceReading | None:
    """The offer as the checks see it; None for a slice, a floor, and what is held already."""
    if offer.share != 1 or offer.gpu_count < 1 or offer.is_floor or offer.quarantine is not None:
        return None
    hours = int(offer.per_hours)
    per, count = _PERIODS.get(hours, ("year", hours // _YEAR) if hours % _YEAR == 0 else ("day", hours // 24))
    if hours == 1:
        per, count = "hour", 1
    low = offer.price_cny_per_card_hour or offer.price / offer.per_hours / offer.gpu_count
    return PriceReading(
        cards=int(offer.gpu_count),
        card=offer.card,
        vram_gb=offer.vram_gb,
        price_low=offer.price,
        price_high=offer.price_high,
        currency=offer.currency,
        per=per,
        per_count=count,
        basis="card" if offer.basis == "card" else "server",
        mode=offer.billing_mode,
        price_kind=offer.price_kind,
        approx=False,
        tax=offer.tax,
        native_low=low,
        native_high=None if offer.price_high is None else low * offer.price_high / offer.price,
    )
