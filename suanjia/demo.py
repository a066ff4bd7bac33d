"""The demo: the whole chain on the stand-in market, as the commands a user would type.

The clock is fixed (docs/adr/0007), so two demos give the same bytes; a killed one is simply run again.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import tomli_w

from suanjia.cli import NOTHING, OK, PARTIAL
from suanjia.homes import claim

# Monday 10:00 in Shanghai: the hour at which the issue of the week before is published.
CLOCK = datetime.fromisoformat("2026-10-05T10:00:00+08:00")
SHANGHAI = ZoneInfo("Asia/Shanghai")
WEEKS = 4
PROVIDERS = ("matpool", "aliyun", "ctyun", "autodl")
# The list prices of its home page are documented from this day on: before it there is none to show.
FIRST_SEEN = {"autodl": date(2026, 9, 24)}
FACTS = Path("market") / "data" / "market_facts.csv"


@dataclass(frozen=True, slots=True)
class Step:
    """One command with the clock it runs at."""

    title: str
    args: tuple[str, ...]
    now: datetime


class DemoFailed(Exception):
    """A step ended with a code that no later step can make good."""


def steps(clock: datetime, out: Path | None) -> list[Step]:
    """What the demo runs: the dated history, weekly crawls on Sunday evenings, one published issue."""
    clock = clock.astimezone(SHANGHAI)
    sunday = clock - timedelta(days=clock.weekday() + 1)
    evenings = [
        sunday.replace(hour=20, minute=0, second=0, microsecond=0) - timedelta(weeks=back)
        for back in reversed(range(WEEKS))
    ]
    facts = str(Path(__file__).parents[1] / FACTS)
    report = ("report", *(("--out", str(out)) if out else ()))
    return [
        Step("import the dated history 导入历史报价", ("import", facts), clock),
        *(
            Step(f"crawl the stand-in sites 采集 {at:%F}", ("crawl", "--market", *_known(at.date())), at)
            for at in evenings
        ),
        Step("load the segments 入库", ("load",), clock),
        Step("build, check and publish 发布", ("publish",), clock),
        Step("write the weekly issue 周报", report, clock),
        Step("mail, dry run 邮件（试运行）", ("mail", "--dry-run"), clock),
    ]


def _known(day: date) -> tuple[str, ...]:
    return tuple(provider for provider in PROVIDERS if FIRST_SEEN.get(provider, day) <= day)


def _set_clock(path: Path, clock: datetime) -> None:
    """The file of settings, for its owner alone: a person may add a password to it."""
    path.touch(mode=0o600)
    path.chmod(0o600)
    path.write_text(tomli_w.dumps({"now": clock.isoformat()}), encoding="utf-8")


def run(home: Path, clock: datetime, out: Path | None, say: Callable[[str], None]) -> None:
    """Run every step; 3 (a source is degraded) and 4 (nothing new) are part of a normal day."""
    claim(home, rebuilt=True)
    _set_clock(home / "suanjia.toml", clock)
    todo = steps(clock, out)
    for number, step in enumerate(todo, 1):
        say(f"[{number}/{len(todo)}] {step.title}")
        command = [sys.executable, "-m", "suanjia", "--home", str(home), "--now", step.now.isoformat()]
        code = subprocess.run([*command, *step.args], stdout=sys.stderr, check=False).returncode
        if code not in (OK, PARTIAL, NOTHING):
            raise DemoFailed(f"`suanjia {' '.join(step.args)}` ended with {code}")
