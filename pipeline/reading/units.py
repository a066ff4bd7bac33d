"""Units that a spider states for a bare number: `[scale] CURRENCY/basis/[count] period`.

    CNY/card/hour · 0.001 CNY/card/hour · 1e-5 CNY/unit/hour · 1e-6 CNY/device/second
    CNY/server/minute · CNY/instance/12 month · USD/card/month · 万元/台/月

`scale` is what one step of the number is worth. Conversion is exact: scale is a Decimal, minutes and seconds
are multiplied up to the hour.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache
from typing import Final

from catalog.periods import HOURS, MINUTES_PER_HOUR, SECONDS_PER_HOUR

BASES: Final = frozenset(("card", "server", "device", "instance", "unit"))
_UNIT: Final = re.compile(
    r"(?:(?P<scale>[0-9]{1,9}(?:\.[0-9]{1,12})?(?:[eE]-?[0-9]{1,2})?)\s?)?"
    r"(?P<currency>[A-Z]{3}|POINT|[千万]?元|[千万]?美元)/(?P<basis>[a-z]{1,12}|卡|张|台|整机)"
    r"(?:/(?:(?P<count>[0-9]{1,4})\s?)?(?P<per>[a-z_]{1,12}|[秒时天日周月季年]|小时|分钟|个月|半年)|(?P<glued>时|小时))"
)
_PER_HOUR: Final = {"minute": MINUTES_PER_HOUR, "second": SECONDS_PER_HOUR}
_WORDS: Final = {
    "卡": "card", "张": "card", "台": "server", "整机": "server",
    "秒": "second", "分钟": "minute", "时": "hour", "小时": "hour", "天": "day", "日": "day", "周": "week",
    "月": "month", "个月": "month", "季": "quarter", "半年": "half_year", "年": "year",
    "元": "CNY", "千元": "CNY", "万元": "CNY", "美元": "USD", "千美元": "USD", "万美元": "USD",
}  # fmt: skip
_SPOKEN_MONEY: Final = {"CNY": "元", "USD": "美元"}
_SPOKEN_PERIODS: Final = {
    "hour": "小时", "day": "天", "week": "周", "month": "月", "quarter": "季度", "half_year": "半年",
    "year": "年",
}  # fmt: skip
_SPOKEN_SCALES: Final = {Decimal(1): "", Decimal(1000): "千", Decimal(10_000): "万"}
_MULTIPLES: Final = {"千": Decimal(1000), "万": Decimal(10_000)}


@dataclass(frozen=True, slots=True)
class Unit:
    """A unit; `per` is a period of an hour or more and `convert` gives the amount for `per_count` of them.

    `basis`: what one amount pays for (card, server, device, instance, or the seller's own unit). `times`: 60
    or 3600 for amounts per minute and second, which become amounts per hour; `steps`: how many minutes or
    seconds one amount pays for.
    """

    text: str
    scale: Decimal
    currency: str
    basis: str
    per: str
    per_count: int
    times: int = 1
    steps: int = 1

    @property
    def per_hours(self) -> int:
        """Hours that a converted amount pays for: the divisor to an hourly price."""
        return HOURS[self.per] * self.per_count

    @property
    def divisor(self) -> Decimal:
        """Printed number ÷ `divisor` = currency units per hour, for provenance (`hours_divisor`)."""
        return Decimal(self.per_hours * self.steps) / (self.scale * self.times)

    @property
    def words(self) -> str:
        """The unit in the words of a price head (`元/卡/小时`), for an amount that is no bare number; ""
        for one whose scale or period has none."""
        money = _SPOKEN_MONEY.get(self.currency)
        thousands = _SPOKEN_SCALES.get(self.scale)
        if money is None or thousands is None or self.times != 1:
            return ""
        per = _SPOKEN_PERIODS[self.per]
        count = "" if self.per_count == 1 else f"{self.per_count}{'个' if per in ('月', '季度') else ''}"
        return f"{thousands}{money}/{'卡' if self.basis == 'card' else '台'}/{count}{per}"

    def convert(self, amount: Decimal) -> Decimal:
        """`amount` in currency units for `per_count` × `per`; exact but for a division by `steps`."""
        value = amount * self.scale * self.times
        return value if self.steps == 1 else value / self.steps


@lru_cache(maxsize=1024)
def parse_unit(text: str) -> Unit | None:
    """The unit, or None for a string that is not of the form above."""
    match = _UNIT.fullmatch(text.strip())
    if match is None:
        return None
    basis, currency = _word(match["basis"]), _word(match["currency"])
    scale = Decimal(match["scale"] or 1) * _MULTIPLES.get(match["currency"][0], Decimal(1))
    count = int(match["count"] or 1)
    if basis not in BASES or scale <= 0 or count < 1:
        return None
    per = _word(match["per"] or match["glued"])
    if per in _PER_HOUR:
        return Unit(text, scale, currency, basis, "hour", 1, _PER_HOUR[per], count)
    if per not in HOURS:
        return None
    return Unit(text, scale, currency, basis, per, count)


def _word(word: str) -> str:
    return _WORDS.get(word, word)
