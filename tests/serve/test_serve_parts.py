"""The parts of `serve`, without a running service."""

from __future__ import annotations

import json
import logging
import os
import threading
import time
import urllib.error
import urllib.request
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from pathlib import Path

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from catalog.providers import load_providers
from suanjia.cli import cli
from suanjia.ledger import Ledger
from suanjia.serve import web
from suanjia.serve.clock import Clock, Shifted, cron
from suanjia.serve.deadman import Deadman
from suanjia.serve.health import look, needed_week, silent_since
from suanjia.serve.joblog import JobLog
from suanjia.serve.logs import Masked, secrets_of
from suanjia.serve.plan import BROWSER, declare
from suanjia.serve.process import descendants, run_command
from suanjia.serve.web import file_of
from suanjia.settings import load

MONDAY = datetime.fromisoformat("2026-10-05T10:00:00+08:00")


def settings(home: Path, **env: str):
    return load(str(home), environ={"PATH": os.environ["PATH"], **env})


def archived(home: Path, week: str) -> None:
    folder = home / "reports" / week / "v1"
    folder.mkdir(parents=True)
    (folder / "manifest.json").write_text("{}")


def test_timetable(tmp_path: Path) -> None:
    jobs = declare(load_providers(tmp_path), frozenset({"autodl"}), settings(tmp_path))
    ids = [job.id for job in jobs]
    assert len(ids) == len(set(ids)) and {"freeze", "issue", "tidy", "probe", "crawl:matpool"} <= set(ids)
    by_id = {job.id: job for job in jobs}
    assert by_id["crawl:autodl"].lane == BROWSER
    for name, hour in (("freeze", 4), ("issue", 10)):
        found = cron(by_id[name].when).get_next_fire_time(None, MONDAY + timedelta(days=1))
        assert (found.weekday(), found.hour, found.utcoffset()) == (0, hour, timedelta(hours=8))
    times = {tuple(job.when.items()) for job in jobs if job.only_due}
    assert len(times) > len([job for job in jobs if job.only_due]) * 0.9
    assert "crawl:compshare" not in ids or load_providers(tmp_path)["compshare"].routes
    mailing = settings(tmp_path, SUANJIA_SMTP_URL="smtp://127.0.0.1:25")
    assert "mail-retry" in [job.id for job in declare(load_providers(tmp_path), frozenset(), mailing)]


@pytest.mark.parametrize("day", ["0", "1", "mon-fri", "*", "7"])
def test_weekdays_are_names(day: str) -> None:
    with pytest.raises(ValueError, match="write mon"):
        cron({"day_of_week": day})


def test_other_zone_and_summer_time_move_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", "Europe/Berlin")
    time.tzset()
    try:
        at, moments = datetime(2026, 3, 20, tzinfo=UTC), []
        for _ in range(4):
            at = cron({"day_of_week": "mon", "hour": "4"}).get_next_fire_time(at, at)
            moments.append(at.astimezone(UTC))
            at += timedelta(seconds=1)
    finally:
        monkeypatch.delenv("TZ")
        time.tzset()
    assert {b - a for a, b in pairwise(moments)} == {timedelta(days=7)}
    assert {(m.hour, m.weekday()) for m in moments} == {(20, 6)}


def test_shifted_clock() -> None:
    clock = Clock(MONDAY - timedelta(minutes=1))
    trigger = Shifted(cron({"day_of_week": "mon", "hour": "10"}), clock.offset)
    fires = trigger.get_next_fire_time(None, datetime.now(UTC))
    assert timedelta(seconds=50) < fires - datetime.now(UTC) < timedelta(seconds=61)
    after = trigger.get_next_fire_time(fires, fires)
    assert timedelta(days=6) < after - fires < timedelta(days=8)


def test_health_of_a_home(tmp_path: Path) -> None:
    providers = {s: p for s, p in load_providers(tmp_path).items() if s in ("matpool", "aliyun")}
    mine, joblog = settings(tmp_path), JobLog(tmp_path)
    fresh = look(mine, providers, joblog, MONDAY, True)
    assert fresh.ok, fresh.problems
    assert not look(mine, providers, joblog, MONDAY, False).ok
    # Fifteen days later nothing was ever good, published or issued.
    late = look(mine, providers, joblog, MONDAY + timedelta(days=15), True)
    assert not late.ok and len(late.problems) == 4
    now = MONDAY + timedelta(days=15)
    with Ledger(tmp_path) as ledger:
        for slug in providers:
            ledger.start("r", slug, now - timedelta(hours=3))
            ledger.finish("r", slug, now, "ok", offers=5)
    joblog.begin("j", "refresh", "publish", now, 1, os.getpid())
    joblog.end("j", "publish", now, "done", 0)
    label, _ = needed_week(now)
    archived(tmp_path, label)
    assert look(mine, providers, joblog, now, True).ok
    stale = look(mine, providers, joblog, now + timedelta(days=2, hours=1), True)
    assert {s.provider for s in stale.sources if not s.ok} == {"matpool", "aliyun"} - {
        s for s, p in providers.items() if p.source.cadence == "weekly"
    }
    joblog.close()


@pytest.mark.parametrize("broken", [None, "scheduler", "source", "publish", "issue"])
def test_each_reason_alone_is_unhealthy(tmp_path: Path, broken: str | None) -> None:
    providers = {"matpool": load_providers(tmp_path)["matpool"]}
    now, old = MONDAY + timedelta(days=15), MONDAY - timedelta(days=30)
    joblog = JobLog(tmp_path)
    joblog.first_served(old)
    with Ledger(tmp_path) as ledger:
        at = now - timedelta(hours=50 if broken == "source" else 3)
        ledger.start("r", "matpool", at)
        ledger.finish("r", "matpool", at, "ok", offers=5)
    at = now - timedelta(hours=49 if broken == "publish" else 1)
    joblog.begin("j", "refresh", "publish", at, 1, os.getpid())
    joblog.end("j", "publish", at, "done", 0)
    if broken != "issue":
        archived(tmp_path, needed_week(now)[0])
    found = look(settings(tmp_path), providers, joblog, now, broken != "scheduler")
    server = web.serve("127.0.0.1", 0, lambda: found, lambda: b"", lambda: tmp_path / "site")
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{server.server_address[1]}/healthz") as answer:
            status, body = answer.status, json.load(answer)
    except urllib.error.HTTPError as error:
        status, body = error.code, json.load(error)
    finally:
        server.shutdown()
        server.server_close()
        joblog.close()
    words = {"scheduler": "scheduler does not run", "source": "matpool: no good run", "issue": "no issue of",
             "publish": "no publish since"}  # fmt: skip
    assert status == (503 if broken else 200)
    assert (
        [words[broken] in problem for problem in body["problems"]] == [True]
        if broken
        else not body["problems"]
    )


def test_dead_man_speaks_once_a_day(tmp_path: Path) -> None:
    told: list[str] = []
    joblog, now = JobLog(tmp_path), [MONDAY]

    def tell(title: str, body: str) -> bool:
        told.append(title)
        return True

    man = Deadman(settings(tmp_path), joblog, lambda: now[0], tell)
    assert not man.look()
    for hours in range(0, 24 * 12, 6):
        now[0] = MONDAY + timedelta(hours=hours)
        man.look()
    assert len(told) == 4, told  # from day 8 on, daily
    archived(tmp_path, "2026-W41")
    assert silent_since(settings(tmp_path), joblog, now[0]) is None and not man.look()
    joblog.close()


def test_restart_marks_what_was_interrupted(tmp_path: Path) -> None:
    joblog = JobLog(tmp_path)
    joblog.begin("mine", "tidy", "tidy", MONDAY, 1, os.getpid())
    joblog.begin("dead", "issue", "report", MONDAY, 1, 2**22 - 3)
    assert [row.run_id for row in joblog.interrupt_stale()] == ["dead"]
    assert joblog.interrupt_stale() == []
    joblog.close()


def run(tmp_path: Path, code: str, **given):
    """Run Python in the place of a command: the package `suanjia` of this folder is run with -m."""
    package = tmp_path / "suanjia"
    package.mkdir()
    (package / "__main__.py").write_text(code)
    (package / "__init__.py").write_text("")
    lines: list[str] = []
    options = {"timeout": 60.0, "memory_mb": 4096.0, "stop": threading.Event(), "grace": 1.0, **given}
    before = Path.cwd()
    os.chdir(tmp_path)
    try:
        env = {"PATH": os.environ["PATH"]}
        return run_command([], env, say=lines.append, **options), lines
    finally:
        os.chdir(before)


HANG = """
import signal, subprocess, sys, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(300)"], start_new_session=True)
print(child.pid, file=sys.stderr, flush=True)
time.sleep(300)
"""


def test_a_hanging_command_and_its_escaped_child_are_ended(tmp_path: Path) -> None:
    ended, lines = run(tmp_path, HANG, timeout=2.0)
    assert ended.state == "timeout" and ended.code is None and ended.seconds < 20
    status = Path(f"/proc/{lines[0]}/status")
    for _ in range(50):
        if not status.exists() or "\nState:\tZ" in status.read_text():
            break
        time.sleep(0.1)
    assert not status.exists() or "\nState:\tZ" in status.read_text()


def test_a_greedy_command_is_ended(tmp_path: Path) -> None:
    code = "import time\nx = bytearray(300_000_000)\nx[::4096] = b'1' * len(x[::4096])\ntime.sleep(100)"
    ended, _ = run(tmp_path, code, memory_mb=100.0)
    assert ended.state == "memory" and ended.peak_mb > 100


def test_code_and_words_of_a_command(tmp_path: Path) -> None:
    ended, lines = run(tmp_path, "import sys; print('hello', file=sys.stderr); sys.exit(3)")
    assert (ended.state, ended.code, lines) == ("done", 3, ["hello"])
    assert os.getpid() not in {pid for pid, _ in descendants(os.getpid())}


def test_secrets_never_reach_a_line(tmp_path: Path) -> None:
    mine = settings(
        tmp_path,
        SUANJIA_SMTP_URL="smtps://bob:correct-horse@mail.example:465",
        SUANJIA_NOTIFY="dingtalk://tokentokentoken, feishu://abcdefghij",
        SUANJIA_AUTODL_TOKEN="eyJ.secret.value",
    )
    record = logging.makeLogRecord(
        {
            "msg": "to smtps://bob:correct-horse@mail.example:465 with %s\nSECOND \x1b[31m",
            "args": ("eyJ.secret.value correct-horse tokentokentoken http://u:pw@h/",),
            "job": "mail",
        }
    )
    for as_json in (True, False):
        line = Masked(secrets_of(mine), as_json).format(record)
        assert "\n" not in line and "\x1b" not in line
        for secret in ("correct-horse", "eyJ.secret", "tokentokentoken", "pw@"):
            assert secret not in line
    assert json.loads(Masked((), True).format(record))["job"] == "mail"


def site(tmp_path: Path) -> Path:
    root = tmp_path / "site"
    (root / "en").mkdir(parents=True)
    for name in ("index.html", "en/index.html", "en/a.css", ".hidden.html", "secret.toml"):
        (root / name).write_text(name)
    (tmp_path / "site2").mkdir()
    (tmp_path / "site2" / "x.html").write_text("other")
    (tmp_path / "ledger.html").write_text("outside")
    (root / "link.html").symlink_to(tmp_path / "ledger.html")
    return root


@pytest.mark.parametrize("target", [
    "/../ledger.html", "/%2e%2e/ledger.html", "/..%2fledger.html", "//../ledger.html",
    "/en/../../ledger.html",
    "/%252e%252e/ledger.html", "/.hidden.html", "/secret.toml", "/link.html", "/../site2/x.html",
    "ledger.html",
    "/\\..\\ledger.html", "/x%00.html", "/en/%2e%2e/%2e%2e/ledger.html", "/nothing.html", "/" + "a/" * 3000,
])  # fmt: skip
def test_nothing_but_the_site_is_served(tmp_path: Path, target: str) -> None:
    root = site(tmp_path)
    with suppress(ValueError, OSError):  # answered as "not found" too
        assert file_of(root, target) is None
    assert file_of(root, "/") == (root / "index.html").resolve()
    assert file_of(root, "/en/a.css?v=1") is not None


@given(st.text(max_size=60), st.booleans())
def test_a_target_never_leaves_the_site(tmp_path_factory, text: str, dots: bool) -> None:
    root = tmp_path_factory.getbasetemp() / "web" / "site"
    root.mkdir(parents=True, exist_ok=True)
    try:
        found = file_of(root, "/" + ("../" if dots else "") + text)
    except (ValueError, OSError):
        return
    assert found is None or found.is_relative_to(root.resolve())


def test_a_service_without_an_issue_says_so(tmp_path: Path) -> None:
    server = web.serve("127.0.0.1", 0, lambda: None, lambda: b"", lambda: tmp_path)  # type: ignore[arg-type,return-value]
    try:
        for page, words in (("/", "还没有出过周报"), ("/nothing", "没有这一页")):
            with pytest.raises(urllib.error.HTTPError) as refused:
                urllib.request.urlopen(f"http://127.0.0.1:{server.server_address[1]}{page}", timeout=10)
            assert refused.value.code == 404
            assert words in refused.value.read().decode()
            (tmp_path / "index.html").write_text("the issue")
    finally:
        server.shutdown()
        server.server_close()


def test_the_timetable_says_that_nobody_is_mailed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def told() -> str:
        return CliRunner().invoke(cli, ["--home", str(tmp_path / "home"), "serve", "--jobs"]).stderr

    assert "SUANJIA_SMTP_URL" in told()
    monkeypatch.setenv("SUANJIA_SMTP_URL", "smtp://127.0.0.1:8025")
    assert "SUANJIA_SMTP_URL" not in told()
