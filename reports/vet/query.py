"""`nvidia-smi -q`: a tree by indentation, one block a card."""

from __future__ import annotations

import re

from reports.vet.machine import Gpu, Machine, merge, number, whole

_GPU = re.compile(r"^\s*GPU\s+([0-9A-Fa-f]{4,8}:[0-9A-Fa-f]{2}:[0-9A-Fa-f]{2}\.\d)\s*$")
_PAIR = re.compile(r"^(\s*)(\S.*?)\s*:(?:\s(.*))?$")
_REASONS = ("clocks throttle reasons", "clocks event reasons")
_SLOW = {
    "hw slowdown": "HW slowdown",
    "hw thermal slowdown": "HW thermal slowdown",
    "hw power brake slowdown": "HW power brake",
    "sw thermal slowdown": "SW thermal slowdown",
}
Tree = dict[tuple[str, ...], str]


def read_query(text: str, machine: Machine) -> None:
    """Add what a `-q` log says; does nothing where there is none."""
    blocks, head = _blocks(text)
    machine.driver = machine.driver or head.get(("driver version",))
    machine.cuda = machine.cuda or head.get(("cuda version",))
    attached = number(head.get(("attached gpus",)))
    machine.attached = int(attached) if attached is not None else machine.attached
    if blocks:
        merge(machine, [_gpu(bus, tree) for bus, tree in blocks], "-q")


def _blocks(text: str) -> tuple[list[tuple[str, Tree]], Tree]:
    blocks: list[tuple[str, Tree]] = []
    head: Tree = {}
    tree = head
    stack: list[tuple[int, str]] = []  # indent and title of the headings above the line
    for line in text.split("\n"):
        if match := _GPU.match(line):
            tree, stack = {}, []
            blocks.append((match[1].upper(), tree))
            continue
        if not line.strip() or line.lstrip().startswith(("|", "+", "=")):
            continue
        indent = len(line) - len(line.lstrip())
        while stack and stack[-1][0] >= indent:
            stack.pop()
        pair = _PAIR.match(line)
        if pair is None:
            stack.append((indent, line.strip().lower()))
        else:
            path = (*(title for _, title in stack), pair[2].strip().lower())
            tree.setdefault(path, (pair[3] or "").strip())
            # "HW Slowdown : Not Active" is a value and the heading of what caused it.
            stack.append((indent, pair[2].strip().lower()))
    return blocks, head


def _get(tree: Tree, *ends: str) -> str | None:
    """The first value whose path ends with one of `ends` (words joined by ` / `); N/A counts as absent."""
    for end in ends:
        words = tuple(end.split(" / "))
        for path, value in tree.items():
            if path[-len(words) :] == words and value not in {"", "N/A", "[N/A]", "Unknown Error"}:
                return value
    return None


def _gpu(bus: str, tree: Tree) -> Gpu:
    device = re.fullmatch(r"0x([0-9A-Fa-f]{4})10DE", _get(tree, "pci / device id", "device id") or "", re.I)
    mig = _get(tree, "mig mode / current")
    return Gpu(
        bus_id=bus,
        name=_get(tree, "product name"),
        uuid=_get(tree, "gpu uuid"),
        arch=_get(tree, "product architecture"),
        total_mib=number(_get(tree, "fb memory usage / total")),
        power_limit_w=number(
            _get(
                tree,
                "gpu power readings / current power limit",
                "power readings / power limit",
                "power readings / current power limit",
                "current power limit",
            )
        ),
        power_default_w=number(
            _get(tree, "gpu power readings / default power limit", "power readings / default power limit")
        ),
        ecc=_ecc(tree),
        ecc_uncorrected=_uncorrected(tree),
        mig=mig.lower() if mig else None,
        virtualization=_get(tree, "virtualization mode"),
        device_id=device[1].upper() if device else None,
        pcie_width_max=_whole(_get(tree, "link width / max")),
        pcie_width_now=_whole(_get(tree, "link width / current")),
        slowdowns=_slowdowns(tree),
        faults=_faults(tree),
    )


def _whole(text: str | None) -> int | None:
    value = number(text)
    return None if value is None else int(value)


def _ecc(tree: Tree) -> str | None:
    for path, value in tree.items():
        if path[-2:] == ("ecc mode", "current"):
            return {"Enabled": "on", "Disabled": "off", "N/A": "n/a"}.get(value)
    return None


def _uncorrected(tree: Tree) -> int | None:
    """Uncorrectable errors since boot; the words changed from `Double Bit` to `DRAM Uncorrectable`."""
    counts = [
        count
        for path, value in tree.items()
        if "ecc errors" in path
        and "volatile" in path
        and ("uncorrectable" in path[-1] or ("double bit" in path and path[-1] == "total"))
        and (count := whole(value)) is not None
    ]
    return sum(counts) if counts else None


def _slowdowns(tree: Tree) -> tuple[str, ...]:
    return tuple(
        label
        for word, label in _SLOW.items()
        if any(
            path[-1] == word and value == "Active" and any(reason in path for reason in _REASONS)
            for path, value in tree.items()
        )
    )


def _faults(tree: Tree) -> tuple[str, ...]:
    faults = []
    for path, value in tree.items():
        if "remapped rows" in path and path[-1] == "uncorrectable error" and value not in {"0", "N/A", ""}:
            faults.append(f"remapped rows: {value} uncorrectable")
        if "remapped rows" in path and path[-1] == "remapping failure occurred" and value == "Yes":
            faults.append("row remapping failed")
        if "retired pages" in path and "double bit ecc" in path and (whole(value) or 0) > 0:
            faults.append(f"retired pages: {value} double bit")
    return tuple(dict.fromkeys(faults))
