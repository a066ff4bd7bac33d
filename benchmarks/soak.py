"""Years in minutes: the jobs of `suanjia serve`, in the order of its timetable, on the stand-in market with
faults, and at the end the things that must be true.

    python -m benchmarks.soak [--minutes 15] [--weeks 52] [--seed 1]

The clock is simulated: every job runs at the moment its trigger names, as the subprocess that the service
would run. Each week some jobs meet a fault: a source that answers 5xx, garbage, half a body or nothing, an
origin that cannot be reached, a job that is killed, a full disk, a clock that jumps, another time zone. It
ends after `--weeks`, or when the minutes are over, and says how far it came.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from email.parser import BytesHeaderParser
from pathlib import Path
from typing import Any

from pipeline.manifest import segment_dirs
from suanjia.serve.plan import site_folder
from warehouse.calendar import monday_of, week_label

START = datetime.fromisoformat("2026-10-05T00:00:00+08:00")
PROVIDERS = ("matpool", "ctyun")
READER = "reader@example.org"
MARKET_FAULTS = (
    "server_error", "bad_gateway", "rate_limited", "garbage", "empty_body", "half_body", "half_text",
    "refused", "gone", "hang", "login_page", "captcha", "changed_field", "truncated_list", "robots_error",
    "redirect_loop",
)  # fmt: skip
JOB_FAULTS = ("kill", "disk", "zone", "jump", "dns", None, None, None)


@dataclass
class Soak:
    """What happens and what was counted."""

    home: Path
    chance: random.Random
    smtp: str
    origins: Any
    codes: Counter[str] = field(default_factory=Counter)
    faults: Counter[str] = field(default_factory=Counter)
    files: list[int] = field(default_factory=list)
    weeks: list[str] = field(default_factory=list)

    def run(self, at: datetime, *arguments: str, fault: str | None = None) -> int:
        """One command at a moment, perhaps with a fault."""
        env = {k: v for k, v in os.environ.items() if not k.startswith("SUANJIA_")}
        origins = dict(self.origins)
        limits: Mapping[str, Any] = {}
        if fault == "dns":
            origins = dict.fromkeys(origins, "http://127.0.0.1:9")
        if fault == "zone":
            env["TZ"] = self.chance.choice(("Europe/Berlin", "America/New_York", "Australia/Lord_Howe"))
        if fault == "disk":
            limits = {"preexec_fn": _small_files}
        env |= {
            "SUANJIA_ORIGINS": json.dumps(origins), "SUANJIA_DELAY": "0", "SUANJIA_TIMEOUT": "5",
            "SUANJIA_SMTP_URL": self.smtp, "SUANJIA_MAIL_FROM": "suanjia@example.org",
            "SUANJIA_MAIL_TO": READER,
        }  # fmt: skip
        command = [sys.executable, "-m", "suanjia", "--home", str(self.home), "--now", at.isoformat()]
        process = subprocess.Popen(
            [*command, *arguments], env=env, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
            start_new_session=True, **limits,
        )  # fmt: skip
        if fault == "kill":
            threading.Timer(self.chance.uniform(0.5, 4.0), _kill, (process.pid,)).start()
        _, said = process.communicate(timeout=300)
        if fault:
            self.faults[fault] += 1
        self.codes[f"{arguments[0]} {process.returncode}"] += 1
        if process.returncode == 1 and not fault:
            print(f"{at:%F %T} {arguments}: {said.decode()[-500:]}", file=sys.stderr)
        return process.returncode

    def crawl(self, at: datetime, week_fault: bool) -> None:
        """Every source that is due, one of them perhaps behind a fault of its site."""
        slug = self.chance.choice(PROVIDERS)
        kind = self.chance.choice(MARKET_FAULTS) if week_fault else None
        if kind:
            self.origins.fault(slug, kind)
            self.faults[f"site {kind}"] += 1
        self.origins.clock(at)
        self.run(at, "crawl", *PROVIDERS, fault=self.chance.choice(JOB_FAULTS))
        if kind:
            self.origins.fault(slug, None)

    def store(self, at: datetime, fault: str | None = None) -> None:
        """Load and publish."""
        self.run(at, "load", fault=fault)
        self.run(at, "publish", fault=self.chance.choice((None, None, fault)))

    def issue(self, at: datetime) -> None:
        """The Monday issue, killed once in a while and begun again, mailed twice to see that once counts."""
        site = str(site_folder(self.home))
        fault = self.chance.choice(("kill", "zone", None))
        self.store(at, fault)
        self.run(at, "report", "--site", site, fault=fault)
        if fault == "kill":
            self.store(at)
            self.run(at, "report", "--site", site)
            self.run(at, "mail", fault="kill")
        for minutes in (25, 85):
            self.run(at + timedelta(minutes=minutes), "mail")


def simulate(soak: Soak, weeks: int, seconds: float) -> None:
    """Weeks of jobs until they or the seconds are over."""
    began = time.monotonic()
    for number in range(weeks):
        monday = START + timedelta(weeks=number)
        jump = timedelta(minutes=soak.chance.choice((-50, 0, 0, 70)))
        soak.crawl(monday + timedelta(days=2, hours=9) + jump, week_fault=True)
        soak.crawl(monday + timedelta(days=5, hours=9), week_fault=number % 3 == 0)
        soak.store(monday + timedelta(days=5, hours=10), soak.chance.choice(("kill", "disk", None)))
        due = monday + timedelta(days=7, hours=10)
        soak.issue(due)
        soak.run(due + timedelta(hours=17), "tidy")
        soak.weeks.append(week_label(monday_of(monday)))
        soak.files.append(sum(1 for path in soak.home.rglob("*") if path.is_file()))
        if time.monotonic() - began > seconds:
            break


def broken(soak: Soak, mails: list[Any]) -> list[str]:
    """The invariants that do not hold."""
    last = START + timedelta(weeks=len(soak.weeks), days=8)
    soak.run(last, "load")
    soak.run(last, "publish")
    found = list(_store(soak))
    issues = {path.name for path in (soak.home / "reports").iterdir()}
    found += [f"no issue of {week}" for week in soak.weeks if week not in issues]
    found += list(_mails(soak, mails))
    found += [f"left behind: {path}" for path in _litter(soak.home)]
    with sqlite3.connect(soak.home / "ledger.sqlite") as db:
        check = db.execute("PRAGMA integrity_check").fetchone()[0]
    found += [] if check == "ok" else [f"ledger: {check}"]
    # Growth of files: the second half of the weeks may not add more a week than the first half did.
    half = len(soak.files) // 2
    if half >= 3:
        early, late = (
            soak.files[half] / (half + 1),
            (soak.files[-1] - soak.files[half]) / (len(soak.files) - half - 1),
        )
        found += [f"files grow: {early:.0f} then {late:.0f} a week"] if late > early * 1.5 else []
    return found


def _store(soak: Soak) -> Iterator[str]:
    """Every segment once in the published generation, its rows all there."""
    import duckdb
    import pyarrow.parquet as pq

    name = (soak.home / "published" / "LATEST").read_text(encoding="utf-8").strip()
    expected = Counter(
        {
            (run, slug): pq.read_metadata(folder / "offers.parquet").num_rows
            for run, slug, folder in segment_dirs(soak.home)
        }
    )
    with duckdb.connect(str(soak.home / "published" / name), read_only=True) as con:
        rows = con.execute("SELECT run_id, provider, count(*) FROM runs GROUP BY ALL").fetchall()
        kept = con.execute("SELECT run_id, provider, count(*) FROM observations GROUP BY ALL").fetchall()
    if missing := set(expected) - {(run, slug) for run, slug, _ in rows}:
        yield f"{len(missing)} segments lost: {sorted(missing)[:3]}"
    if doubled := [row for row in rows if row[2] != 1]:
        yield f"runs doubled: {doubled[:3]}"
    there = {(run, slug): number for run, slug, number in kept}
    for key, number in expected.items():
        if there.get(key, 0) != number:
            yield f"{key}: {number} offers in the segment, {there.get(key, 0)} in the generation"


def _mails(soak: Soak, mails: list[Any]) -> Iterator[str]:
    """One mail a week to the reader. A mail whose answer was lost in a kill stays `unknown`, never resent."""
    parse = BytesHeaderParser().parsebytes
    to_reader = [parse(raw)["Message-ID"] for raw, to in mails if READER in to]
    yield from (f"sent twice: {name}" for name, number in Counter(to_reader).items() if number > 1)
    with sqlite3.connect(soak.home / "ledger.sqlite") as db:
        rows = db.execute("SELECT week, state FROM mail_outbox").fetchall()
    done = {week for week, state in rows if state in ("sent", "unknown")}
    yield from (
        f"no mail of {week}: {[r for r in rows if r[0] == week]}" for week in soak.weeks if week not in done
    )
    if len(to_reader) > len(soak.weeks):
        yield f"{len(to_reader)} mails in {len(soak.weeks)} weeks"


def _litter(home: Path) -> list[Path]:
    """Half-made files that no later job swept away."""
    return [p for p in home.rglob(".*") if ".build-" in p.name and p.is_file()]


def _kill(pid: int) -> None:
    try:
        os.killpg(pid, signal.SIGKILL)
    except ProcessLookupError:
        return  # it was quicker


def _small_files() -> None:
    """A disk on which no file can grow beyond 64 KiB."""
    import resource

    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 16, 1 << 16))


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


def run(minutes: float, weeks: int, seed: int) -> tuple[Soak, list[str]]:
    """The whole soak; (what was counted, what does not hold)."""
    from market.server import running

    home = Path(tempfile.mkdtemp(prefix="suanjia-soak-")) / "home"
    try:
        with running(START, PROVIDERS, samples=None) as origins, mail_server() as (smtp, mails):
            soak = Soak(home, random.Random(seed), smtp, origins)
            simulate(soak, weeks, minutes * 60)
            return soak, broken(soak, mails)
    finally:
        shutil.rmtree(home.parent, ignore_errors=True)


def main() -> int:
    """Run and print; 1 when something does not hold."""
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument("--minutes", type=float, default=14)
    options.add_argument("--weeks", type=int, default=52)
    options.add_argument("--seed", type=int, default=1)
    given = options.parse_args()
    clock = time.monotonic()
    soak, wrong = run(given.minutes, given.weeks, given.seed)
    print(f"{len(soak.weeks)} weeks in {time.monotonic() - clock:.0f} s; seed {given.seed}")
    print("commands and codes:", dict(sorted(soak.codes.items())))
    print("faults:", dict(sorted(soak.faults.items())))
    print("files after each week:", soak.files)
    for line in wrong:
        print("BROKEN", line)
    print("all invariants hold" if not wrong else f"{len(wrong)} invariants broken")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
