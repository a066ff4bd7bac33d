"""Offers as fit sees them, and the rules that keep an offer from ranking whatever the job."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

RANKED_KINDS = frozenset({"list", "public_discount"})
MAX_AGE_HOURS = 168
OLD_HOURS = 72
TAX_RATE = Decimal("1.06")  # 6 % on services, added only where the price says it is not inside
DEFAULT_MAX_CARDS = 8

# Why an offer cannot rank, in the order asked: the first that holds is counted.
STATIC_RULES: dict[str, str] = {
    "delisted": "已下架 / delisted",
    "price_kind": "会员、促销、评估价 / member, promo or assessed price",
    "floor": "“起”价 / a 'from' price",
    "slice": "虚拟化切片 / a slice of a card",
    "stale": "超过时效 / too old",
    "sold_out": "售罄 / sold out",
    "no_price": "无价格 / no price",
}


@dataclass(frozen=True, slots=True)
class Sellable:
    """One row of the published `offers`. Money as printed unless said; times aware UTC; None is unknown."""

    offer_id: str
    provider: str
    card: str
    billing_mode: str
    price_kind: str
    currency: str
    price: Decimal | None
    per_hours: Decimal
    gpu_count: Decimal
    observed_at: datetime
    provider_class: str = ""
    region_code: str | None = None
    region: str | None = None
    region_label: str | None = None
    site: str = "mainland"
    form: str | None = None
    interconnect: str | None = None
    share: Decimal = Decimal(1)
    basis: str | None = None
    ram_gb: Decimal | None = None
    min_cards: int | None = None
    max_cards: int | None = None
    term_hours: Decimal | None = None
    tier: str | None = None
    upfront: Decimal | None = None
    price_cny_per_card_hour: Decimal | None = None
    price_cny_per_card_hour_gross: Decimal | None = None
    is_floor: bool = False
    tax: str = "unknown"
    stock_idle: int | None = None
    in_stock: bool | None = None
    state: str = "active"
    valid_until: datetime | None = None
    review: str | None = None
    source_url: str = ""

    def age_hours(self, now: datetime) -> Decimal:
        """Hours since the price was seen."""
        return Decimal((now - self.observed_at) // timedelta(seconds=1)) / 3600

    @property
    def whole_machine(self) -> bool:
        """Whether one buys machines of `gpu_count` cards; else any number of cards in one machine."""
        return self.basis in {"server", "device"} if self.basis else self.gpu_count > 1

    def gross(self) -> Decimal | None:
        """CNY for one purchase and one period, tax in; None where it is not known in CNY."""
        if self.price is None:
            return None
        if self.currency == "CNY":
            return self.price * (TAX_RATE if self.tax == "excluded" else 1)
        if self.price_cny_per_card_hour_gross is None or self.upfront:
            return None
        return self.price_cny_per_card_hour_gross * self.per_hours * self.gpu_count


COLUMNS = tuple(Sellable.__slots__)
_TIMES = ("observed_at", "valid_until")
_WHOLE = ("min_cards", "max_cards", "stock_idle")


def from_row(row: Mapping[str, Any]) -> Sellable:
    """A Sellable from a row of `offers` (columns by name; columns of later versions are ignored)."""
    values = {name: row[name] for name in COLUMNS if row.get(name) is not None}
    for name in _TIMES:
        if name in values:
            values[name] = values[name].astimezone(UTC)
    for name in _WHOLE:
        if name in values:
            values[name] = int(values[name])
    return Sellable(**{"price": None, **values})


def cannot_rank(offer: Sellable, now: datetime, max_age_hours: Decimal | int | None = None) -> str | None:
    """The first rule of STATIC_RULES that keeps the offer out of every ranking, else None.

    Without `max_age_hours` an offer ranks for a week, or until the day its seller says; with it, so long.
    """
    if offer.state == "delisted":
        return "delisted"
    if offer.price_kind not in RANKED_KINDS:
        return "price_kind"
    if offer.is_floor:
        return "floor"
    if offer.share != 1 or offer.gpu_count < 1 or offer.card.startswith("vGPU"):
        return "slice"
    if _too_old(offer, now, max_age_hours):
        return "stale"
    if offer.in_stock is False or offer.stock_idle == 0:
        return "sold_out"
    return "no_price" if offer.gross() is None else None


def _too_old(offer: Sellable, now: datetime, max_age_hours: Decimal | int | None) -> bool:
    if offer.valid_until is not None and offer.valid_until < now:
        return True
    if max_age_hours is None and offer.valid_until is not None:
        return False
    return offer.age_hours(now) > (MAX_AGE_HOURS if max_age_hours is None else max_age_hours)
