"""Billing words of sellers: which mode, term, kind and tier of price a word means (`billing_words.csv`)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType

from catalog.periods import HOURS
from catalog.table import rows

BILLING_MODES = (
    *("on_demand", "prepaid_hour", "daily", "weekly", "monthly", "yearly", "reserved", "spot", "pack"),
    "serverless",
)
"""The modes an offer may have. `free_trial` and `no_card` are words for what is never an offer."""

PRICE_KINDS = ("list", "member", "public_discount", "promo", "floor", "assessment")

MODE_OF_PERIOD: Mapping[str, str] = MappingProxyType(
    {
        "hour": "on_demand",
        "minute": "on_demand",
        "second": "on_demand",
        "day": "daily",
        "week": "weekly",
        "month": "monthly",
        "quarter": "reserved",
        "half_year": "reserved",
        "year": "yearly",
    }
)
"""The mode of a price for one period, where no word beside it says another."""


@dataclass(frozen=True, slots=True)
class BillingWord:
    """What one word says. `billing_mode`, `price_kind`, `tier`, `term_hours`: None = not said."""

    word: str
    provider: str
    billing_mode: str | None
    price_kind: str | None
    tier: str | None
    term_hours: int | None
    note: str
    source: str


def billing_words(provider: str | None = None) -> Mapping[str, BillingWord]:
    """All words by folded spelling; those of `provider` replace the general ones."""
    tables = _tables()
    return tables.get(provider or "", tables[""])


@cache
def _tables() -> Mapping[str, Mapping[str, BillingWord]]:
    found: dict[str, dict[str, BillingWord]] = {"": {}}
    for row in rows("billing_words.csv"):
        found.setdefault(row["provider"], {})[_fold(row["word"])] = _word(row)
    return MappingProxyType({slug: MappingProxyType(found[""] | own) for slug, own in found.items()})


def lookup(word: str, provider: str | None = None) -> BillingWord | None:
    """The whole word (case, spaces, hyphens and underscores do not matter), or None when it is not known."""
    return billing_words(provider).get(_fold(word))


def _fold(word: str) -> str:
    return "".join(c for c in word.lower() if c not in " -_\t")


def _word(row: dict[str, str]) -> BillingWord:
    count = int(row["term_count"]) if row["term_count"] else 1
    return BillingWord(
        word=row["word"],
        provider=row["provider"],
        billing_mode=row["billing_mode"] or None,
        price_kind=row["price_kind"] or None,
        tier=row["tier"] or None,
        term_hours=HOURS[row["term"]] * count if row["term"] else None,
        note=row["note"],
        source=row["source"],
    )
