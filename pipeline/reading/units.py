"""Units that a source states for a bare number: `0.001 CNY/card/hour`, `CNY/server/12 month`, `元/台/月`.

A spider states the unit of a field as the source documents it; the conversion happens here, exactly.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from functools import lru_cache
from typing import Final

from catalog.periods import HOURS, MINUTES_PER_HOUR, SECONDS_PER_HOUR

_CURRENCIES: Final = {
    "元": "CNY", "人民币": "CNY", "RMB": "CNY", "¥": "CNY", "￥": "CNY", "美元": "USD", "港元": "HKD", "港币": "HKD",
}  # fmt: skip
_BASIS: Final = {
    "card": "card", "gpu": "card", "卡": "card", "张": "card", "块": "card", "颗": "card",
    "unit": "card",  # a seller's own unit (份) that holds one card
    "server": "server", "instance": "server", "machine": "server", "node": "server", "台": "server",
    "整机": "server", "实例": "server", "节点": "server",
    "device": "device", "设备": "device",
}  # fmt: skip
_PERIODS: Final = {
    **{word: word for word in HOURS}, "second": "second", "minute": "minute",
    "s": "second", "sec": "second", "min": "minute", "h": "hour", "hr": "hour", "d": "day", "mo": "month",
    "yr": "year", "half year": "half_year",
    "秒": "second", "分钟": "minute", "小时": "hour", "时": "hour", "天": "day", "日": "day", "周": "week",
    "月": "month", "个月": "month", "季": "quarter", "季度": "quarter", "半年": "half_year", "年": "year",
}  # fmt: skip
_SUB_HOUR: Final = {"second": SECONDS_PER_HOUR, "minute": MINUTES_PER_HOUR}
_SCALES: Final = {"万": Decimal(10_000), "千": Decimal(1000)}
_HEAD: Final = re.compile(r"(?:(?P<number>[0-9.]+(?:[eE][+-]?[0-9]{1,3})?)\s*)?(?P<scale>[万千])?(?P<currency>\D+)")
_PERIOD: Final = re.compile(r"(?:(?P<count>[0-9]{1,3})\s*)?(?P<word>[^\d\s].*)")


@dataclass(frozen=True, slots=True)
class Unit:
    """What a bare number of a field means.

    `scale`: currency units per 1 of the field (0.001 for thousandths). `basis`: card, server or device = what
    one amount pays for. `per`/`per_count`: the period as the source has it. A price per minute or second is
    converted to one per hour, exactly; `per_hours` is the period of the converted amount and `factor` what the
    printed number is multiplied by, so that `amount × factor ÷ per_hours` is the price per hour.
    """

    text: str
    scale: Decimal
    currency: str
    basis: str
    per: str
    per_count: int

    @property
    def per_hours(self) -> Decimal:
        """Hours that a converted amount is for: the divisor to an hourly price."""
        return Decimal(1) if self.per in _SUB_HOUR else Decimal(HOURS[self.per] * self.per_count)

    @property
    def factor(self) -> Decimal:
        """What a printed number is multiplied by to give currency for `per_hours` hours."""
        steps = _SUB_HOUR.get(self.per)
        return self.scale if steps is None else self.scale * steps / self.per_count

    def convert(self, amount: Decimal) -> Decimal:
        """A printed number as money for `per_hours` hours. Exact: a product of decimals."""
        return amount * self.factor


@lru_cache(maxsize=1024)
def parse_unit(text: str) -> Unit | None:
    """Read a unit; None where it names no currency, no known period, or a word that is no unit.

    `card` is assumed only where no basis stands at all (`元/月` of a declared column, whose basis is declared
    apart). Words may be English or Chinese, counts stand before the period (`CNY/server/12 month`).
    """
    head, *rest = (part.strip() for part in text.split("/"))
    money = _head(head)
    if money is None:
        return None
    scale, currency = money
    basis: str | None = None
    per: tuple[str, int] | None = None
    for part in rest:
        word = part.lower()
        if word in {"卡时", "卡小时"}:
            if basis is not None or per is not None:
                return None
            basis, per = "card", ("hour", 1)
        elif word in _BASIS:
            if basis is not None:
                return None
            basis = _BASIS[word]
        else:
            found = _period(word)
            if found is None or per is not None:
                return None
            per = found
    if per is None:
        return None
    return Unit(text, scale, currency, basis or "card", *per)


def _head(head: str) -> tuple[Decimal, str] | None:
    match = _HEAD.fullmatch(head)
    if match is None:
        return None
    word = match["currency"].strip()
    currency = _CURRENCIES.get(word) or (word.upper() if word.isascii() and word.isalpha() and len(word) >= 3 else None)
    if currency is None:
        return None
    try:
        scale = Decimal(match["number"] or 1) * _SCALES.get(match["scale"] or "", Decimal(1))
    except InvalidOperation:
        return None
    return (scale, _CURRENCIES.get(currency, currency)) if scale > 0 else None


def _period(word: str) -> tuple[str, int] | None:
    match = _PERIOD.fullmatch(word)
    if match is None:
        return None
    name = match["word"].strip()
    per = _PERIODS.get(name) or _PERIODS.get(name.removesuffix("s"))
    count = int(match["count"] or 1)
    return (per, count) if per is not None and count > 0 else None
