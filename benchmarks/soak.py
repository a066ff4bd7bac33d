"""A year in minutes: `suanjia serve`'s own timetable on the stand-in market, with other faults every hour,
and at the end the things that must be true.

    python -m benchmarks.soak [--minutes 14] [--weeks 52] [--seed 1]

What is real: the scheduler's triggers, catch-up and dead man's switch, every job as a process with its own
session, environment, limits and death; ledger, store, generations, issues; SMTP; the market's HTTP. What is
not: the clock, and what the last lines of the printout say was sampled. The service itself is killed in the
first quarter, then lives to the end, so that its memory can be compared. It ends after `--weeks`, or when the
minutes are over, and says how far it came.
"""

from __future__ import annotations

import argparse
import json
import logging
import os
import random
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from benchmarks import soak_checks
from benchmarks.soak_diary import START, Soak
from benchmarks.soak_service import HOUR, MAIL_ALWAYS, MAIL_EVERY, PUBLISH_EVERY
from benchmarks.soak_warm import COLD_EVERY
from benchmarks.soak_weather import Told
from suanjia.serve.process import descendants

PROVIDERS = ("matpool", "ctyun")
READER = "reader@example.org"
KILLS = 4
DOWN = (timedelta(minutes=10), timedelta(hours=5), timedelta(hours=30), timedelta(hours=70))
QUIET = timedelta(days=2)
"""After the last hour of the soak the service runs on without faults, as after a storm."""


def simulate(soak: Soak, weeks: int, seconds: float, origins: dict[str, str], smtp: str) -> None:
    """Serve from START on until the weeks or the seconds are over."""
    folder, clock = soak.home.parent, time.monotonic()
    at_file, diary = folder / "at", folder / "diary.jsonl"
    end = START + timedelta(weeks=weeks)
    chance = random.Random(soak.seed)
    quarter = (end - START) / 4
    kills = sorted(START + quarter * chance.uniform(0.1, 1) for _ in range(min(KILLS, weeks)))
    begin = START
    while begin < end:
        process = _start(soak, origins, smtp, begin, end, at_file, diary)
        while process.poll() is None:
            time.sleep(0.05)
            at = _at(at_file, begin)
            if time.monotonic() - clock > seconds:
                process.send_signal(signal.SIGTERM)
                process.wait(60)
                end = at
            elif kills and at >= kills[0]:
                time.sleep(chance.uniform(0, 1.0))
                begin = _kill(soak, process, chance, kills.pop(0), at_file)
        if process.returncode not in (0, -signal.SIGKILL, -signal.SIGTERM):
            raise RuntimeError(f"the service ended with {process.returncode}; see {folder / 'service.log'}")
        if process.returncode != -signal.SIGKILL:
            break
    soak.reached = _at(at_file, begin)
    _calm(soak, origins, smtp, at_file, diary)
    soak.weeks = (soak.reached - START) // timedelta(weeks=1)
    soak.diary = [json.loads(line) for line in diary.read_text(encoding="utf-8").splitlines()]


def _start(
    soak: Soak, origins: dict[str, str], smtp: str, begin: datetime, end: datetime, at: Path, diary: Path,
    faults: bool = True,
) -> subprocess.Popen[bytes]:  # fmt: skip
    folder = soak.home.parent
    soak.tmp.mkdir(exist_ok=True)
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    environ = {k: v for k, v in os.environ.items() if not k.startswith("SUANJIA_")} | {
        "SUANJIA_ORIGINS": json.dumps(origins), "SUANJIA_DELAY": "0", "SUANJIA_TIMEOUT": "1",
        "SUANJIA_SMTP_URL": smtp, "SUANJIA_MAIL_FROM": "suanjia@example.org", "SUANJIA_MAIL_TO": READER,
        "SUANJIA_HTTP_PORT": str(port), "SUANJIA_EVIDENCE_DAYS": "60", "SUANJIA_EVIDENCE_KEEP_DAYS": "30",
        "SUANJIA_KEEP_GENERATIONS": "6", "TMPDIR": str(soak.tmp), "OPENBLAS_NUM_THREADS": "1",
    }  # fmt: skip
    told = Told(
        str(soak.home), origins, environ, begin.isoformat(), end.isoformat(), list(PROVIDERS), soak.seed,
        port, str(at), str(diary), str(folder / "learnt"), faults,
    )  # fmt: skip
    (folder / "told.json").write_text(json.dumps(asdict(told)), encoding="utf-8")
    with (folder / "service.log").open("ab") as log:
        return subprocess.Popen(
            [sys.executable, "-m", "benchmarks.soak_service", str(folder / "told.json")],
            cwd=Path(__file__).parents[1], env=environ, stdout=log, stderr=log,
        )  # fmt: skip


def _at(path: Path, begin: datetime) -> datetime:
    try:
        return max(begin, datetime.fromisoformat(path.read_text(encoding="utf-8")))
    except (OSError, ValueError):
        return begin  # not begun, or just being written


def _kill(soak: Soak, process: Any, chance: random.Random, planned: datetime, at: Path) -> datetime:
    """The service dies, at half of the times with all it had begun; returns when it is begun again."""
    family = descendants(process.pid) if chance.random() < 0.5 else set()
    process.kill()
    process.wait()
    for pid, _ in family:
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            continue
    died, down = _at(at, planned), chance.choice(DOWN)
    soak.deaths.append(f"{died:%F %H:%M} for {down}{' with its jobs' if family else ''}")
    return died + down


def _calm(soak: Soak, origins: dict[str, str], smtp: str, at: Path, diary: Path) -> None:
    """Two days without faults: whatever is still owed is made good now."""
    end = soak.reached + QUIET
    process = _start(soak, origins, smtp, soak.reached, end, at, diary, faults=False)
    if process.wait(600):
        raise RuntimeError(f"the service ended with {process.returncode}")
    told = json.loads((soak.home.parent / "told.json").read_text(encoding="utf-8"))
    for command in ("load", "publish"):  # what was crawled after the last refresh
        line = [sys.executable, "-m", "suanjia", "--home", str(soak.home), "--now", end.isoformat(), command]
        subprocess.run(line, env=told["environ"], check=False, stdout=subprocess.DEVNULL, timeout=300)


@contextmanager
def mail_server() -> Iterator[tuple[str, list[Any]]]:
    """(address, what it took) of a server on loopback."""
    from aiosmtpd.controller import Controller

    taken: list[Any] = []

    class Handler:
        async def handle_DATA(self, server: Any, session: Any, envelope: Any) -> str:
            taken.append((bytes(envelope.content), list(envelope.rcpt_tos)))
            return "250 taken"

    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    server = Controller(Handler(), hostname="127.0.0.1", port=port)
    server.start()
    try:
        yield f"smtp://127.0.0.1:{port}", taken
    finally:
        server.stop()


def run(minutes: float, weeks: int, seed: int, keep: Path | None = None) -> tuple[Soak, list[str], list[str]]:
    """The whole soak; (what was counted, what does not hold, figures). `keep`: where the home stays."""
    from market.server import running

    folder = keep or Path(tempfile.mkdtemp(prefix="suanjia-soak-"))
    folder.mkdir(parents=True, exist_ok=True)
    try:
        with running(START, PROVIDERS, samples=None) as origins, mail_server() as (smtp, mails):
            soak = Soak(folder / "home", seed)
            simulate(soak, weeks, minutes * 60, dict(origins), smtp)
            return soak, list(soak_checks.broken(soak, mails, READER)), list(soak_checks.figures(soak, mails))
    finally:
        if keep is None:
            shutil.rmtree(folder, ignore_errors=True)


def main() -> int:
    """Run and print; 1 when something does not hold."""
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument("--minutes", type=float, default=14)
    options.add_argument("--weeks", type=int, default=52)
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--keep", type=Path, help="leave everything in this folder")
    given = options.parse_args()
    logging.getLogger("asyncio").setLevel(logging.CRITICAL)  # requests that a site let hang to the end
    clock = time.monotonic()
    soak, wrong, figures = run(given.minutes, given.weeks, given.seed, given.keep)
    print(f"{soak.weeks} of {given.weeks} weeks in {time.monotonic() - clock:.0f} s; seed {given.seed}")
    for line in figures:
        print(line)
    print(
        f"sampled: {len(PROVIDERS)} plain providers, no browser, no probe; 1 job process in {COLD_EVERY}"
        " started from nothing, the others forked with their modules loaded; 1 call of the refresh in"
        f" {PUBLISH_EVERY}; after {MAIL_ALWAYS} hourly mail retries 1 in {MAIL_EVERY}; time stands still"
        f" while a job runs, then goes on 40 s; the weather changes every {HOUR.seconds // 60} minutes"
    )
    for line in wrong:
        print("BROKEN", line)
    print("all invariants hold" if not wrong else f"{len(wrong)} invariants broken")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
