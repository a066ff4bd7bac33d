"""Quote sheets read again from the bytes that were kept: do they still give the same segments?"""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import duckdb
import pyarrow.parquet as pq

from catalog.providers import Provider
from pipeline.importing import import_sheet
from pipeline.manifest import SegmentError, read_manifest, segment_dir
from pipeline.sheet_file import SheetError
from spiders.evidence import EvidenceStore
from warehouse.verify_rows import MOST

_PARTS = ("listings", "offers", "rejections")
_TOLD = ("locator", "offer_id", "card_text", "region_text", "price_text", "reason", "price")
_NAMED = "sheet:"  # how a row without an address of its own names its file


def sheets_apart(
    home: Path, con: duckdb.DuckDBPyConnection, providers: Mapping[str, Provider]
) -> Iterator[str]:
    """One sentence for each row that a sheet of the generation gives now and did not, or the other way."""
    rows = con.execute(
        "SELECT run_id, list(provider ORDER BY provider) FROM store.run WHERE kind = 'import'"
        " GROUP BY run_id ORDER BY run_id"
    ).fetchall()
    for run_id, sellers in rows:
        folders = [segment_dir(home, run_id, seller) for seller in sellers]
        try:
            started = read_manifest(folders[0]).run.started_at
            kept = [row for folder in folders for part in _PARTS for row in _rows(folder, part)]
            digest = next(row["evidence"] for row in kept)
            body = EvidenceStore(home / "evidence").read(digest)
        except (SegmentError, OSError, ValueError, StopIteration):
            continue  # the check of files has said so
        with tempfile.TemporaryDirectory(prefix="suanjia-sheet-") as scratch:
            file = Path(scratch) / _file_name(kept, body)
            file.write_bytes(body)
            again = Path(scratch) / "home"
            try:
                import_sheet(again, file, started, providers, complete=run_id.endswith("-complete"))
            except SheetError as error:
                yield f"evidence/{digest}: the sheet is not read again: {error}"
                continue
            for folder, seller in zip(folders, sellers, strict=True):
                yield from _apart(folder, segment_dir(again, run_id, seller))


def _apart(kept: Path, again: Path) -> Iterator[str]:
    for part in _PARTS:
        name = f"segments/{kept.parent.name}/{kept.name}/{part}.parquet"
        old, new = (_counted(folder, part) for folder in (kept, again))
        for row, _ in sorted((old - new).elements())[:MOST]:
            yield f"{name}: read then, not now: {row}"
        for row, _ in sorted((new - old).elements())[:MOST]:
            yield f"{name}: read now, not then: {row}"


def _counted(folder: Path, part: str) -> Counter[tuple[str, str]]:
    """Rows as texts: what a person would look for, and everything."""
    return Counter(
        (" ".join(str(row[name]) for name in _TOLD if row.get(name)), repr(sorted(row.items())))
        for row in _rows(folder, part)
    )


def _rows(folder: Path, part: str) -> list[dict[str, Any]]:
    path = folder / f"{part}.parquet"
    rows: list[dict[str, Any]] = pq.read_table(path).to_pylist() if path.is_file() else []
    return rows


def _file_name(rows: Sequence[Mapping[str, Any]], body: bytes) -> str:
    """The sheet's name, which says what kind of file it is; where no row tells it, the bytes do."""
    for row in rows:
        source = str(row.get("source_url") or "")
        if source.startswith(_NAMED):
            return Path(source.removeprefix(_NAMED)).name
    if body.startswith(b"PK\x03\x04"):
        return "sheet.xlsx"
    text = body.lstrip(b"\xef\xbb\xbf \r\n\t")
    if text.startswith(b"{"):
        return "sheet.jsonl"
    return "sheet.tsv" if b"\t" in text.split(b"\n", 1)[0] else "sheet.csv"
