"""What is removed of evidence and run folders, and what never is.

Evidence older than `evidence_days` goes; over `evidence_gb` the oldest goes first. What a segment of the last
`evidence_keep_days` names is never removed, even over the budget: then the budget is reported as exceeded.
Quote sheets are evidence that nobody can fetch again: what an import names stays for good.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

import pyarrow.parquet as pq

from pipeline.manifest import SegmentError, read_manifest, segment_dirs
from suanjia.ledger import Ledger

_DIGEST = re.compile(r"[0-9a-f]{64}")
_FILES = ("offers.parquet", "rejections.parquet", "listings.parquet")
_HALF_WRITTEN = timedelta(days=1)
GB = 1_000_000_000


@dataclass(frozen=True, slots=True)
class Tidied:
    """Files and bytes of evidence: what was there, what went, what is held by kept segments."""

    files: int
    bytes: int
    removed_files: int
    removed_bytes: int
    held_files: int
    over_budget_bytes: int
    problems: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Budget:
    """How long and how much."""

    days: float
    keep_days: float
    size_gb: float


def tidy_evidence(home: Path, now: datetime, budget: Budget, dry_run: bool = False) -> Tidied:
    """Remove evidence past its time or over the budget. Nothing is removed while a segment cannot be read:
    what it names is unknown."""
    held, problems = held_evidence(home, now - timedelta(days=budget.keep_days))
    files = sorted(_evidence(home), key=lambda found: (found[1], found[0].name))
    total = sum(size for _, _, size in files)
    if problems:
        return Tidied(len(files), total, 0, 0, len(held), max(0, total - int(budget.size_gb * GB)), problems)
    oldest = (now - timedelta(days=budget.days)).timestamp()
    fresh = (now - _HALF_WRITTEN).timestamp()
    left, gone, gone_bytes = total, 0, 0
    for path, modified, size in files:
        young = modified >= oldest
        # What was written just now may belong to a run that has no segment yet.
        if path.stem in held or modified >= fresh or (young and left <= budget.size_gb * GB):
            continue
        if not dry_run:
            path.unlink(missing_ok=True)
        left, gone, gone_bytes = left - size, gone + 1, gone_bytes + size
    if not dry_run:
        _sweep(home, now)
    return Tidied(len(files), total, gone, gone_bytes, len(held), max(0, left - int(budget.size_gb * GB)))


def held_evidence(home: Path, since: datetime) -> tuple[set[str], tuple[str, ...]]:
    """(digests that segments begun since then name, and those of every import; what could not be read)."""
    held: set[str] = set()
    problems = []
    for run_id, provider, folder in segment_dirs(home):
        try:
            run = read_manifest(folder).run
            if run.started_at >= since or run.kind != "crawl":
                for name in _FILES:
                    column = pq.read_table(folder / name, columns=["evidence"]).column("evidence")
                    held.update(value for value in column.unique().to_pylist() if value)
        except (SegmentError, OSError, ValueError, KeyError) as error:
            problems.append(f"{run_id} {provider}: {error}")
    held |= _bulk_files(home)
    return held, tuple(problems)


def _bulk_files(home: Path) -> set[str]:
    """Evidence of bulk files of a remembered version: a crawl that finds it again reads them again."""
    with Ledger(home, look=True) as ledger:
        return ledger.all_evidence()


def _evidence(home: Path) -> Iterator[tuple[Path, float, int]]:
    for path in (home / "evidence").glob("??/*.zst"):
        if _DIGEST.fullmatch(path.stem):
            with suppress(FileNotFoundError):
                stat = path.stat()
                yield path, stat.st_mtime, stat.st_size


def _sweep(home: Path, now: datetime) -> None:
    """Half-written files of writers that died long ago."""
    for path in (home / "evidence").rglob(".*.part"):
        with suppress(FileNotFoundError):
            if now.timestamp() - path.stat().st_mtime > _HALF_WRITTEN.total_seconds():
                path.unlink()
