"""One crawl child: its own session and process group, its own temporary folder, a time limit that holds.

A child that hangs gets TERM, eight seconds, then KILL for the whole group, browser included. Nothing of it
stays.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from spiders.config import CrawlConfig
from spiders.outcome import Ending

GRACE_SECONDS = 8.0
_LOG_TAIL = 4000
# What a child sees of the environment besides the credentials of its own provider.
_PASSED_ON = frozenset(
    "PATH HOME USER LANG LC_ALL TZ VIRTUAL_ENV PLAYWRIGHT_BROWSERS_PATH LD_LIBRARY_PATH SSL_CERT_FILE "
    "SSL_CERT_DIR FONTCONFIG_PATH XDG_CACHE_HOME".split()
)


class Children:
    """The children that run now, so that a stopped parent leaves none behind."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._running: set[int] = set()
        self._stopped = False

    def add(self, pid: int) -> None:
        """A child has started; it is ended at once if everything is being stopped."""
        with self._lock:
            self._running.add(pid)
            stopped = self._stopped
        if stopped:
            signal_group(pid, signal.SIGKILL)

    def discard(self, pid: int) -> None:
        """A child has ended."""
        with self._lock:
            self._running.discard(pid)

    def stop(self) -> None:
        """End all of them, also those that start from now on: TERM, then KILL for who is left."""
        with self._lock:
            self._stopped = True
            running = list(self._running)
        for pid in running:
            signal_group(pid, signal.SIGTERM)
        if running:
            timer = threading.Timer(GRACE_SECONDS, self._kill)
            timer.daemon = True
            timer.start()

    @property
    def stopped(self) -> bool:
        """Is everything being ended?"""
        return self._stopped

    def _kill(self) -> None:
        with self._lock:
            running = list(self._running)
        for pid in running:
            signal_group(pid, signal.SIGKILL)


def run_child(
    config: CrawlConfig, environ: Mapping[str, str], children: Children, hard_limit: float
) -> Ending:
    """Run `python -m spiders.child` with `config` and wait for its end, `hard_limit` seconds at most.

    Its output goes to `log.txt` in the run directory.
    """
    config.run_dir.mkdir(parents=True, exist_ok=True)
    temporary = Path(tempfile.mkdtemp(prefix="suanjia-"))
    log = config.run_dir / "log.txt"
    timed_out = False
    try:
        with log.open("wb") as out:
            process = subprocess.Popen(
                [sys.executable, "-m", "spiders.child"],
                stdin=subprocess.PIPE,
                stdout=out,
                stderr=subprocess.STDOUT,
                env=child_environment(environ, config.provider, temporary),
                start_new_session=True,
            )
            children.add(process.pid)
            try:
                process.communicate(config.to_json().encode(), timeout=hard_limit)
            except subprocess.TimeoutExpired:
                timed_out = True
                _end(process)
            except BrokenPipeError:
                process.wait()
            finally:
                # Whatever the child started must not outlive it.
                signal_group(process.pid, signal.SIGKILL)
                process.wait()
                children.discard(process.pid)
    finally:
        shutil.rmtree(temporary, ignore_errors=True)
    code = process.returncode
    return Ending(
        _stats(config.run_dir / "stats.json"),
        timed_out,
        -code if code < 0 and not timed_out else None,
        code,
        log.read_text(encoding="utf-8", errors="replace")[-_LOG_TAIL:],
    )


def child_environment(environ: Mapping[str, str], provider: str, temporary: Path) -> dict[str, str]:
    """The environment of a child: no secrets but those of its own provider."""
    own = f"SUANJIA_{provider.upper()}_"
    passed = {k: v for k, v in environ.items() if k in _PASSED_ON or k.startswith(own)}
    # Found from a source tree as well as from an installation.
    here = str(Path(__file__).parents[1])
    return passed | {"PYTHONPATH": here, "TMPDIR": str(temporary), "PYTHONUNBUFFERED": "1"}


def _end(process: subprocess.Popen[bytes]) -> None:
    signal_group(process.pid, signal.SIGTERM)
    try:
        process.wait(GRACE_SECONDS)
    except subprocess.TimeoutExpired:
        signal_group(process.pid, signal.SIGKILL)
        process.wait()


def signal_group(pid: int, number: signal.Signals) -> None:
    """Signal the group of a child; it may be gone already."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, number)


def _stats(path: Path) -> dict[str, Any] | None:
    try:
        found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return found
