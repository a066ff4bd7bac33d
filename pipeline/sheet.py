"""Quote sheets: CSV, XLSX and JSON Lines → Listings, row by row, with the reason for every row that is none.

The sheet states facts in columns; what they mean is decided by the same pipeline that reads crawled pages.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from decimal import Decimal, InvalidOperation
from functools import cache, lru_cache
from typing import Final
from zoneinfo import ZoneInfo

from catalog import billing
from catalog.periods import PERIODS
from catalog.providers import Provider
from catalog.table import rows
from pipeline.amount import read_amount
from pipeline.interpret import OFFER_TRUST
from pipeline.reading.normalise import normalise
from pipeline.terms import MODES
from spiders.listing import SCOPES, Listing

SHANGHAI = ZoneInfo("Asia/Shanghai")
BASES: Final = frozenset(("card", "server", "device"))
_NOON = time(12, 0)
_SLUG = re.compile(r"[a-z][a-z0-9_]{0,63}")

_CURRENCIES: Final[dict[str, str]] = {
    "CNY": "CNY", "RMB": "CNY", "元": "CNY", "人民币": "CNY", "¥": "CNY", "CN¥": "CNY",
    "USD": "USD", "US$": "USD", "美元": "USD", "HKD": "HKD", "HK$": "HKD", "港币": "HKD", "POINT": "POINT",
}  # fmt: skip
# POINT is Gongji's own unit: 1,000,000 points are one yuan.
_SCALE: Final[dict[str, tuple[str, str]]] = {"POINT": ("1e-6", "CNY")}
_PRECISIONS: Final = ((re.compile(r"\d{4}-\d{2}-\d{2}"), "day"), (re.compile(r"\d{4}-\d{2}"), "month"),
                      (re.compile(r"\d{4}"), "year"))  # fmt: skip


@dataclass(frozen=True, slots=True)
class RowError:
    """A row that gives no listing, and why. Texts are as in the sheet."""

    locator: str
    reason: str
    source_url: str
    card_text: str | None
    region_text: str | None
    price_text: str | None
    provider: str | None


@dataclass(frozen=True, slots=True)
class SheetContext:
    """What the rows have in common."""

    evidence: str
    file_name: str
    now: datetime
    providers: Mapping[str, Provider]


def read_rows(
    table: Iterator[tuple[int, str, Mapping[str, str]]], sheet: SheetContext
) -> Iterator[
    Listing | RowError
]:  # fmt: skip
    """`table` is (row number, locator, column → text); every row gives exactly one Listing or RowError."""
    for _, locator, row in table:
        made = _listing(row, locator, sheet)
        if isinstance(made, Listing):
            yield made
        else:
            yield RowError(
                locator, made, _source(row, sheet), row.get("card_raw"), row.get("region_raw"),
                row.get("amount_low"), _provider(row.get("provider", ""), sheet),
            )  # fmt: skip


def _listing(row: Mapping[str, str], locator: str, sheet: SheetContext) -> Listing | str:
    trust = row.get("trust") or "seller"
    if trust not in OFFER_TRUST:
        return "not_an_offer"
    provider = _provider(row.get("provider", ""), sheet)
    if provider is None:
        return "provider_unknown" if row.get("provider") else "provider_missing"
    moment = _observed(row)
    if isinstance(moment, str):
        return moment
    observed_at, precision = moment
    if observed_at > sheet.now:
        return "date_in_future"
    if not row.get("card_raw"):
        return "unknown_card"
    money = _money(row)
    if isinstance(money, str):
        return money
    unit, low, high, kind = money
    mode = _mode(row.get("mode", ""))
    if mode is None:
        return "mode_unknown"
    valid_until = _moment(row.get("valid_until", ""), end_of_day=True)
    if isinstance(valid_until, str):
        return valid_until
    cards = _cards(row)
    if isinstance(cards, str):
        return cards
    stated_count, share = cards
    scope = row.get("scope") or ("region" if row.get("region_raw") else "national")
    return Listing(
        provider=provider,
        route="import",
        observed_at=observed_at,
        evidence=sheet.evidence,
        locator=locator,
        source_url=_source(row, sheet),
        evidence_kind="sheet",
        scope=scope if scope in SCOPES else "region",
        price_text=low,
        price_high_text=high,
        unit=unit,
        price_kind=kind,
        card_text=row["card_raw"],
        vram_text=row.get("vram_gb") or None,
        vram_unit="GB" if row.get("vram_gb") else None,
        form_text=row.get("interconnect_raw") or None,
        interconnect_text=row.get("interconnect_raw") or None,
        count_text=stated_count,
        share_text=share,
        sku=row.get("sku") or None,
        region_text=row.get("region_raw") or None,
        mode=mode,
        tier=row.get("tier") or None,
        tax=row.get("tax") or None,
        stock_idle=_whole(row.get("stock_idle", "")),
        stock_total=_whole(row.get("stock_total", "")),
        max_cards=_whole(row.get("max_cards", "")),
        min_cards=_whole(row.get("min_cards", "")),
        valid_until=valid_until,
        date_precision=precision,
        trust=trust,
        provider_class=row.get("provider_class") or None,
    )


def _provider(text: str, sheet: SheetContext) -> str | None:
    """The slug that a seller's name means: the catalog's, or the name itself where it makes a slug."""
    word = text.strip()
    for slug, known in sheet.providers.items():
        if word in {slug, known.name}:
            return slug
    slug = re.sub(r"[\s.-]+", "_", word.casefold())
    return slug if _SLUG.fullmatch(slug) else None


def _source(row: Mapping[str, str], sheet: SheetContext) -> str:
    return row.get("source_url") or f"sheet:{sheet.file_name}"


def _observed(row: Mapping[str, str]) -> tuple[datetime, str] | str:
    if row.get("observed_at"):
        moment = _moment(row["observed_at"])
        return moment if isinstance(moment, str) else (moment, "day") if moment else "date_missing"
    text = row.get("observed_on", "")
    for pattern, precision in _PRECISIONS:
        if pattern.fullmatch(text):
            padded = text + {"day": "", "month": "-01", "year": "-01-01"}[precision]
            day = _day(padded)
            return "date_missing" if day is None else (_at_noon(day), precision)
    return "date_missing"


@lru_cache(maxsize=4096)
def _day(text: str) -> date | None:
    try:
        return date.fromisoformat(text)
    except ValueError:
        return None


def _at_noon(day: date) -> datetime:
    return datetime.combine(day, _NOON, SHANGHAI).astimezone(UTC)


def _moment(text: str, end_of_day: bool = False) -> datetime | str | None:
    """A timestamp with offset, or a bare day; `date_missing` for anything else, None for empty."""
    if not text:
        return None
    day = _day(text)
    if day is not None:
        last = time(23, 59, 59) if end_of_day else _NOON
        return datetime.combine(day, last, SHANGHAI).astimezone(UTC)
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return "date_missing"
    return "date_missing" if moment.tzinfo is None else moment.astimezone(UTC)


def _money(row: Mapping[str, str]) -> tuple[str, str, str | None, str] | str:
    """(unit string, low, high, kind) or a reason."""
    low = read_amount(row.get("amount_low"))
    if isinstance(low, str):
        return low
    kind = row.get("price_kind") or "list"
    high_text = row.get("amount_high") or None
    if high_text is not None:
        high = read_amount(high_text)
        if isinstance(high, str):
            return high
        if high < low:
            return "range_reversed"
    currency = _CURRENCIES.get(normalise(row.get("currency", "")).strip().upper())
    if currency is None:
        return "currency_unknown"
    per = _period(row.get("per", ""))
    count = _whole(row.get("per_count", "") or "1")
    if per is None or not count:
        return "unit_unknown"
    basis = row.get("basis") or "card"
    if basis not in BASES:
        return "unit_unknown"
    scale, currency = _SCALE.get(currency, ("", currency))
    times = f"{count} " if count != 1 else ""
    return f"{scale} {currency}/{basis}/{times}{per}".strip(), str(low), high_text, kind


@lru_cache(maxsize=1024)
def _period(text: str) -> str | None:
    word = text.strip().lower().removeprefix("每").removeprefix("/")
    return word if word in PERIODS else _period_words().get(word)


@cache
def _period_words() -> dict[str, str]:
    table = (row for row in rows("price_words.csv") if row["tag"] == "per")
    return {word: row["value"] for row in table for word in row["words"].split()}


@lru_cache(maxsize=1024)
def _mode(text: str) -> str | None:
    word = text.strip()
    if word in MODES:
        return word
    hit = billing.lookup(word)
    return hit.billing_mode if hit else None


def _cards(row: Mapping[str, str]) -> tuple[str | None, str | None] | str:
    """(stated count, share): `cards` below one is the fraction of one card."""
    text = row.get("cards", "").strip()
    if not text:
        return None, None
    try:
        value = Decimal(text)
    except InvalidOperation:
        return "count_unknown"
    if not value.is_finite() or value <= 0 or (value > 1 and value != value.to_integral_value()):
        return "count_unknown"
    if value < 1:
        return None, text
    return text, None


def _whole(text: str) -> int | None:
    text = text.strip()
    if re.fullmatch(r"\d{1,9}(?:\.0+)?", text):
        return int(text.split(".")[0])
    return None
