"""Finished runs of the user's own (`runs.jsonl`): what was measured corrects what is estimated.

One JSON object a line, written by `append` (the command `suanjia vet --save` calls it after a job):

    {"at": "2026-11-27T20:00:00+08:00", "model": "qwen2.5-7b", "method": "lora", "card": "RTX4090",
     "cards": 1, "framework": "LLaMA-Factory", "seq_len": 2048, "micro_batch": 4, "loss_kernel": "fused",
     "optimizer": "adamw", "zero": "0", "offload": "none",
     "hours": 5.2, "peak_gib": 21.4, "tokens_per_s": 2810}

`hours`, `peak_gib` (the fullest card) and `tokens_per_s` (all cards) may each be absent, and so may how the
run was laid out: it is then taken to have run as the task that is asked for. A run corrects a
task of the same model, method and framework; its speed only on the same card. The correction is the median
ratio of measured over estimated, drawn half-way towards 1 per single run, and the band narrows to what the
runs themselves scatter.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from statistics import median
from typing import Any

from sizing import catalogue, profiles
from sizing.errors import SizingError
from sizing.estimate import Estimate, estimate, high
from sizing.states import STATE_BYTES
from sizing.task import Task

FILE = "runs.jsonl"
LAYOUT_WORDS = {
    "loss_kernel": ("plain", "chunked", "fused"),
    "optimizer": tuple(STATE_BYTES),
    "zero": ("0", "1", "2", "3", "device_map"),
    "offload": ("none", "optimizer", "cpu"),
}
OWN_SPREAD = 1.15


@dataclass(frozen=True)
class Run:
    """One finished run. Units as in the file."""

    at: str
    model: str
    method: str
    card: str | None = None
    cards: int = 1
    framework: str | None = None
    seq_len: int | None = None
    micro_batch: int | None = None
    loss_kernel: str | None = None
    optimizer: str | None = None
    zero: str | None = None
    offload: str | None = None
    hours: float | None = None
    peak_gib: float | None = None
    tokens_per_s: float | None = None

    def __post_init__(self) -> None:
        for key, known in LAYOUT_WORDS.items():
            if getattr(self, key) not in (None, *known):
                raise SizingError(f"a run's {key} {getattr(self, key)!r} is none of {', '.join(known)}")
        for key in ("hours", "peak_gib", "tokens_per_s"):
            value = getattr(self, key)
            if value is not None and not (
                isinstance(value, (int, float)) and math.isfinite(value) and value > 0
            ):
                raise SizingError(f"a run's {key} must be a number above 0, got {value!r}")


def append(path: Path, run: Run) -> None:
    """Add one run to the file (made if absent)."""
    line = json.dumps({k: v for k, v in asdict(run).items() if v is not None}, ensure_ascii=False)
    with path.open("a", encoding="utf-8") as f:
        f.write(line + "\n")


def read(path: Path) -> tuple[list[Run], list[str]]:
    """Runs of the file and a sentence for every line that is none. A missing file is no runs."""
    if not path.exists():
        return [], []
    runs, wrong = [], []
    known = set(Run.__dataclass_fields__)
    # At line feeds alone: a value may hold what Unicode calls a line break.
    for number, line in enumerate(path.read_text(encoding="utf-8").split("\n"), 1):
        if not line.strip():
            continue
        try:
            record = json.loads(line)
            runs.append(Run(**{k: v for k, v in record.items() if k in known}))
        except (ValueError, TypeError, AttributeError, RecursionError) as error:
            wrong.append(f"{path.name} line {number}: {error}")
    return runs, wrong


def _same_model(run: Run, task: Task) -> bool:
    found = catalogue.find(run.model)
    return found.name == task.model.name if found else run.model == task.model.name


def _same_framework(run: Run, task: Task) -> bool:
    profile, known = profiles.find(run.framework)
    if not known and task.method == "inference":  # as the task reader takes it
        profile = profiles.load()["engine"]
    return profile.key == task.profile.key


def of_work(runs: Iterable[Run], task: Task) -> list[Run]:
    """Runs of the same model and method, in whichever framework."""
    return [r for r in runs if _same_model(r, task) and r.method == task.method]


def matching(runs: Iterable[Run], task: Task) -> list[Run]:
    """Runs of the same model, method and framework profile."""
    return [r for r in of_work(runs, task) if _same_framework(r, task)]


def _as_run(task: Task, run: Run) -> Task:
    """The task as that run was laid out, to compare like with like."""
    return replace(
        task,
        seq_len=run.seq_len or task.seq_len,
        micro_batch=run.micro_batch or task.micro_batch,
        cards=run.cards,
        nodes=max(1, -(-run.cards // 8)),
        tp=1,
        pp=1,
        sp=1,
        loss=run.loss_kernel or task.loss,
        optimizer=run.optimizer or task.optimizer,
        zero=(run.zero or task.zero) if run.cards > 1 else "0",
        offload=run.offload or task.offload,
    )


def _shrunk(ratios: list[float]) -> float:
    """Median ratio, drawn towards 1 as long as few runs stand behind it."""
    return math.exp(math.log(median(ratios)) * len(ratios) / (len(ratios) + 1.0))


def _scatter(ratios: list[float]) -> float:
    if len(ratios) < 3:
        return OWN_SPREAD
    middle = median(ratios)
    return max(1.05, math.exp(1.5 * median(abs(math.log(r / middle)) for r in ratios)))


@dataclass(frozen=True)
class Correction:
    """Measured over estimated: the factor, p90/p50 of what remains, and how many runs stand behind it."""

    factor: float
    spread: float
    runs: int


@dataclass(frozen=True)
class Measured:
    """What own runs say of a task; None where none of its kind says anything."""

    memory: Correction | None = None
    speed: Correction | None = None


NOTHING_MEASURED = Measured()


def measured(task: Task, runs: Iterable[Run]) -> Measured:
    """What own runs of the task's model, method and framework say of it; of speed, on the same card."""
    mine = matching(runs, task)
    peaks = [r.peak_gib / estimate(_as_run(task, r)).peak_gib_p50 for r in mine if r.peak_gib]
    speeds = []
    for r in mine:
        if r.tokens_per_s and task.card is not None and r.card == task.card.name:
            guess = estimate(_as_run(task, r)).tokens_per_s_p50
            speeds += [r.tokens_per_s / guess] if guess else []
    return Measured(*(_correction(ratios) if ratios else None for ratios in (peaks, speeds)))


def _correction(ratios: list[float]) -> Correction:
    return Correction(_shrunk(ratios), _scatter(ratios), len(ratios))


def apply(found: Estimate, own: Measured) -> Estimate:
    """The estimate moved by what own runs measured; unchanged where they say nothing."""
    notes: list[str] = []
    changes: dict[str, Any] = {}
    if own.memory is not None:
        p50 = found.peak_gib_p50 * own.memory.factor
        p90, need = high(found.task, p50, found.usable_gib)
        changes.update(peak_gib_p50=p50, peak_gib_p90=p90, need_gib_p90=need)
        changes["parts_gib"] = {**found.parts_gib, "own_runs": p50 - found.peak_gib_p50}
        notes.append(f"memory corrected by {own.memory.factor:.2f} from {own.memory.runs} run(s) of your own")
    if own.speed is not None and found.tokens_per_s_p50 is not None:
        mean, spread = found.tokens_per_s_p50 * own.speed.factor, own.speed.spread
        changes.update(tokens_per_s_p10=mean / spread, tokens_per_s_p50=mean, tokens_per_s_p90=mean * spread)
        notes.append(f"speed corrected by {own.speed.factor:.2f} from {own.speed.runs} run(s) of your own")
    return replace(found, **changes, assumptions=(*found.assumptions, *notes)) if notes else found


def correct(found: Estimate, runs: Iterable[Run]) -> Estimate:
    """The estimate moved by what own runs of its kind measured; unchanged when there are none."""
    return apply(found, measured(found.task, runs))
