"""One command as a subprocess in a group of its own, with a time and a memory limit that hold.

TERM first, so that a crawl ends its own children and keeps nothing half-done; after a grace KILL for
everything that descends from it, in whichever process group.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

GRACE = 20.0
_PREFIX = "suanjia-job-"
_LOOK_EVERY = 0.5
_PAGE = os.sysconf("SC_PAGE_SIZE")


@dataclass(frozen=True, slots=True)
class Ended:
    """`state`: done, timeout, memory or stopped. `code` is None unless done."""

    state: str
    code: int | None
    seconds: float
    peak_mb: float


def run_command(
    arguments: Sequence[str],
    environ: Mapping[str, str],
    *,
    timeout: float,
    memory_mb: float,
    stop: threading.Event,
    say: Callable[[str], None],
    began: Callable[[int], None] = lambda _: None,
    grace: float = GRACE,
) -> Ended:
    """Run `python -m suanjia ARGUMENTS` to its end, or end it. `say` gets every line of its stderr, `began`
    its pid. Nothing of it stays: no process, no temporary file."""
    clock, peak = time.monotonic(), 0.0
    temporary = tempfile.mkdtemp(prefix=f"{_PREFIX}{os.getpid()}-")
    try:
        process = subprocess.Popen(
            [sys.executable, "-m", "suanjia", *arguments],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            env=_environment(environ, temporary),
            start_new_session=True,
        )
        listener = threading.Thread(target=_listen, args=(process, say), daemon=True)
        listener.start()
        began(process.pid)
        state = "done"
        while process.poll() is None:
            if (state := _look(clock, timeout, memory_mb, stop, peak)) != "done":
                _end(process, grace)
                break
            peak = max(peak, resident_mb(process.pid))
            with suppress(subprocess.TimeoutExpired):
                process.wait(_LOOK_EVERY)
        # What it left in its group must not outlive it.
        _signal(process.pid, signal.SIGKILL, group=True)
        process.wait()
        listener.join(5)
        code = process.returncode if state == "done" else None
        return Ended(state, code, time.monotonic() - clock, peak)
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def sweep() -> int:
    """Remove temporary folders of this user's services that died without doing so; returns how many."""
    gone = 0
    for folder in Path(tempfile.gettempdir()).glob(_PREFIX + "*"):
        pid = folder.name.removeprefix(_PREFIX).partition("-")[0]
        with suppress(OSError):
            if pid.isdecimal() and not _stat(int(pid)) and folder.lstat().st_uid == os.getuid():
                shutil.rmtree(folder, ignore_errors=True)
                gone += 1
    return gone


def _look(clock: float, timeout: float, memory_mb: float, stop: threading.Event, peak: float) -> str:
    if stop.is_set():
        return "stopped"
    if time.monotonic() - clock > timeout:
        return "timeout"
    return "memory" if memory_mb and peak > memory_mb else "done"


def _listen(process: subprocess.Popen[bytes], say: Callable[[str], None]) -> None:
    assert process.stderr is not None
    with process.stderr:
        for line in process.stderr:
            if text := line.decode("utf-8", errors="replace").rstrip():
                say(text[:2000])


def _environment(environ: Mapping[str, str], temporary: str) -> dict[str, str]:
    here = str(Path(__file__).parents[2])
    path = os.pathsep.join(filter(None, (here, environ.get("PYTHONPATH", ""))))
    return {**environ, "PYTHONPATH": path, "TMPDIR": temporary, "PYTHONUNBUFFERED": "1"}


def _end(process: subprocess.Popen[bytes], grace: float) -> None:
    family = descendants(process.pid)
    _signal(process.pid, signal.SIGTERM, group=True)
    give_up = time.monotonic() + grace
    while process.poll() is None and time.monotonic() < give_up:
        family |= descendants(process.pid)
        with suppress(subprocess.TimeoutExpired):
            process.wait(_LOOK_EVERY)
    family |= descendants(process.pid)
    _signal(process.pid, signal.SIGKILL, group=True)
    for pid, birth in family:
        if _birth(pid) == birth:  # not one that was given the number since
            _signal(pid, signal.SIGKILL)


def descendants(root: int) -> set[tuple[int, str]]:
    """(pid, birth) of all processes that descend from `root`, itself apart."""
    parents: dict[int, list[tuple[int, str]]] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and (fields := _stat(int(entry.name))):
            parents.setdefault(int(fields[1]), []).append((int(entry.name), fields[19]))
    found: set[tuple[int, str]] = set()
    todo = [root]
    while todo:
        children = [child for child in parents.get(todo.pop(), []) if child not in found]
        found.update(children)
        todo.extend(pid for pid, _ in children)
    return found


def resident_mb(root: int) -> float:
    """Resident memory of a process and all that descend from it, in MiB; shared pages count each time."""
    pages = 0
    for pid in {root, *(pid for pid, _ in descendants(root))}:
        with suppress(OSError, ValueError, IndexError):
            pages += int(Path(f"/proc/{pid}/statm").read_text(encoding="ascii").split()[1])
    return pages * _PAGE / 2**20


def _stat(pid: int) -> list[str]:
    """The fields of /proc/PID/stat after the name; [] when the process is gone."""
    try:
        return Path(f"/proc/{pid}/stat").read_text("utf-8", errors="replace").rpartition(")")[2].split()
    except OSError:
        return []


def _birth(pid: int) -> str:
    fields = _stat(pid)
    return fields[19] if fields else ""


def _signal(pid: int, number: signal.Signals, group: bool = False) -> None:
    with suppress(ProcessLookupError, PermissionError):
        (os.killpg if group else os.kill)(pid, number)
