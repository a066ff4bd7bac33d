"""From one method version to the next: never backwards in place, linked over an overlap (article A6)."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any

PARALLEL_WEEKS = 8
Row = dict[str, Any]


class TransitionError(ValueError):
    """The two versions have not run side by side for long enough."""


def transition(old: Sequence[Mapping[str, Any]], new: Sequence[Mapping[str, Any]], switch: date) -> list[Row]:
    """One cell's published rows: the old version before `switch`, the new one's links from there on.

    Both are rows of price_index of one cell in week order, computed over the same history. Levels go on from
    the old one; the first new row has the flag `method_change` and a note. TransitionError unless both have a
    value in at least eight weeks before `switch`.
    """
    before = {row["week"]: row for row in old if row["week"] < switch}
    both = [row for row in new if row["week"] in before and _has(row) and _has(before[row["week"]])]
    if len(both) < PARALLEL_WEEKS:
        raise TransitionError(f"{len(both)} weeks side by side; {PARALLEL_WEEKS} are needed")
    out: list[Row] = [dict(row) for row in old if row["week"] < switch]
    level = next(row["value"] for row in reversed(out) if row["value"] is not None)
    first = True
    for row in new:
        if row["week"] < switch:
            continue
        moved = dict(row)
        if row["link"] is not None:
            level *= row["link"]
        if row["value"] is not None:
            moved["value"] = math.floor(level * 1e8 + 0.5) / 1e8
        if first:
            flags = [flag for flag in (row["flags"] or "").split(",") if flag]
            moved["flags"] = ",".join([*flags, "method_change"])
            moved["note"] = f"method {out[-1]['method_version']} to {row['method_version']}"
            first = False
        out.append(moved)
    return out


def _has(row: Mapping[str, Any]) -> bool:
    return row["value"] is not None
