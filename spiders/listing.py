"""The Listing: what one place on one page or in one API answer says, before any interpretation.

A spider fills it and never converts, guesses or drops. This module imports no Scrapy: the pipeline reads
listings from `listings.jsonl` with nothing of the crawl loaded.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, field, fields
from datetime import datetime
from pathlib import Path
from typing import Any

SCOPES = ("national", "region", "zone", "pool", "host")
EVIDENCE_KINDS = ("realtime", "catalog", "pricing", "page", "sheet")


@dataclass(frozen=True, slots=True, kw_only=True)
class Listing:
    """Texts are as printed; None is "the source does not say".

    A price is told in one of two ways. With `unit` (`1e-5 CNY/unit/hour`, see `pipeline.reading.units`),
    `price_text` is a number in that unit, or text that the unit completes. Without, `price_text` is free
    text and `context` (heading, row and column headers, ` | ` between) is what stands around it.
    """

    provider: str
    route: str
    observed_at: datetime
    evidence: str  # SHA-256 of the body, "" only for tests
    locator: str  # where in the body: JSON pointer, CSS and row number, sheet and row
    source_url: str  # the real origin, never a loopback port
    evidence_kind: str  # one of EVIDENCE_KINDS
    scope: str  # one of SCOPES

    price_text: str
    unit: str | None = None
    context: str = ""
    price_high_text: str | None = None  # upper end, where the source has a field of its own for it
    upfront_text: str | None = None  # paid once at the start of the term, same currency

    card_text: str | None = None
    vram_text: str | None = None
    vram_unit: str | None = None  # bytes | MB | GB, of one card unless vram_total
    vram_total: bool = False  # vram_text is of all cards together
    form_text: str | None = None
    interconnect_text: str | None = None
    count_text: str | None = None  # cards that the price covers, where the source has a field for it
    share_text: str | None = None  # fraction of one card, "0.25" or "1/4"
    basis: str | None = None  # card | server: what one amount pays for, where the source's words do not say
    sku: str | None = None

    site: str = "mainland"  # mainland | international: two price lists of one seller
    region_text: str | None = None
    zone_text: str | None = None

    mode: str | None = None  # billing mode where the source's field says it; else read from the text
    mode_fixed: bool = False  # `mode` is declared and goes before what the length of the period says
    term_text: str | None = None  # "1 year", "3个月", "30 day"
    price_kind: str | None = None  # None: read from the text, else list
    tier: str | None = None
    tax: str | None = None  # included | excluded; None = unknown
    os: str | None = None

    vcpu_text: str | None = None
    ram_text: str | None = None
    ram_unit: str | None = None  # bytes | MB | GB
    stock_idle: int | None = None  # free cards
    stock_total: int | None = None
    status: str | None = None  # available | limited | sold_out | offered
    max_cards: int | None = None
    min_cards: int | None = None
    valid_until: datetime | None = None
    listing_id: str | None = None  # the source's own id: provenance, never identity
    date_precision: str = "day"
    trust: str = "seller"
    provider_class: str | None = None  # sheets only; else the catalog's
    extra: dict[str, str] = field(default_factory=dict)

    def to_json(self) -> str:
        """One line of `listings.jsonl`; keys whose value is the default are left out."""
        row = {k: v for k, v in asdict(self).items() if k in _REQUIRED or v != _DEFAULTS[k]}
        for key in ("observed_at", "valid_until"):
            if isinstance(row.get(key), datetime):
                row[key] = row[key].isoformat()
        return json.dumps(row, ensure_ascii=False, sort_keys=True)

    @classmethod
    def from_json(cls, line: str) -> Listing:
        """The inverse of `to_json`; ValueError or TypeError for a line that is not one."""
        row: dict[str, Any] = json.loads(line)
        for key in ("observed_at", "valid_until"):
            if row.get(key) is not None:
                row[key] = datetime.fromisoformat(row[key])
        return cls(**row)


_REQUIRED = frozenset(
    "provider route observed_at evidence locator source_url evidence_kind scope price_text".split()
)
_DEFAULTS: dict[str, Any] = {
    f.name: ({} if f.name == "extra" else f.default) for f in fields(Listing) if f.name not in _REQUIRED
}


def write_listings(path: Path, listings: Iterable[Listing]) -> int:
    """Write `listings.jsonl` whole; returns the number of lines."""
    count = 0
    with path.open("w", encoding="utf-8", newline="\n") as out:
        for listing in listings:
            out.write(listing.to_json() + "\n")
            count += 1
    return count


def read_listings(path: Path) -> Iterator[Listing]:
    """Stream `listings.jsonl`. A cut last line (killed crawl) raises ValueError naming the line."""
    with path.open(encoding="utf-8") as lines:
        for number, line in enumerate(lines, 1):
            try:
                yield Listing.from_json(line)
            except (ValueError, TypeError) as error:
                raise ValueError(f"{path.name}:{number}: not a listing: {error}") from None
