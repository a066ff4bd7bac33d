"""Lines of a cell: `1.98<br>1052元/月` holds two prices, and the first has its unit from the header."""

from __future__ import annotations

import re
from collections.abc import Sequence
from decimal import Decimal
from typing import Final

from pipeline.reading import markup
from pipeline.reading.price.found import Scan

_BREAK: Final = re.compile(r"<(?:br|/p|/div|/li)\b[^<>]{0,40}>|\n", re.IGNORECASE)
_MOST: Final = 8  # a cell of more lines is a page
_COUNT: Final = Decimal(16)  # a whole number up to it, alone in its line, may count the cards


def lines(text: str) -> list[str]:
    """The lines of a cell without their markup, where there are several; else none."""
    if "\n" not in text and "<" not in text:
        return []
    found = [plain for part in _BREAK.split(text) if (plain := markup.strip(part).text.strip())]
    return found if 1 < len(found) <= _MOST else []


def unpaired(read: Sequence[Scan], whole: Scan, context: Scan) -> bool:
    """Whether a line is a bare number and a later one a price with its period: two prices, not one.

    `whole`: the text without its breaks, in which the number must be no part of a name either.
    """
    loose = {one.low for one in whole.bare if not one.role}
    for i, line in enumerate(read):
        if line.amounts or line.hits or len(line.bare) != 1 or line.bare[0].role or line.loose:
            continue
        number = line.bare[0]
        if number.low not in loose:
            continue
        counts = number.low <= _COUNT and number.low == int(number.low)
        if counts and not any(word.unit.per for word in context.units):
            continue
        if any(one.unit.per and one.high > 0 for later in read[i + 1 :] for one in later.amounts):
            return True
    return False
