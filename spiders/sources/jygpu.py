"""Jygpu 极智算: offer lines of its home page, `8×910B 裸金属 15,600-17,040 元/月`: whole servers, a month.

Only its own offers: articles about the market (called unreliable by an access report of 2026) are links and
are no offers. Known from one reading, 2026-07-15, and news digests; no region shown, tax not stated.
"""

from typing import Any

from spiders.base import Route, TextSpider
from spiders.boxes import NOTHING
from spiders.tables import select


class Jygpu(TextSpider):
    """One server a line."""

    name = "jygpu"
    routes = (Route("page"),)
    origins = ("https://www.jygpu.com",)
    pages = ("https://www.jygpu.com/",)
    price = (
        r"\d{1,2}\s*(?:[*×xX]|卡).*"
        rf"(?:\d[\d.,]*\s*(?:万|元|万元)\s*/\s*(?:台\s*/)?\s*[月年日天时小]|电询|{NOTHING.pattern})"
    )

    def _lines(self, root: Any) -> list[str]:
        for article in select(root, "a[href*='news'], a[href*='article'], .news, article"):
            article.drop_tree()
        return super()._lines(root)
