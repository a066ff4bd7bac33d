"""Omniyq 云擎天下: static lines of text, `8*H100 - 75000/月`: whole servers of bare metal, yuan a month.

The count sign is any of `* × x X`, the dash separates, 元 is absent; between card and dash a word (nvlink)
and memory may stand. A heading 现货 or 期货 goes into the context; what is sold forward (期货) is no offer.
Known from daily captures, 2026-07-19 to 08-22 (11 to 13 cards); no region shown, tax not stated.
"""

import re
from collections.abc import Iterator

from spiders.base import Listing, Place, Route, TextSpider

LINE = re.compile(
    r"(?P<count>\d{1,2})\s*[*×xX]\s*(?P<card>\S.*?)\s*[-–—:：]\s*(?P<amount>[\d.,]+)\s*"
    r"(?P<money>万元|万|元)?\s*/\s*(?:台\s*/\s*)?(?P<per>个?月|年|季度?|天|日|周|小时|时)\b.*"
)


class Omniyq(TextSpider):
    """One server a line."""

    name = "omniyq"
    routes = (Route("page"),)
    origins = ("https://www.omniyq.com",)
    pages = ("https://www.omniyq.com/h-col-104.html",)
    price = rf"^{LINE.pattern}$"
    heading = r"^[^\d*×/]{2,12}[：:]$"

    def read(self, line: str, context: str, at: Place) -> Iterator[Listing]:
        found = LINE.fullmatch(line)
        if found is None:
            return
        money = "万元" if (found["money"] or "").startswith("万") else "元"
        yield at.listing(
            price_text=found["amount"], unit=f"{money}/台/{found['per']}", card_text=found["card"],
            count_text=found["count"], context=context, trust="forward" if "期货" in context else "seller",
        )  # fmt: skip
