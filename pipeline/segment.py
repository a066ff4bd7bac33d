"""Segments: what one run got from one provider, at rest as Parquet plus a manifest that is written last.

    segments/run=<run_id>/provider=<slug>/{offers,rejections,listings}.parquet + manifest.json

A segment is built under a temporary name and renamed whole, so a killed writer leaves nothing that looks like
one. It is immutable: writing the same content again is a no-op, other content under its name is an error.
Rows are sorted by all their values, so the bytes do not depend on the order in which the rows came.
"""

from __future__ import annotations

import os
import re
import shutil
import uuid
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from pipeline.columns import table_of
from pipeline.manifest import (
    KINDS,
    MANIFEST,
    OUTCOMES,
    Manifest,
    RunMeta,
    SegmentError,
    file_sha256,
    read_manifest,
    segment_dir,
)
from pipeline.offer import Offer, Rejection
from pipeline.profile import fingerprint, levels
from spiders.listing import Listing

__all__ = ["Manifest", "RunMeta", "SegmentError", "read_listing", "write_segment"]

_RUN_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+-]{0,127}")
_SLUG = re.compile(r"[a-z0-9][a-z0-9_]{0,63}")
# How each file is sorted: what readers look for first, then everything else.
_ORDER: dict[type, tuple[str, ...]] = {
    Offer: ("observed_at", "offer_id"),
    Rejection: ("observed_at", "reason"),
    Listing: ("evidence", "locator"),
}


def write_segment(
    home: Path,
    run: RunMeta,
    offers: Iterable[Offer],
    rejections: Iterable[Rejection],
    listings: Iterable[Listing],
) -> Path:
    """Write one segment and return its folder.

    SegmentError when names or words are not the agreed ones, a row belongs to another run or provider, the
    counts do not add up (kept + rejected + held = readings), or other content stands under this name.
    """
    goods, refused, seen = list(offers), list(rejections), list(listings)
    counts = _counts(run, goods, refused, seen)
    target = segment_dir(home, run.run_id, run.provider)
    target.parent.mkdir(parents=True, exist_ok=True)
    build = target.parent / f".{target.name}.{os.getpid()}-{uuid.uuid4().hex[:8]}.tmp"
    build.mkdir()
    try:
        hashes = {
            "offers.parquet": _write_parquet(build / "offers.parquet", Offer, goods),
            "rejections.parquet": _write_parquet(build / "rejections.parquet", Rejection, refused),
            "listings.parquet": _write_parquet(build / "listings.parquet", Listing, seen),
        }
        manifest = Manifest(
            run=run, counts=counts, sha256=hashes, levels=levels(goods), fingerprint=fingerprint(goods)
        )
        _write_text(build / MANIFEST, manifest.to_json())
        _sync_dir(build)
        return _settle(build, target, manifest)
    finally:
        shutil.rmtree(build, ignore_errors=True)


def read_listing(folder: Path, evidence: str, locator: str) -> list[dict[str, Any]]:
    """The listings of a segment that stand at this place of this evidence file, as rows of `Listing`."""
    table = pq.read_table(
        folder / "listings.parquet", filters=[("evidence", "=", evidence), ("locator", "=", locator)]
    )
    rows: list[dict[str, Any]] = table.to_pylist()
    return rows


def _counts(
    run: RunMeta, offers: Sequence[Offer], rejections: Sequence[Rejection], listings: Sequence[Listing]
) -> dict[str, int]:
    if not _RUN_ID.fullmatch(run.run_id) or not _SLUG.fullmatch(run.provider):
        raise SegmentError(f"no name for a segment: run {run.run_id!r}, provider {run.provider!r}")
    if run.kind not in KINDS or run.outcome not in OUTCOMES:
        raise SegmentError(f"{run.run_id}: kind {run.kind!r}, outcome {run.outcome!r}")
    rows: list[Offer | Rejection] = [*offers, *rejections]
    for row in rows:
        if row.run_id != run.run_id or row.provider != run.provider:
            raise SegmentError(f"{run.run_id}/{run.provider}: holds a row of {row.run_id}/{row.provider}")
    kept = sum(offer.listings for offer in offers if offer.quarantine is None)
    held = sum(offer.listings for offer in offers if offer.quarantine is not None)
    parsed = len(listings) if run.readings is None else run.readings
    if kept + held + len(rejections) != parsed:
        raise SegmentError(
            f"{run.run_id}/{run.provider}: {kept} kept + {len(rejections)} rejected + {held} held"
            f" is not {parsed} parsed"
        )
    return {
        "listings": len(listings),
        "parsed": parsed,
        "offers": len(offers),
        "rejections": len(rejections),
        "kept": kept,
        "held": held,
    }


def _write_parquet(path: Path, row_type: type, rows: Sequence[Any]) -> str:
    """Write and sync one file; returns its SHA-256. The same rows give the same bytes."""
    try:
        table: pa.Table = table_of(row_type, rows, _ORDER[row_type])
    except (ValueError, TypeError, pa.ArrowException) as error:
        raise SegmentError(f"{path.name}: {error}") from None
    pq.write_table(
        table, path, compression="zstd", compression_level=3, row_group_size=1 << 17, store_schema=False
    )
    with path.open("rb") as body:
        os.fsync(body.fileno())
    return file_sha256(path)


def _write_text(path: Path, text: str) -> None:
    with path.open("w", encoding="utf-8", newline="\n") as out:
        out.write(text)
        out.flush()
        os.fsync(out.fileno())


def _sync_dir(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _settle(build: Path, target: Path, manifest: Manifest) -> Path:
    """Rename into place. A folder without a manifest is a crash's leftover and makes room."""
    if target.exists():
        if (target / MANIFEST).is_file():
            if read_manifest(target).segment_hash != manifest.segment_hash:
                raise SegmentError(f"{target.parent.name}/{target.name}: stands already, with other content")
            return target
        shutil.rmtree(target)
    build.rename(target)
    _sync_dir(target.parent)
    return target
