"""What people decided about held observations: `reviews.jsonl`, one object a line, append-only.

It is an input like the segments: a store rebuilt from them and this file publishes the same numbers.
"""

from __future__ import annotations

import json
import os
import re
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

from warehouse.errors import BadRequest
from warehouse.locks import held

ACTIONS = ("release", "refuse")
HELD = ("conflict", "level_hold", "outlier")
_OBS = re.compile(r"obs:[0-9a-f]{16}/\d{8}T\d{6}\.\d{6}Z/\d+\.\d{6}")


@dataclass(frozen=True, slots=True)
class Review:
    """One decision about one observation; `id` is its `obs_id`, `decided_at` aware UTC."""

    id: str
    action: Literal["release", "refuse"]
    by: str
    reason: str
    decided_at: datetime
    held: str = "level_hold"  # what it was held for when the decision was made


def read_reviews(path: Path) -> list[Review]:
    """All decisions, oldest first; none where the file is missing. BadRequest names a line that is none."""
    if not path.is_file():
        return []
    found = []
    # A byte that is no UTF-8 becomes a character that no id, name or date has, and its line is named below.
    for number, line in enumerate(path.read_text(encoding="utf-8", errors="replace").splitlines(), 1):
        try:
            row = json.loads(line)
            row["decided_at"] = datetime.fromisoformat(row["decided_at"])
            found.append(checked(Review(**row)))
        except (ValueError, TypeError, KeyError, BadRequest) as error:
            raise BadRequest(f"{path.name} line {number}: {error}") from None
    return found


def checked(review: Review) -> Review:
    """The review itself; BadRequest where id, action, name or reason is not one."""
    if not _OBS.fullmatch(review.id):
        raise BadRequest(f"{review.id!r} is no id of an observation (column obs_id of `observations`)")
    if review.action not in ACTIONS:
        raise BadRequest(f"{review.action!r} is neither release nor refuse")
    if review.held not in HELD:
        raise BadRequest(f"{review.held!r} is no reason for holding back")
    if not review.by.strip() or not review.reason.strip():
        raise BadRequest("a decision needs a name and a reason")
    if review.decided_at.tzinfo is None:
        raise BadRequest(f"{review.decided_at} has no time zone")
    return review


def append_review(path: Path, review: Review) -> None:
    """Add a decision and sync it to disk."""
    row = asdict(checked(review))
    row["decided_at"] = review.decided_at.astimezone(UTC).isoformat()
    with held(path.with_name(f".{path.name}.lock"), "a review"), path.open("ab") as out:
        out.write((json.dumps(row, ensure_ascii=False, sort_keys=True) + "\n").encode())
        out.flush()
        os.fsync(out.fileno())
