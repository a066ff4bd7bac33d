"""The outbox: who was sent what, in SQLite beside the run ledger. Claim, send, mark.

A row is claimed before anything is sent and marked after; a process that dies in between leaves it `claimed`,
and the next one makes of it what it can be sure of: nothing was said to the server yet → `retry`; the message
was on its way → `unknown`, which a person has to settle. Addresses are not kept, only their hashes.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import TracebackType
from typing import NamedTuple

WEEKLY, OPERATOR, NOTIFY, ALERT = "weekly", "operator", "notify", "alert"
RETRY_AFTER = timedelta(minutes=15)
GIVE_UP_AFTER = timedelta(hours=24)
STATES = ("claimed", "sent", "retry", "failed", "unknown")
# States after which nobody gets this week's issue again.
SETTLED = ("sent", "failed", "unknown")

_SCHEMA = """
CREATE TABLE IF NOT EXISTS mail_outbox (
    list TEXT NOT NULL, week TEXT NOT NULL, vintage INTEGER NOT NULL, recipient_hash TEXT NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('claimed', 'sent', 'retry', 'failed', 'unknown')),
    in_data INTEGER NOT NULL DEFAULT 0, attempts INTEGER NOT NULL, message_id TEXT NOT NULL,
    first_at TEXT NOT NULL, last_at TEXT NOT NULL, sent_at TEXT, code INTEGER, message TEXT,
    PRIMARY KEY (list, week, vintage, recipient_hash)
) WITHOUT ROWID;
"""


class Key(NamedTuple):
    """Which row: list, week, vintage, hash of the recipient."""

    list: str
    week: str
    vintage: int
    recipient_hash: str


@dataclass(frozen=True, slots=True)
class Entry:
    """One row: the state of one issue for one recipient."""

    list: str
    week: str
    vintage: int
    recipient_hash: str
    state: str
    in_data: bool
    attempts: int
    message_id: str
    first_at: datetime
    last_at: datetime
    sent_at: datetime | None
    code: int | None
    message: str | None

    @property
    def key(self) -> Key:
        return Key(self.list, self.week, self.vintage, self.recipient_hash)


class Outbox:
    """`<home>/ledger.sqlite`, table mail_outbox. A context manager; the caller holds the mail lock."""

    def __init__(self, home: Path) -> None:
        home.mkdir(parents=True, exist_ok=True)
        self._db = sqlite3.connect(home / "ledger.sqlite", timeout=30, isolation_level=None)
        self._db.row_factory = sqlite3.Row
        self._db.execute("PRAGMA journal_mode = WAL")
        # A mark that the disk has not seen is no mark: the machine may stop right after the server said 250.
        self._db.execute("PRAGMA synchronous = FULL")
        self._db.executescript(_SCHEMA)

    def __enter__(self) -> Outbox:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._db.close()

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        with self._db as db:
            db.execute("BEGIN IMMEDIATE")
            yield db

    def recover(self) -> int:
        """What dead mailers left claimed becomes `retry` or `unknown`; returns how many are unknown now.

        The caller holds the mail lock, so no claim belongs to a living process.
        """
        with self._transaction() as db:
            db.execute("UPDATE mail_outbox SET state = 'retry' WHERE state = 'claimed' AND NOT in_data")
            done = db.execute(
                "UPDATE mail_outbox SET state = 'unknown', message = 'the mailer died after DATA'"
                " WHERE state = 'claimed'"
            )
        return done.rowcount

    def claim(self, key: Key, message_id: str, now: datetime) -> str:
        """Take the row for an attempt: `claimed`, or the state in which it stays (`retry` = too early).

        A row that has been tried for a day becomes `failed`.
        """
        with self._transaction() as db:
            row = db.execute(f"SELECT * FROM mail_outbox WHERE {_KEY}", key).fetchone()
            if row is not None and row["state"] != "retry":
                return str(row["state"])
            if row is not None and now - _time(row["first_at"]) > GIVE_UP_AFTER:
                db.execute(
                    "UPDATE mail_outbox SET state = 'failed',"
                    f" message = 'given up after a day: ' || coalesce(message, '') WHERE {_KEY}",
                    key,
                )
                return "failed"
            if row is not None and now - _time(row["last_at"]) < RETRY_AFTER:
                return "retry"
            db.execute(
                "INSERT INTO mail_outbox (list, week, vintage, recipient_hash, state, attempts, message_id,"
                " first_at, last_at) VALUES (?, ?, ?, ?, 'claimed', 1, ?, ?, ?)"
                " ON CONFLICT DO UPDATE SET state = 'claimed', in_data = 0, attempts = attempts + 1,"
                " message_id = excluded.message_id, last_at = excluded.last_at",
                (*key, message_id, _text(now), _text(now)),
            )
        return "claimed"

    def entering_data(self, key: Key) -> None:
        """The server said 354: from here on a broken line leaves it open whether the mail was taken."""
        with self._transaction() as db:
            db.execute(f"UPDATE mail_outbox SET in_data = 1 WHERE {_KEY}", key)

    def mark(
        self, key: Key, state: str, now: datetime, code: int | None = None, message: str | None = None
    ) -> bool:
        """How the attempt ended, or what a person found out. False where there is no such row."""
        with self._transaction() as db:
            done = db.execute(
                "UPDATE mail_outbox SET state = ?, code = ?, message = ?, last_at = ?,"
                f" sent_at = CASE WHEN ? = 'sent' THEN ? ELSE sent_at END WHERE {_KEY}",
                (state, code, message, _text(now), state, _text(now), *key),
            )
        return done.rowcount == 1

    def settled(self, name: str, week: str, recipient: str) -> Entry | None:
        """A vintage of the week that the recipient has, refused, or may have; the newest."""
        marks = ", ".join("?" * len(SETTLED))
        row = self._db.execute(
            f"SELECT * FROM mail_outbox WHERE list = ? AND week = ? AND recipient_hash = ?"
            f" AND state IN ({marks}) ORDER BY vintage DESC LIMIT 1",
            (name, week, recipient, *SETTLED),
        ).fetchone()
        return _entry(row) if row else None

    def entries(self, week: str | None = None) -> list[Entry]:
        """All rows, oldest week first."""
        rows = self._db.execute(
            "SELECT * FROM mail_outbox WHERE ? IS NULL OR week = ?"
            " ORDER BY week, list, vintage, recipient_hash",
            (week, week),
        )
        return [_entry(row) for row in rows]


_KEY = "list = ? AND week = ? AND vintage = ? AND recipient_hash = ?"


def _entry(row: sqlite3.Row) -> Entry:
    values = dict(row)
    for name in ("first_at", "last_at", "sent_at"):
        values[name] = _time(values[name]) if values[name] else None
    values["in_data"] = bool(values["in_data"])
    return Entry(**values)


def _text(at: datetime) -> str:
    return at.astimezone(UTC).isoformat(timespec="seconds")


def _time(text: str) -> datetime:
    return datetime.fromisoformat(text)
