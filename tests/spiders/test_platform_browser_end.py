"""A browser crawl that is killed leaves no browser behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from spiders.config import CrawlConfig
from tests.spiders.conftest import ROOT
from tests.spiders.site import Answer, serving


def browsers_of(folder: Path) -> list[int]:
    """Processes that were started with this folder for their temporary files and are no zombies."""
    found = []
    for process in Path("/proc").iterdir():
        if not process.name.isdigit():
            continue
        try:
            told = (process / "environ").read_bytes() + (process / "cmdline").read_bytes()
            state = (process / "stat").read_text().rpartition(")")[2].split()[0]
        except (OSError, ProcessLookupError):
            continue
        if str(folder).encode() in told and b"chrom" in told.lower() and state != "Z":
            found.append(int(process.name))
    return found


def waited(condition: Callable[[], bool], seconds: float) -> bool:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(0.2)
    return condition()


@pytest.mark.browser
@pytest.mark.slow
def test_no_browser_outlives_a_killed_crawl(config: Callable[..., CrawlConfig], tmp_path: Path) -> None:
    own = tmp_path / "suanjia-own"
    own.mkdir()
    with serving({"/": Answer("<html></html>", hang=60), "/robots.txt": Answer("", 404)}) as site:
        told = config("gpufree", {"https://www.gpufree.cn": site.origin}, timeout=60.0)
        # The command is the parent that a user kills: its child must follow, and the browser with it.
        parent = subprocess.Popen(
            [sys.executable, "-c",
             "import subprocess, sys; subprocess.Popen([sys.executable, '-m', 'spiders.child'], "
             "stdin=sys.stdin, start_new_session=True).wait()"],
            stdin=subprocess.PIPE, text=True, cwd=ROOT, env={**os.environ, "TMPDIR": str(own)},
            stderr=subprocess.DEVNULL,
        )  # fmt: skip
        assert parent.stdin is not None
        parent.stdin.write(told.to_json())
        parent.stdin.close()
        try:
            assert waited(lambda: bool(browsers_of(own)), 60.0), "the browser never started"
        finally:
            parent.send_signal(signal.SIGKILL)
            parent.wait(10)
        assert waited(lambda: not browsers_of(own), 20.0), browsers_of(own)
