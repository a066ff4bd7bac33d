"""What stops a command that is no mistake of the program is said in one plain sentence."""

from __future__ import annotations

import errno
import resource
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from suanjia.failing import plain
from suanjia.ledger import Ledger, LedgerError


@pytest.mark.parametrize(
    ("number", "words"), [(errno.ENOSPC, "磁盘已满"), (errno.EDQUOT, "配额"), (errno.EROFS, "read-only")]
)
def test_an_error_of_the_machine_is_told_also_beneath_another(number: int, words: str) -> None:
    try:
        try:
            raise OSError(number, "x", "/data/file")
        except OSError as error:
            raise RuntimeError("the step failed") from error
    except RuntimeError as error:
        assert words in str(plain(error)) and str(plain(error)).startswith("/data/file: ")


def test_other_errors_are_not_explained_away() -> None:
    assert plain(ValueError("x")) is None
    assert plain(OSError(errno.ENOENT, "x")) is None
    with pytest.raises(sqlite3.Error) as found:
        sqlite3.connect(":memory:").execute("SELECT nothing FROM nowhere")
    assert plain(found.value) is None


def test_a_ledger_that_cannot_grow_says_why(tmp_path: Path) -> None:
    """Files may not grow beyond a kilobyte in the child: what SQLite sees is a disk without room."""

    def narrow() -> None:
        import signal

        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (1024, 1024))

    # -B: a kilobyte of bytecode would be left for every later run of the command.
    command = [sys.executable, "-B", "-m", "suanjia", "--home", str(tmp_path), "crawl", "matpool"]
    done = subprocess.run(command, capture_output=True, text=True, preexec_fn=narrow, check=False)
    assert done.returncode in (1, 2), done.stderr
    assert "internal error" not in done.stderr
    assert "磁盘已满" in done.stderr


def test_a_ledger_that_is_none_is_no_full_disk(tmp_path: Path) -> None:
    (tmp_path / "ledger.sqlite").write_bytes(b"no database at all, but long enough to be read as one" * 40)
    with pytest.raises(LedgerError, match="not a database"):
        Ledger(tmp_path)
