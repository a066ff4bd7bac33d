"""The service of the soak: `suanjia serve`'s own scheduler, timetable and jobs under a clock that jumps from
one firing to the next, with other weather every hour. A process of its own, so that it can be killed.

    python -m benchmarks.soak_service FILE      (what FILE holds: see `Told`)
"""

from __future__ import annotations

import json
import os
import resource
import signal
import sqlite3
import sys
import threading
from collections import Counter
from contextlib import suppress
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import apscheduler.executors.base
import apscheduler.schedulers.base
from apscheduler.executors.debug import DebugExecutor
from apscheduler.schedulers.base import BaseScheduler

import suanjia.childproc
import suanjia.serve.process
from benchmarks import soak_warm
from benchmarks.soak_weather import ZONES, SoakClock, Told, Weather, ask
from catalog.providers import load_providers
from suanjia.serve.plan import BROWSER, PLAIN, STORE, Job
from suanjia.serve.service import Service
from suanjia.settings import load
from warehouse.calendar import SHANGHAI

HOUR = timedelta(hours=1)
PUBLISH_EVERY, MAIL_EVERY = 28, 8
MAIL_ALWAYS = 3
"""The first hourly tries of a Monday's mail that are never skipped."""
COUNTERS = ("drawn", "met", "codes", "skipped", "cpu")
KILL_WITHIN = {"crawl": 0.6, "load": 0.3, "publish": 1.5, "report": 1.5, "mail": 0.2, "tidy": 0.2}


class SoakScheduler(BaseScheduler):  # type: ignore[misc]
    """Works off what is due when it is told to, in the caller's thread."""

    def wakeup(self) -> None:
        """Nobody sleeps."""

    def shutdown(self, wait: bool = True) -> None:
        """As the base class."""
        super().shutdown(wait)


def simulated(clock: SoakClock) -> type[datetime]:
    """`datetime` whose `now` is the clock's: what APScheduler looks at."""

    class Simulated(datetime):
        @classmethod
        def now(cls, tz: Any = None) -> Any:
            return clock.at.astimezone(tz)

    return Simulated


class Started(soak_warm.Popen):
    """A job of the service, begun in this hour's weather."""

    weather: Weather

    def __init__(self, args: Any, **given: Any) -> None:
        weather, command = self.weather, _command(args)
        self.fault = weather.job
        env = dict(given["env"])
        if self.fault == "dns":
            env["SUANJIA_ORIGINS"] = json.dumps(dict.fromkeys(weather.told.origins, "http://127.0.0.1:9"))
        if self.fault == "zone":
            env["TZ"] = weather.chance.choice(ZONES)
        if self.fault == "disk":
            given["preexec_fn"] = _small_files
        if command == "crawl":
            weather.market_clock()
            if weather.site and weather.site[0] in args:
                weather.met[f"site {weather.site[1]}"] += 1
        weather.met.update(filter(None, (self.fault,)))
        super().__init__(args, **{**given, "env": env})
        if self.fault == "kill":
            self._timer = threading.Timer(
                weather.chance.uniform(0.01, KILL_WITHIN.get(command, 1.0)), self._kill_it
            )
            self._timer.daemon = True
            self._timer.start()

    def _kill_it(self) -> None:
        if self.returncode is None:
            with suppress(ProcessLookupError):
                os.killpg(self.pid, signal.SIGKILL)


def _command(args: Any) -> str:
    words = list(args)[3:]
    return next(w for w, before in zip(words, ["", *words], strict=False)
                if not w.startswith("-") and not before.startswith("--"))  # fmt: skip


def _small_files() -> None:
    """A disk on which no file can grow beyond 64 KiB."""
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 16, 1 << 16))


class Soaked(Service):
    """The service with its samples: a refresh after one call in twenty-eight, later tries of the mail now and
    then, no probe (it would go to the real sites)."""

    weather: Weather

    def thin(self) -> None:
        """Put the sampling between the scheduler and the runner, the simulated time on files."""
        really = self.runner.run
        self.jobs = [job for job in self.jobs if job.id != "probe"]

        def run(job: Job) -> bool:
            number = self.weather.calls[job.id] = self.weather.calls[job.id] + 1
            rare = {"refresh": PUBLISH_EVERY, "mail-retry": MAIL_EVERY, "mail-retry-later": MAIL_EVERY}
            early = job.id == "mail-retry" and self.clock.at.astimezone(SHANGHAI).hour < 10 + MAIL_ALWAYS
            if number % rare.get(job.id, 1) and not early and self.weather.told.faults:
                self.weather.skipped[job.id] += 1
                return True
            return really(job)

        self.runner.run = run  # type: ignore[method-assign]
        ended = self.joblog.end

        def end(run_id: str, step: str, at: datetime, state: str, code: int | None) -> None:
            ended(run_id, step, at, state, code)
            self.weather.codes[f"{step} {code}"] += 1
            used = resource.getrusage(resource.RUSAGE_CHILDREN)
            self.weather.cpu[step] += round(1000 * (used.ru_utime + used.ru_stime)) - self._used
            self._used += round(1000 * (used.ru_utime + used.ru_stime)) - self._used
            self.clock.at += timedelta(seconds=40)
            self._date_files()

        self.joblog.end = end  # type: ignore[method-assign]

    def _date_files(self) -> None:
        """A machine whose clock were the simulated one would have dated what was written so."""
        now = self.clock.at.timestamp()
        for path in (self.settings.home / "evidence").glob("*/*"):
            with suppress(OSError):
                if path.name not in self._dated:
                    os.utime(path, (now, now))
                    self._dated.add(path.name)

    _used = 0
    _dated: set[str] = set()  # noqa: RUF012 - one service a process


def reopen(service: Service) -> None:
    """No SQLite connection may live through a fork."""
    log = service.joblog
    path = service.settings.home / "ledger.sqlite"

    def close() -> None:
        log._db.close()

    def again() -> None:
        log._db = sqlite3.connect(path, timeout=30, isolation_level=None, check_same_thread=False)
        log._db.row_factory = sqlite3.Row

    soak_warm.around_fork.append((close, again))


def main(path: str) -> int:
    """Serve from `begin` to `end`."""
    told = Told(**json.loads(Path(path).read_text(encoding="utf-8")))
    clock = SoakClock(datetime.fromisoformat(told.begin))
    Started.weather = weather = Weather(told, clock)
    Started.learnt = Path(told.learnt)
    for module in (suanjia.serve.process, suanjia.childproc):
        plain = soak_warm.Popen if module is suanjia.childproc else Started
        module.subprocess = _Subprocess(plain)  # type: ignore[attr-defined]
    fake = simulated(clock)
    apscheduler.schedulers.base.datetime = apscheduler.executors.base.datetime = fake
    scheduler = SoakScheduler(
        timezone=SHANGHAI, executors={lane: DebugExecutor() for lane in (STORE, PLAIN, BROWSER)},
        job_defaults={"coalesce": True, "max_instances": 1, "misfire_grace_time": None},
    )  # fmt: skip
    settings = load(told.home, environ=told.environ)
    providers = {s: p for s, p in load_providers(settings.home).items() if s in told.providers}
    service = Soaked(settings, providers, clock=clock, scheduler=scheduler)
    service.weather = weather
    service.thin()
    reopen(service)
    weather.clear()
    weather.market_clock()
    service.start()
    try:
        _serve(service, clock, datetime.fromisoformat(told.end))
    finally:
        service.stop()
    return 0


class _Subprocess:
    """The module `subprocess` with another Popen."""

    def __init__(self, popen: Any) -> None:
        self.Popen = popen

    def __getattr__(self, name: str) -> Any:
        import subprocess

        return getattr(subprocess, name)


def _serve(service: Soaked, clock: SoakClock, end: datetime) -> None:
    weather, told = service.weather, service.weather.told
    hour, day = clock.at, clock.at
    while clock.at < end:
        if clock.at >= hour:
            hour = clock.at + HOUR
            weather.change()
        wait = service.scheduler._process_jobs()
        if clock.at >= day:
            day += timedelta(days=1)
            _note(service, Path(told.diary))
        step = HOUR if wait is None else timedelta(seconds=max(float(wait), 0.001))
        clock.at += min(step, max(hour - clock.at, timedelta(seconds=1)))
        Path(told.at).write_text(clock.at.isoformat(), encoding="utf-8")


def _note(service: Soaked, diary: Path) -> None:
    """One line about this process and what it has met."""
    base = f"http://127.0.0.1:{service.weather.told.port}"
    status, body = ask("GET", base + "/healthz")
    ask("GET", base + "/metrics")
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    line = {
        "at": service.clock.now().isoformat(), "pid": os.getpid(), "health": status,
        "problems": json.loads(body)["problems"],
        "rss_mb": pages * os.sysconf("SC_PAGE_SIZE") / 2**20,
        "fds": sum(1 for _ in Path("/proc/self/fd").iterdir()), "threads": threading.active_count(),
        "started": dict(soak_warm.started),
        "modules": len(sys.modules),
        "files": files_of(service.settings.home),
        **{name: dict(getattr(service.weather, name)) for name in COUNTERS},
    }  # fmt: skip
    with diary.open("a", encoding="utf-8") as file:
        file.write(json.dumps(line) + "\n")


def files_of(home: Path) -> dict[str, int]:
    """Room of the home → how many files it holds."""
    found: Counter[str] = Counter()
    for path in home.rglob("*"):
        if path.is_file():
            found[path.relative_to(home).parts[0]] += 1
    return dict(found)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
