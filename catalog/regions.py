"""Places: GB/T 2260 codes, macro-regions, and what sellers call them (`regions.csv`, `region_aliases.csv`).

A seller's label means a place only together with the seller: 华北3 is Zhangjiakou at one cloud and Beijing
at another. Pools that are no places stand in the alias table with an empty code.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from functools import cache, lru_cache
from types import MappingProxyType

from catalog.table import rows

MACRO_CODES: Mapping[str, str] = MappingProxyType(
    {
        "华北": "CN-N",
        "东北": "CN-NE",
        "华东": "CN-E",
        "华中": "CN-C",
        "华南": "CN-S",
        "西南": "CN-SW",
        "西北": "CN-NW",
    }
)
MACRO_NAMES: Mapping[str, str] = MappingProxyType({code: name for name, code in MACRO_CODES.items()})
MACRO_ENGLISH: Mapping[str, str] = MappingProxyType(
    {
        "CN-N": "North China",
        "CN-NE": "Northeast China",
        "CN-E": "East China",
        "CN-C": "Central China",
        "CN-S": "South China",
        "CN-SW": "Southwest China",
        "CN-NW": "Northwest China",
    }
)
MUNICIPALITIES = frozenset(("110000", "120000", "310000", "500000"))
OUTSIDE = frozenset(("710000", "810000", "820000"))
"""Province-level codes that are outside the mainland market."""


@dataclass(frozen=True, slots=True)
class Region:
    """One GB/T 2260 unit. `city_code` "" where a county answers to its province alone; `hub` "" = none."""

    code: str
    name: str
    short: str
    level: str  # province | city | county
    province_code: str
    city_code: str
    macro: str
    hub: str
    pinyin: str
    english: str


@dataclass(frozen=True, slots=True)
class RegionAlias:
    """What `label` means at `provider` ("" = anywhere).

    `code`: GB/T 2260, CN-xx, CN, an ISO country, "" = no place.
    """

    provider: str
    label: str
    code: str
    valid_from: date | None
    valid_to: date | None
    source: str
    confidence: str
    note: str

    def valid(self, on: date | None) -> bool:
        """Whether it holds on a day; without a day, whether it still holds."""
        if on is None:
            return self.valid_to is None
        return (self.valid_from is None or self.valid_from <= on) and (
            self.valid_to is None or on <= self.valid_to
        )


@cache
def regions() -> Mapping[str, Region]:
    """All units by code, in code order."""
    return MappingProxyType({row["code"]: Region(**row) for row in rows("regions.csv")})


@cache
def region_aliases() -> tuple[RegionAlias, ...]:
    """All alias rows, in file order."""
    return tuple(
        RegionAlias(
            provider=row["provider"],
            label=row["label"],
            code=row["code"],
            valid_from=_day(row["valid_from"]),
            valid_to=_day(row["valid_to"]),
            source=row["source"],
            confidence=row["confidence"],
            note=row["note"],
        )
        for row in rows("region_aliases.csv")
    )


def label_key(label: str) -> str:
    """A label without case and spaces, brackets made alike: how labels are compared."""
    return re.sub(r"[\s·]+", "", label.lower()).translate(_BRACKETS)


def alias_of(provider: str, label: str, on: date | None = None) -> RegionAlias | None:
    """The row of a provider's label ("" = the general rows) on a day; rows that still hold come first.

    Without a day an expired row answers when no other does: old observations keep their place.
    """
    found = _by_label().get((provider, label_key(label)), ())
    valid = next((row for row in found if row.valid(on)), None)
    return valid or (found[0] if found and on is None else None)


@lru_cache(maxsize=16384)  # labels come from outside
def codes_of(label: str) -> frozenset[str]:
    """The places that sellers mean by a label whose seller is not known; pools leave no trace here."""
    key = label_key(label)
    return frozenset(
        row.code
        for (provider, k), found in _by_label().items()
        if provider and k == key
        for row in found
        if row.code
    )


_BRACKETS = str.maketrans("（）【】－—–", "()[]---")


@cache
def _by_label() -> Mapping[tuple[str, str], tuple[RegionAlias, ...]]:
    found: dict[tuple[str, str], list[RegionAlias]] = {}
    for row in region_aliases():
        found.setdefault((row.provider, label_key(row.label)), []).append(row)
    return MappingProxyType(
        {key: tuple(sorted(some, key=lambda row: row.valid_to is not None)) for key, some in found.items()}
    )


def _day(cell: str) -> date | None:
    return date.fromisoformat(cell) if cell else None
