"""One loader, one builder: an flock on a file that names its holder.

The kernel drops the lock when the holder dies, however it dies, so there is nothing stale to clean up.
"""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from warehouse.errors import Refused

WAIT_SECONDS = 30.0
_POLL_SECONDS = 0.05


@contextmanager
def held(path: Path, what: str, wait: float = WAIT_SECONDS) -> Iterator[None]:
    """Hold the lock for the block. Waits up to `wait` seconds, then `Refused` names the holder's process."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    try:
        _acquire(handle, what, wait)
        os.ftruncate(handle, 0)
        os.pwrite(handle, f"{os.getpid()}\n".encode(), 0)
        yield
    finally:
        os.close(handle)


def _acquire(handle: int, what: str, wait: float) -> None:
    give_up = time.monotonic() + wait
    while True:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() >= give_up:
                raise Refused(f"{what} is already running as process {_holder(handle)}; try again") from None
            time.sleep(_POLL_SECONDS)
        else:
            return


def _holder(handle: int) -> str:
    return os.pread(handle, 32, 0).decode("ascii", "replace").strip() or "(starting)"
