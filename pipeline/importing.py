"""A quote sheet into segments: one run a file, one segment a provider named in it."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Final

from catalog.providers import Provider
from pipeline import sheet_file
from pipeline.interpret import RULE_VERSION
from pipeline.manifest import MANIFEST, segment_dir
from pipeline.offer import Rejection
from pipeline.run import Processed, process
from pipeline.segment import RunMeta, write_segment
from pipeline.sheet import RowError, SheetContext, read_rows
from spiders.evidence import EvidenceStore
from spiders.listing import Listing

REFERENCE: Final = "not_an_offer"
# Rows that name no seller are kept too: nothing is dropped.
NO_PROVIDER: Final = "unknown"
# A segment waits for the disk six times; those of many sellers wait together.
_WRITERS: Final = 8


@dataclass(slots=True)
class Imported:
    """What became of the rows: rows = offers + reference + rejections."""

    file: str
    run_id: str
    rows: int = 0
    offers: int = 0
    reference: int = 0
    known: bool = False  # nothing was written, every segment of it stood already
    rejections: list[tuple[int, str]] = field(default_factory=list)


def import_sheet(
    home: Path, file: Path, now: datetime, providers: Mapping[str, Provider], complete: bool = False
) -> Imported:
    """Read the file, keep its bytes as evidence and write its segments.

    Importing the same bytes again changes nothing. `complete` says that the sheet holds everything its
    sellers offer, so that goods which are not in it are gone. SheetError for a file that is no sheet.
    """
    body = file.read_bytes()
    rows = sheet_file.read_file(file.name, body)
    digest = hashlib.sha256(body).hexdigest()
    run_id = f"import-{digest[:16]}" + ("-complete" if complete else "")
    # The readers of files are lazy: read everything before anything is written.
    numbers: dict[str, int] = {}
    by_provider: dict[str, list[Listing | RowError]] = defaultdict(list)
    for made in read_rows(_numbered(rows, numbers), SheetContext(digest, file.name, now, providers)):
        by_provider[made.provider or NO_PROVIDER].append(made)
    EvidenceStore(home / "evidence").put(body)
    result = Imported(file.name, run_id, known=True)
    with ThreadPoolExecutor(_WRITERS) as pool:
        writing: list[Future[Path]] = []
        for provider in sorted(by_provider):
            processed = _provider_rows(by_provider[provider], run_id, provider, digest, now, providers)
            _count(result, processed, numbers)
            if not (segment_dir(home, run_id, provider) / MANIFEST).is_file():
                result.known = False
                listings = [m for m in by_provider[provider] if isinstance(m, Listing)]
                meta = _meta(run_id, provider, now, complete, processed, providers)
                written = (home, meta, processed.offers, processed.rejections, listings)
                writing.append(pool.submit(write_segment, *written))
        for done in writing:
            done.result()
    result.rejections.sort()
    return result


def _numbered(rows: Iterator[sheet_file.Row], numbers: dict[str, int]) -> Iterator[sheet_file.Row]:
    for number, locator, row in rows:
        numbers[locator] = number
        yield number, locator, row


def _provider_rows(
    made: list[Listing | RowError], run_id: str, provider: str, digest: str, now: datetime,
    providers: Mapping[str, Provider],
) -> Processed:  # fmt: skip
    listings = [m for m in made if isinstance(m, Listing)]
    processed = process(listings, run_id, now, providers)
    for error in made:
        if isinstance(error, RowError):
            processed.rejections.append(
                Rejection(
                    run_id=run_id,
                    provider=provider,
                    reason=error.reason,
                    rule_version=RULE_VERSION,
                    card_text=error.card_text,
                    region_text=error.region_text,
                    price_text=error.price_text,
                    observed_at=now,
                    evidence=digest,
                    locator=error.locator,
                    source_url=error.source_url,
                )
            )
    return Processed(processed.offers, processed.rejections, len(made))


def _count(result: Imported, processed: Processed, numbers: Mapping[str, int]) -> None:
    result.rows += processed.parsed
    refused = [(numbers[r.locator], r.reason) for r in processed.rejections if r.reason != REFERENCE]
    result.rejections.extend(refused)
    result.reference += len(processed.rejections) - len(refused)
    result.offers += processed.parsed - len(processed.rejections)


def _meta(
    run_id: str, provider: str, now: datetime, complete: bool, processed: Processed,
    providers: Mapping[str, Provider],
) -> RunMeta:  # fmt: skip
    known = providers.get(provider)
    good = bool(processed.offers)
    return RunMeta(
        run_id=run_id,
        provider=provider,
        kind="import",
        started_at=now,
        ended_at=now,
        outcome="ok" if good else "empty",
        complete=complete and good,
        parser_version=RULE_VERSION,
        provider_class=known.class_ if known else None,
        distinct_keys=processed.distinct_keys,
        readings=processed.parsed,
    )
