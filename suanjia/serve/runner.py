"""Runs one job: its steps one after the other, each a subprocess, each in the job log."""

from __future__ import annotations

import logging
import os
import threading
from collections.abc import Callable, Mapping
from datetime import datetime

from suanjia.crawl_plan import PERIODS
from suanjia.ledger import Ledger
from suanjia.serve.joblog import JobLog
from suanjia.serve.plan import Job, Step
from suanjia.serve.process import run_command
from suanjia.settings import Settings

log = logging.getLogger("suanjia.serve")
_EARLY = 0.9


class Runner:
    """What the scheduler calls. `stop` ends what runs now and lets nothing begin."""

    def __init__(
        self,
        settings: Settings,
        joblog: JobLog,
        now: Callable[[], datetime],
        cadences: Mapping[str, str],
        shifted: bool = False,
        after: Callable[[Job, bool], None] = lambda job, good: None,
        missed: Callable[[datetime], bool] = lambda now: True,
    ) -> None:
        """`after` is told of every job that has run, `missed` says whether an issue is."""
        self.settings, self.joblog, self.now, self.after, self.missed = settings, joblog, now, after, missed
        self.cadences, self.shifted = cadences, shifted
        self.stop = threading.Event()
        self._numbers = iter(range(1, 1 << 62))

    def run(self, job: Job) -> bool:
        """Run a job; True when every step ended with one of its good codes. Never raises."""
        if self.stop.is_set() or not self._due(job):
            return True
        run_id = f"{job.id}-{self.now():%Y%m%dT%H%M%SZ}-{next(self._numbers)}"
        good = True
        for step in job.steps:
            try:
                good = self._step(run_id, job, step)
            except Exception:
                log.exception("%s could not be run", job.id, extra={"job": job.id, "run_id": run_id})
                good = False
            if not good:
                break
        self.after(job, good)
        return good

    def _step(self, run_id: str, job: Job, step: Step) -> bool:
        name = step.args[0]
        extra = {"job": job.id, "run_id": run_id, "step": name}
        arguments = ["--home", str(self.settings.home.absolute())]
        if self.shifted:
            arguments += ["--now", self.now().isoformat(timespec="seconds")]
        ended = run_command(
            [*arguments, *step.args],
            self.settings.environ,
            timeout=step.timeout,
            memory_mb=self.settings.number("job_memory_mb"),
            stop=self.stop,
            say=lambda line: log.info("%s", line, extra=extra),
            began=lambda pid: self.joblog.begin(run_id, job.id, name, self.now(), pid, os.getpid()),
        )
        self.joblog.end(run_id, name, self.now(), ended.state, ended.code)
        good = ended.code is not None and ended.code in step.good
        told = {
            **extra, "state": ended.state, "code": ended.code, "seconds": round(ended.seconds, 2),
            "peak_mb": round(ended.peak_mb),
        }  # fmt: skip
        log.log(logging.INFO if good or ended.state == "stopped" else logging.ERROR, "ended", extra=told)
        return good

    def _due(self, job: Job) -> bool:
        """A crawl is run when its last good run is a period old, a retry of the issue while that is missing;
        every other job whenever it is called."""
        if job.only_missed and not self.missed(self.now()):
            return False
        if job.only_due is None:
            return True
        with Ledger(self.settings.home) as ledger:
            last = ledger.last_ok(job.only_due)
        return last is None or self.now() - last >= PERIODS[self.cadences[job.only_due]] * _EARLY
