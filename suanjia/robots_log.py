"""What robots.txt said, per provider and origin, in the run ledger; every change waits for a person's word.

Only answers are compared: rules by their hash, and that there are none. A robots.txt that could not be read
is noted, and is no change.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any
from urllib.parse import urlsplit

from suanjia.ledger import Ledger, as_text

PREFIX = "robots:"
NO_RULES = "none"
HELD = "robots_changed"


class ReviewError(ValueError):
    """A decision that cannot be written down; the message says why."""


def note(
    ledger: Ledger, provider: str, records: Iterable[Mapping[str, Any]], at: datetime
) -> list[tuple[str, str, str]]:
    """Keep what robots.txt said; returns (origin, old, new) for every one whose answer has changed, by its
    hash or `none`."""
    changed = []
    with ledger.transaction() as db:
        for record in records:
            origin, verdict = str(record["origin"]), str(record["verdict"])
            new = _answer(verdict, record.get("sha256"))
            last = db.execute(
                "SELECT verdict, sha256 FROM robots WHERE provider = ? AND origin = ?"
                " ORDER BY seen_at DESC LIMIT 1", (provider, origin),
            ).fetchone()  # fmt: skip
            before = db.execute(
                "SELECT verdict, sha256 FROM robots WHERE provider = ? AND origin = ?"
                " AND verdict IN ('rules', 'none') ORDER BY seen_at DESC LIMIT 1", (provider, origin),
            ).fetchone()  # fmt: skip
            old = _answer(before["verdict"], before["sha256"]) if before else None
            if last is None or last["verdict"] != verdict or (new is not None and new != old):
                db.execute(
                    "INSERT OR REPLACE INTO robots VALUES (?, ?, ?, ?, ?, ?, ?)",
                    (provider, origin, as_text(at), verdict, record.get("status"), record.get("sha256"),
                     record.get("crawl_delay")),
                )  # fmt: skip
            if old is not None and new is not None and old != new:
                db.execute(
                    "INSERT OR REPLACE INTO robots_changes (provider, origin, seen_at, old, new)"
                    " VALUES (?, ?, ?, ?, ?)", (provider, origin, as_text(at), old, new),
                )  # fmt: skip
                changed.append((origin, old, new))
    return changed


def _answer(verdict: str, sha256: str | None) -> str | None:
    return sha256 if verdict == "rules" else NO_RULES if verdict == "none" else None


def known(ledger: Ledger, provider: str) -> dict[str, str]:
    """Hash of each origin's rules as they were read last; an origin that had none is left out."""
    rows = ledger.rows(
        "SELECT origin, verdict, sha256 FROM robots WHERE provider = ? AND verdict IN ('rules', 'none')"
        " ORDER BY seen_at", (provider,),
    )  # fmt: skip
    last = {row["origin"]: _answer(row["verdict"], row["sha256"]) for row in rows}
    return {origin: answer for origin, answer in last.items() if answer and answer != NO_RULES}


def seen(ledger: Ledger, provider: str) -> list[dict[str, Any]]:
    """The newest record of each origin: `origin`, `verdict` (rules, none, unreadable), `status`, `sha256`,
    `crawl_delay`, `seen_at`, and `review`, the id of a change that nobody has looked at."""
    rows = ledger.rows(
        "SELECT origin, seen_at, verdict, status, sha256, crawl_delay FROM robots AS r WHERE provider = ? AND"
        " seen_at = (SELECT max(seen_at) FROM robots WHERE provider = r.provider AND origin = r.origin)"
        " ORDER BY origin", (provider,),
    )  # fmt: skip
    open_ones = {row["source_url"]: row["id"] for row in waiting(ledger) if row["provider"] == provider}
    return [{**dict(row), "review": open_ones.get(row["origin"] + "/robots.txt")} for row in rows]


def waiting(ledger: Ledger) -> list[dict[str, Any]]:
    """Changes that nobody has looked at, newest first, as items of `suanjia review`."""
    rows = ledger.rows(
        "SELECT provider, origin, seen_at, old, new FROM robots_changes WHERE settled_at IS NULL"
        " ORDER BY seen_at DESC, provider, origin"
    )
    return [
        {
            "id": f"{PREFIX}{row['provider']}/{urlsplit(row['origin']).netloc}/{row['new'][:12]}",
            "held": HELD, "observed_at": row["seen_at"], "provider": row["provider"],
            "old": row["old"], "new": row["new"], "source_url": row["origin"] + "/robots.txt",
        }
        for row in rows
    ]  # fmt: skip


def settle(ledger: Ledger, ids: Iterable[str], by: str | None, reason: str | None, at: datetime) -> None:
    """Note that a person has read the changed files and goes on; all ids are looked at before the first is
    written. ReviewError without name or reason, or for an id that does not wait."""
    wanted = list(ids)
    if not (by or "").strip() or not (reason or "").strip():
        raise ReviewError("a decision needs --by and --reason")
    there = {row["id"]: row for row in waiting(ledger)}
    if unknown := [name for name in wanted if name not in there]:
        raise ReviewError(f"{unknown[0]} does not wait for a review")
    with ledger.transaction() as db:
        db.executemany(
            "UPDATE robots_changes SET settled_at = ?, settled_by = ?, reason = ?"
            " WHERE provider = ? AND origin || '/robots.txt' = ? AND new = ? AND settled_at IS NULL",
            [(as_text(at), by, reason, row["provider"], row["source_url"], row["new"])
             for row in (there[name] for name in wanted)],
        )  # fmt: skip
