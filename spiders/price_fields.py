"""Which field of a cloud's answer is which price (`price_fields.csv`), and the quotes that a node gives.

`key` is the seller's own word for the way of paying, `field` and `public_field` the list price and the price
shown to everybody, `per` the period that one amount pays for. Where a field of the answer states the unit
(`unit_field`), it must hold `unit_word`. A field that is `needed` and is not there has moved, one that is
null is a price that is missing; any other may be absent, zero or "NA": not sold that way. This module imports
no Scrapy.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from functools import cache
from importlib.resources import files
from typing import Any

from spiders.shape import has, text

_NOT_SOLD = frozenset(("", "NA", "N/A", "-", "--"))


@dataclass(frozen=True, slots=True)
class PriceField:
    """One row of the table; "" where it says nothing."""

    field: str
    public_field: str
    public_kind: str
    per: str
    mode: str
    tier: str
    price_kind: str
    term: str
    needed: bool
    unit_field: str
    unit_word: str


class Moved(LookupError):
    """A field that must be there is not, or says another unit."""

    def __init__(self, field: str, expected: str, found: str | None) -> None:
        super().__init__(field)
        self.field, self.expected, self.found = field, expected, found


@cache
def _table() -> Mapping[tuple[str, str], tuple[PriceField, ...]]:
    found: dict[tuple[str, str], tuple[PriceField, ...]] = {}
    lines = files("spiders").joinpath("price_fields.csv").read_text("utf-8").splitlines()
    for row in csv.DictReader(lines):
        key, needed = (row.pop("source"), row.pop("key")), row.pop("needed") == "yes"
        found[key] = (*found.get(key, ()), PriceField(**row, needed=needed))
    return found


def knows(source: str, key: str) -> bool:
    """Does the table have this way of paying?"""
    return (source, key) in _table()


def quotes(
    source: str, key: str, node: Any, currency: str = "CNY", count: str = ""
) -> Iterator[tuple[str, dict[str, Any]]]:
    """(field, listing fields) of each price of `node`: list, and public where it differs.

    `count` is how many periods, or years of commitment (`term`), the seller states beside the amount. Moved
    for a needed field that is missing or a unit that is another. A price that holds only under a condition
    (`promo`) is quoted once, as it is paid.
    """
    for one in _table().get((source, key), ()):
        listed = text(node, one.field)
        unit = text(node, one.unit_field) if one.unit_field else None
        if unit not in (None, one.unit_word):
            raise Moved(one.unit_field, one.unit_word, unit)
        if one.needed and not has(node, one.field):
            raise Moved(one.field, "a price", None)
        public = text(node, one.public_field) if one.public_field else None
        times = f"{count} " if count not in ("", "1") and not one.term else ""
        about: dict[str, Any] = {
            "unit": f"{currency}/instance/{times}{one.per}",
            "mode": one.mode or None,
            "tier": one.tier or None,
            "term_text": f"{count or 1} {one.term}" if one.term else None,
        }
        differs = _sold(public) and not _same(public, listed)
        if differs and one.price_kind == "promo":
            yield one.public_field, about | {"price_text": public, "price_kind": "promo"}
            continue
        if _sold(listed) or (one.needed and listed not in _NOT_SOLD):
            yield one.field, about | {"price_text": listed, "price_kind": one.price_kind or None}
        if differs:
            yield one.public_field, about | {"price_text": public, "price_kind": one.public_kind}


def _sold(amount: str | None) -> bool:
    if amount is None or amount.strip() in _NOT_SOLD:
        return False
    try:
        return Decimal(amount) != 0
    except InvalidOperation:
        return True  # the reader says what is wrong with it


def _same(amount: str | None, other: str | None) -> bool:
    try:
        return amount is not None and other is not None and Decimal(amount) == Decimal(other)
    except InvalidOperation:
        return amount == other
