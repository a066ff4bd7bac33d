"""The service through its Monday: freeze, issue, one mail whatever is killed, a word when it is silent."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from suanjia.homes import claim
from suanjia.serve.process import descendants
from tests.reports.issue.smtp_server import Box, serving
from tests.serve.test_service import Served
from tests.spiders.conftest import ROOT

DAY = "2026-10-05T{}+08:00"  # a Monday: the issue is that of 2026-W40
ENV = {"SUANJIA_MAIL_FROM": "operator@example.org", "SUANJIA_MAIL_TO": "reader@example.org"}
SECONDS = 280.0


def jobs(home: Path, where: str) -> list[tuple[Any, ...]]:
    with sqlite3.connect(home / "ledger.sqlite") as db:
        return db.execute(f"SELECT job, step, state, code FROM jobs WHERE {where}").fetchall()


@pytest.mark.slow
@pytest.mark.timeout(1200)
def test_one_mail_a_week_whatever_is_killed_and_a_word_after_eight_days(tmp_path: Path) -> None:
    home = tmp_path / "home"
    claim(home, rebuilt=True)
    clean = {k: v for k, v in os.environ.items() if not k.startswith("SUANJIA_")}
    line = [sys.executable, "-m", "suanjia", "--home", str(home), "--now", "2026-10-03T12:00:00+08:00"]
    crawled = subprocess.run([*line, "crawl", "--market", "matpool"], cwd=ROOT, env=clean, check=False)
    assert crawled.returncode == 0
    box = Box()
    with serving(box) as port:
        env = {**ENV, "SUANJIA_SMTP_URL": f"smtp://127.0.0.1:{port}"}

        def during(now: str, until: Callable[[Served], Any], *arguments: str, kill: bool = False) -> Any:
            served = Served(home, *arguments, now=now, **env)
            try:
                served.wait(lambda: served.get("/healthz"), SECONDS)
                found = served.wait(lambda: until(served), SECONDS)
                if kill:
                    family = descendants(served.process.pid)
                    served.kill()
                    for pid, _ in family:
                        os.kill(pid, signal.SIGKILL)
                else:
                    assert served.stop(SECONDS) == 0
                return found
            finally:
                served.kill()

        quiet = "--no-catch-up"
        frozen = "job = 'freeze' AND step = 'publish' AND state = 'done' AND code = 0"
        during(DAY.format("03:59:55"), lambda _: jobs(home, frozen), quiet)
        assert (home / "published" / "LATEST").is_file() and not (home / "reports").exists()

        # Killed with everything it had begun, in the middle of the issue; begun again, it makes it good.
        during(
            DAY.format("09:59:57"),
            lambda _: jobs(home, "job = 'issue' AND state = 'running' AND step IN ('publish', 'report')"),
            quiet, kill=True,
        )  # fmt: skip
        assert box.raw == []
        during(DAY.format("10:03:00"), lambda _: jobs(home, "step = 'mail' AND state = 'done'"))
        assert jobs(home, "state = 'interrupted'") != []
        assert (home / "reports" / "2026-W40" / "v1" / "manifest.json").is_file()
        assert (home / "site" / "index.html").is_file()
        assert box.to == ["reader@example.org"] and "2026-W40" in box.mails[0]["Message-ID"]

        # Started again, with its catch-up and at the hour of the next try: nobody gets it twice.
        retried = "job = 'mail-retry' AND state = 'done' AND code = 0"
        during(DAY.format("10:24:56"), lambda _: jobs(home, retried))
        assert box.to == ["reader@example.org"]

        # Nine days without another: /healthz says so, and the operator is written to.
        def silent(served: Served) -> Any:
            return len(box.raw) > 1 and served.get("/healthz")

        status, body = during("2026-10-14T11:20:00+08:00", silent, quiet)
        told = json.loads(body)
        assert status == 503 and told["issue"]["ok"] is False
        assert any("no issue of 2026-W41" in problem for problem in told["problems"])
        assert any("matpool: no good run" in problem for problem in told["problems"])
        assert box.to[1:] == ["operator@example.org"] and "9 " in box.mails[1]["Subject"]
