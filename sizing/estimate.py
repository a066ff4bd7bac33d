"""One task → one answer: peak and p90 of a card's memory, whether it fits, tokens per second, host needs."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from sizing import inference, memory, speed
from sizing.host import Host, host
from sizing.memory import Parts
from sizing.task import Task
from sizing.units import GIB, gib

# Memory that a run must leave free: driver and other processes on one card, NCCL growth on several.
RESERVE_GIB = {"one": 0.3, "many": 0.5}
# p90/p50 of what a run really needs (slack of the caching allocator gives way before a run fails).
NEED_FITTED, NEED_OTHER, NEED_GUESSED = 1.04, 1.08, 1.3
GUESSED_SPREAD = 1.5
# Batches of changing length let the caching allocator grow into this share of the free memory (docs §2.6).
ELASTIC = 0.15
PILOT_SPREAD = 1.1


@dataclass(frozen=True)
class Estimate:
    """The answer for one task. GiB per card, tokens per second of all cards together."""

    task: Task
    peak_gib_p50: float
    peak_gib_p90: float
    need_gib_p90: float
    usable_gib: float | None
    parts_gib: dict[str, float]
    binding: str
    tokens_per_s_p10: float | None
    tokens_per_s_p50: float | None
    tokens_per_s_p90: float | None
    seconds: dict[str, float]
    host: Host
    assumptions: tuple[str, ...] = field(default=())

    @property
    def fits(self) -> bool | None:
        """p90 within the usable memory; None where no card is known."""
        return None if self.usable_gib is None else self.peak_gib_p90 <= self.usable_gib

    @property
    def verdict(self) -> str | None:
        if self.usable_gib is None:
            return None
        if self.fits:
            return "fits"
        return "tight" if self.peak_gib_p50 <= self.usable_gib else "does_not_fit"

    def as_json(self) -> dict[str, Any]:
        """The object of CONTRACT's `size` line, without the id."""
        return {
            "peak_gib_p50": round(self.peak_gib_p50, 3),
            "peak_gib_p90": round(self.peak_gib_p90, 3),
            "usable_gib": None if self.usable_gib is None else round(self.usable_gib, 3),
            "fits": self.fits,
            "verdict": self.verdict,
            "parts": {k: round(v, 3) for k, v in self.parts_gib.items() if round(v, 3)},
            "tokens_per_s_p10": _rounded(self.tokens_per_s_p10),
            "tokens_per_s_p50": _rounded(self.tokens_per_s_p50),
            "tokens_per_s_p90": _rounded(self.tokens_per_s_p90),
            "cpu_ram_gib": round(self.host.cpu_ram_gib, 1),
            "disk_gib": round(self.host.disk_gib, 1),
            "assumptions": list(self.assumptions),
        }


def _rounded(value: float | None) -> float | None:
    return None if value is None else float(f"{value:.4g}")


def usable_gib(task: Task) -> float | None:
    """Memory of one card that a run can count on."""
    if task.visible_gib is None:
        return None
    return task.visible_gib - RESERVE_GIB["one" if task.cards == 1 else "many"]


def need_spread(task: Task) -> float:
    """p90/p50 of what the run needs at least."""
    if task.length_assumed:
        return NEED_GUESSED
    return NEED_FITTED if task.profile.fitted else NEED_OTHER


def high(task: Task, p50: float, usable: float | None) -> tuple[float, float]:
    """(p90 of what a card will show, p90 of what it needs) from the median, both GiB.

    On a known card the first never passes the usable memory unless the second does: reserved memory is
    elastic.
    """
    need = p50 * need_spread(task)
    shown = p50 * (max(GUESSED_SPREAD, task.profile.spread) if task.length_assumed else task.profile.spread)
    if usable is not None:
        shown = min(shown, usable)
    return max(need, shown), need


def elastic(task: Task, need: float) -> float:
    """GiB that the allocator holds beyond the need where lengths vary (they do when none is given)."""
    if not task.length_assumed or task.visible_gib is None or task.method == "inference":
        return 0.0
    return max(0.0, ELASTIC * (task.visible_gib - need))


def peak_of(task: Task) -> Parts:
    """Parts and phases of the fullest card, bytes."""
    return inference.inference_parts(task) if task.method == "inference" else memory.training_parts(task)


def estimate(task: Task, *, step_seconds: float | None = None, dataset_gb: float = 0.0) -> Estimate:
    """Size one task. `step_seconds`: measured seconds of one optimizer step, which overrides the speed
    model."""
    found = peak_of(task)
    least = found.peak / GIB
    slack = elastic(task, least)
    p50 = least + slack
    usable = usable_gib(task)
    p90, need = high(task, least, usable)
    p90 = max(p90, min(p50 * task.profile.spread, usable) if usable is not None else p50, p50)
    notes = list(task.assumptions)
    rates: tuple[float | None, float | None, float | None] = (None, None, None)
    seconds: dict[str, float] = {}
    if step_seconds is not None:
        mean = task.tokens * task.dp * task.grad_accum / step_seconds
        rates = (mean / PILOT_SPREAD, mean, mean * PILOT_SPREAD)
        seconds = {"measured_step": step_seconds}
        notes.append("speed from the measured step time")
    elif task.card is not None:
        if task.method == "inference":
            fast = inference.inference_speed(task, task.card)
        else:
            fast = speed.training_speed(task, task.card)
        spread = speed.rates().spread[fast.known]
        rates = (fast.tokens_per_s / spread, fast.tokens_per_s, fast.tokens_per_s * spread)
        seconds = fast.parts
    else:
        notes.append("no card: speed not estimated")
    if task.card is not None and task.card.note:
        notes.append(task.card.note)
    parts = {k: gib(v) for k, v in found.parts.items()}
    if slack:
        parts["elastic_reserve"] = slack
    return Estimate(
        task,
        p50,
        p90,
        need,
        usable,
        parts,
        found.binding,
        *rates,
        seconds,
        host(task, dataset_gb),
        tuple(notes),
    )
