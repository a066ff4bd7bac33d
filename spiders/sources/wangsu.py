"""Wangsu 网宿商城: a table of bare-metal machines of eight cards, yuan a month and machine.

Named as the source of one index in 2026-07/08; the cells are not documented. `H100*8` or `8卡` gives the
count; 面议 is quoted and becomes a rejection. No region shown, tax not stated.
"""

import re
from collections.abc import Iterator

from spiders.base import Listing, Place, Route, Row, TableSpider, memory

COUNT = re.compile(r"[*×xX]\s*(\d{1,2})\b|(\d{1,2})\s*卡|^(\d{1,2})\s*[*×xX]")


class Wangsu(TableSpider):
    """One machine a row."""

    name = "wangsu"
    routes = (Route("page"),)
    origins = ("https://online.wangsu.com",)
    pages = ("https://online.wangsu.com/product/gpu-",)
    columns = {"card": r"GPU|显卡|型号", "host": r"配置|规格", "vram": r"显存", "kind": r"规格|类型"}
    need = ("card",)
    units = {r"元\s*/\s*月|月.*元": "CNY/server/month", r"元\s*/\s*年": "CNY/server/year"}
    optional = tuple(units)  # nobody has described the headers

    def read(self, row: Row, at: Place) -> Iterator[Listing]:
        said = (COUNT.search(row.get(word) or "") for word in ("host", "kind", "card"))
        count = next((text for found in said if found for text in found.groups() if text), None)
        for header, cell, locator in row.prices:
            yield at.listing(
                locator, **self.money(row, header, cell, "host", "kind"), card_text=row.get("card"),
                count_text=count, **memory("vram", row.get("vram")),
            )  # fmt: skip
