"""Omniyq 云擎天下: static lines of text, `8*H100 - 75000/月`: whole servers of bare metal, yuan a month.

The count sign is any of `* × x X`, before or after the card; the dash separates, 元 is absent; between card
and dash a word (nvlink) and memory may stand. Another line about a card (no period, 面议) is quoted whole,
for the reader to refuse. A heading 现货 or 期货 goes into the context; what is sold forward (期货) is no
offer. Known from daily captures, 2026-07-19 to 08-22 (11 to 13 cards); no region shown, tax not stated.
"""

import re
from collections.abc import Iterator

from spiders.base import Listing, Place, Route, TextSpider
from spiders.boxes import CARD, NOTHING

AMOUNT = (
    r"\s*[-–—:：]\s*(?P<amount>[\d.,]+)\s*"
    r"(?P<money>万元|万|元)?\s*/\s*(?:台\s*/\s*)?(?P<per>个?月|年|季度?|天|日|周|小时|时)\b.*"
)
LINES = tuple(
    re.compile(goods + AMOUNT)
    for goods in (
        r"(?P<count>\d{1,2})\s*[*×xX]\s*(?P<card>\S.*?)",
        r"(?P<card>[^*×]{2,30}?)\s*(?:[*×]|(?<=[\dA-Z])\s*[xX])\s*(?P<count>\d{1,2})",
    )
)
GOODS = re.compile(rf"\d\s*[*×xX]\s*[A-Z\d]|[A-Z\d]\s*[*×xX]\s*\d|{CARD.pattern}", re.I)
# An amount or a word in its place; a telephone number is none.
QUOTED = re.compile(
    rf"\d\s*万|\d{{3}}\s*元|\d\s*/|(?:(?<!\d)[-–—]|[:：])\s*\d{{4,7}}(?!\d)|电询|{NOTHING.pattern}"
)
LONGEST = 60  # a sentence about the business is no line of the list


class Omniyq(TextSpider):
    """One server a line."""

    name = "omniyq"
    routes = (Route("page"),)
    origins = ("https://www.omniyq.com",)
    pages = ("https://www.omniyq.com/h-col-104.html",)
    price = QUOTED.pattern
    heading = r"^[^\d*×/]{2,12}[：:]$|^.{0,4}[现期]货.{0,4}$"

    def read(self, line: str, context: str, at: Place) -> Iterator[Listing]:
        trust = "forward" if "期货" in context else "seller"
        found = next(filter(None, (pattern.fullmatch(line) for pattern in LINES)), None)
        if found is None:
            if GOODS.search(line) is None or len(line) > LONGEST:
                return
            yield at.listing(price_text=line, context=context, trust=trust)
            return
        money = "万元" if (found["money"] or "").startswith("万") else "元"
        yield at.listing(
            price_text=found["amount"], unit=f"{money}/台/{found['per']}", card_text=found["card"],
            count_text=found["count"], context=context, trust=trust,
        )  # fmt: skip
