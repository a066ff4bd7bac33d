"""Publishing: build beside the target, check in a child process, rename, write the pointer last.

Readers open generations by name and read-only, so none is ever blocked and none sees a half-written file. A
kill at any moment leaves the last generation and the pointer as they were; the next builder sweeps what a
dead one left.
"""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TypeVar

import duckdb

from catalog.provider_model import Provider
from warehouse import catalog_tables
from warehouse.build import NOTHING_LOADED, Built, ExtraTables, Inputs, build, copy_store
from warehouse.calendar import generation_name, generations, monday_of, vintages
from warehouse.database import enough_space, reading
from warehouse.errors import NoGeneration, NothingToDo, Refused
from warehouse.index import Previous, previous_of
from warehouse.index.method import in_force
from warehouse.layout import Layout, wal_of
from warehouse.locks import WAIT_SECONDS, held
from warehouse.reader import damaged, latest_path
from warehouse.reviews import read_reviews

CHECK_SECONDS = 600
_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class Published:
    """What was published: file name, its revision number within the week, and counts."""

    generation: str
    vintage: int
    offers: int
    cells: int
    held: int


def publish(
    home: Path,
    now: datetime,
    providers: Mapping[str, Provider],
    code_version: str,
    *,
    extra_tables: ExtraTables | None = None,
    extra_inputs: Mapping[str, str] | None = None,
    keep: int = 12,
    wait: float = WAIT_SECONDS,
    threads: int | None = None,
) -> Published:
    """Build, check and publish one generation.

    `extra_inputs`: name → hash of what the extra tables depend on, so that a change of it is something new.
    NothingToDo when nothing has changed since the last generation of this week; Refused when another builder
    holds the lock, a stale write-ahead log stands in the folder, or a check fails. Nothing is changed then.
    """
    layout = Layout(home)
    with enough_space("publish"), held(layout.publish_lock, "a publish", wait):
        layout.published.mkdir(parents=True, exist_ok=True)
        _sweep(layout)
        _refuse_stale_wal(layout)
        week = monday_of(now)
        vintage = max(vintages(layout.published, week), default=0) + 1
        target = layout.published / generation_name(week, vintage)
        draft = layout.published / f".{target.stem}.build-{os.getpid()}"
        try:
            copy_store(layout, draft, wait)
            inputs = _inputs(layout, draft, now, providers, code_version, target.name, vintage, extra_inputs)
            _refuse_if_same(layout, inputs)
            built = build(draft, layout.spill, inputs, extra_tables, threads)
            _check(draft, built)
            _refuse_stale_wal(layout)
            _settle(layout, draft, target)
        finally:
            draft.unlink(missing_ok=True)
            wal_of(draft).unlink(missing_ok=True)
        _prune(layout, keep)
        return Published(target.name, vintage, built.offers, built.cells, built.held)


def _sweep(layout: Layout) -> None:
    """Remove drafts of builders that died; we hold the lock, so none is alive."""
    for path in layout.published.glob(".index-*.build-*"):
        path.unlink()


def _refuse_stale_wal(layout: Layout) -> None:
    for path in sorted(layout.published.glob("*.wal")):
        raise Refused(
            f"{path.name} stands in {layout.published}: a published file never has one, and DuckDB would"
            " apply it to a new file; move it away and publish again"
        )


def _inputs(
    layout: Layout,
    draft: Path,
    now: datetime,
    providers: Mapping[str, Provider],
    code_version: str,
    name: str,
    vintage: int,
    extra: Mapping[str, str] | None,
) -> Inputs:
    with reading(draft) as con:
        hashes = [h for (h,) in con.execute("SELECT segment_hash FROM store.run ORDER BY 1").fetchall()]
    if not hashes:
        raise NothingToDo(NOTHING_LOADED)
    fx_rates = catalog_tables.fx_rates(layout.fx_rates)
    reviews = read_reviews(layout.reviews)
    method = in_force(monday_of(now))
    told = {
        "segments": hashes,
        "fx": [dict(row) for row in fx_rates],
        "reviews": [repr(review) for review in reviews],
        "providers": [dict(row) for row in catalog_tables.providers(providers)],
        "cards": [dict(row) for row in catalog_tables.cards()],
        "code": code_version,
        "method": method.id,
        "extra": dict(extra or {}),
    }
    text = json.dumps(told, ensure_ascii=False, sort_keys=True, default=str)
    return Inputs(
        now=now,
        name=name,
        week=monday_of(now),
        vintage=vintage,
        code_version=code_version,
        method=method,
        input_hash=hashlib.sha256(text.encode()).hexdigest(),
        providers=providers,
        fx_rates=fx_rates,
        reviews=reviews,
        previous=_previous(layout),
    )


def _previous(layout: Layout) -> Previous | None:
    """What the last generation said; None for the first one, or where it was built without an index."""
    return _of_last(layout, lambda con, _: previous_of(con))


def _refuse_if_same(layout: Layout, inputs: Inputs) -> None:
    def compare(con: duckdb.DuckDBPyConnection, name: str) -> None:
        same = con.execute("SELECT input_hash, week FROM generation").fetchall()
        if same == [(inputs.input_hash, inputs.week)]:
            raise NothingToDo(f"nothing new since {name}")

    _of_last(layout, compare)


def _of_last(layout: Layout, ask: Callable[[duckdb.DuckDBPyConnection, str], _T]) -> _T | None:
    """What the last generation answers; None where there is none, WarehouseError where it is damaged."""
    try:
        last = latest_path(layout.home)
    except NoGeneration:
        return None
    try:
        with reading(last) as con:
            return ask(con, last.name)
    except duckdb.Error as error:
        raise damaged(last, error) from None


def _check(draft: Path, built: Built) -> None:
    """Open the closed file in another process and look at every value of it."""
    done = subprocess.run(
        [sys.executable, "-m", "warehouse.check", str(draft)],
        input=json.dumps(built.counts),
        capture_output=True,
        text=True,
        timeout=CHECK_SECONDS,
        check=False,
    )
    if done.returncode != 0:
        found = done.stdout.strip() or done.stderr.strip().splitlines()[-1:] or [f"exit {done.returncode}"]
        first = found if isinstance(found, str) else found[0]
        raise Refused(f"the new generation did not pass its checks: {first}")


def _settle(layout: Layout, draft: Path, target: Path) -> None:
    if wal_of(draft).exists():
        raise Refused(f"{draft.name} was closed with a write-ahead log beside it")
    _sync(draft)
    draft.chmod(0o444)
    draft.replace(target)
    pointer = layout.latest.with_name(f".LATEST.{os.getpid()}")
    with pointer.open("w", encoding="ascii") as out:
        out.write(target.name + "\n")
        out.flush()
        os.fsync(out.fileno())
    _sync(layout.published)
    pointer.replace(layout.latest)
    _sync(layout.published)


def _sync(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _prune(layout: Layout, keep: int) -> None:
    """Keep the last `keep` generations; the one that LATEST names is always among them."""
    for path in generations(layout.published)[: -max(keep, 1)]:
        path.unlink()
