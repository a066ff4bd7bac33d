"""Discount rules in the prose of a price page: who gets how much off for how many years paid at once.

`NVIDIA一次性付费1年享8.5折，2年享7折；国产加速卡1-3年享8.5折。L20及pn8r规格不参与折扣。` A rule is quoted
like the prices: a promotion with the seller's own factor, never worked into the list price. No Scrapy here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal

_SENTENCE = re.compile(r"[^。；;\n]+")
_RULE = re.compile(
    r"(?P<first>\d)\s*(?:[-—~～至到]\s*(?P<last>\d)\s*)?年[^\d。；;，,]{0,8}?"
    r"(?:(?P<fold>\d{1,2}(?:\.\d)?)\s*折|(?P<percent>\d{2})\s*%)"
)
_NONE = re.compile(r"不(?:参与|参加|享受|享|适用|打)|除外|无(?:折扣|优惠)")
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9]*")
_DOMESTIC = re.compile(r"国产|昇腾|Ascend|Atlas|寒武纪|MLU|海光|DCU|摩尔|MTT|沐曦|天数|昆仑", re.I)
_FOREIGN = re.compile(r"NVIDIA|英伟达|计算加速|图形加速", re.I)
_MAKERS = frozenset(("nvidia", "gpu", "ascend"))
_MONTHS = 12


@dataclass(frozen=True, slots=True)
class Rule:
    """`factor` of the monthly price for `years` paid at once, for domestic cards or for the others."""

    years: int
    factor: Decimal
    domestic: bool

    @property
    def unit(self) -> str:
        """What one yuan of a monthly price is worth in the sum paid: `10.2 CNY/instance/1 year`."""
        scale = (self.factor * _MONTHS * self.years).normalize()
        return f"{scale:f} CNY/instance/{self.years} year"


@dataclass(frozen=True, slots=True)
class Discounts:
    """The rules of a page, and the names (cards, families) that it excepts from them."""

    rules: tuple[Rule, ...] = ()
    excepted: frozenset[str] = frozenset()

    def of(self, card: str | None, family: str | None) -> Iterator[Rule]:
        """The rules that hold for an instance: none for an excepted name, matched as a whole word."""
        words = {word.lower() for word in _NAME.findall(f"{card} {family}")}
        if words & self.excepted:
            return
        domestic = bool(_DOMESTIC.search(card or ""))
        yield from (rule for rule in self.rules if rule.domestic == domestic)


def read_discounts(text: str) -> Discounts:
    """The rules in a page's visible text; a sentence that names nobody's discount is none."""
    rules: dict[tuple[int, bool], Rule] = {}
    excepted: set[str] = set()
    for sentence in _SENTENCE.findall(text):
        if end := _NONE.search(sentence):
            excepted |= {name.lower() for name in _NAME.findall(sentence[: end.start()])} - _MAKERS
            continue
        for found in _RULE.finditer(sentence):
            domestic = _is_domestic(sentence[: found.start()])
            if domestic is None:
                continue
            printed = found["fold"] or found["percent"]
            factor = Decimal(printed) / (10 if found["fold"] and Decimal(printed) <= 10 else 100)
            for years in range(int(found["first"]), int(found["last"] or found["first"]) + 1):
                rules.setdefault((years, domestic), Rule(years, factor, domestic))
    usable = (rule for rule in rules.values() if rule.years and 0 < rule.factor < 1)
    return Discounts(tuple(sorted(usable, key=lambda r: (r.domestic, r.years))), frozenset(excepted))


def _is_domestic(before: str) -> bool | None:
    """Whose discount it is, by the last name before it; None where nobody is named."""
    foreign = max((found.end() for found in _FOREIGN.finditer(before)), default=-1)
    home = max((found.end() for found in _DOMESTIC.finditer(before)), default=-1)
    return None if foreign == home else home > foreign
