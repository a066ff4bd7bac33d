"""Gpushare 恒源云: the market of hosts behind the user's own token; HTTP 401 when it is stale.

`skuList` has a price (a number or its text) a way of paying: `payg` is yuan a card-hour, the others name
their period. Free cards
are `gpuNum - gpuUsed`. Pages until `pn * ps >= total`. Hosts that are off line and hosts without cards are no
offers. Prices of some cards are lower at night and at weekends: sample at several hours. Known from three
watchers of one family, 2026; no region is shown, tax not stated.
"""

import re
from collections.abc import Iterator
from typing import Any

from spiders.base import LIST, NUMBER, TEXT, JsonSpider, Listing, Place, Request, Route, Walk, get, text
from spiders.shape import PRICE, linked

PERIOD = re.compile(r"(day|week|month|year)(?:ly)?|daily")
SITE = "https://www.gpushare.com"


class Gpushare(JsonSpider):
    """Every host that is on line."""

    name = "gpushare"
    routes = (Route("market", needs=("GPUSHARE_TOKEN",)),)
    origins = ("https://api.gpushare.com",)
    evidence_kind = "realtime"
    scope = "host"
    rows = "data/list"
    total = "data/total"
    page_size = 50
    row_id = "id"
    expect = {"gpuNum": NUMBER, "gpuUsed": NUMBER, "baseInfo/gpuName": TEXT, "skuList": LIST}

    def page_request(self, walk: Walk) -> Request:
        headers = {"Authorization": f"Bearer {self.credential('GPUSHARE_TOKEN')}", "Origin": SITE,
                   "Referer": f"{SITE}/store/hire"}  # fmt: skip
        query = f"models=-1&gpuName=&priceOrder=asc&pn={walk.page}&ps={self.page_size}"
        url = f"https://api.gpushare.com/app/api/market/machine/list?{query}"
        return self.ask(url, self.page, route=walk.route, headers=headers, walk=walk)

    def read(self, row: Any, at: Place) -> Iterator[Listing]:
        cards, used, name = get(row, "gpuNum"), get(row, "gpuUsed"), text(row, "baseInfo/gpuName")
        if name == "CPU" or cards == 0 or get(row, "isOnline") is False:
            self.skip("cpu" if name == "CPU" or cards == 0 else "host off line")
            return
        known = isinstance(cards, int) and isinstance(used, int)
        for number, sku in enumerate(get(row, "skuList") or ()):
            word = text(sku, "skuName") or ""
            period = PERIOD.fullmatch(word.lower())
            if word != "payg" and not period:
                self.skip(f"paid by {word}")
            elif self.layout(sku, {"price": f"{PRICE}|{TEXT}"}, at):
                per = "hour" if word == "payg" else period[1] or "day" if period else ""
                yield at.listing(
                    f"skuList/{number}/price", price_text=text(sku, "price"), unit=f"CNY/card/{per}",
                    mode="on_demand" if word == "payg" else None, price_kind="list", card_text=name,
                    stock_idle=cards - used if known else None, stock_total=cards, max_cards=cards,
                    listing_id=text(row, "id"), **linked(name),
                )  # fmt: skip
