"""What the texts say about the machine, before anybody judges it."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

_ANSI = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
# Logs are pasted with comment signs, quote signs or list indents before each line.
_PREFIX = re.compile(r"^[ \t]*(?:(?:#|>|//|\*)[ \t]*)*(?=[|+])")
_BOX = str.maketrans({"│": "|", "┃": "|", "║": "|", "\u00a0": " ", "\r": None, "\ufeff": None})


@dataclass(slots=True)
class Gpu:
    """One card as printed. None is "the text does not say"; sizes in MiB, power in W."""

    index: int | None = None
    bus_id: str | None = None
    name: str | None = None
    name_cut: bool = False
    uuid: str | None = None
    total_mib: float | None = None
    power_limit_w: float | None = None
    power_default_w: float | None = None
    ecc: str | None = None  # on | off | n/a
    ecc_uncorrected: int | None = None
    mig: str | None = None  # enabled | disabled | n/a
    mig_devices: int = 0
    virtualization: str | None = None
    compute_capability: str | None = None
    arch: str | None = None
    device_id: str | None = None
    pcie_width_max: int | None = None
    pcie_width_now: int | None = None
    nvlinks_up: int | None = None
    slowdowns: tuple[str, ...] = ()
    faults: tuple[str, ...] = ()
    unreadable: tuple[str, ...] = ()  # sensors that answer ERR!


@dataclass(slots=True)
class Machine:
    """All that was read. `sections` names the kinds of output found in the text."""

    gpus: list[Gpu] = field(default_factory=list)
    driver: str | None = None
    cuda: str | None = None
    links: dict[tuple[int, int], str] = field(default_factory=dict)
    attached: int | None = None
    ragged_lines: int = 0
    cut_short: bool = False  # the text ends inside the table of cards
    sections: list[str] = field(default_factory=list)
    conflicts: list[str] = field(default_factory=list)


def clean(text: str) -> str:
    """The text without terminal colours, carriage returns, comment prefixes or odd box characters."""
    lines = _ANSI.sub("", text).translate(_BOX).split("\n")
    return "\n".join(_PREFIX.sub("", line).rstrip() for line in lines)


def merge(machine: Machine, found: list[Gpu], section: str) -> None:
    """Join one section's cards into the machine: by bus address, else by index, else by place.

    Where two sections give different values for one card the first stays and the conflict is noted.
    """
    machine.sections.append(section)
    for place, gpu in enumerate(found):
        known = _same_card(machine.gpus, gpu, place, len(found))
        if known is None:
            machine.gpus.append(gpu)
            continue
        for name in Gpu.__slots__:
            _join(machine, known, gpu, name, section)


def _same_card(gpus: list[Gpu], gpu: Gpu, place: int, many: int) -> Gpu | None:
    if gpu.bus_id:
        same = [g for g in gpus if g.bus_id and g.bus_id[-10:] == gpu.bus_id[-10:]]
        if same:
            return same[0]
        if any(g.bus_id for g in gpus):
            return None
    if gpu.index is not None:
        same = [g for g in gpus if g.index == gpu.index]
        if same:
            return same[0]
    return gpus[place] if many == len(gpus) else None


def _join(machine: Machine, known: Gpu, gpu: Gpu, name: str, section: str) -> None:
    old, new = getattr(known, name), getattr(gpu, name)
    if name == "name_cut" or new is None or new == () or new == old:
        return
    if name == "name":
        if old is None or (known.name_cut and new.startswith(old)):
            known.name, known.name_cut = new, gpu.name_cut
        elif not (gpu.name_cut and old.startswith(new)):
            machine.conflicts.append(f"name: {old} / {new} ({section})")
    elif old in (None, (), 0):
        setattr(known, name, new)
    elif name == "mig_devices":
        known.mig_devices = max(old, new)
    elif name in {"total_mib", "uuid", "device_id", "mig", "compute_capability"}:
        machine.conflicts.append(f"{name}: {old} / {new} ({section})")


def whole(text: str | None) -> int | None:
    """A plain whole number of at most nine digits; None for anything else, `²` and `1.0` included."""
    return int(text) if text and re.fullmatch(r"[0-9]{1,9}", text) else None


def number(text: str | None) -> float | None:
    """The leading number of `400.00 W`, `81920 MiB`, `16x`; None where there is none."""
    match = re.match(r"\s*(-?\d+(?:\.\d+)?)", text or "")
    return float(match[1]) if match else None
