"""What the answer is proven against: sources complete at a time, and those that are missing."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from reports.fit.sellable import MAX_AGE_HOURS

if TYPE_CHECKING:
    import duckdb

# Planned are the active sources that were ever asked; one known by sheets alone until its price lists end,
# else thirty days after the last one, as the issue counts them (reports/issue/sql/coverage.sql). One is
# complete while its last whole run, or what its last sheet saw, is young enough to rank.
_SQL = """
WITH seen AS (
    SELECT run_id, provider, max(observed_at) AS at, max(valid_until) AS until
    FROM observations WHERE observed_at <= $1 GROUP BY ALL
)
SELECT p.provider,
       max(CASE WHEN r.kind = 'import' THEN s.at WHEN r.complete THEN r.ended_at END) FILTER (WHERE r.usable)
FROM providers AS p
JOIN runs AS r ON r.provider = p.provider
LEFT JOIN seen AS s ON s.run_id = r.run_id AND s.provider = r.provider
WHERE coalesce(p.status, 'active') = 'active'
  AND CASE WHEN r.kind = 'import' THEN s.at IS NOT NULL ELSE r.ended_at <= $1 END
GROUP BY p.provider
HAVING bool_or(r.kind <> 'import') OR coalesce(max(s.until), max(s.at) + INTERVAL 720 HOUR) >= $2
ORDER BY p.provider
"""


@dataclass(frozen=True, slots=True)
class Sources:
    """Provider slugs, sorted. `at` is the time the answer speaks of."""

    complete: tuple[str, ...]
    missing: tuple[str, ...]
    at: datetime


def sources(con: duckdb.DuckDBPyConnection, seen_until: datetime, now: datetime) -> Sources:
    """The planned sources of a generation, by their runs until `seen_until`, as they stand at `now`."""
    oldest = now - timedelta(hours=MAX_AGE_HOURS)
    rows = con.execute(_SQL, [seen_until, oldest]).fetchall()
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
