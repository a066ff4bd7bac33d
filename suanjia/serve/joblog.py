"""What `serve` has run: a table of its own in the run ledger's file, and when this home was first served.

Times are ISO 8601 in UTC. A row left `running` by a process that is gone becomes `interrupted`.
"""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from suanjia.ledger import Ledger, as_text

_SCHEMA = """
CREATE TABLE IF NOT EXISTS jobs (
    run_id TEXT NOT NULL, job TEXT NOT NULL, step TEXT NOT NULL, started_at TEXT NOT NULL, ended_at TEXT,
    state TEXT NOT NULL CHECK (state IN ('running', 'done', 'timeout', 'memory', 'stopped', 'interrupted')),
    code INTEGER, pid INTEGER, parent INTEGER NOT NULL, born INTEGER NOT NULL,
    PRIMARY KEY (run_id, step)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS jobs_by_step ON jobs (step, started_at);
CREATE TABLE IF NOT EXISTS marks (name TEXT PRIMARY KEY, at TEXT NOT NULL) WITHOUT ROWID;
"""
_KEEP_ROWS = 20_000


@dataclass(frozen=True, slots=True)
class JobRow:
    """One step of one run of a job. `code` is None while it runs, and when it did not end by itself."""

    run_id: str
    job: str
    step: str
    started_at: datetime
    ended_at: datetime | None
    state: str
    code: int | None


class JobLog:
    """The tables `jobs` and `marks` of `<home>/ledger.sqlite`. Safe for the threads of one process."""

    def __init__(self, home: Path) -> None:
        with Ledger(home) as ledger:  # makes the file and says whether it may be used
            path = ledger.path
        self._lock = threading.RLock()
        self._db = sqlite3.connect(path, timeout=30, isolation_level=None, check_same_thread=False)
        self._db.row_factory = sqlite3.Row
        self._db.executescript(_SCHEMA)

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._db.close()

    @contextmanager
    def _write(self) -> Iterator[sqlite3.Connection]:
        with self._lock, self._db as db:
            db.execute("BEGIN IMMEDIATE")
            yield db

    def begin(self, run_id: str, job: str, step: str, at: datetime, pid: int, parent: int) -> None:
        """A step has started as process `pid` of the service `parent`."""
        row = (run_id, job, step, as_text(at), pid, parent, born(parent))
        with self._write() as db:
            db.execute(
                "INSERT OR REPLACE INTO jobs (run_id, job, step, started_at, state, pid, parent, born)"
                " VALUES (?, ?, ?, ?, 'running', ?, ?, ?)",
                row,
            )

    def end(self, run_id: str, step: str, at: datetime, state: str, code: int | None) -> None:
        """A step has ended."""
        with self._write() as db:
            db.execute(
                "UPDATE jobs SET ended_at = ?, state = ?, code = ? WHERE run_id = ? AND step = ?",
                (as_text(at), state, code, run_id, step),
            )

    def interrupt_stale(self) -> list[JobRow]:
        """Mark what a service that is gone left running; returns it. A pid that was given to another process
        since is told by the time that process was born."""
        with self._write() as db:
            rows = db.execute("SELECT * FROM jobs WHERE state = 'running'").fetchall()
            dead = [row for row in rows if (born(row["parent"]) or -1) != row["born"]]
            db.executemany(
                "UPDATE jobs SET state = 'interrupted' WHERE run_id = ? AND step = ?",
                [(row["run_id"], row["step"]) for row in dead],
            )
        return [_row(row) for row in dead]

    def last(self, step: str, codes: tuple[int, ...]) -> datetime | None:
        """When the newest run of a step that ended with one of the codes ended."""
        marks = ",".join("?" * len(codes))
        with self._lock:
            found = self._db.execute(
                f"SELECT max(ended_at) FROM jobs WHERE step = ? AND state = 'done' AND code IN ({marks})",
                (step, *codes),
            ).fetchone()[0]
        return datetime.fromisoformat(found) if found else None

    def newest(self) -> list[JobRow]:
        """The newest step of every job, by id."""
        with self._lock:
            rows = self._db.execute(
                "SELECT * FROM (SELECT *, row_number() OVER (PARTITION BY job ORDER BY started_at DESC,"
                " run_id DESC, ended_at IS NULL DESC, ended_at DESC) AS place FROM jobs)"
                " WHERE place = 1 ORDER BY job"
            ).fetchall()
        return [_row(row) for row in rows]

    def counts(self) -> dict[tuple[str, str], int]:
        """(job, state) → steps."""
        with self._lock:
            rows = self._db.execute("SELECT job, state, count(*) FROM jobs GROUP BY 1, 2 ORDER BY 1, 2")
            return {(row[0], row[1]): row[2] for row in rows}

    def mark(self, name: str, at: datetime) -> None:
        """Note that something was done now."""
        with self._write() as db:
            db.execute("INSERT OR REPLACE INTO marks VALUES (?, ?)", (name, as_text(at)))

    def marked(self, name: str) -> datetime | None:
        """When it was noted last."""
        with self._lock:
            found = self._db.execute("SELECT at FROM marks WHERE name = ?", (name,)).fetchone()
        return datetime.fromisoformat(found[0]) if found else None

    def first_served(self, now: datetime) -> datetime:
        """When this home was first served; now, on the first call."""
        found = self.marked("first_served")
        if found is None:
            self.mark("first_served", now)
        return found or now

    def prune(self) -> int:
        """Keep the newest rows only; returns how many went."""
        with self._write() as db:
            return db.execute(
                "DELETE FROM jobs WHERE state != 'running' AND started_at < (SELECT started_at FROM jobs"
                " ORDER BY started_at DESC LIMIT 1 OFFSET ?)",
                (_KEEP_ROWS,),
            ).rowcount


def born(pid: int) -> int:
    """When a process started, in clock ticks since the machine did; 0 when there is none."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return 0
    return int(stat.rpartition(")")[2].split()[19])


def _row(row: sqlite3.Row) -> JobRow:
    return JobRow(
        row["run_id"],
        row["job"],
        row["step"],
        datetime.fromisoformat(row["started_at"]),
        datetime.fromisoformat(row["ended_at"]) if row["ended_at"] else None,
        row["state"],
        row["code"],
    )
