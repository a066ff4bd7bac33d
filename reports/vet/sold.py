"""What was sold, and what a card turns out to be."""

from __future__ import annotations

import re
from dataclasses import dataclass

from catalog.cards import cards
from reports.vet import facts
from reports.vet.facts import Product
from reports.vet.machine import Gpu

_VGPU_PROFILE = re.compile(r"^(?:NVIDIA )?(?:GRID )?\S+-\d+[QCABU]\d?$")
_VGPU_GOODS = re.compile(r"^(?:NVIDIA )?vGPU-(\d+)GB$", re.IGNORECASE)
_VGPU_CARD = re.compile(r"^vGPU-(\d+)G$", re.IGNORECASE)


class UnknownCard(ValueError):
    """Nothing is known of what `nvidia-smi` prints for this card."""


@dataclass(frozen=True, slots=True)
class Sold:
    """The seller's words, and what they allow.

    `accepts` are the card names that are as sold, `sizes` the GiB, `products` what it may be; `count` and
    `nvlink` are None where the seller did not say.
    """

    card: str
    accepts: frozenset[str]
    sizes: tuple[int, ...]
    products: tuple[Product, ...]
    form: str | None = None
    count: int | None = None
    nvlink: bool | None = None


def sold(card: str, form: str | None = None, count: int | None = None, nvlink: bool | None = None) -> Sold:
    """What a canonical card name promises; UnknownCard where `nvidia-smi` output of it is not known."""
    if match := _VGPU_CARD.match(card):
        return Sold(card, frozenset({card}), (int(match[1]),), (), form, count, nvlink)
    boards = [board for board in facts.modified() if board.card == card]
    found = facts.by_card(card)
    if not found:
        maker = cards()[card].vendor if card in cards() else "NVIDIA"
        if maker != "NVIDIA":
            raise UnknownCard(f"{card} is made by {maker}: nvidia-smi does not speak of it")
        raise UnknownCard(f"it is not known what nvidia-smi prints for {card!r}")
    fitting = tuple(p for p in found if form is None or p.form == form)
    if not fitting:
        raise UnknownCard(f"{card} is not made as {form}")
    accepts = {card} if boards else {p.card for p in fitting}
    sizes = {board.vram_gib for board in boards} or {p.vram_gib for p in fitting}
    return Sold(card, frozenset(accepts), tuple(sorted(sizes)), fitting, form, count, nvlink)


@dataclass(frozen=True, slots=True)
class Verdict:
    """What one card is: its possible products, its canonical name, and what is odd about it."""

    products: tuple[Product, ...]
    card: str | None
    note: str = ""
    slice: bool = False
    impossible: bool = False  # a memory size that no board of that name has


def identify(gpu: Gpu) -> Verdict:
    """The card behind a name and a memory size; `card` is None where they leave it open or contradict."""
    if gpu.name is None:
        return Verdict((), None)
    if match := _VGPU_GOODS.match(gpu.name):
        return Verdict((), f"vGPU-{match[1]}G", slice=True)
    if gpu.name.upper().startswith("GRID") or _VGPU_PROFILE.match(gpu.name):
        return Verdict((), None, f"{gpu.name}: a vGPU profile", slice=True)
    named = facts.by_name(gpu.name, cut=gpu.name_cut)
    if not named:
        return Verdict((), None, f"{gpu.name}: no product of that name")
    if gpu.total_mib is None:
        cards = {p.card for p in named}
        return Verdict(named, cards.pop() if len(cards) == 1 else None)
    return _by_size(named, gpu, gpu.total_mib)


def _likely(products: tuple[Product, ...], gpu: Gpu) -> tuple[Product, ...]:
    """Of a cut name ("NVIDIA GeForce ..." is all old drivers say) those with this power limit, if any."""
    if not gpu.name_cut or len(products) < 2:
        return products
    return tuple(p for p in products if p.power_w == gpu.power_limit_w) or products


def _by_size(named: tuple[Product, ...], gpu: Gpu, total_mib: float) -> Verdict:
    holding = _likely(tuple(p for p in named if p.holds(total_mib, gpu.ecc)), gpu)
    if holding:
        cards = {p.card for p in holding}
        return Verdict(holding, cards.pop() if len(cards) == 1 else None)
    boards = [b for b in facts.modified() if facts.size_matches(total_mib, b.vram_gib, gpu.ecc)]
    refitted = _likely(tuple(p for p in named if p.card in {b.base for b in boards}), gpu)
    found = [board for board in boards if board.base in {p.card for p in refitted}]
    if found:
        first = found[0]
        note = f"{first.note_zh} / {first.note_en}" if len(found) == 1 else "改焊显存 / re-fitted memory"
        return Verdict(refitted, first.card if len(found) == 1 else None, note)
    shown = f"{total_mib / 1024:.1f} GiB"
    sizes = sorted({p.vram_gib for p in named})
    if total_mib < sizes[0] * 1024:
        return Verdict(named, None, f"{shown} of {sizes[0]} GB: a slice or a capped card", slice=True)
    return Verdict(
        named, None, f"{named[0].name} has {sizes[-1]} GB; {shown} does not exist", impossible=True
    )
