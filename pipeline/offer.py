"""Offer, Rejection and the identity of an offer (docs/data-dictionary: `offers`, `rejections`)."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal

# What makes two prices prices of the same good. Listing ids are not part of it, nor is anything that moves
# with the week (stock, price, validity).
IDENTITY = (
    "provider",
    "site",
    "region_code",
    "region_label",
    "zone",
    "sku",
    "card",
    "form",
    "gpu_count",
    "share",
    "vcpu",
    "ram_gb",
    "billing_mode",
    "term_hours",
    "price_kind",
    "tier",
    "currency",
    "os",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Offer:
    """One sellable good with its price at `observed_at`. Money and quantities are Decimal, times aware UTC.

    `price` is as printed for `per_hours` hours and `gpu_count` cards; `price_cny_per_card_hour` is per full
    card, holds `upfront / term_hours` too, and is None where the currency is not CNY (the builder converts
    with the dated rate).
    """

    offer_id: str
    provider: str
    provider_class: str
    site: str
    region_code: str | None
    region_label: str | None
    zone: str | None
    precision: str
    sku: str | None
    card: str
    vram_gb: Decimal | None
    form: str | None
    interconnect: str | None
    gpu_count: Decimal
    share: Decimal
    min_cards: int | None
    max_cards: int | None
    basis: str  # card | server | device: what one purchase is
    vcpu: Decimal | None
    ram_gb: Decimal | None
    billing_mode: str
    term_hours: Decimal | None
    price_kind: str
    tier: str | None
    price: Decimal
    price_high: Decimal | None
    upfront: Decimal | None  # paid once for the whole purchase at the start of the term
    currency: str
    per_hours: Decimal
    price_cny_per_card_hour: Decimal | None
    price_cny_per_card_hour_gross: Decimal | None
    is_floor: bool
    tax: str
    listings: int
    price_min: Decimal | None  # range over the live listings of one identity
    price_max: Decimal | None
    stock_idle: int | None
    stock_total: int | None
    in_stock: bool | None
    scope: str
    evidence_kind: str
    os: str | None
    valid_until: datetime | None
    observed_at: datetime
    date_precision: str
    trust: str
    run_id: str
    evidence: str
    locator: str
    source_url: str
    quarantine: str | None = None  # set by the pipeline only for `conflict`


@dataclass(frozen=True, slots=True, kw_only=True)
class Rejection:
    """A listing that became no offer. `reason` is a code of `catalog/reasons.csv`."""

    run_id: str
    provider: str
    reason: str
    rule_version: str
    card_text: str | None
    region_text: str | None
    price_text: str | None
    observed_at: datetime
    evidence: str
    locator: str
    source_url: str


def offer_id(offer: Offer) -> str:
    """`offer:` and 16 hex digits over the identity; Decimals by value, so 1 and 1.0 are one good."""
    parts = []
    for name in IDENTITY:
        value = getattr(offer, name)
        if isinstance(value, Decimal):
            value = format(value.normalize(), "f")
        parts.append("" if value is None else str(value))
    return "offer:" + hashlib.sha256("\x1f".join(parts).encode()).hexdigest()[:16]
