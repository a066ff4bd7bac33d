"""What sizing needs to know of a card: memory a program sees, half-precision rate, bandwidth, links.

A view of `catalog.cards`. A card sold in several forms is sized by its slowest one unless the form is told,
and the answer says so.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache

from catalog import cards as catalog
from catalog.cards import Card, Physics
from sizing.errors import SizingError, shown

# The stock driver gives these no access to each other's memory over PCIe, and rented ones have no bridges.
GEFORCE = re.compile(r"(?:RTX|GTX)[1-5]0[5-9]0|TITAN", re.IGNORECASE)


@dataclass(frozen=True)
class CardFacts:
    """One card. Memory: `vram_gb` as labelled, `visible_gib` as PyTorch sees it. Rates: dense, fp32
    accumulate."""

    name: str
    form: str | None
    vendor: str
    capability: float | None
    vram_gb: float
    visible_gib: float | None
    tflops: float
    fp8_tflops: float | None
    bandwidth_gb_s: float
    nvlink_gb_s: float
    pcie_gb_s: float
    p2p: bool
    bf16: bool
    note: str = ""

    @property
    def fp8(self) -> bool:
        return self.fp8_tflops is not None

    @property
    def is_npu(self) -> bool:
        return self.vendor not in ("NVIDIA", "AMD", "")

    @property
    def no_half(self) -> bool:
        """fp16 without hardware worth the name: P40, P4, GTX 10, Maxwell and older."""
        return self.vendor == "NVIDIA" and self.tflops < 5.0

    @property
    def nvswitch(self) -> bool:
        """Every card of a node linked to every other at full rate."""
        return self.nvlink_gb_s >= 150 and self.form != "PCIE" and self.form != "NVL"


def visible_of_label(label_gb: float) -> float:
    """Visible GiB of a card of which only the label is known: makers label GiB as GB, driver and ECC keep
    1.5 %."""
    return label_gb * 0.985


def names() -> list[str]:
    """Canonical names of all cards of which enough is known to size on them."""
    return sorted(
        n for n, card in catalog.cards().items() if card.vram_gb is not None and _rate(card.physics)
    )


def _rate(physics: Physics) -> float | None:
    return physics.bf16_tflops or physics.fp16_tflops if physics.mem_bw_gb_s else None


def _sized(name: str, vram_gb: float | None) -> Card:
    """The good of that name, its size settled by `vram_gb` where the bare name leaves it open."""
    card = catalog.cards().get(name)
    if card is None:
        raise SizingError(
            f"unknown card {shown(name)} (names as in catalog/cards.csv: A100-80G, RTX4090, H20-96G, ...)"
        )
    if card.vram_gb is not None:
        return card
    found = catalog.sized(name, Decimal(str(vram_gb))) if vram_gb else None
    if found is not None:
        return found
    sizes = [c.card for c in catalog.family_of(name) if c.vram_gb is not None]
    if sizes:
        raise SizingError(
            f"card {name} is sold in several sizes: say which ({', '.join(sizes)}) or give card_mem_gb"
        )
    raise SizingError(f"{name}: its memory is not known, so it cannot be sized")


@lru_cache(maxsize=1024)
def get(name: str, form: str | None = None, vram_gb: float | None = None) -> CardFacts:
    """Facts of a canonical card name (`A100-80G`, `RTX4090`). SizingError if unknown or too little is known
    of it.

    `form` is SXM, PCIE or NVL; `vram_gb` settles a card sold in several sizes (`A100` with 40 →
    `A100-40G`).
    """
    card = _sized(name, vram_gb)
    physics = card.physics_of(form)
    rate = _rate(physics)
    if rate is None or physics.mem_bw_gb_s is None or card.vram_gb is None:
        raise SizingError(f"{card.card}: its rate or bandwidth is not known, so it cannot be sized")
    p2p = physics.p2p.lower()
    open_form = form is None and len(card.forms) > 1
    return CardFacts(
        name=card.card,
        form=form or (card.forms[0] if len(card.forms) == 1 else None),
        vendor=card.vendor,
        capability=float(card.compute_capability)
        if card.compute_capability.replace(".", "").isdigit()
        else None,
        vram_gb=float(card.vram_gb),
        visible_gib=float(card.visible_gib) if card.visible_gib else None,
        tflops=rate,
        fp8_tflops=physics.fp8_tflops,
        bandwidth_gb_s=physics.mem_bw_gb_s,
        nvlink_gb_s=physics.nvlink_gb_s or 0.0,
        pcie_gb_s={"PCIe 3.0": 12.0, "PCIe 5.0": 45.0}.get(card.pcie, 22.0),
        p2p=bool(p2p) and "disabled" not in p2p and not GEFORCE.match(card.card),
        bf16=physics.bf16_tflops is not None,
        note=f"form of {card.card} not told: its slowest form assumed" if open_form else "",
    )
