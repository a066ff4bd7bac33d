"""What each rule has told, in SQLite beside the run ledger.

A rule is armed, or has fired and waits to be armed again. `sending` stands only while a message is on its
way: a process that dies then leaves it, and it counts as told, since one message too few can be looked up and
one too many cannot be taken back.
"""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType

ARMED, SENDING, FIRED = "armed", "sending", "fired"

_SCHEMA = """
CREATE TABLE IF NOT EXISTS alert_state (
    rule TEXT NOT NULL, subject TEXT NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('armed', 'sending', 'fired')),
    told_at TEXT, value TEXT, seen_at TEXT NOT NULL,
    PRIMARY KEY (rule, subject)
) WITHOUT ROWID;
"""


@dataclass(frozen=True, slots=True)
class State:
    """The state of one rule for one subject. `told_at`: when it was last told."""

    state: str = ARMED
    told_at: datetime | None = None
    known: bool = False


class States:
    """`<home>/ledger.sqlite`, table alert_state. A context manager."""

    def __init__(self, home: Path) -> None:
        home.mkdir(parents=True, exist_ok=True)
        self._db = sqlite3.connect(home / "ledger.sqlite", timeout=30, isolation_level=None)
        self._db.execute("PRAGMA journal_mode = WAL")
        self._db.execute("PRAGMA synchronous = FULL")
        self._db.executescript(_SCHEMA)

    def __enter__(self) -> States:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._db.close()

    def get(self, rule: str, subject: str) -> State:
        """What is known; an unknown rule is armed."""
        row = self._db.execute(
            "SELECT state, told_at FROM alert_state WHERE rule = ? AND subject = ?", (rule, subject)
        ).fetchone()
        if row is None:
            return State()
        told = datetime.fromisoformat(row[1]) if row[1] else None
        return State(FIRED if row[0] == SENDING else row[0], told, known=True)

    def put(self, rule: str, subject: str, state: str, value: str, now: datetime, told: bool = False) -> None:
        """Note the state, and that it was told just now."""
        at = now.astimezone(UTC).isoformat(timespec="seconds")
        self._db.execute(
            "INSERT INTO alert_state VALUES (?, ?, ?, ?, ?, ?)"
            " ON CONFLICT DO UPDATE SET state = excluded.state, value = excluded.value,"
            " told_at = coalesce(excluded.told_at, told_at), seen_at = excluded.seen_at",
            (rule, subject, state, at if told else None, value, at),
        )

    def forget_telling(self, rule: str, subject: str, told_before: datetime | None, now: datetime) -> None:
        """No channel took it: armed as before, so that the next look tries again."""
        told = told_before.astimezone(UTC).isoformat(timespec="seconds") if told_before else None
        self._db.execute(
            "UPDATE alert_state SET state = ?, told_at = ?, seen_at = ? WHERE rule = ? AND subject = ?",
            (ARMED, told, now.astimezone(UTC).isoformat(timespec="seconds"), rule, subject),
        )
