"""The default table of `nvidia-smi`, driver branches 384 to 590: three widths of the same rows."""

from __future__ import annotations

import re

from reports.vet.machine import Gpu, Machine, merge, number, whole

_HEAD = re.compile(
    r"NVIDIA-SMI\s+([\w.]+)\s+(?:Driver|KMD) Version:\s*([\d.]+)(?:.{0,40}?CUDA Version:\s*([\d.]+))?"
)
_ROW = re.compile(
    r"\|\s*(?P<index>\d+)\s+(?P<name>\S.*?\S)\s+(?:On|Off|N/A|WDDM|TCC|MCDM)\s*"
    r"\|\s*(?P<bus>[0-9A-Fa-f]{4,8}:[0-9A-Fa-f]{2}:[0-9A-Fa-f]{2}\.\d)\s+(?:On|Off|N/A)\s*"
    r"\|\s*(?P<ecc>On|Off|N/A|\d+)\s*\|\s*"
    r"\|?\s*(?P<fan>\S+)\s+\S+\s+\S+\s+(?P<usage>\d+W|N/A|\?+|\S+)\s*/\s*(?P<cap>\d+W|N/A|\S+)\s*"
    r"\|\s*(?:(?P<used>\d+)MiB\s*/\s*(?P<total>\d+)MiB|N/A|Not Supported|\S+)\s*"
    r"\|\s*\S+\s+\S+\s*\|"
    r"(?:\s*\|\s*\|\s*\|\s*(?P<mig>N/A|Disabled\*?|Enabled\*?)\s*\|)?"
)
_MIG_DEVICE = re.compile(r"^\|\s*(?P<index>\d+)\s+\d+\s+\d+\s+\d+\s*\|\s*\d+MiB", re.MULTILINE)


def read_table(text: str, machine: Machine) -> None:
    """Add what the default table says; does nothing where there is none."""
    head = _HEAD.search(text)
    if head:
        machine.driver, machine.cuda = machine.driver or head[2], machine.cuda or head[3]
    gpus = [_gpu(match) for match in _ROW.finditer(text)]
    if not gpus:
        return
    for match in _MIG_DEVICE.finditer(text):
        for gpu in gpus:
            if gpu.index == int(match["index"]):
                gpu.mig_devices += 1
    machine.ragged_lines, machine.cut_short = _edges(text)
    merge(machine, gpus, "table")


def _gpu(match: re.Match[str]) -> Gpu:
    name = " ".join(match["name"].split())
    ecc = match["ecc"]
    return Gpu(
        index=int(match["index"]),
        bus_id=match["bus"].upper(),
        name=name.removesuffix("...").rstrip(),
        name_cut=name.endswith("..."),
        total_mib=float(match["total"]) if match["total"] else None,
        power_limit_w=number(match["cap"]) if match["cap"].endswith("W") else None,
        ecc={"Off": "off", "N/A": "n/a"}.get(ecc, "on"),
        ecc_uncorrected=whole(ecc),
        mig=(match["mig"] or "").rstrip("*").lower() or None,
        unreadable=tuple(word for word in ("fan", "usage", "cap") if match[word] == "ERR!"),
    )


def _edges(text: str) -> tuple[int, bool]:
    """(lines of the card table whose right edge is not where the others have it, the text ends inside it).

    The first is a sign of an edited text. The line at which a text was cut off is none.
    """
    lines = text.rstrip().split("\n")
    starts = [i for i, line in enumerate(lines) if "NVIDIA-SMI" in line and line.startswith("|")]
    widths: list[int] = []
    cut = False
    for start in starts:
        place = start
        while place < len(lines) and lines[place].startswith(("|", "+")):
            if "Processes:" in lines[place] or "MIG devices:" in lines[place]:
                break
            widths.append(len(lines[place]))
            place += 1
        cut = place == len(lines) and not lines[-1].startswith("+")
    if cut:
        widths.pop()
    usual = max(set(widths), key=widths.count, default=0)
    return sum(width != usual for width in widths), cut
