"""What people decided about held observations: `reviews.jsonl`, one object a line, append-only.

It is an input like the segments: a store rebuilt from them and this file publishes the same numbers.
"""

from __future__ import annotations

import errno
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
    # Lines end with \n alone: a reason may hold what Unicode calls a line break.
    text = path.read_bytes().decode("utf-8", "replace")
    for number, line in enumerate(text.removesuffix("\n").split("\n") if text else [], 1):
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
    if not _is_text(review.by + review.reason):
        raise BadRequest("name and reason must be UTF-8 text")
    if review.decided_at.tzinfo is None:
        raise BadRequest(f"{review.decided_at} has no time zone")
    return review


def _is_text(value: str) -> bool:
    """Whether it can be written down: bytes of a command line that are no UTF-8 come as half characters."""
    return not any("\ud800" <= c <= "\udfff" for c in value)


def append_review(path: Path, review: Review) -> None:
    """Add a decision and sync it to disk; on a full disk the file stays as it was."""
    row = asdict(checked(review))
    row["decided_at"] = review.decided_at.astimezone(UTC).isoformat()
    line = (json.dumps(row, ensure_ascii=False, sort_keys=True) + "\n").encode()
    # Unbuffered: what could not be written must not be tried again by closing the file.
    with held(path.with_name(f".{path.name}.lock"), "a review"), path.open("a+b", buffering=0) as out:
        end = out.seek(0, os.SEEK_END)
        # A last line that somebody left without its end is ended first.
        if end and os.pread(out.fileno(), 1, end - 1) != b"\n":
            line = b"\n" + line
        try:
            if out.write(line) != len(line):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            os.fsync(out.fileno())
        except OSError:
            os.ftruncate(out.fileno(), end)
            raise
