"""Where a label is: a seller's own words by its dated table, else the places the label names itself.

Nothing is taken from a pool's name, from line words (电信, BGP) or from what other sellers mean by a label.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from functools import lru_cache

from catalog.regions import (
    MACRO_CODES,
    MACRO_NAMES,
    MUNICIPALITIES,
    RegionAlias,
    alias_of,
    codes_of,
    regions,
)
from pipeline.reading.normalise import normalise
from pipeline.reading.region_names import Named, chinese, inside, latin, level_of, stands_alone

_PIECES = re.compile(r"[()\[\]/|,，、:：]+|\s+-\s+")
# Zones of a cloud region: `cn-beijing-a`, `ap-beijing-3`, `cn-north-4a`, `cn-wlcb-01`.
_ZONE = (re.compile(r"[-_][0-9]{1,2}$"), re.compile(r"[-_][a-z]$"), re.compile(r"(?<=[0-9])[a-z]$"))
_NUMBERED = re.compile(r"(?:华[北东中南]|东北|西[南北])(?:区|地区)?\s?-?[0-9一二三四五六七八九十]")
_INNER = re.compile(r"(?<=[\u4e00-\u9fff]) (?=[\u4e00-\u9fff])")  # `北 京` is one word
_MANY = 400  # characters: longer texts are prose, and a region is never taken from prose


@dataclass(frozen=True, slots=True)
class RegionReading:
    """Codes down to `precision` (county | city | province | macro | nation | none), None below it.

    `code` is the region code of an offer: the finest known, a municipality's province code, CN-xx for a
    macro-region, CN for the nation, an ISO country abroad (precision `none`), None for pools.
    """

    province_code: str | None
    city_code: str | None
    county_code: str | None
    macro: str | None
    precision: str
    code: str | None

    def row(self) -> dict[str, str | None]:
        """The fields that `suanjia parse region` prints beside the id."""
        return {
            "province_code": self.province_code,
            "city_code": self.city_code,
            "county_code": self.county_code,
            "macro": self.macro,
            "precision": self.precision,
        }


NONE = RegionReading(None, None, None, None, "none", None)


@lru_cache(maxsize=16384)
def read(text: str, provider: str | None = None, on: date | None = None) -> RegionReading:
    """The place of a label; `provider`'s own table decides, as it stood `on` that day. Never raises."""
    label = _INNER.sub("", normalise(text))
    if not label or len(label) > _MANY:
        return NONE
    own = _own(label, provider, on)
    if own is not None and not _names_place(label):
        return reading(own.code)
    general = alias_of("", label, on)
    if general is not None:
        return reading(general.code)
    return _by_name(label, provider, on, own)


def reading(code: str | None) -> RegionReading:
    """The reading of a region code: GB/T 2260, CN-xx, CN, an ISO country, None or "" for no place."""
    if not code:
        return NONE
    if code == "CN":
        return RegionReading(None, None, None, None, "nation", "CN")
    if code in MACRO_NAMES:
        return RegionReading(None, None, None, MACRO_NAMES[code], "macro", code)
    region = regions().get(code)
    if region is None:
        return RegionReading(None, None, None, None, "none", code)
    macro = region.macro or None
    province = region.province_code
    if region.level == "county":
        return RegionReading(province, region.city_code or None, code, macro, "county", code)
    if province in MUNICIPALITIES:
        return RegionReading(province, province[:2] + "0100", None, macro, "city", province)
    if region.level == "city":
        return RegionReading(province, code, None, macro, "city", code)
    return RegionReading(province, None, None, macro, "province", code)


def _own(label: str, provider: str | None, on: date | None) -> RegionAlias | None:
    """The provider's row for the label, its zone's region, or one of its pieces (`西北B区 (west-B)`)."""
    if provider is None:
        return None
    for part in (label, *_PIECES.split(label)):
        for name in _zones(part.strip()):
            row = alias_of(provider, name, on) if name else None
            if row is not None:
                return row
    return None


def _zones(name: str) -> list[str]:
    """A code and the regions it may be a zone of, the code first."""
    names = [name]
    low = name.lower()
    if low.isascii():
        for pattern in _ZONE:
            shorter = pattern.sub("", low)
            if shorter != low:
                names.append(shorter)
                low = shorter
    return names


def _names_place(label: str) -> bool:
    """Whether brackets beside a seller's word name a place themselves: `华北3(张家口)`."""
    pieces = [piece for piece in _PIECES.split(label) if piece.strip()]
    return len(pieces) > 1 and any(
        any(level_of(code) >= 1 for code in name.codes) for piece in pieces[1:] for name in chinese(piece)
    )


def _by_name(label: str, provider: str | None, on: date | None, own: RegionAlias | None) -> RegionReading:
    named = _named(label, on)
    place = _place(label, named)
    if place is not None and (place == "several" or level_of(place) >= 0):
        return _common(named) if place == "several" else reading(place)
    if own is not None:
        return reading(own.code)
    if provider is None and (known := _anybody(label)) is not None:
        return known
    if place is not None:
        return reading(place)
    places = latin(label)
    return reading(places.pop()) if len(places) == 1 else _narrowest(places)


def _named(label: str, on: date | None) -> list[Named]:
    """Names in the label, without those inside a piece that is a pool (`南京新手区 / 12机`)."""
    blanked = label
    for piece in _PIECES.split(label):
        row = alias_of("", piece.strip(), on) if piece.strip() else None
        if row is not None and not row.code:
            blanked = blanked.replace(piece, " " * len(piece))
    return chinese(blanked)


def _place(label: str, named: list[Named]) -> str | None:
    """The one place the names lead to, `several` when they lead apart, None when they name none."""
    here: str | None = None
    for name in named:
        candidates = [code for code in name.codes if code]
        if here is not None and level_of(here) >= 0:
            within = _within(candidates, here) or _within(name.lower, here)
            if len(within) == 1:
                here = within[0]
                continue
            around = any(inside(here, code) for code in candidates)
            if (
                within
                or around
                or name.short
                or all(level_of(code) != 1 and level_of(code) != 0 for code in candidates)
            ):
                continue
            return "several"
        if len(candidates) != 1:
            continue
        if name.short and not stands_alone(label, name):
            continue
        if here in MACRO_NAMES and candidates[0] in MACRO_NAMES and here != candidates[0]:
            return "several"  # 华北/华东
        if here is None or level_of(candidates[0]) >= 0 or here == "CN":
            here = candidates[0]
    return here


def _within(codes: Iterable[str], here: str) -> list[str]:
    return [code for code in codes if code != here and inside(code, here)]


def _common(named: list[Named]) -> RegionReading:
    """Several places in one label: their macro-region when they share it, else none."""
    units = [regions()[code] for name in named if not name.short for code in name.codes if code in regions()]
    provinces = {unit.province_code for unit in units}
    if len(provinces) == 1:
        return reading(provinces.pop())
    macros = {unit.macro for unit in units}
    return reading(MACRO_CODES.get(macros.pop())) if len(macros) == 1 else NONE


def _anybody(label: str) -> RegionReading | None:
    """A label without its seller: where all who use it agree, else at most the macro-region."""
    if _NUMBERED.match(label):
        return None  # 华北3: the words say the macro-region, only the seller knows which place the number is
    for name in _zones(label):
        codes = codes_of(name) if len(name) > 3 or not name.isascii() else frozenset()
        if len(codes) == 1:
            return reading(next(iter(codes)))
        if codes:
            macros = {reading(code).macro for code in codes}
            macro = macros.pop() if len(macros) == 1 else None
            return reading(MACRO_CODES[macro]) if macro else NONE
    return None


def _narrowest(places: set[str]) -> RegionReading:
    """Of places named in Latin letters the one inside all others (`Zhangjiakou, Hebei`), else none."""
    for place in places:
        if all(inside(place, other) for other in places):
            return reading(place)
    return NONE
