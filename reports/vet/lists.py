"""The short outputs: `-L`, `topo -m`, `nvlink -s`, `--query-gpu=… --format=csv`."""

from __future__ import annotations

import csv
import re
from collections.abc import Callable

from reports.vet.facts import by_name
from reports.vet.machine import Gpu, Machine, merge, number

_LIST = re.compile(r"^\s*GPU (\d+): (.+?) \(UUID: (GPU-[0-9A-Za-z-]+)\)")
_LINK = re.compile(r"^\s*Link \d+: (\S+)")
_MIG = re.compile(r"^\s*MIG \S+\s+Device\s+\d+:")
_NODE = re.compile(r"^GPU(\d+)$")
_PAIR_WORD = re.compile(r"^(?:X|NV\d+|PIX|PXB|PHB|NODE|SYS|SOC|PSB)$")


def read_list(text: str, machine: Machine) -> None:
    """`nvidia-smi -L` and `nvidia-smi nvlink -s`, which heads each card the same way."""
    gpus: dict[int, Gpu] = {}
    current: Gpu | None = None
    for line in text.split("\n"):
        if match := _LIST.match(line):
            index = int(match[1])
            current = gpus.setdefault(index, Gpu(index=index, name=match[2], uuid=match[3]))
        elif current is not None and (link := _LINK.match(line)):
            up = (current.nvlinks_up or 0) + (number(link[1]) is not None)
            current.nvlinks_up = up
        elif current is not None and _MIG.match(line):
            current.mig_devices += 1
    if gpus:
        merge(machine, list(gpus.values()), "-L")


def read_topology(text: str, machine: Machine) -> None:
    """`nvidia-smi topo -m`: how each pair of cards is linked."""
    columns = 0
    for line in text.split("\n"):
        words = line.split()
        if not words or not (node := _NODE.match(words[0])):
            continue
        if len(words) > 1 and _PAIR_WORD.match(words[1]):
            row = int(node[1])
            for column, word in enumerate(words[1 : columns + 1]):
                if _PAIR_WORD.match(word) and word != "X" and row != column:
                    machine.links[(row, column)] = word
        else:
            columns = sum(bool(_NODE.match(word)) for word in words)
    if columns:
        machine.sections.append("topo -m")
        machine.attached = machine.attached or columns


_FIELDS: dict[str, tuple[str, Callable[[str], object]]] = {
    "index": ("index", int),
    "name": ("name", str),
    "gpu_name": ("name", str),
    "uuid": ("uuid", str),
    "gpu_uuid": ("uuid", str),
    "pci.bus_id": ("bus_id", str.upper),
    "gpu_bus_id": ("bus_id", str.upper),
    "memory.total": ("total_mib", number),
    "compute_cap": ("compute_capability", str),
    "power.limit": ("power_limit_w", number),
    "power.default_limit": ("power_default_w", number),
    "ecc.mode.current": ("ecc", {"Enabled": "on", "Disabled": "off"}.get),
    "mig.mode.current": ("mig", str.lower),
    "pci.device_id": ("device_id", lambda text: text[2:6].upper() if text.startswith("0x") else None),
    "pcie.link.width.max": ("pcie_width_max", int),
    "pcie.link.width.current": ("pcie_width_now", int),
}
_ABSENT = {"", "N/A", "[N/A]", "[Not Supported]", "[Unknown Error]", "[Not Found]"}


def read_csv(text: str, machine: Machine) -> None:
    """`--query-gpu` output with its header line; units in brackets belong to the column."""
    header: list[str] | None = None
    gpus: list[Gpu] = []
    for line in text.split("\n"):
        cells = [cell.strip() for cell in next(csv.reader([line], skipinitialspace=True), [])]
        names = [cell.split(" [")[0] for cell in cells]
        if header is None:
            header = names if {"name", "gpu_name"} & set(names) and len(names) > 1 else None
        elif len(cells) == len(header):
            gpus.append(_from_cells(dict(zip(header, cells, strict=True)), machine))
        else:
            break
    if gpus:
        merge(machine, gpus, "csv")


def read_bare_csv(text: str, machine: Machine) -> None:
    """`--format=csv,noheader`: lines of which one cell is a product's name and the units say the rest."""
    gpus = []
    for line in text.split("\n"):
        cells = [cell.strip() for cell in line.split(",")]
        names = [cell for cell in cells if by_name(cell)]
        if len(cells) < 2 or len(names) != 1:
            continue
        sizes = [number(cell) for cell in cells if re.fullmatch(r"\d+ MiB", cell)]
        watts = [number(cell) for cell in cells if re.fullmatch(r"\d+\.\d+ W", cell)]
        uuids = [cell for cell in cells if cell.startswith("GPU-")]
        gpus.append(
            Gpu(
                name=names[0],
                total_mib=max((size for size in sizes if size is not None), default=None),
                # One figure in watts may be the draw of the moment.
                power_limit_w=max(w for w in watts if w is not None) if len(watts) > 1 else None,
                uuid=uuids[0] if uuids else None,
            )
        )
    if gpus:
        merge(machine, gpus, "csv")


def _from_cells(cells: dict[str, str], machine: Machine) -> Gpu:
    gpu = Gpu()
    for name, text in cells.items():
        if name == "driver_version" and text not in _ABSENT:
            machine.driver = machine.driver or text
        if name not in _FIELDS:
            continue
        attribute, read = _FIELDS[name]
        if name == "ecc.mode.current" and text in {"N/A", "[N/A]"}:
            gpu.ecc = "n/a"
        elif text not in _ABSENT:
            try:
                setattr(gpu, attribute, read(text))
            except ValueError:
                machine.conflicts.append(f"{name}: unreadable {text!r}")
    return gpu
