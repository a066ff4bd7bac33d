"""Units that a spider states for a bare number: `[scale] CURRENCY/basis/[count] period`.

    CNY/card/hour · 0.001 CNY/card/hour · 1e-5 CNY/unit/hour · 1e-6 CNY/device/second
    CNY/server/minute · CNY/instance/12 month · USD/card/month

`scale` is what one step of the number is worth. Conversion is exact: scale is a Decimal, minutes and seconds
are multiplied up to the hour.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache

from catalog.periods import HOURS, MINUTES_PER_HOUR, SECONDS_PER_HOUR

BASES = frozenset(("card", "server", "device", "instance", "unit"))
_UNIT = re.compile(
    r"(?:(?P<scale>\d{1,9}(?:\.\d{1,12})?(?:e-?\d{1,2})?) )?"
    r"(?P<currency>[A-Z]{3})/(?P<basis>[a-z]{1,12})/(?:(?P<count>\d{1,4}) )?(?P<per>[a-z_]{1,12})"
)
_PER_HOUR = {"minute": MINUTES_PER_HOUR, "second": SECONDS_PER_HOUR}


@dataclass(frozen=True, slots=True)
class Unit:
    """A unit; `per` is a period of an hour or more and `convert` gives the amount for `per_count` of them."""

    scale: Decimal
    currency: str
    basis: str
    per: str
    per_count: int
    times: int  # 60 or 3600 for amounts per minute and second, which become amounts per hour
    steps: int = 1  # minutes or seconds that one amount pays for

    def convert(self, amount: Decimal) -> Decimal:
        """`amount` in currency units for `per_count` × `per`."""
        value = amount * self.scale * self.times
        return value if self.steps == 1 else value / self.steps


@lru_cache(maxsize=1024)
def parse_unit(text: str) -> Unit | None:
    """The unit, or None for a string that is not of the form above."""
    match = _UNIT.fullmatch(text.strip())
    if match is None or match["basis"] not in BASES:
        return None
    scale, count = Decimal(match["scale"] or 1), int(match["count"] or 1)
    if scale <= 0 or count < 1:
        return None
    per = match["per"]
    if per in _PER_HOUR:
        return Unit(scale, match["currency"], match["basis"], "hour", 1, _PER_HOUR[per], count)
    if per not in HOURS:
        return None
    return Unit(scale, match["currency"], match["basis"], per, count, 1)
