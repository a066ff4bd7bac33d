"""Quote sheets: CSV, XLSX and JSON Lines → Listings, row by row, with the reason for every row that is none.

The sheet states facts in columns; what they mean is decided by the same pipeline that reads crawled pages.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from decimal import Decimal, InvalidOperation
from functools import cache, cached_property, lru_cache
from typing import Final
from zoneinfo import ZoneInfo

from catalog import billing
from catalog.periods import HOURS, PERIODS, period_hours
from catalog.providers import Provider
from catalog.table import rows
from pipeline.goods import count_of
from pipeline.interpret import OFFER_TRUST
from pipeline.reading.normalise import normalise
from pipeline.sheet_file import HEADER_UNIT
from pipeline.sheet_values import Amount, amount, date_of, idle, whole, word
from pipeline.terms import MODES
from spiders.listing import Listing
from spiders.shape import memory

SHANGHAI = ZoneInfo("Asia/Shanghai")
_NOON = time(12, 0)
# An older date is a slip of the hand: nobody sold computing by the hour then.
_FIRST = datetime(2000, 1, 1, tzinfo=UTC)
_CLOCK = re.compile(r"\d:\d")
_COUNTED_PERIOD = re.compile(r"(\d{1,3})\s*个?\s*([^\d\s]+)")  # 3个月
_SHORT: Final = {"minute": Decimal(60), "second": Decimal(3600)}
_SLUG = re.compile(r"[a-z][a-z0-9_]{0,63}")

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


@dataclass(frozen=True)
class SheetContext:
    """What the rows have in common."""

    evidence: str
    file_name: str
    now: datetime
    providers: Mapping[str, Provider]

    @cached_property
    def slugs(self) -> Mapping[str, str]:
        """Slug by slug and by name; a slug goes before another seller's name."""
        by_name = {known.name: slug for slug, known in reversed(list(self.providers.items()))}
        return by_name | {slug: slug for slug in self.providers}


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
    trust = word("trust", row.get("trust", ""), "seller")
    if trust not in OFFER_TRUST:
        return "not_an_offer"
    provider = _provider(row.get("provider", ""), sheet)
    if provider is None:
        return "provider_unknown" if row.get("provider") else "provider_missing"
    moment = _observed(row)
    if isinstance(moment, str):
        return moment
    observed_at, precision = moment
    if observed_at < _FIRST:
        return "date_missing"
    if observed_at > sheet.now:
        return "date_in_future"
    if not row.get("card_raw"):
        return "unknown_card"
    money = _money(row)
    if isinstance(money, str):
        return money
    unit, low, high, kind = money
    tax = word("tax", row.get("tax", ""), "unknown") or "unknown"
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
    scope = word("scope", row.get("scope", ""), "region" if row.get("region_raw") else "national")
    vram = memory("vram", row.get("vram_gb") or None)
    return Listing(
        provider=provider,
        route="import",
        observed_at=observed_at,
        evidence=sheet.evidence,
        locator=locator,
        source_url=_source(row, sheet),
        evidence_kind="sheet",
        scope=scope or "region",
        price_text=low,
        price_high_text=high,
        unit=unit,
        price_kind=kind,
        card_text=row["card_raw"],
        vram_text=vram.get("vram_text"),
        vram_unit=vram.get("vram_unit"),
        form_text=row.get("interconnect_raw") or None,
        interconnect_text=row.get("interconnect_raw") or None,
        count_text=stated_count,
        share_text=share,
        sku=row.get("sku") or None,
        region_text=row.get("region_raw") or None,
        mode=mode,
        tier=row.get("tier") or None,
        tax=None if tax == "unknown" else tax,
        stock_idle=idle(row.get("stock_idle", "")),
        stock_total=whole(row.get("stock_total", "")),
        max_cards=whole(row.get("max_cards", "")),
        min_cards=whole(row.get("min_cards", "")),
        valid_until=valid_until,
        date_precision=precision,
        trust=trust,
        provider_class=word("provider_class", row.get("provider_class", "")) or None,
    )


def _provider(text: str, sheet: SheetContext) -> str | None:
    """The slug that a seller's name means: the catalog's, or the name itself where it makes a slug."""
    word = text.strip()
    if known := sheet.slugs.get(word):
        return known
    slug = re.sub(r"[\s.-]+", "_", word.casefold())
    return slug if _SLUG.fullmatch(slug) else None


def _source(row: Mapping[str, str], sheet: SheetContext) -> str:
    return row.get("source_url") or f"sheet:{sheet.file_name}"


def _observed(row: Mapping[str, str]) -> tuple[datetime, str] | str:
    if row.get("observed_at"):
        moment = _moment(row["observed_at"])
        return moment if isinstance(moment, str) else (moment, "day") if moment else "date_missing"
    text = date_of(row.get("observed_on", ""))
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
    day = _day(date_of(text))
    if day is not None and not _CLOCK.search(text):
        last = time(23, 59, 59) if end_of_day else _NOON
        return datetime.combine(day, last, SHANGHAI).astimezone(UTC)
    try:
        moment = datetime.fromisoformat(text)
        return "date_missing" if moment.tzinfo is None else moment.astimezone(UTC)
    except (ValueError, OverflowError):  # 9999-12-31T23:59:59-10:00 is in no year that UTC has
        return "date_missing"


def _money(row: Mapping[str, str]) -> tuple[str, str, str | None, str] | str:
    """(unit string, low, high, kind) or a reason. What the price cell says of its unit must agree with the
    columns, and fills those that are empty."""
    cell = amount(row.get("amount_low", ""), row.get(HEADER_UNIT, ""), row.get("card_raw", ""))
    if isinstance(cell, str):
        return cell
    kind = word("price_kind", row.get("price_kind", ""), "floor" if cell.floor else "list")
    if kind is None or (cell.floor and kind != "floor"):
        return "row_unreadable"
    high_text = row.get("amount_high") or None
    if high_text is not None:
        high = amount(high_text)
        if isinstance(high, str):
            return high
        if high.low < cell.low:
            return "range_reversed"
        high_text = str(high.low)
    currency = word("currency", normalise(row.get("currency", "")), cell.currency or "")
    if not currency or cell.currency not in (None, currency):
        return "currency_unknown"
    unit = _unit(row, cell)
    if unit is None:
        return "unit_unknown"
    scale, currency = _SCALE.get(currency, ("", currency))
    return f"{scale} {currency}/{unit}".strip(), str(cell.low), high_text, kind


def _unit(row: Mapping[str, str], cell: Amount) -> str | None:
    """`card/hour`, `server/3 month`; None where columns and cell say different things, or nothing."""
    basis = word("basis", row.get("basis", ""), cell.basis or "card")
    if basis is None or cell.basis not in (None, basis, "server" if basis == "device" else basis):
        return None
    stated = row.get("per", "")
    count = whole(row.get("per_count", "") or "1")
    if found := _COUNTED_PERIOD.fullmatch(stated.strip()):
        stated, count = found[2], int(found[1]) * (count or 0)
    per = _period(stated) if stated else cell.per
    if not stated and not row.get("per_count"):
        count = cell.per_count
    if per is None or not count:
        return None
    if cell.per is not None and _length(cell.per, cell.per_count) != _length(per, count):
        return None
    return f"{basis}/{f'{count} ' if count != 1 else ''}{per}"


def _length(per: str, count: int) -> Decimal | int:
    """A period for comparison: six months are half a year."""
    return period_hours(per, count) if per in HOURS else Decimal(count) / _SHORT[per]


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
    if (number := count_of(text)) is not None:
        text = f"{number:f}"
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
