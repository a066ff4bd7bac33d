"""The one loader: segments → `warehouse/work.duckdb`, append-only, every segment once.

A batch of segments enters in one transaction together with its rows of `store.run`, so a kill at any moment
loses nothing that was acknowledged and doubles nothing. Which segments are known is read from `store.run`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import duckdb

from pipeline.manifest import Manifest, SegmentError, file_sha256, read_manifest, segment_dirs
from warehouse.database import corrupt, enough_space, first_line, insert_columns, no_space, sql_text, writing
from warehouse.layout import Layout
from warehouse.locks import WAIT_SECONDS, held

# Rows of one transaction; large enough for bulk speed, small enough for the memory limit.
BATCH_ROWS = 200_000
# Errors of DuckDB that say nothing about the rows it was given.
_NOT_THE_SEGMENT = (
    duckdb.OutOfMemoryException,
    duckdb.InterruptException,
    duckdb.FatalException,
    duckdb.InternalException,
)


@dataclass(frozen=True, slots=True)
class Loaded:
    """What a load did: segments and observation rows that entered, and the segments it could not trust."""

    segments: int
    rows: int
    refused: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Segment:
    folder: Path
    manifest: Manifest

    @property
    def rows(self) -> int:
        return self.manifest.counts["offers"] + self.manifest.counts["rejections"]


def load(
    home: Path,
    now: datetime,
    wait: float = WAIT_SECONDS,
    threads: int | None = None,
    batch_rows: int = BATCH_ROWS,
) -> Loaded:
    """Bring every new segment into the store. `now` becomes `loaded_at`.

    A segment that does not match its manifest is left out and named. `Refused` when another loader
    holds the lock for longer than `wait` seconds.
    """
    layout = Layout(home)
    with enough_space("load"), held(layout.load_lock, "a load", wait):
        if not layout.work.exists() and not any(segment_dirs(home)):
            return Loaded(0, 0)
        refused: list[str] = []
        segments = rows = 0
        layout.spill.mkdir(parents=True, exist_ok=True)
        with writing(layout.work, layout.spill, threads=threads) as con:
            con.execute(sql_text("store"))
            known = set(con.execute("SELECT run_id, provider FROM store.run").fetchall())
            fresh = list(_fresh(home, known, refused))
            if not fresh:
                return Loaded(0, 0, tuple(refused))
            for batch in _batches(fresh, batch_rows):
                for entered, n in _enter(con, batch, now, refused):
                    segments, rows = segments + entered, rows + n
            con.execute("CHECKPOINT")
        return Loaded(segments, rows, tuple(refused))


def _fresh(home: Path, known: set[tuple[str, str]], refused: list[str]) -> Iterator[_Segment]:
    """New segments, oldest first, each checked against its manifest."""
    found = []
    for run_id, provider, folder in segment_dirs(home):
        if (run_id, provider) in known:
            continue
        try:
            found.append(_Segment(folder, _trusted(folder, run_id, provider)))
        except SegmentError as error:
            refused.append(str(error))
    yield from sorted(
        found, key=lambda s: (s.manifest.run.started_at, s.manifest.run.run_id, s.manifest.run.provider)
    )


def _trusted(folder: Path, run_id: str, provider: str) -> Manifest:
    manifest = read_manifest(folder)
    name = f"{folder.parent.name}/{folder.name}"
    if (manifest.run.run_id, manifest.run.provider) != (run_id, provider):
        raise SegmentError(f"{name}: its manifest is of {manifest.run.run_id}/{manifest.run.provider}")
    for file, expected in manifest.sha256.items():
        try:
            actual = file_sha256(folder / file)
        except OSError as error:
            raise SegmentError(f"{name}/{file}: {error.strerror}") from None
        if actual != expected:
            raise SegmentError(f"{name}/{file}: its bytes are not those of the manifest")
    return manifest


def _batches(segments: Sequence[_Segment], limit: int) -> Iterator[list[_Segment]]:
    batch: list[_Segment] = []
    rows = 0
    for segment in segments:
        if batch and rows + segment.rows > limit:
            yield batch
            batch, rows = [], 0
        batch.append(segment)
        rows += segment.rows
    if batch:
        yield batch


def _enter(
    con: duckdb.DuckDBPyConnection, batch: Sequence[_Segment], now: datetime, refused: list[str]
) -> Iterator[tuple[int, int]]:
    """Load a batch: (segments, rows) of each transaction that it took. A segment whose rows the store cannot
    hold, or does not find as the manifest counts them, is left out and named; the others enter without it."""
    try:
        yield len(batch), _load_batch(con, batch, now)
        return
    except (SegmentError, duckdb.Error) as error:
        if isinstance(error, _NOT_THE_SEGMENT) or no_space(error) or corrupt(error):
            raise
        if len(batch) == 1:
            folder = batch[0].folder
            refused.append(f"{folder.parent.name}/{folder.name}: {first_line(error)}")
            return
    for part in (batch[: len(batch) // 2], batch[len(batch) // 2 :]):
        yield from _enter(con, part, now, refused)


def _load_batch(con: duckdb.DuckDBPyConnection, batch: Sequence[_Segment], now: datetime) -> int:
    con.execute("BEGIN")
    try:
        first = _scalar(con, "SELECT coalesce(max(run), 0) FROM store.run") + 1
        rows = [_run_row(first + i, segment.manifest, now) for i, segment in enumerate(batch)]
        con.execute("CREATE OR REPLACE TEMP TABLE batch_run AS SELECT * FROM store.run LIMIT 0")
        insert_columns(con, "batch_run", {name: [row[name] for row in rows] for name in rows[0]})
        for variable, file in (("offer_files", "offers.parquet"), ("rejection_files", "rejections.parquet")):
            con.execute(f"SET VARIABLE {variable} = ?", [[str(s.folder / file) for s in batch]])
        con.execute(sql_text("load"))
        wrong = con.execute(sql_text("load_counts"), [first]).fetchall()
        if wrong:
            raise SegmentError(str(wrong[0][0]))
        con.execute("COMMIT")
    except BaseException:
        # A commit that failed has rolled back by itself; saying so again must not hide why it failed.
        with suppress(duckdb.TransactionException):
            con.execute("ROLLBACK")
        raise
    return sum(segment.manifest.counts["offers"] for segment in batch)


def _scalar(con: duckdb.DuckDBPyConnection, sql: str) -> int:
    # fetchall, not fetchone: on DuckDB 2 a half-read result keeps the connection.
    return int(con.execute(sql).fetchall()[0][0])


def _run_row(number: int, manifest: Manifest, now: datetime) -> dict[str, Any]:
    run = manifest.run
    failed = ",".join(str(v["gate"]) for v in run.verdicts if not v["ok"]) or None
    return {
        "run": number,
        "run_id": run.run_id,
        "provider": run.provider,
        "kind": run.kind,
        "started_at": run.started_at.astimezone(UTC),
        "ended_at": run.ended_at.astimezone(UTC),
        "outcome": run.outcome,
        "complete": run.complete and run.outcome == "ok",
        # A sheet is taken row by row; of a crawl that is not ok nothing counts.
        "usable": run.kind == "import" or run.outcome == "ok",
        **{k: manifest.counts[k] for k in ("parsed", "kept", "held", "offers", "rejections")},
        "declared_total": run.declared_total,
        "distinct_keys": run.distinct_keys,
        "requests": run.requests,
        "robots_verdict": run.robots_verdict,
        "parser_version": run.parser_version,
        "schema_version": manifest.schema_version,
        "segment_hash": manifest.segment_hash,
        "failed_gates": failed,
        "message": run.message,
        "seen_until": None,
        "loaded_at": now.astimezone(UTC),
    }
