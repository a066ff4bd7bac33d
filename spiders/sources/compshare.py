"""CompShare 优云智算: the public price list, a card a row with hour, day, month and spot; with keys the API.

A cell carries its unit (`¥3.20/小时`, `¥1,923.60/月`, `¥1.92/小时 起`, a month per hour: `折 ¥1.00/时`).
The row of the no-card mode is no GPU. Day = 22 and month = 600 hours of the hourly price: a check of what was
read (`pipeline.metering`), never a conversion. Read by two people, 2026-09/10; no region shown, tax unknown.
"""

import re
from collections.abc import Iterator

from spiders.base import Listing, Place, Route, Row, TableSpider, memory
from spiders.sources._compshare_api import CompshareApi

# What a column is paid by, and how its cells say so; a month may be shown per hour.
UNITS = (
    ("按量|按时|包时|抢占|竞价", r"/\s*(小?时|h)"),
    ("包[日天]", r"/\s*[日天]"),
    ("包月", r"/\s*(月|小?时)"),
)
HOST = re.compile(r"(\d{1,3})\s*核\D{0,3}(\d{1,4})\s*G")


class Compshare(TableSpider):
    """The price list."""

    name = "compshare"
    routes = (
        Route("page"),
        Route("api", needs=("COMPSHARE_PUBLIC_KEY", "COMPSHARE_PRIVATE_KEY"), by=CompshareApi),
    )
    origins = ("https://www.compshare.cn",)
    pages = ("https://www.compshare.cn/price-list",)
    columns = {"card": r"GPU|显卡|型号|卡", "vram": r"显存", "host": r"配置|CPU|规格"}
    need = ("card",)
    units = {"按量|按时|包时": "", "包[日天]": "", "包月": ""}  # the unit stands in the cell
    optional = tuple(units)  # or all three prices in one cell: nobody has described the headers
    price = r"按量|按时|包(时|日|天|周|月|年)|抢占|竞价|夜间|价|元"

    def read(self, row: Row, at: Place) -> Iterator[Listing]:
        if "无卡" in (row.get("card") or ""):
            self.skip("no-card mode")
            return
        host = HOST.search(row.get("host") or "")
        for header, cell, locator in row.prices:
            for column, unit in UNITS:
                if re.search(column, header) and "/" in cell and not re.search(unit, cell):
                    self.moved(f"unit of {header}", unit, cell, at)
                    return
            yield at.listing(
                locator, price_text=cell, context=row.context(header, "card"), card_text=row.get("card"),
                count_text="1", **memory("vram", row.get("vram")), vcpu_text=host[1] if host else None,
                **memory("ram", f"{host[2]}GB" if host else None),
            )  # fmt: skip
