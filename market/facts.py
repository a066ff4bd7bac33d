"""The dated price facts the market is seeded with, and which of them hold on a given day.

`data/market_facts.csv` has one row per quoted price (24 columns, RFC 4180, UTF-8), each with its own source.
Only what a seller itself said, at first hand or through a named third party, is ever served; rows marked as
known errors or as carried over a failed capture stay in the file for the quote-sheet import and never reach a
site.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass, fields
from datetime import date, datetime
from decimal import Decimal
from functools import cache
from pathlib import Path
from zoneinfo import ZoneInfo

FACTS_FILE = Path(__file__).parent / "data" / "market_facts.csv"
SHANGHAI = ZoneInfo("Asia/Shanghai")

_SELLER = frozenset({"seller", "seller_via_third_party"})
_NEVER = ("KNOWN ERROR", "CARRIED")


@dataclass(frozen=True, slots=True)
class Fact:
    """One quoted price, every cell as the file has it; amounts in `currency` per `per_count` × `per`."""

    fact_id: str
    observed_on: str
    date_precision: str
    provider: str
    provider_class: str
    trust: str
    scope: str
    region_raw: str
    card_raw: str
    vram_gb: str
    cards: str
    sku: str
    interconnect_raw: str
    mode: str
    price_kind: str
    amount_low: str
    amount_high: str
    currency: str
    per: str
    per_count: str
    basis: str
    tax: str
    source: str
    note: str

    @property
    def amount(self) -> Decimal:
        """The quoted amount (its low end for a range)."""
        return Decimal(self.amount_low)

    @property
    def since(self) -> date:
        """First day the fact may be shown: its day, or the first day of its month or year."""
        year, month, day = (self.observed_on + "-01-01").split("-")[:3]
        return date(int(year), int(month), int(day))

    @property
    def servable(self) -> bool:
        """True for what a seller said itself and nobody later found to be wrong."""
        return self.trust in _SELLER and not self.note.startswith(_NEVER)


@cache
def all_facts() -> tuple[Fact, ...]:
    """Every row of the file, in its order. Raises ValueError if the columns are not the documented ones."""
    with FACTS_FILE.open(encoding="utf-8", newline="") as stream:
        reader = csv.DictReader(stream)
        names = [f.name for f in fields(Fact)]
        if reader.fieldnames != names:
            raise ValueError(f"{FACTS_FILE.name}: columns are {reader.fieldnames}, expected {names}")
        return tuple(Fact(**row) for row in reader)


@cache
def provider_facts(provider: str) -> tuple[Fact, ...]:
    """All servable facts of one provider, oldest first, file order within a day."""
    mine = [f for f in all_facts() if f.provider == provider and f.servable]
    return tuple(sorted(mine, key=lambda f: f.since))


def market_day(now: datetime) -> date:
    """The calendar day of `now` in China. Raises ValueError for a naive time."""
    if now.tzinfo is None:
        raise ValueError("the market's clock needs a time with an offset")
    return now.astimezone(SHANGHAI).date()


def latest(
    facts: Iterable[Fact], now: datetime, key: Callable[[Fact], Hashable | None]
) -> dict[Hashable, Fact]:
    """The last fact not after `now` for every `key`; facts whose key is None are skipped.

    `facts` are oldest first (`provider_facts`). Keys come in the order in which they were first seen.
    """
    today = market_day(now)
    found: dict[Hashable, Fact] = {}
    for fact in facts:
        name = key(fact)
        if name is not None and fact.since <= today:
            found[name] = fact
    return found
