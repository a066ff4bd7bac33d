"""What each NVIDIA product prints about itself (`products.csv`), re-fitted boards, driver branches.

Names, power and memory as `nvidia-smi` prints them in public logs of driver branches 384 to 590; PCI ids from
the pciids project (`pci.ids`, 2026-08-22); links per pair and memory sizes from NVIDIA's product briefs.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

# A card shows less than its label: ECC on GDDR takes a sixteenth, the driver keeps a little. T4 with ECC, the
# extreme, shows 15,079 of 16,384 MiB; nothing shows more than the label and a rounding error. Without ECC
# only the driver's share is missing: 1.1 % of a Quadro RTX 8000, 210 MiB of an RTX 2060.
VISIBLE_LOW, VISIBLE_HIGH = 0.915, 1.005
KEPT_SHARE, KEPT_MIB = 0.985, 250


@dataclass(frozen=True, slots=True)
class Product:
    """One row of `products.csv`. `links` is the NV number `topo -m` shows between two linked cards."""

    name: str
    card: str
    form: str | None
    vram_gib: int
    power_w: int
    compute_capability: str
    arch: str
    ecc: str  # on: always on as sold · either: the owner's choice · none: the card has none
    links: int | None
    link_kind: str  # switch | bridge | mesh | none
    device_ids: tuple[str, ...]
    min_driver: int
    pcie_width: int

    def holds(self, total_mib: float, ecc: str | None = None) -> bool:
        """Whether this much visible memory can belong to the product as it left the factory."""
        return size_matches(total_mib, self.vram_gib, "off" if self.ecc == "none" else ecc)


@dataclass(frozen=True, slots=True)
class Modified:
    """A board re-fitted with more memory than it was made with; `card` is its own name where it has one."""

    base: str
    vram_gib: int
    card: str | None
    note_zh: str
    note_en: str


def size_matches(total_mib: float, vram_gib: float, ecc: str | None = None) -> bool:
    """Visible MiB against a label in GiB; `ecc` as printed: on, off, n/a, None where it is not."""
    label = vram_gib * 1024
    low = KEPT_SHARE * label - KEPT_MIB if ecc in {"off", "n/a"} else VISIBLE_LOW * label
    return low <= total_mib <= VISIBLE_HIGH * label


def _rows(name: str) -> Iterator[dict[str, str]]:
    with (files("reports.vet") / name).open(encoding="utf-8") as file:
        yield from csv.DictReader(file)


@cache
def products() -> tuple[Product, ...]:
    """Every product known, in file order."""
    return tuple(
        Product(
            name=row["name"],
            card=row["card"],
            form=row["form"] or None,
            vram_gib=int(row["vram_gib"]),
            power_w=int(row["power_w"]),
            compute_capability=row["compute_capability"],
            arch=row["arch"],
            ecc=row["ecc"],
            links=int(row["links"]) if row["links"] else None,
            link_kind=row["link_kind"],
            device_ids=tuple(row["device_ids"].split(";")),
            min_driver=int(row["min_driver"]),
            pcie_width=int(row["pcie_width"]),
        )
        for row in _rows("products.csv")
    )


@cache
def modified() -> tuple[Modified, ...]:
    """Re-fitted boards seen on the market."""
    return tuple(
        Modified(row["base"], int(row["vram_gib"]), row["card"] or None, row["note_zh"], row["note_en"])
        for row in _rows("modified.csv")
    )


@cache
def cuda_of_branch() -> dict[int, str]:
    """Driver branch → the CUDA version that its own `nvidia-smi` prints."""
    return {int(row["branch"]): row["cuda"] for row in _rows("drivers.csv")}


@cache
def odd_devices() -> dict[str, str]:
    """PCI device ids that are no rentable product: mining boards, engineering samples."""
    return {row["device_id"]: row["what"] for row in _rows("odd_devices.csv")}


def _plain(name: str) -> str:
    text = " ".join(name.lower().split())
    return text.removeprefix("nvidia ")


def by_name(name: str, *, cut: bool = False) -> tuple[Product, ...]:
    """Products a printed name can mean: one for a full name, several for one that was cut with `...`."""
    wanted = _plain(name)
    if cut:
        return tuple(p for p in products() if _plain(p.name).startswith(wanted))
    exact = tuple(p for p in products() if _plain(p.name) == wanted)
    # Some drivers leave the brand word out ("V100-SXM2-32GB").
    return exact or tuple(p for p in products() if _plain(p.name).removeprefix("tesla ") == wanted)


def by_device(device_id: str) -> tuple[Product, ...]:
    """Products with this PCI device id (four hex digits, any case)."""
    return tuple(p for p in products() if device_id.upper() in p.device_ids)


def by_card(card: str) -> tuple[Product, ...]:
    """Products behind a canonical card name (re-fitted boards: the board they were); empty if unknown."""
    base = {m.card: m.base for m in modified() if m.card}.get(card, card)
    found = tuple(p for p in products() if p.card == base)
    # A bare name ("A100") stands for every size it is sold in.
    return found or tuple(p for p in products() if p.card.rsplit("-", 1)[0] == base and "-" in p.card)
