"""Listing → Offer or Rejection. Every conversion of a price happens here or in the readers it calls.

Nothing is guessed: a listing that leaves card, unit or mode open becomes a rejection with the reason.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import date, datetime
from decimal import Decimal
from zoneinfo import ZoneInfo

from catalog import families
from catalog.providers import Provider
from pipeline import goods as goods_reader
from pipeline.goods import Goods, number
from pipeline.money import Money, read_money
from pipeline.offer import Offer, Rejection, offer_id
from pipeline.place import place_of
from pipeline.terms import Terms, decide
from spiders.listing import Listing

RULE_VERSION = "2026.11"
SHANGHAI = ZoneInfo("Asia/Shanghai")
OFFER_TRUST = frozenset(("seller", "seller_via_third_party"))
# CNY per card-hour outside of which a number is no observation (docs/method.md, rule 6).
PLAUSIBLE = (Decimal("0.05"), Decimal(500))
VAT = Decimal("1.06")
# One amount pays for everything these hold; a marketplace's unit (份) of one card is a card.
_WHOLE = frozenset(("server", "device", "instance", "unit"))
_SIX = Decimal("0.000001")


@dataclass(frozen=True, slots=True)
class Context:
    """What interpretation needs to know beside the listing."""

    run_id: str
    now: datetime
    providers: Mapping[str, Provider]


def interpret(listing: Listing, context: Context) -> list[Offer | Rejection]:
    """One listing to its readings: one, or several where one cell holds several prices of the good.

    Every reading is an offer or a rejection. Never raises for what a source may print.
    """
    if listing.trust not in OFFER_TRUST:
        return [reject(listing, context, "not_an_offer")]
    if listing.valid_until is not None and listing.valid_until < context.now:
        return [reject(listing, context, "expired")]
    named = listing.card_text is not None or listing.sku
    goods = goods_reader.identify(listing) if named else None
    if isinstance(goods, str):
        return [reject(listing, context, goods)]
    readings = read_money(listing, goods)
    if isinstance(readings, str):
        return [reject(listing, context, readings)]
    return [
        reject(listing, context, money) if isinstance(money, str) else _reading(listing, context, money)
        for money in readings
    ]


def _reading(listing: Listing, context: Context, money: Money) -> Offer | Rejection:
    goods = money.goods
    if money.basis in _WHOLE and not goods.count_known:
        # An instance type whose cards nobody has counted yet goes to the reviewers of the table.
        of_a_cloud = listing.sku and families.has_table(listing.provider)
        return reject(listing, context, "unknown_family" if of_a_cloud else "count_unknown")
    told = None if money.mode_stated else listing.mode
    terms = decide(money.per, money.per_count, told or money.mode, listing.term_text)
    if listing.mode_fixed and told and terms is not None:
        terms = replace(terms, billing_mode=told)
    if terms is None:
        return reject(listing, context, "mode_unknown")
    offer = _assemble(listing, context, money, goods, terms)
    value = offer.price_cny_per_card_hour
    if value is not None and not PLAUSIBLE[0] <= value <= PLAUSIBLE[1]:
        return reject(listing, context, "implausible")
    return offer


def _assemble(listing: Listing, context: Context, money: Money, goods: Goods, terms: Terms) -> Offer:
    provider = context.providers.get(listing.provider)
    whole = money.basis in _WHOLE
    cards = goods.cards if whole or goods.share < 1 else Decimal(1)
    local_day: date = listing.observed_at.astimezone(SHANGHAI).date()
    place = place_of(listing, provider, local_day)
    upfront = number(listing.upfront_text)
    per_card_hour = _per_card_hour(money, terms, cards, upfront) if money.currency == "CNY" else None
    tax = money.tax or listing.tax or "unknown"
    kind = money.price_kind or ("floor" if money.floor else "list")
    draft = Offer(
        offer_id="",
        provider=listing.provider,
        provider_class=listing.provider_class or (provider.class_ if provider else "marketplace"),
        site=listing.site,
        region_code="CN" if listing.scope == "national" and place.code is None else place.code,
        region_label=listing.region_text,
        zone=listing.zone_text,
        precision="nation" if listing.scope == "national" and place.code is None else place.precision,
        sku=listing.sku,
        card=goods.card,
        vram_gb=goods.vram_gb,
        form=goods.form,
        interconnect=goods.interconnect,
        gpu_count=cards,
        share=goods.share,
        min_cards=listing.min_cards,
        max_cards=_max_cards(listing) or _size_of_host(listing, money, goods),
        basis=_basis(money.basis, cards),
        vcpu=number(listing.vcpu_text) or goods.vcpu,
        ram_gb=_ram(listing) or goods.ram_gb,
        billing_mode=terms.billing_mode,
        term_hours=terms.term_hours,
        price_kind=kind,
        tier=listing.tier,
        price=money.low,
        price_high=money.high,
        upfront=upfront,
        currency=money.currency,
        per_hours=terms.per_hours,
        price_cny_per_card_hour=per_card_hour,
        price_cny_per_card_hour_gross=_gross(per_card_hour, tax),
        is_floor=money.floor,
        tax=tax,
        listings=1,
        price_min=money.low,
        price_max=money.low,
        stock_idle=listing.stock_idle,
        stock_total=listing.stock_total,
        in_stock=_in_stock(listing),
        scope=listing.scope,
        evidence_kind=listing.evidence_kind,
        os=listing.os,
        valid_until=listing.valid_until,
        observed_at=listing.observed_at,
        date_precision=listing.date_precision,
        trust=listing.trust,
        run_id=context.run_id,
        evidence=listing.evidence,
        locator=listing.locator,
        source_url=listing.source_url,
    )
    return replace(draft, offer_id=offer_id(draft))


def _basis(word: str, cards: Decimal) -> str:
    """`card`, `server` or `device`: what one purchase is."""
    if word == "unit":
        return "card" if cards <= 1 else "server"
    return "server" if word == "instance" else word


def _per_card_hour(money: Money, terms: Terms, cards: Decimal, upfront: Decimal | None) -> Decimal:
    hourly = money.low / terms.per_hours
    if upfront and terms.term_hours:
        hourly += upfront / terms.term_hours
    return (hourly / cards).quantize(_SIX, "ROUND_HALF_UP")


def _gross(value: Decimal | None, tax: str) -> Decimal | None:
    if value is None or tax != "excluded":
        return value
    return (value * VAT).quantize(_SIX, "ROUND_HALF_UP")


def _max_cards(listing: Listing) -> int | None:
    """Cards one purchase may hold now: the host's size, and no more than are free where that is shown."""
    if listing.max_cards is not None and listing.stock_idle:
        return min(listing.max_cards, listing.stock_idle)
    return listing.max_cards


def _size_of_host(listing: Listing, money: Money, goods: Goods) -> int | None:
    """Cards of the machine where the price is for one of them."""
    told = listing.basis is not None and money.basis == "card" and goods.count_known and goods.cards > 1
    return int(goods.cards) if told else None


def _ram(listing: Listing) -> Decimal | None:
    value = number(listing.ram_text)
    if value is None:
        return None
    divisor = {"bytes": Decimal(1024**3), "MB": Decimal(1024), "GB": Decimal(1)}[listing.ram_unit or "GB"]
    return (value / divisor).quantize(Decimal("0.01"), "ROUND_HALF_UP").normalize()


def _in_stock(listing: Listing) -> bool | None:
    if listing.status in {"available", "limited"}:
        return True
    if listing.status == "sold_out":
        return False
    return None if listing.stock_idle is None else listing.stock_idle > 0


def reject(listing: Listing, context: Context, reason: str) -> Rejection:
    """What is kept of a reading that became no offer."""
    return Rejection(
        run_id=context.run_id,
        provider=listing.provider,
        reason=reason,
        rule_version=RULE_VERSION,
        card_text=(listing.sku if reason == "unknown_family" else listing.card_text) or listing.sku,
        region_text=listing.region_text,
        price_text=listing.price_text,
        observed_at=listing.observed_at,
        evidence=listing.evidence,
        locator=listing.locator,
        source_url=listing.source_url,
    )
