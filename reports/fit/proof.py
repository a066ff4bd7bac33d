"""What the answer is proven against: sources complete at a time, and those that are missing."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from reports.fit.sellable import MAX_AGE_HOURS

if TYPE_CHECKING:
    import duckdb

# Planned are the active sources that were ever asked or whose sheet was ever read here. One is complete while
# its last whole run, or its last sheet, is young enough for its prices to rank.
_SQL = """
SELECT p.provider,
       max(r.ended_at) FILTER (WHERE r.usable AND (r.complete OR r.kind = 'import')) AS complete_at
FROM providers AS p
JOIN runs AS r ON r.provider = p.provider
WHERE coalesce(p.status, 'active') = 'active' AND r.started_at <= $1
GROUP BY p.provider
ORDER BY p.provider
"""


@dataclass(frozen=True, slots=True)
class Sources:
    """Provider slugs, sorted. `at` is the time the answer speaks of."""

    complete: tuple[str, ...]
    missing: tuple[str, ...]
    at: datetime


def sources(con: duckdb.DuckDBPyConnection, now: datetime) -> Sources:
    """The planned sources of a published generation, as they stand at `now`."""
    rows = con.execute(_SQL, [now]).fetchall()
    oldest = now - timedelta(hours=MAX_AGE_HOURS)
    complete = [slug for slug, at in rows if at is not None and at.astimezone(UTC) >= oldest]
    return Sources(tuple(complete), tuple(slug for slug, _ in rows if slug not in complete), now)


def label(known: Sources, rank: int, checked: int) -> str:
    """The proof beside a fit. A missing source changes the claim, not only its wording."""
    if rank == 1 and known.complete and not known.missing:
        when = known.at.astimezone(UTC).isoformat(timespec="seconds")
        return f"no cheaper sellable offer in complete sources {', '.join(known.complete)} at {when}"
    words = f"cheapest of {checked} checked" if rank == 1 else f"rank {rank} of {checked} checked"
    return words + (f"; {_and(known.missing)} missing" if known.missing else "")


def _and(names: tuple[str, ...]) -> str:
    return " and ".join([*([", ".join(names[:-1])] if len(names) > 1 else []), names[-1]])
