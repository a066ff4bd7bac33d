"""Replaying a generation: the bytes at rest, the readings behind the offers, and every published value again.

Each difference is one sentence that names file, table and cell. What METHOD leaves out of "the same bytes" is
left out here too: when something was built, published or loaded, and the numbers a store gives its rows.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import fields
from datetime import datetime
from pathlib import Path
from typing import Any

import duckdb
import pyarrow.parquet as pq

from catalog.provider_model import Provider
from pipeline.columns import table_of
from pipeline.manifest import Manifest, SegmentError, file_sha256, read_manifest, segment_dir
from pipeline.offer import Offer, Rejection
from pipeline.run import process
from spiders.evidence import EvidenceStore
from spiders.listing import Listing
from warehouse.build import ExtraTables, Inputs, build
from warehouse.calendar import generations, monday_of
from warehouse.database import first_line, reading
from warehouse.index import Previous, previous_of
from warehouse.index.method import load_method
from warehouse.layout import Layout
from warehouse.load import load
from warehouse.reader import damaged
from warehouse.reviews import read_reviews
from warehouse.verify_rows import MOST, Replayed, compare


def unreadable(path: Path) -> Iterator[str]:
    """What of the published file DuckDB cannot read: every value of every table is looked at."""
    name = f"{path.parent.name}/{path.name}"
    try:
        con = reading(path)
    except duckdb.Error as error:
        yield f"{name}: cannot be read ({first_line(error)})"
        return
    with closing(con):
        try:
            tables = con.execute(
                "SELECT schema_name, table_name FROM duckdb_tables() WHERE NOT internal ORDER BY 1, 2"
            ).fetchall()
        except duckdb.Error as error:
            yield f"{name}: cannot be read ({first_line(error)})"
            return
        for schema, table in tables:
            try:
                con.execute(f'SELECT bit_xor(hash(t)) FROM "{schema}"."{table}" AS t').fetchall()
            except duckdb.Error as error:
                yield f"{name}: {table}: cannot be read ({first_line(error)})"


def broken_files(home: Path, con: duckdb.DuckDBPyConnection) -> Iterator[str]:
    """Segments and evidence of the generation that are not there, or not what they were."""
    query = "SELECT run_id, provider, segment_hash FROM store.run ORDER BY run_id, provider"
    for run_id, provider, expected in con.execute(query).fetchall():
        folder = segment_dir(home, run_id, provider)
        name = f"segments/{folder.parent.name}/{folder.name}"
        try:
            manifest = read_manifest(folder)
        except SegmentError as error:
            yield f"{name}: {error}"
            continue
        if manifest.segment_hash != expected:
            yield f"{name}/manifest.json: its hash is not the one that was loaded"
        yield from _torn(folder, name, manifest)
    store = EvidenceStore(home / "evidence")
    digests = con.execute("SELECT DISTINCT evidence FROM store.source WHERE evidence <> '' ORDER BY 1")
    for (digest,) in digests.fetchall():
        if not store.has(digest):
            yield f"evidence/{digest}: is not there"
        elif (found := _digest(store, digest)) != digest:
            yield f"evidence/{digest}: holds bytes of another hash, {found}"


def _torn(folder: Path, name: str, manifest: Manifest) -> Iterator[str]:
    for file, expected in sorted(manifest.sha256.items()):
        path = folder / file
        if not path.is_file():
            yield f"{name}/{file}: is not there"
        elif file_sha256(path) != expected:
            yield f"{name}/{file}: its bytes are not those of the manifest"


def _digest(store: EvidenceStore, digest: str) -> str:
    try:
        found = hashlib.sha256()
        with store.open(digest) as body:
            while block := body.read(1 << 20):
                found.update(block)
        return found.hexdigest()
    except (OSError, ValueError) as error:
        return f"unreadable ({error})"


def read_again(
    home: Path, con: duckdb.DuckDBPyConnection, providers: Mapping[str, Provider]
) -> Iterator[str]:
    """Offers and rejections of the generation's crawls that the readers no longer make of the kept listings.

    Sheets are read again from their own bytes (`verify_sheets`).
    """
    query = "SELECT run_id, provider FROM store.run WHERE kind = 'crawl' ORDER BY run_id, provider"
    for run_id, provider in con.execute(query).fetchall():
        folder = segment_dir(home, run_id, provider)
        try:
            started = read_manifest(folder).run.started_at
            listings = [_listing(row) for row in pq.read_table(folder / "listings.parquet").to_pylist()]
            kept = pq.read_table(folder / "offers.parquet").to_pylist()
            refused = pq.read_table(folder / "rejections.parquet").to_pylist()
        except (SegmentError, OSError, ValueError, TypeError):
            continue  # broken_files has said so
        made = process(listings, run_id, started, providers)
        again = table_of(Offer, made.offers, ("observed_at", "offer_id")).to_pylist()
        name = f"segments/{folder.parent.name}/{folder.name}"
        yield from _offers_apart(f"{name}/offers.parquet", kept, again)
        told = table_of(Rejection, made.rejections, ("observed_at", "reason")).to_pylist()
        yield from _rejections_apart(f"{name}/rejections.parquet", refused, told)


def _listing(row: dict[str, Any]) -> Listing:
    return Listing(**{**row, "extra": json.loads(row["extra"])})


def _offers_apart(name: str, kept: list[dict[str, Any]], again: list[dict[str, Any]]) -> Iterator[str]:
    def by_place(rows: list[dict[str, Any]]) -> dict[tuple[Any, ...], dict[str, Any]]:
        return {(r["evidence"], r["locator"], r["offer_id"], r["observed_at"], r["price"]): r for r in rows}

    old, new = by_place(kept), by_place(again)
    for key in sorted(old.keys() | new.keys(), key=str):
        if key not in new:
            yield f"{name}: {key[2]} at {key[1]} is not read again"
        elif key not in old:
            yield f"{name}: {key[2]} at {key[1]} is read now and was not"
        elif old[key] != new[key]:
            column = next(c.name for c in fields(Offer) if old[key][c.name] != new[key][c.name])
            yield f"{name}: {key[2]} at {key[1]}: {column} {old[key][column]!r}, now {new[key][column]!r}"


def _rejections_apart(name: str, kept: list[dict[str, Any]], again: list[dict[str, Any]]) -> Iterator[str]:
    old, new = (Counter(tuple(sorted(row.items(), key=str)) for row in rows) for rows in (kept, again))
    for what, rows in (("is not refused again", old - new), ("is refused now and was not", new - old)):
        for row in sorted((dict(items) for items in rows.elements()), key=str)[:MOST]:
            yield f"{name}: {row['reason']} at {row['locator']} {what}"


def values_apart(
    home: Path,
    generation: Path,
    providers: Mapping[str, Provider],
    extra_tables: ExtraTables | None = None,
) -> Iterator[str]:
    """Published values that a store made anew from the segments does not give."""
    with tempfile.TemporaryDirectory(prefix="suanjia-verify-") as folder:
        again = Path(folder) / generation.name
        previous = _previous(home, generation)
        with closing(reading(generation)) as con:
            inputs = _inputs(home, con, providers, previous)
            _store_again(home, Path(folder), con)
        shutil.move(Layout(Path(folder)).work, again)
        build(again, Path(folder) / "spill", inputs, extra_tables)
        replayed = Replayed(generation, again, previous is not None, extra_tables is not None)
        yield from compare(replayed)


def _previous(home: Path, generation: Path) -> Previous | None:
    """What the generation before it said; None for the first one, or where it is no longer kept."""
    older = [path for path in generations(Layout(home).published) if path != generation]
    built = _built_at(generation)
    before = [(at, path) for path in older if (at := _built_at(path)) < built]
    if not before:
        return None
    with closing(reading(max(before)[1])) as con:
        return previous_of(con)


def _built_at(path: Path) -> datetime:
    try:
        with closing(reading(path)) as con:
            found: datetime = con.execute("SELECT built_at FROM generation").fetchall()[0][0]
    except duckdb.Error as error:
        raise damaged(path, error) from None
    return found


def _inputs(
    home: Path,
    con: duckdb.DuckDBPyConnection,
    providers: Mapping[str, Provider],
    previous: Previous | None,
) -> Inputs:
    name, week, vintage, built_at, code, method, digest = con.execute(
        "SELECT name, week, vintage, built_at, code_version, method_version, input_hash FROM generation"
    ).fetchall()[0]
    rates = con.execute("SELECT date, pair, rate, source FROM fx_rates ORDER BY date, pair").fetchall()
    decided = set(con.execute("SELECT id, decided_at FROM reviews").fetchall())
    reviews = [r for r in read_reviews(Layout(home).reviews) if (r.id, r.decided_at) in decided]
    return Inputs(
        now=built_at,
        name=name,
        week=week if week is not None else monday_of(built_at),
        vintage=vintage,
        code_version=code,
        method=load_method(method),
        input_hash=digest,
        providers=providers,
        fx_rates=[
            {"date": str(day), "pair": pair, "rate": str(rate), "source": source}
            for day, pair, rate, source in rates
        ],
        reviews=reviews,
        previous=previous,
    )


def _store_again(home: Path, folder: Path, con: duckdb.DuckDBPyConnection) -> None:
    """A new store from the generation's own segments, loaded at the times they were loaded at."""
    runs = con.execute("SELECT run_id, provider, loaded_at FROM store.run ORDER BY loaded_at, run").fetchall()
    moments: dict[datetime, list[tuple[str, str]]] = {}
    for run_id, provider, loaded_at in runs:
        moments.setdefault(loaded_at, []).append((run_id, provider))
    for loaded_at, segments in moments.items():
        for run_id, provider in segments:
            target = segment_dir(folder, run_id, provider)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.symlink_to(segment_dir(home, run_id, provider).absolute(), target_is_directory=True)
        load(folder, loaded_at)
