"""Gongji 共绩算力: the static price page, one table a product family; with a token the API.

Elastic services and hosts are `on_demand`, batch jobs (Job) `spot` at a flat 60 %, bare metal comes in packs
of N days of a whole machine. The unit stands in a cell of its own (`元/卡时`, `30天`). Storage and coupons on
the page are no offers. Read by two people, 2026-10; no region on the page, tax not stated.
"""

import re
from collections.abc import Iterator

from spiders.base import Listing, Place, Response, Route, Row, TableSpider
from spiders.sources._gongji_api import YUAN, GongjiApi

FAMILIES = (("spot", r"抢占|Job|批处理|竞价"), (None, r"裸金属|时长包"), ("on_demand", r"弹性|按量|云主机"))
AMOUNT = re.compile(r"[￥¥]?\s*(\d[\d,]*(?:\.\d+)?)\s*元?")
DAYS = re.compile(r"\d+\s*天")
PER_CARD = re.compile(r"元\s*/\s*[卡张]\s*/?\s*(?:小时|时|天|日|月)")


class Gongji(TableSpider):
    """The price page."""

    name = "gongji"
    routes = (Route("page"), Route("api", needs=("GONGJI_TOKEN",), by=GongjiApi))
    origins = ("https://www.gongjiyun.com",)
    pages = ("https://www.gongjiyun.com/pricing",)
    known_units = (YUAN,)
    columns = {
        "card": r"显卡|GPU|型号|规格|机型|卡型|产品|实例|设备",
        "host": r"配置",
        "unit": r"单位|时长|周期",
    }
    need = ("card",)
    price = r"价格|价$"

    def read_page(self, response: Response, text: str, place: Place) -> Iterator[Listing]:
        self.met: set[str | None] = set()
        yield from super().read_page(response, text, place)
        for mode in ("on_demand", "spot", None):
            if self.met and mode not in self.met:
                self.run.changed(f"table of {mode or 'packs'}", "there", "missing")
        if self.met and "on_demand" not in self.met:
            self.moved("table of elastic services", "there", None, place)

    def read(self, row: Row, at: Place) -> Iterator[Listing]:
        family = next((m for m, words in FAMILIES if re.search(words, row.grid.heading)), None)
        self.met.add(family)
        unit, per = row.get("unit") or "", DAYS.fullmatch(row.get("unit") or "")
        for header, cell, locator in row.prices:
            amount = AMOUNT.fullmatch(cell)
            money = {"price_text": f"{cell} {unit}".strip()}
            if amount and (per or PER_CARD.fullmatch(unit)):
                money = {"price_text": amount[1], "unit": f"元/整机/{unit}" if per else unit}
            yield at.listing(
                locator, **money, mode=family, card_text=row.get("card"),
                context=row.context(header, "card", "host", "unit"),
            )  # fmt: skip
