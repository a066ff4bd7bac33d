"""The amounts of a listing: from a number with a stated unit, or from free text with what stands around
it."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass, replace
from decimal import Decimal

from pipeline.amount import read_amount
from pipeline.goods import Goods
from pipeline.reading import price as price_reader
from pipeline.reading.price.own import states_basis
from pipeline.reading.units import Unit, parse_unit
from spiders.listing import Listing

# Several prices in one cell: `158000元/半年；300000/年`, `¥3.20/小时、¥70.53/日`, a line each, or one behind
# the other with its unit.
_PARTED = re.compile(r"[;；、\n|]|(?<=[时天日周月季年])\s+(?=[￥¥\d])")
_CLAUSES = re.compile(r"[;；、\n]")
_REMARK = re.compile(r"[（(]|[≈约合折]|原价|省|含|赠|首")  # a part that is about the price before it
# A sum of nothing with its sign or unit: a script has not written it yet.
_ZEROS = re.compile(r"[^\d]*(?:[￥¥]\s*0+(?:\.0+)?|0+(?:\.0+)?\s*(?:元|/)|0+\.0+)[^\d]*")
# What a price is found to be when a machine's rent is taken for that of one card.
_MAY_BE_MACHINE = frozenset(("implausible", "ambiguous_card_count", "ambiguous_basis"))
# Why a price cell holds no number, where the seller says so.
_STATES = (
    ("sold_out", re.compile(r"售罄|租完|缺货|无库存|sold ?out", re.I)),
    ("delisted", re.compile(r"下线|下架|停售")),
    ("no_public_price", re.compile(r"暂无(?:报价|价格)|价格?待补|暂不可得|即将上线|敬请期待")),
)


# One amount with nothing but its currency: as good as the bare number where the unit is declared.
_DRESSED = re.compile(r"(?:[￥¥]|RMB|CNY|人民币)?\s*([\d,]*\.?\d+)\s*(?:元|圆|RMB|CNY)?", re.I)


@dataclass(frozen=True, slots=True)
class Money:
    """A price as stated: amounts for `per_count` × `per`, for one card or for the whole purchase."""

    low: Decimal
    high: Decimal | None
    currency: str
    per: str
    per_count: int
    basis: str
    mode: str | None
    price_kind: str | None
    tax: str | None
    floor: bool
    goods: Goods
    mode_stated: bool = False  # the text names the mode beside this amount: no heading speaks for it


def read_money(listing: Listing, goods: Goods | None) -> list[Money | str] | str:
    """The amounts with their unit, from a stated unit or from free text; a reason where there is none, or in
    place of one of several."""
    if listing.unit is None:
        return _free_text(listing, goods)
    unit = parse_unit(listing.unit)
    if unit is None:
        return "unknown_card" if goods is None else "unit_unknown"
    low = _amount(listing.price_text, unit)
    if low == "price_not_a_number":
        return _text_in_unit(listing, goods, unit)
    if goods is None:
        return "unknown_card"
    if isinstance(low, str):
        return low
    high = _amount(listing.price_high_text, unit) if listing.price_high_text else low
    if isinstance(high, str):
        return high
    floor = listing.price_kind == "floor"
    money = Money(
        unit.convert(low), None if floor else unit.convert(high), unit.currency, unit.per, unit.per_count,
        unit.basis, None, listing.price_kind, listing.tax, floor, goods,
    )  # fmt: skip
    return [money]


def _amount(text: str | None, unit: Unit) -> Decimal | str:
    """The number of a cell under a stated unit; `￥7.60` and `2.00元` are one where yuan are counted."""
    amount = read_amount(text)
    if amount == "price_not_a_number" and unit.currency == "CNY" and unit.scale == 1:
        dressed = _DRESSED.fullmatch(unicodedata.normalize("NFKC", (text or "")[:80]).strip())
        inner = read_amount(dressed[1]) if dressed else amount
        return amount if isinstance(inner, str) else inner
    return amount


def _text_in_unit(listing: Listing, goods: Goods | None, unit: Unit) -> list[Money | str] | str:
    """A cell under a stated unit that is no bare number: what it leaves open is as the unit says, what it
    states itself goes before it."""
    context = " | ".join(filter(None, (listing.context, unit.words)))
    found = _free_text(replace(listing, unit=None, basis=unit.basis, context=context), goods)
    unscaled = not unit.words and re.search(r"\d", listing.price_text)
    if found == "no_number" or unscaled:
        return "price_not_a_number"
    return found


def _free_text(listing: Listing, goods: Goods | None) -> list[Money | str] | str:
    """Prices of a text. A text that holds several is split where its writer parts them."""
    if (several := _by_periods(listing, goods)) is not None:
        return several
    found = _one_text(listing, goods, listing.price_text)
    if found == "no_number":
        return next((reason for reason, words in _STATES if words.search(listing.price_text)), found)
    if found != "multiple_offers":
        return found
    parts = [part for part in _PARTED.split(listing.price_text) if re.search(r"\d", part)]
    read = [_one_text(listing, goods, part) for part in parts]
    if len(parts) < 2 or "multiple_offers" in read or all(isinstance(one, str) for one in read):
        return found
    return [money for one in read for money in ([one] if isinstance(one, str) else one)]


def _by_periods(listing: Listing, goods: Goods | None) -> list[Money | str] | None:
    """`3.5元/小时；1800元/月`: prices for different periods, each complete in its own part; None for
    any other text."""
    parts = [part.strip() for part in _CLAUSES.split(listing.price_text) if part.strip()]
    if goods is None or len(parts) < 2 or any(_REMARK.match(part) for part in parts):
        return None
    read = [_one_text(listing, goods, part) for part in parts]
    made = [money for one in read if not isinstance(one, str) for money in one if not isinstance(money, str)]
    periods = {(money.per, money.per_count) for money in made}
    return [*made] if len(made) == len(parts) == len(periods) else None


def _one_text(listing: Listing, goods: Goods | None, text: str) -> list[Money | str] | str:
    """Prices of one text. What the listing's own fields say of the good goes before what the text says."""
    context = listing.context
    if goods is not None:
        spoken = _spoken(goods, None if states_basis(text) else listing.basis)
        context = f"{spoken} | {context}" if context else spoken
    reading = price_reader.read(text, context, listing.provider)
    if isinstance(reading, price_reader.PriceReject):
        unsaid = listing.basis not in (None, "card") and goods is not None and not goods.count_known
        if unsaid and reading.reject in _MAY_BE_MACHINE:
            return "count_unknown"
        zero = reading.reject == "no_number" and _ZEROS.fullmatch(text)
        return "js_calculator" if zero else reading.reject
    out: list[Money | str] = []
    for one in (reading, *reading.also):
        if one.price_low is None:
            return "ceiling_not_price"
        # A kind stated by the spider is of the first price; a second one says its own.
        kind = (listing.price_kind if one is reading else None) or one.price_kind
        if kind == "list" and one.price_high is None:
            kind = "floor"
        own = Goods(one.card, one.vram_gb, None, Decimal(one.cards), True, Decimal(1))
        basis = one.basis if listing.basis is None or states_basis(text) else listing.basis
        out.append(
            Money(
                one.price_low,
                one.price_high,
                one.currency,
                one.per,
                one.per_count,
                basis,
                one.mode,
                kind,
                listing.tax or one.tax,
                one.price_high is None,
                _counted(goods, one.cards) if goods else own,
                one is not reading and one.mode != reading.mode,
            )
        )
    return out


def _counted(goods: Goods, cards: int) -> Goods:
    """`8314.10 元/30天(8卡)`: the cards that the price text counts, where the good does not."""
    if goods.count_known or cards < 2:
        return goods
    return replace(goods, cards=Decimal(cards), count_known=True)


def _spoken(goods: Goods, basis: str | None) -> str:
    """The good in words the price reader understands, so that it need not find one in the cell. Where one
    card is paid for, how many there are does not matter."""
    many = goods.cards > 1 and basis != "card"
    return f"{goods.cards.normalize():f}卡 {goods.card}" if many else goods.card
