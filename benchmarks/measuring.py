"""What the benchmarks measure with: figures beside their bars, seconds, memory of a process tree."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Callable
from pathlib import Path


class Report:
    """Lines of figures, and whether every bar held."""

    def __init__(self) -> None:
        self.good = True

    def line(
        self, what: str, value: float, bar: float | None, unit: str, note: str = "", atleast: bool = False
    ) -> None:
        """Print one figure beside its bar; with `atleast` the bar is a floor."""
        holds = bar is None or (value >= bar if atleast else value <= bar)
        self.good &= holds
        sign = "≥" if atleast else "≤"
        shown = "" if bar is None else f"  (bar {sign} {bar:g} {unit}{'' if holds else ', MISSED'})"
        print(f"{what:<58} {value:8.3f} {unit}{shown}{'  ' + note if note else ''}", flush=True)


def timed(work: Callable[[], object]) -> float:
    """Seconds of one call."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def best_of(work: Callable[[], object], times: int = 5) -> float:
    """Seconds of the quickest of a few calls: what the machine does beside cannot make it quicker."""
    return min(timed(work) for _ in range(times))


def busy() -> float:
    """Processor seconds of this process and of its children that have ended."""
    spent = os.times()
    return spent.user + spent.system + spent.children_user + spent.children_system


def tree_peak(process: subprocess.Popen[str]) -> float:
    """The most memory (GiB) that a process and its children held together, seen every 20 ms until it ends."""
    peak = 0
    while process.poll() is None:
        peak = max(peak, sum(_resident(pid) for pid in _family(process.pid)))
        time.sleep(0.02)
    return peak / 2**20


def _family(pid: int) -> list[int]:
    try:
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii").split()
    except OSError:  # it has ended
        return []
    return [pid, *(found for child in children for found in _family(int(child)))]


def _resident(pid: int) -> int:
    """KiB that a process holds now; 0 for one that has ended."""
    try:
        status = Path(f"/proc/{pid}/status").read_text(encoding="utf-8")
    except OSError:
        return 0
    return next((int(line.split()[1]) for line in status.splitlines() if line.startswith("VmRSS")), 0)
