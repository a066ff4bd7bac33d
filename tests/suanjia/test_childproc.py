"""A crawl child that hangs, is killed, or loses its parent: nothing of it stays, and the outcome says so."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from spiders.config import CrawlConfig
from spiders.outcome import judge
from suanjia.childproc import Children, child_environment, run_child
from tests.spiders.conftest import ROOT, config  # noqa: F401 - a fixture
from tests.spiders.site import Answer, Site, serving

MakeConfig = Callable[..., CrawlConfig]
API = "/api/machine_pools"


@pytest.fixture
def silent() -> Iterator[Site]:
    """A site that accepts the request and keeps silent."""
    with serving({API: Answer("{}", hang=60)}) as site:
        yield site


@pytest.fixture(autouse=True)
def own_tmp(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A temporary folder of this test's own: other crawls of this machine use the common one."""
    folder = tmp_path / "tmp"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    monkeypatch.setenv("TMPDIR", str(folder))
    return folder


def leftovers(folder: Path) -> list[str]:
    return [path.name for path in folder.glob("suanjia-*")]


def test_a_hang_is_ended_within_its_time(config: MakeConfig, silent: Site, own_tmp: Path) -> None:  # noqa: F811
    told = config("matpool", {"https://matgo.cn": silent.origin}, timeout=100.0)
    started = time.monotonic()
    ending = run_child(told, os.environ, Children(), hard_limit=4.0)
    assert ending.timed_out
    assert judge(ending).outcome == "failed"
    assert time.monotonic() - started < 4 + 8 + 5
    assert leftovers(own_tmp) == []


@pytest.mark.slow
def test_a_crawl_ends_itself_at_its_time_limit(config: MakeConfig, silent: Site) -> None:  # noqa: F811
    told = config("matpool", {"https://matgo.cn": silent.origin}, timeout=6.0, time_limit=1.0)
    ending = run_child(told, os.environ, Children(), hard_limit=60.0)
    assert not ending.timed_out
    assert judge(ending).outcome == "failed"


def when_asked(site: Site, act: Callable[[], None]) -> threading.Thread:
    """Act once the crawl is waiting for its answer."""

    def wait() -> None:
        end = time.monotonic() + 30
        while not site.paths() and time.monotonic() < end:
            time.sleep(0.05)
        act()

    thread = threading.Thread(target=wait)
    thread.start()
    return thread


def test_a_killed_child_is_failed(config: MakeConfig, silent: Site) -> None:  # noqa: F811
    told = config("matpool", {"https://matgo.cn": silent.origin}, timeout=100.0)
    children = Children()
    thread = when_asked(silent, lambda: [os.kill(pid, signal.SIGKILL) for pid in children._running])
    ending = run_child(told, os.environ, children, hard_limit=60.0)
    thread.join()
    assert ending.signal == signal.SIGKILL
    assert judge(ending).message == "killed by signal 9"


def test_stopping_ends_a_child_that_listens_to_term(config: MakeConfig, silent: Site) -> None:  # noqa: F811
    told = config("matpool", {"https://matgo.cn": silent.origin}, timeout=3.0)
    children = Children()
    thread = when_asked(silent, children.stop)
    ending = run_child(told, os.environ, children, hard_limit=60.0)
    thread.join()
    assert judge(ending).outcome == "failed"
    assert not ending.timed_out


PARENT = """
import sys
from spiders.config import CrawlConfig
from suanjia.childproc import Children, run_child
run_child(CrawlConfig.from_json(sys.stdin.read()), {"PATH": "/usr/bin"}, Children(), 100.0)
"""


def test_a_child_does_not_outlive_its_parent(config: MakeConfig, silent: Site, own_tmp: Path) -> None:  # noqa: F811
    told = config("matpool", {"https://matgo.cn": silent.origin}, timeout=100.0)
    parent = subprocess.Popen([sys.executable, "-c", PARENT], stdin=subprocess.PIPE, cwd=ROOT)
    assert parent.stdin is not None
    parent.stdin.write(told.to_json().encode())
    parent.stdin.close()
    pids: list[int] = []

    def kill() -> None:
        ask = ["ps", "-o", "pid=", "--ppid", str(parent.pid)]
        shown = subprocess.run(ask, capture_output=True, check=False)
        pids.extend(int(word) for word in shown.stdout.split())
        parent.kill()

    when_asked(silent, kill).join()
    parent.wait()
    end = time.monotonic() + 10
    while any(Path(f"/proc/{pid}").exists() for pid in pids) and time.monotonic() < end:
        time.sleep(0.1)
    assert pids
    assert not [pid for pid in pids if Path(f"/proc/{pid}").exists()]
    assert leftovers(own_tmp) == []


def test_a_child_sees_no_secrets_of_others() -> None:
    given = {
        "PATH": "/usr/bin", "SUANJIA_AUTODL_TOKEN": "own", "SUANJIA_GONGJI_TOKEN": "other",
        "SUANJIA_SMTP_URL": "smtp://user:pass@host", "AWS_SECRET_ACCESS_KEY": "x", "HTTP_PROXY": "http://p",
    }  # fmt: skip
    seen = child_environment(given, "autodl", Path("/tmp/x"))
    assert seen["SUANJIA_AUTODL_TOKEN"] == "own"
    assert not {"SUANJIA_GONGJI_TOKEN", "SUANJIA_SMTP_URL", "AWS_SECRET_ACCESS_KEY", "HTTP_PROXY"} & set(seen)
    assert seen["TMPDIR"] == "/tmp/x"
