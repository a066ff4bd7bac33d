"""A running service on the stand-in market: catch-up, health, site, an orderly end."""

from __future__ import annotations

import json
import os
import signal
import socket
import sqlite3
import subprocess
import sys
import time
import urllib.error
import urllib.request
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from suanjia.homes import claim
from suanjia.serve.joblog import JobLog
from tests.spiders.conftest import ROOT

NOW = "2026-10-05T10:20:00+08:00"


def free_port() -> int:
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return int(s.getsockname()[1])


class Served:
    """`suanjia serve` as a process."""

    def __init__(self, home: Path, *arguments: str, now: str = NOW, **env: str) -> None:
        self.home, self.port, self.log = home, free_port(), home.parent / "serve.log"
        given = {k: v for k, v in os.environ.items() if not k.startswith("SUANJIA_")}
        given |= {"SUANJIA_HTTP_PORT": str(self.port), "SUANJIA_LOG_FORMAT": "json", **env}
        with self.log.open("ab") as out:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "suanjia", "--home", str(home), "--now", now, "serve", *arguments],
                cwd=ROOT, env=given, stdout=out, stderr=out,
            )  # fmt: skip

    def get(self, path: str) -> tuple[int, bytes]:
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.port}{path}", timeout=20) as answer:
                return answer.status, answer.read()
        except urllib.error.HTTPError as error:
            return error.code, error.read()

    def wait(self, what, seconds: float = 60.0):
        give_up = time.monotonic() + seconds
        while time.monotonic() < give_up:
            assert self.process.poll() is None, self.log.read_text()
            try:
                if found := what():
                    return found
            except (urllib.error.URLError, ConnectionError, sqlite3.Error):
                pass  # not listening yet
            time.sleep(0.2)
        raise AssertionError(self.log.read_text()[-4000:])

    def stop(self, seconds: float = 60.0) -> int:
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(seconds)

    def kill(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()


@pytest.fixture
def home(tmp_path: Path) -> Path:
    folder = tmp_path / "home"
    claim(folder, rebuilt=True)
    return folder


@pytest.mark.slow
def test_health_site_metrics_and_an_orderly_end(home: Path) -> None:
    (home / "site").mkdir()
    (home / "site" / "index.html").write_text("the issue")
    (home / "secret.html").write_text("no")
    served = Served(home, "--no-catch-up")
    try:
        status, body = served.wait(lambda: served.get("/healthz"))
        health = json.loads(body)
        assert status == 200 and health["status"] == "ok" and health["scheduler"] is True
        assert {"matpool", "aliyun", "autodl"} <= {s["provider"] for s in health["sources"]}
        assert served.get("/") == (200, b"the issue")
        for path in ("/../secret.html", "/%2e%2e/secret.html", "/nothing"):
            assert served.get(path)[0] == 404
        text = served.get("/metrics")[1].decode()
        assert "suanjia_healthy 1.0" in text and 'suanjia_source_age_seconds{provider="matpool"}' in text
        # A second service on this home is refused; the first one goes on.
        second = Served(home)
        assert second.process.wait(60) == 5
        assert served.get("/healthz")[0] == 200
        assert served.stop() == 0
        lines = [json.loads(line) for line in served.log.read_text().splitlines() if line.startswith("{")]
        assert "stopping" in [line["message"] for line in lines]
    finally:
        served.kill()


@pytest.mark.slow
def test_old_sources_are_unhealthy_and_restart_marks_the_interrupted(home: Path) -> None:
    joblog = JobLog(home)
    joblog.mark("first_served", datetime.fromisoformat(NOW) - timedelta(days=40))
    joblog.begin("old", "issue", "report", datetime.fromisoformat(NOW) - timedelta(days=1), 1, 2**22 - 3)
    joblog.close()
    served = Served(home, "--no-catch-up")
    try:
        status, body = served.wait(lambda: served.get("/healthz"))
        health = json.loads(body)
        assert status == 503 and health["status"] == "bad" and health["scheduler"] is True
        assert any("no good run" in problem for problem in health["problems"])
        rows = sqlite3.connect(home / "ledger.sqlite").execute("SELECT state FROM jobs").fetchall()
        assert rows == [("interrupted",)]
        assert served.stop() == 0
    finally:
        served.kill()


@pytest.mark.slow
def test_catch_up_crawls_what_is_due_and_term_leaves_nothing_behind(home: Path) -> None:
    served = Served(home)

    def running() -> list[str]:
        found = []
        for line in Path("/proc").glob("[0-9]*/environ"):
            try:
                if str(home).encode() in line.with_name("cmdline").read_bytes():
                    found.append(line.parent.name)
            except OSError:
                continue  # gone meanwhile
        return found

    def crawled() -> bool:
        with sqlite3.connect(home / "ledger.sqlite") as db:
            return db.execute("SELECT count(*) FROM runs WHERE outcome = 'ok'").fetchone()[0] > 0

    try:
        served.wait(crawled, 280)
        with sqlite3.connect(home / "ledger.sqlite") as db:
            counts = db.execute("SELECT provider, count(*) FROM runs GROUP BY 1").fetchall()
        assert all(number == 1 for _, number in counts), counts
        assert served.stop() == 0
        assert running() == []
    finally:
        served.kill()
