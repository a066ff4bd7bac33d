"""What a finished run was planned to need, and what it leaves behind for later estimates (`runs.jsonl`)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from reports.fit.job import Job, JobError, job_of, read_jobs
from reports.fit.planner import SizingPlanner
from reports.fit.use import Good
from reports.fit.ways import Way
from reports.vet import dmon
from sizing import runs
from sizing.errors import SizingError
from sizing.workload import Workload

NODE = 8


@dataclass(frozen=True, slots=True)
class Ran:
    """The job that ran, the card it ran on, and the tokens that went through it where they were counted."""

    job: Job
    card: str
    form: str | None = None
    tokens: float | None = None
    framework: str | None = None


def job_that_ran(file: Path | None, name: str | None, model: str | None, method: str | None) -> Job | None:
    """The job of a workload file, or a bare one of model and method; None where nothing was said.

    JobError for a file that cannot be read, holds several jobs and no name was given, or lacks the name.
    """
    if file is None:
        if model is None or method is None:
            return None
        # One token of data: what a run needs per card does not depend on how much passes through it.
        return job_of({"model": model, "method": method, "tokens": 1}, name or "run")
    jobs = [job for job in read_jobs(file) if name in (None, job.name)]
    if len(jobs) != 1:
        raise JobError(f"{file.name}: say which workload ran with --name")
    return jobs[0]


def planned(ran: Ran, cards: int) -> Way | None:
    """How the job was planned on so many of these cards; None where it cannot be planned on them."""
    table = SizingPlanner.of(ran.job).table
    return table.way(Good(ran.card, ran.form), cards, max(1, -(-cards // NODE)))


def record(ran: Ran, run: dmon.Run, at: datetime) -> runs.Run:
    """The line for `runs.jsonl`. JobError where it would say nothing or nonsense.

    What the workload leaves to the planner is taken to have run as planned.
    """
    if run.sm_mean is None or run.sm_mean < dmon.BUSY:
        raise JobError("the log shows no work (no sm column, or under 5 %): nothing to keep")
    work = SizingPlanner.of(ran.job).workload
    way = planned(ran, run.cards)
    counted = ran.tokens or (work.trained_tokens if work.trained_tokens > work.epochs else None)
    try:
        return runs.Run(
            at=at.isoformat(timespec="seconds"),
            model=work.model or "",
            method=work.method,
            card=ran.card,
            cards=run.cards,
            framework=ran.framework or work.pinned.get("framework"),
            seq_len=work.seq_len,
            **_layout(work, way),
            hours=round(run.hours, 4),
            peak_gib=None if run.peak_gib is None else round(run.peak_gib, 3),
            tokens_per_s=None if counted is None else round(counted / run.hours / 3600, 1),
        )
    except SizingError as error:
        raise JobError(str(error)) from None


def _layout(work: Workload, way: Way | None) -> dict[str, Any]:
    """Batch, loss, optimizer and sharding of a training run, as planned."""
    if way is None or work.method == "inference":
        return {"micro_batch": work.micro_batch}
    task = way.task
    return {
        "micro_batch": task.micro_batch,
        "loss_kernel": task.loss,
        "optimizer": task.optimizer,
        "zero": task.zero,
        "offload": task.offload,
    }


def save(home: Path, line: runs.Run) -> Path:
    """Append to `home/runs.jsonl`, which `size` reads."""
    home.mkdir(parents=True, exist_ok=True)
    path = home / runs.FILE
    runs.append(path, line)
    return path
