"""Which good a listing names: card, memory, form, how many cards, which fraction of one.

Sources of the answer, in this order: the card text (read by the card reader), the instance family of the
cloud (reviewed table), and the source's own fields for memory and count, which must agree.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass, replace
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from typing import Final

from catalog import cards, families
from pipeline.reading import card as card_reader
from spiders.listing import Listing

_BYTES_PER_GB: Final[dict[str, Decimal]] = {
    "bytes": Decimal(1024**3),
    "MB": Decimal(1024),
    "GB": Decimal(1),
}
# Hosts report a little under or over the size printed on the box (81,251 MiB on an "80 GB" card).
_VRAM_TOLERANCE = Decimal("0.08")
_MEGABYTE = Decimal("0.001")
# What stands in the card's field of a machine without one.
_NO_CARD: Final = frozenset(("", "-", "--", "—", "——", "/", "无", "无显卡", "无GPU", "不含", "none", "n/a"))
_COUNTED = re.compile(
    r"[x×*＊]?\s*(\d{1,5})\s*(?:[x×*＊]|[张卡块片颗个枚]卡?|GPUs?|cards?|pcs)?(?:/台)?", re.I
)
_MEMORY = re.compile(r"(\d{1,5}(?:\.\d+)?)\s*([TGM])i?B?(?![a-z])", re.I)
_SPOKEN: Final = {
    "单": 1, "一": 1, "双": 2, "两": 2, "二": 2, "三": 3, "四": 4, "五": 5, "六": 6, "八": 8, "十": 10,
    "十六": 16,
}  # fmt: skip
# Slices that are goods by name: nobody says which fraction of which card they are.
_SOLD_BY_NAME: Final = "vGPU-"


@dataclass(frozen=True, slots=True)
class Goods:
    """`cards` is what one purchase holds, `share` the fraction of one card (1 for whole cards)."""

    card: str
    vram_gb: Decimal | None
    form: str | None
    cards: Decimal
    count_known: bool
    share: Decimal
    interconnect: str | None = None
    vcpu: Decimal | None = None  # of the instance type, from the reviewed table
    ram_gb: Decimal | None = None


def identify(listing: Listing) -> Goods | str:
    """Goods, or a reason code (`unknown_card`, `not_gpu`, `multiple_cards`, `card_vram_conflict`,
    `card_sku_conflict`, `count_unknown`)."""
    family = families.lookup(listing.provider, listing.sku) if listing.sku else None
    if family is None and listing.card_text is not None and listing.card_text.strip() in _NO_CARD:
        return "not_gpu"
    goods = _identify(listing, family)
    inside = families.named(listing.provider, listing.sku) if listing.sku else None
    if inside is None or isinstance(goods, str):
        return goods
    return replace(
        goods,
        form=goods.form or inside.form,
        interconnect=goods.interconnect or inside.interconnect,
        vcpu=inside.vcpu,
        ram_gb=inside.ram_gb,
    )


def _identify(listing: Listing, family: families.Family | None) -> Goods | str:
    if listing.card_text:
        reading = card_reader.read(listing.card_text, listing.provider)
        if isinstance(reading, card_reader.CardReject):
            return reading.reject
        if reading.card is None:
            return "not_gpu"
        agreed = _with_family(listing, reading.card, reading.vram_gb)
        if isinstance(agreed, str):
            return agreed
        (name, vram), form = agreed, reading.form
        count, stated, kind = reading.count, reading.count_stated, reading.kind
    elif family is not None:
        name, vram, form, count, stated = family.card, family.vram_gb, family.form, family.count, True
        kind = "whole" if count >= 1 else "slice"
    else:
        return "unknown_family" if listing.sku else "unknown_card"
    if family is not None:
        count, stated = family.count, True
        form = form or family.form
    if kind == "slice" and count == 1 and not listing.share_text and not name.startswith(_SOLD_BY_NAME):
        return "fractional_gpu"
    fraction, own_count = min(count, Decimal(1)), count_of(listing.count_text)
    if own_count is not None and own_count > 0:
        count, stated = own_count, True
    share = read_share(listing.share_text)
    if share is None:
        # `1 * T4 1/4`: what is counted are slices.
        share = min(count, fraction)
    if share < 1:
        cards_ = share * max(count, Decimal(1))
        return Goods(name, _slice_vram(listing, vram, count, share, kind), form, cards_, True, share)
    own = _own_vram(listing, count)
    fixed = with_memory(name, vram, own)
    if isinstance(fixed, str) and own is not None and count > 1 and not listing.vram_total:
        fixed = with_memory(name, vram, own / count)  # the memory of all cards together
    if isinstance(fixed, str):
        return fixed
    return Goods(fixed[0], fixed[1], form or _form(listing), count, stated, share, listing.interconnect_text)


def _with_family(listing: Listing, name: str, vram: Decimal | None) -> tuple[str, Decimal | None] | str:
    """The printed card beside the instance type: the reviewed table knows what is inside."""
    inside = families.card_of(listing.provider, listing.sku) if listing.sku else None
    mine, other = cards.cards().get(name), cards.cards().get(inside or "")
    if mine is None or other is None:
        return name, vram
    if mine.family != other.family or (vram is not None and other.vram_gb not in (None, vram)):
        return "card_sku_conflict"
    return (other.card, other.vram_gb) if mine.vram_gb is None else (name, vram)


def _slice_vram(
    listing: Listing, vram: Decimal | None, count: Decimal, share: Decimal, kind: str
) -> Decimal | None:
    """GB of a slice: as the source's own field says, else its share of the card's."""
    own = _own_vram(listing, count)
    if own is not None and (vram is None or own < vram or kind == "slice"):
        return own
    if vram is None or kind == "slice":
        return vram
    return (vram * share).quantize(_MEGABYTE)


def with_memory(name: str, read: Decimal | None, own: Decimal | None) -> tuple[str, Decimal | None] | str:
    """Join a card's name with the memory that the source states in a field of its own.

    A bare name of a card sold in several sizes gets the size (`A100` + 80 → `A100-80G`); a size the card
    does not have is `card_vram_conflict`, never the nearest good.
    """
    if own is None or own <= 0:
        return name, read
    sized = cards.sized(name, own, _VRAM_TOLERANCE)
    if sized is not None:
        return sized.card, sized.vram_gb
    return "card_vram_conflict"


def _own_vram(listing: Listing, count: Decimal) -> Decimal | None:
    """GB of one card from the source's field, if it has one."""
    value = number(listing.vram_text)
    if value is None and (said := _MEMORY.search(listing.vram_text or "")):
        # `24G GDDR6X`, `8*80GB`: the number that has the unit
        value = Decimal(said[1]) * {"T": 1024, "G": 1, "M": 1}[said[2].upper()]
        unit = "MB" if said[2].upper() == "M" else "GB"
    else:
        unit = listing.vram_unit or "GB"
    if value is None or value <= 0:
        return None
    gigabytes = value / _BYTES_PER_GB[unit]
    return gigabytes / count if listing.vram_total and count >= 1 else gigabytes


def _form(listing: Listing) -> str | None:
    text = (listing.form_text or listing.interconnect_text or "").upper()
    for word, form in (("SXM", "SXM"), ("PCIE", "PCIE"), ("PCI-E", "PCIE"), ("NVL", "NVL")):
        if word in text and "NVLINK" not in text:
            return form
    return None


def read_share(text: str | None) -> Decimal | None:
    """`0.25` or `1/4` → Decimal, at six places for thirds and twelfths; None for anything else."""
    if not text:
        return None
    try:
        fraction = Fraction(text.replace(" ", ""))
    except (ValueError, ZeroDivisionError):
        return None
    if not 0 < fraction <= 1:
        return None
    return (Decimal(fraction.numerator) / Decimal(fraction.denominator)).quantize(Decimal("0.000001"))


def count_of(text: str | None) -> Decimal | None:
    """Cards of a field that counts them: `8`, `8张`, `×8`, `八卡`; None for anything else."""
    value = number(text)
    if value is not None or text is None:
        return value
    plain = unicodedata.normalize("NFKC", text).strip()
    said = _COUNTED.fullmatch(plain)
    if said is not None:
        return Decimal(said[1])
    spoken = _SPOKEN.get(plain.rstrip("张卡块片颗个枚"))
    return None if spoken is None else Decimal(spoken)


def number(text: str | None) -> Decimal | None:
    """A finite number from a structured field; None for no number."""
    if text is None:
        return None
    try:
        value = Decimal(text.replace(",", "").strip())
    except InvalidOperation:
        return None
    return value if value.is_finite() else None
