"""Cards as goods: what is sold apart under one name and size (`cards.csv`, `card_forms.csv`).

A bare name of a card that comes in several sizes (`A100`, `V100`, `H20`, `910B`) is a good of its own with
an unknown size: it never turns into one of the sized goods without a printed size.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import cache, lru_cache
from math import floor
from types import MappingProxyType

from catalog.table import decimal, decimals, number, rows


@dataclass(frozen=True, slots=True)
class Physics:
    """Figures of a card in one form. GB/s for links and memory, dense TFLOPS with fp32 accumulate, watts."""

    form: str | None
    nvlink_gb_s: float | None
    mem_bw_gb_s: float | None
    bf16_tflops: float | None
    fp16_tflops: float | None
    fp8_tflops: float | None
    tdp_w: float | None
    p2p: str
    measured_matmul_tflops: float | None
    source: str
    confidence: str


@dataclass(frozen=True, slots=True)
class Card:
    """One good. `vram_gb` is None where a bare name leaves the size open; `family` joins its sizes.

    `other_gb`: further sizes the same good is printed with. `slice_gb`: sizes its slices are sold in.
    `bin_of`: the looser name that the same good also goes by (910B3 is a 910B). `vram_implied`: the bare
    name tells a reader of free text the size. `physics`: figures of the lowest form.
    """

    card: str
    vendor: str
    arch: str
    compute_capability: str
    launch_year: int | None
    family: str
    vram_gb: Decimal | None
    visible_gib: Decimal | None
    other_gb: tuple[Decimal, ...]
    slice_gb: tuple[Decimal, ...]
    slice_by_size: bool
    bin_of: str
    vram_implied: bool
    forms: tuple[str, ...]
    pcie: str
    modified: bool
    export_note: str
    note: str
    source: str
    as_of: str
    confidence: str
    physics: Physics
    by_form: Mapping[str, Physics]

    @property
    def name(self) -> str:
        """The canonical name, the same as `card`."""
        return self.card

    def physics_of(self, form: str | None) -> Physics:
        """Figures for a form (`SXM`, `PCIE`, `NVL`); an unknown form gets the lowest figures."""
        return self.by_form.get(form or "", self.physics)


@dataclass(frozen=True, slots=True)
class Impossible:
    """A card and size that no maker or workshop sells; `vram_gb` None = no such card at all."""

    card: str
    vram_gb: Decimal | None
    why: str
    source: str


@cache
def cards() -> Mapping[str, Card]:
    """All goods by canonical name, in file order."""
    by_form: dict[str, dict[str, Physics]] = {}
    for row in rows("card_forms.csv"):
        by_form.setdefault(row["card"], {})[row["form"]] = _physics(row, row["form"])
    return MappingProxyType(
        {row["card"]: _card(row, by_form.get(row["card"], {})) for row in rows("cards.csv")}
    )


@cache
def impossible() -> tuple[Impossible, ...]:
    """Goods known not to exist, for `vet` and for readable reasons."""
    return tuple(
        Impossible(row["card"], decimal(row["vram_gb"]), row["why"], row["source"])
        for row in rows("impossible_cards.csv")
    )


@lru_cache(maxsize=4096)  # names come from outside
def family_of(name: str) -> tuple[Card, ...]:
    """The goods that share a family with `name`, the sized ones included. Raises KeyError if unknown."""
    family = cards()[name].family
    return tuple(card for card in cards().values() if card.family == family)


@lru_cache(maxsize=4096)
def sized(name: str, vram_gb: Decimal, tolerance: Decimal = Decimal(0)) -> Card | None:
    """The good that `name` is when its memory is stated as `vram_gb` (GB or GiB of one card).

    `("A100", 40)` → A100-40G; `("RTX4090", 48)` → RTX4090-48G; what a driver reports (79.3 for 80) counts as
    the nominal size. The Card returned has `vram_gb` filled, also where its name alone leaves the size open.
    None = no such good: the size contradicts the card. `tolerance` widens what a driver may report, as a
    share of the nominal size. Raises KeyError for a name that is not in the catalog.
    """
    # The good itself first, so that near sizes inside a family go to the one that was named.
    family = sorted(family_of(name), key=lambda card: card.card != name)
    for card in family:
        if card.vram_gb == vram_gb:
            return card
    for card in family:
        if card.vram_gb is not None and _reported(card.vram_gb, card.visible_gib, vram_gb, tolerance):
            return card
    for card in family:
        for size in card.other_gb:
            if _reported(size, None, vram_gb, tolerance):
                return replace(card, vram_gb=size)
    own = family[0]
    if own.vram_gb is None and not own.other_gb and len(family) == 1:
        return replace(own, vram_gb=vram_gb)
    return None


def _reported(size: Decimal, visible: Decimal | None, stated: Decimal, tolerance: Decimal) -> bool:
    """Whether a driver or a rounding page may state `stated` for a card of nominal `size`."""
    low = min(Decimal(floor(visible)) if visible else size * Decimal("0.95"), size * (1 - tolerance))
    return low <= stated <= size * (1 + max(Decimal("0.02"), tolerance))


def _physics(row: dict[str, str], form: str | None) -> Physics:
    return Physics(
        form=form,
        nvlink_gb_s=number(row["nvlink_gb_s"]),
        mem_bw_gb_s=number(row["mem_bw_gb_s"]),
        bf16_tflops=number(row["bf16_tflops"]),
        fp16_tflops=number(row["fp16_tflops"]),
        fp8_tflops=number(row["fp8_tflops"]),
        tdp_w=number(row["tdp_w"]),
        p2p=row["p2p"],
        measured_matmul_tflops=number(row.get("measured_matmul_tflops", "")),
        source=row["source"],
        confidence=row["confidence"],
    )


def _card(row: dict[str, str], by_form: dict[str, Physics]) -> Card:
    forms = tuple(form for form in row["forms"].split(";") if form)
    return Card(
        card=row["card"],
        vendor=row["vendor"],
        arch=row["arch"],
        compute_capability=row["compute_capability"],
        launch_year=int(row["launch_year"]) if row["launch_year"] else None,
        family=row["family"],
        vram_gb=decimal(row["vram_gb"]),
        visible_gib=decimal(row["visible_gib"]),
        other_gb=decimals(row["other_gb"]),
        slice_gb=decimals(row["slice_gb"]),
        slice_by_size=row["slice_by_size"] == "yes",
        bin_of=row["bin_of"],
        vram_implied=row["vram_implied"] == "yes",
        forms=forms,
        pcie=row["pcie"],
        modified=row["modified"] == "yes",
        export_note=row["export_note"],
        note=row["note"],
        source=row["source"],
        as_of=row["as_of"],
        confidence=row["confidence"],
        physics=_physics(row, forms[0] if len(forms) == 1 else None),
        by_form=MappingProxyType(by_form),
    )
