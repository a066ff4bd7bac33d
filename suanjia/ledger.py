"""The run ledger: what was asked when, how it ended, and how a source has been doing. SQLite, never inside
DuckDB.

Times are stored as ISO 8601 in UTC. Several processes may use it at once; every write is one transaction.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Any
from zoneinfo import ZoneInfo

from suanjia.failing import plain

_SHANGHAI = ZoneInfo("Asia/Shanghai")
BAD_RUNS = 3
"""After so many bad runs in a row a source counts as broken, not as unlucky."""

_SCHEMA = """
CREATE TABLE IF NOT EXISTS runs (
    run_id TEXT NOT NULL, provider TEXT NOT NULL, started_at TEXT NOT NULL, ended_at TEXT,
    state TEXT NOT NULL CHECK (state IN ('running', 'done', 'interrupted')),
    outcome TEXT, offers INTEGER, rejections INTEGER, listings INTEGER, requests INTEGER, seconds REAL,
    message TEXT, parser_version TEXT, pid INTEGER,
    PRIMARY KEY (run_id, provider)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS runs_by_provider ON runs (provider, started_at);
CREATE TABLE IF NOT EXISTS files (
    provider TEXT NOT NULL, url TEXT NOT NULL, version TEXT NOT NULL, evidence TEXT NOT NULL,
    seen_at TEXT NOT NULL, PRIMARY KEY (provider, url)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS robots (
    provider TEXT NOT NULL, origin TEXT NOT NULL, seen_at TEXT NOT NULL, verdict TEXT NOT NULL,
    status INTEGER, sha256 TEXT, crawl_delay REAL,
    PRIMARY KEY (provider, origin, seen_at)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS robots_changes (
    provider TEXT NOT NULL, origin TEXT NOT NULL, seen_at TEXT NOT NULL, old TEXT NOT NULL, new TEXT NOT NULL,
    settled_at TEXT, settled_by TEXT, reason TEXT, PRIMARY KEY (provider, origin, seen_at)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS verified (
    provider TEXT NOT NULL, route TEXT NOT NULL, seen_on TEXT NOT NULL, PRIMARY KEY (provider, route)
) WITHOUT ROWID;
"""
_VERSION = 1


@dataclass(frozen=True, slots=True)
class RunRow:
    """One run of one provider. `outcome` is None while it runs or when it was interrupted."""

    run_id: str
    provider: str
    started_at: datetime
    ended_at: datetime | None
    state: str
    outcome: str | None
    offers: int
    rejections: int
    requests: int
    seconds: float
    message: str


@dataclass(frozen=True, slots=True)
class Health:
    """How a source has been doing, newest run first.

    `state`: never (not asked yet), good, shaky (bad runs, fewer than BAD_RUNS), broken. `kind` is the
    outcome that most of the bad runs in a row share, the newest breaking ties; `since` the start of the
    first of them.
    """

    state: str
    bad_in_a_row: int = 0
    kind: str | None = None
    since: datetime | None = None
    last_ok: datetime | None = None
    last_outcome: str | None = None
    message: str = ""


class LedgerError(RuntimeError):
    """The ledger file cannot be used; the message says why."""


class Ledger:
    """`<home>/ledger.sqlite`, made on first use. A context manager."""

    def __init__(self, home: Path, *, look: bool = False) -> None:
        """With `look`, a home without a ledger gets none: an empty one in memory answers; and one on a disk
        that cannot be written is read as it lies there."""
        self.path = home / "ledger.sqlite"
        where: Path | str = self.path
        sealed = look and self.path.is_file() and not os.access(home, os.W_OK)
        if sealed:
            where = f"{self.path.absolute().as_uri()}?mode=ro"
            if not self.path.with_name(self.path.name + "-wal").exists():
                where += "&immutable=1"
        elif look and not self.path.is_file():
            where = ":memory:"
        else:
            home.mkdir(parents=True, exist_ok=True)
        self._db = sqlite3.connect(
            where, timeout=30, isolation_level=None, check_same_thread=False, uri=sealed
        )
        try:
            self._db.row_factory = sqlite3.Row
            if not sealed:
                self._db.execute("PRAGMA journal_mode = WAL")
            found = self._db.execute("PRAGMA user_version").fetchone()[0]
            if found > _VERSION:
                self._db.close()
                raise LedgerError(f"{self.path} was written by a newer version ({found} > {_VERSION})")
            if not sealed:
                self._db.executescript(_SCHEMA)
                self._db.execute(f"PRAGMA user_version = {_VERSION}")
        except sqlite3.DatabaseError as error:
            self._db.close()
            raise LedgerError(f"{self.path}: {plain(error) or error}") from None

    def __enter__(self) -> Ledger:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the file."""
        self._db.close()

    @contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """All or nothing."""
        with self._db as db:
            db.execute("BEGIN IMMEDIATE")
            yield db

    # runs

    def start(self, run_id: str, provider: str, at: datetime, pid: int | None = None) -> None:
        """A run begins. A row of the same name (a crawl repeated at a frozen clock) is begun anew."""
        with self.transaction() as db:
            db.execute(
                "INSERT OR REPLACE INTO runs (run_id, provider, started_at, state, pid)"
                " VALUES (?, ?, ?, 'running', ?)",
                (run_id, provider, as_text(at), pid),
            )

    def finish(self, run_id: str, provider: str, at: datetime, outcome: str, **values: Any) -> None:
        """A run has ended. `values` are columns of `runs`."""
        columns = {"ended_at": as_text(at), "state": "done", "outcome": outcome, **values}
        unknown = set(columns) - _RUN_COLUMNS
        if unknown:
            raise ValueError(f"no column of runs: {sorted(unknown)[0]}")
        sets = ", ".join(f"{name} = ?" for name in columns)
        with self.transaction() as db:
            db.execute(
                f"UPDATE runs SET {sets} WHERE run_id = ? AND provider = ?",
                (*columns.values(), run_id, provider),
            )

    def interrupt_stale(self) -> int:
        """Mark runs that are `running` though the process that began them is gone; returns how many."""
        with self.transaction() as db:
            rows = db.execute("SELECT run_id, provider, pid FROM runs WHERE state = 'running'").fetchall()
            dead = [(r["run_id"], r["provider"]) for r in rows if not _alive(r["pid"])]
            db.executemany("UPDATE runs SET state = 'interrupted' WHERE run_id = ? AND provider = ?", dead)
        return len(dead)

    def runs(self, provider: str, limit: int = 50) -> list[RunRow]:
        """The newest runs of a provider, newest first."""
        rows = self._db.execute(
            "SELECT * FROM runs WHERE provider = ? ORDER BY started_at DESC, run_id DESC LIMIT ?",
            (provider, limit),
        )
        return [_row(row) for row in rows]

    def last_ok(self, provider: str) -> datetime | None:
        """When the last good run of a provider began."""
        row = self._db.execute(
            "SELECT max(started_at) FROM runs WHERE provider = ? AND outcome = 'ok'", (provider,)
        ).fetchone()
        return datetime.fromisoformat(row[0]) if row[0] else None

    def health(self, provider: str) -> Health:
        """How the source has been doing. Interrupted runs say nothing about the source and do not count."""
        runs = [run for run in self.runs(provider) if run.state == "done"]
        if not runs:
            return Health("never")
        bad: list[RunRow] = []
        for run in runs:
            if run.outcome == "ok":
                break
            bad.append(run)
        last_ok = self.last_ok(provider)
        newest = runs[0]
        if not bad:
            return Health("good", last_ok=last_ok, last_outcome=newest.outcome)
        outcomes = [str(run.outcome) for run in bad]
        kind = max(outcomes, key=lambda word: (outcomes.count(word), -outcomes.index(word)))
        return Health(
            "broken" if len(bad) >= BAD_RUNS else "shaky",
            len(bad), kind, bad[-1].started_at, last_ok, newest.outcome, newest.message,
        )  # fmt: skip

    # files, and what a module of its own keeps here

    def rows(self, query: str, values: Iterable[Any] = ()) -> list[sqlite3.Row]:
        """The rows of a query."""
        return self._db.execute(query, tuple(values)).fetchall()

    def known_files(self, provider: str) -> dict[str, dict[str, str]]:
        """Bulk files read by the last good runs: address → version and evidence."""
        rows = self._db.execute("SELECT url, version, evidence FROM files WHERE provider = ?", (provider,))
        return {row["url"]: {"version": row["version"], "evidence": row["evidence"]} for row in rows}

    def all_evidence(self) -> set[str]:
        """Evidence of every bulk file that a later run may read again."""
        return {row["evidence"] for row in self._db.execute("SELECT evidence FROM files")}

    def remember_files(self, provider: str, files: Mapping[str, Mapping[str, str]], at: datetime) -> None:
        """Note the bulk files that a good run has read."""
        with self.transaction() as db:
            db.executemany(
                "INSERT OR REPLACE INTO files VALUES (?, ?, ?, ?, ?)",
                [(provider, url, f["version"], f["evidence"], as_text(at)) for url, f in files.items()],
            )

    def verify(self, provider: str, routes: Iterable[str], at: datetime) -> None:
        """Note that a person's probe has seen these routes live on this day (Shanghai)."""
        day = at.astimezone(_SHANGHAI).date().isoformat()
        with self.transaction() as db:
            db.executemany(
                "INSERT OR REPLACE INTO verified VALUES (?, ?, ?)",
                [(provider, route, day) for route in routes],
            )

    def verified(self, provider: str) -> dict[str, str]:
        """Routes that were seen live → `verified_live` and the day."""
        rows = self._db.execute("SELECT route, seen_on FROM verified WHERE provider = ?", (provider,))
        return {row["route"]: f"verified_live {row['seen_on']}" for row in rows}


_RUN_COLUMNS = frozenset(
    "ended_at state outcome offers rejections listings requests seconds message parser_version pid".split()
)


def _alive(pid: int | None) -> bool:
    return pid is not None and Path(f"/proc/{pid}").exists()


def as_text(at: datetime) -> str:
    """A time as it is stored."""
    return at.astimezone(UTC).isoformat(timespec="seconds")


def _row(row: sqlite3.Row) -> RunRow:
    return RunRow(
        row["run_id"],
        row["provider"],
        datetime.fromisoformat(row["started_at"]),
        datetime.fromisoformat(row["ended_at"]) if row["ended_at"] else None,
        row["state"],
        row["outcome"],
        row["offers"] or 0,
        row["rejections"] or 0,
        row["requests"] or 0,
        row["seconds"] or 0.0,
        row["message"] or "",
    )
