"""Cells of a quote sheet as people write them: fixed words in either language, dates, counts, amounts with a
unit of their own."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from decimal import Decimal

from catalog.sheet_columns import value_of
from pipeline.amount import read_amount
from pipeline.reading import price as price_reader
from pipeline.reading.price.model import PriceReading
from pipeline.reading.price.own import states_basis

# One amount with what may stand around it, and nothing else: `4.2万`, `￥2.18元/小时`, `75,000/台/月起`.
_AMOUNT = re.compile(
    r"(?:[¥￥$]|US\$|HK\$|RMB|CNY|人民币)?\s*\d[\d,]*(?:\.\d+)?\s*[万千]?\s*(?:元|圆|RMB|CNY|USD|美元|港币|港元)?\s*"
    r"(?:[/每]\s*(?:\d{1,2}\s*个?)?(?:卡时|小时|时|h|hour|天|日|day|周|week|个?月|month|季度?|半年|年|year|卡|张|台|"
    r"整机|card|server)\s*){0,3}起?",
    re.I,
)
_DATE = re.compile(
    r"(\d{4})\s*[-/.年]\s*(\d{1,2})(?:\s*[-/.月]\s*(\d{1,2})\s*日?)?\s*月?(?:[T ]\d{2}:\d{2}(?::\d{2})?)?"
)
_COUNT = re.compile(r"(\d{1,9})(?:\.0+)?\s*(?:张|卡|块|片|个|颗|台|gpus?|cards?)?(?:起(?:租|订)?)?", re.I)


@dataclass(frozen=True, slots=True)
class Amount:
    """An amount with what its own cell says; None = not said there."""

    low: Decimal
    floor: bool = False
    currency: str | None = None
    per: str | None = None
    per_count: int = 1
    basis: str | None = None


def amount(text: str, unit: str = "", card: str = "") -> Amount | str:
    """A price cell: a bare number, or one amount with its unit, read by the price reader.

    `unit` is that of the column's header, `card` the row's card. A reason where it is neither."""
    plain = unicodedata.normalize("NFKC", text or "").strip()
    bare = read_amount(plain)
    if isinstance(bare, Decimal) and not unit:
        return Amount(bare)
    if isinstance(bare, str) and (bare != "price_not_a_number" or not _AMOUNT.fullmatch(plain)):
        return bare
    if isinstance(bare, str) and (digits := re.search(r"\d[\d,]*(?:\.\d+)?", plain)):
        if not isinstance(read_amount(digits.group()), Decimal):
            return read_amount(digits.group())  # type: ignore[return-value]
        unit = "" if re.search(r"[/每]", plain) else unit
    return _read(f"{plain}{unit if unit.startswith(('/', '元', '万')) or not unit else '/' + unit}", card)


def _read(text: str, card: str) -> Amount | str:
    reading = price_reader.read(text, card or "RTX4090")
    if isinstance(reading, PriceReading):
        if reading.price_low is None or reading.also:
            return "price_not_a_number"
        basis = reading.basis if states_basis(text) else None
        return Amount(
            reading.price_low, reading.price_high is None, _said(text, reading.currency), reading.per,
            reading.per_count, basis,
        )  # fmt: skip
    money = reading.money
    if money is None or money.price_low is None or (money.price_high not in (None, money.price_low)):
        return "price_not_a_number"
    basis = None
    if states_basis(text):
        basis = "card" if re.search(r"卡|张|card", text, re.I) else "server"
    return Amount(
        money.price_low,
        money.price_high is None,
        _said(text, money.currency),
        money.per,
        money.per_count,
        basis,
    )


def _said(text: str, currency: str) -> str | None:
    """The currency, where the cell itself names one."""
    return currency if re.search(r"[¥￥元圆]|RMB|CNY|人民币|US\$|HK\$|USD|美元|港", text, re.I) else None


def word(column: str, text: str, default: str = "") -> str | None:
    """The value of a column of fixed words; `default` for an empty cell, None for a word that is none."""
    plain = text.strip()
    return value_of(column, plain) if plain else default


def date_of(text: str) -> str:
    """A date as ISO 8601 (`2026-11-28`, `2026-11` for a month), else the text itself."""
    found = _DATE.fullmatch(unicodedata.normalize("NFKC", text).strip())
    if found is None:
        return text
    parts = [found[1], f"{int(found[2]):02d}", *([f"{int(found[3]):02d}"] if found[3] else [])]
    return "-".join(parts)


def whole(text: str) -> int | None:
    """A count (`8`, `8张`, `2台起`); None for anything else."""
    found = _COUNT.fullmatch(unicodedata.normalize("NFKC", text).strip())
    return int(found[1]) if found else None


def idle(text: str) -> int | None:
    """Free cards: a count, or a word that says there are none."""
    none = value_of("stock", text) if text.strip() else None
    return 0 if none == "0" else whole(text)
