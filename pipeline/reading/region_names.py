"""Places named in a label: Chinese names whole and short, pinyin and English words, cloud codes by pinyin."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache

from catalog.regions import MACRO_CODES, Region, region_aliases, regions

_LEVELS = {"province": 0, "city": 1, "county": 2}
# What may stand beside the short name of a county without making it a different word.
_BESIDE = re.compile(
    r"机房|数据中心|智算中心|算力中心|超算中心|大数据|云|计算|可用区|产业园|园区|基地|节点|集群|专区|区域|地区|电信|联通|移动|广电|骨干"
    r"|核心|多线|双线|三线|单线|自治|[区市县旗州省]|[一二三四五六七八九十]|[A-Za-z0-9]|[^\w]|_"
)
# 南京路 is a street, in Shanghai as elsewhere.
_STREET = re.compile(r"[东西南北中]?(?:大?路(?!由)|大?街|大道)")
_CODE = re.compile(r"(?:cn|ap|china)[-_]([a-z]{3,})[0-9]{0,2}(?:[-_].*)?")
_WORD = re.compile(r"[a-z][a-z']+")


@dataclass(frozen=True, slots=True)
class Named:
    """A name found in a label. `codes`: what it may mean by itself; `lower`: units below those that share it.

    `short`: a county without its 区, 县 or 市. 朝阳 alone is the city in Liaoning, in Beijing its district.
    """

    start: int
    end: int
    codes: tuple[str, ...]
    lower: tuple[str, ...]
    short: bool


@dataclass(slots=True)
class _Entry:
    codes: list[str]
    lower: list[str]
    level: int
    short: bool


@cache
def _names() -> tuple[Mapping[str, Named], int]:
    """Chinese name → what it means (positions 0), and the longest name's length."""
    found: dict[str, _Entry] = {}
    for region in sorted(regions().values(), key=lambda region: _LEVELS[region.level]):
        level = _LEVELS[region.level]
        for name in {region.name, region.short}:
            if len(name) < 2:
                continue
            short = name != region.name and level == 2
            entry = found.setdefault(name, _Entry([], [], level, short))
            # 吉林 is the province, 吉林市 the city; a short county name never takes a city's.
            same = entry.level == level and entry.short == short
            (entry.codes if same else entry.lower).append(region.code)
    for macro, code in MACRO_CODES.items():
        found[macro] = _Entry([code], [], -1, False)
    for alias in region_aliases():
        if not alias.provider and len(alias.label) > 1 and not alias.label.isascii():
            old = found.get(alias.label)
            lower = [*old.codes, *old.lower] if old else []
            found[alias.label] = _Entry([alias.code], lower, -1, False)
    table = {name: Named(0, 0, tuple(e.codes), tuple(e.lower), e.short) for name, e in found.items()}
    return table, max(map(len, table))


def chinese(label: str) -> list[Named]:
    """Names in a label, longest first at each place, left to right."""
    table, longest = _names()
    found = []
    pos, size = 0, len(label)
    while pos < size:
        if label[pos] < "\u4e00":
            pos += 1
            continue
        for length in range(min(longest, size - pos), 1, -1):
            entry = table.get(label[pos : pos + length])
            if entry is not None and not _shared(label, pos + length, table):
                if not _STREET.match(label, pos + length):
                    found.append(replace(entry, start=pos, end=pos + length))
                pos += length - 1
                break
        pos += 1
    return found


def _shared(label: str, end: int, table: Mapping[str, Named]) -> bool:
    """Whether the 市 that ends a name begins the next (`济南市中区` is 济南 and 市中区)."""
    following = label[end - 1 : end + 2]
    return (
        following[0] == "市" and following in table and (len(following) > 2 or following == label[end - 1 :])
    )


def stands_alone(label: str, name: Named) -> bool:
    """Whether a label is this name and words of a room: then a short county name is meant as one."""
    return not _BESIDE.sub("", label[: name.start] + label[name.end :])


@cache
def _latin() -> Mapping[str, str]:
    """Pinyin and English words → code; words that several places share are left out."""
    found: dict[str, str] = {}
    several: set[str] = set()
    preferred = {"suzhou": "320500", "fuzhou": "350100"}  # what clouds mean by these two
    for region in sorted(regions().values(), key=lambda region: _LEVELS[region.level]):
        for word in {region.pinyin, region.english.lower().replace(" ", "")} - {""}:
            if (
                word in found
                and found[word] != region.code
                and _LEVELS[regions()[found[word]].level] == _LEVELS[region.level]
            ):
                several.add(word)
            found.setdefault(word, region.code)
    for word in several:
        del found[word]
    return found | preferred


def latin(label: str) -> set[str]:
    """Codes of places in Latin letters: `cn-beijing-a`, `ap-guangzhou-6`, `China (Beijing)`, `Hong Kong`."""
    low = label.lower()
    table = _latin()
    code = _CODE.fullmatch(low.strip())
    if code is not None and (place := table.get(code[1])) is not None:
        return {place}
    words = _WORD.findall(low)
    found = set()
    for i, word in enumerate(words):
        pair = word + (words[i + 1] if i + 1 < len(words) else "")
        place = table.get(pair) or (table.get(word) if len(word) > 3 else None)
        if place is not None:
            found.add(place)
    return found


def level_of(code: str) -> int:
    """0 province, 1 city, 2 county; -1 for what is no GB/T 2260 unit."""
    region = regions().get(code)
    return _LEVELS[region.level] if region else -1


def inside(inner: str, outer: str) -> bool:
    """Whether one GB/T 2260 unit lies in another, or is it."""
    a, b = regions().get(inner), regions().get(outer)
    return a is not None and b is not None and (a.code == b.code or outer in _ancestors(a))


def _ancestors(region: Region) -> tuple[str, str]:
    return region.city_code, region.province_code
