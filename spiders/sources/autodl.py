"""AutoDL: the home page's price table, national, with a tab for members (炼丹会员, shown first) and one for
everybody (普通用户).

The table exists only in a hashed JavaScript bundle, so a real browser shows it. The member's price is no
list price, and its rate is not constant (95 % mostly, 75 % was seen): both are quoted as printed, none is
computed. The ranking table below the prices is full of numbers that are no prices. Region list and GPU list
are public and carry no price: they are kept as evidence and checked. Machines by region need the user's own
token. Known from copies, 2026-09-24.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from scrapy import Request
from scrapy.http import Response

from spiders.base import BrowserSpider, Place, Rendered, State
from spiders.listing import Listing
from spiders.shape import NUMBER, TEXT, loads

HOME = "https://www.autodl.com/home"
LISTS = {
    "https://www.autodl.com/api/v1/region/list": {"region_name": TEXT, "region_sign": TEXT},
    "https://www.autodl.com/api/v1/machine/gpu_type": {"gpu_name": TEXT, "gpu_memory": NUMBER},
}
TITLE = re.compile(r"^(?P<card>[^\n/￥¥]{2,48}?)\s*/\s*(?P<vram>\d{1,3})\s*G[Bi]{0,2}\b", re.M)
PRICE = re.compile(r"[￥¥]\s*\d[\d.,]*\s*(?:元)?\s*/\s*(?:小时|时|h)")


class Autodl(BrowserSpider):
    """List and member price of every card on the home page."""

    name = "autodl"
    origins = ("https://www.autodl.com",)
    pages = (HOME,)
    states = (
        State("member", click=("炼丹会员",), ready=PRICE.pattern),
        State("list", click=("普通用户",), ready=PRICE.pattern),
    )

    def begin(self, route: str) -> Iterator[Request]:
        yield from super().begin(route)
        for url, row in LISTS.items():
            yield self.ask(url, self.public_list, route=route, row=row)

    def public_list(self, response: Response, row: dict[str, str]) -> None:
        """A list without prices: its shape is checked, its bytes are evidence."""
        answer = loads(self.text_of(response))
        self.compare(answer, {"code": ("Success", "OK"), "data": "list"})
        for entry in (answer.get("data") or [])[:100]:
            self.compare(entry, row, "data/")

    def read(self, state: Rendered, at: Place) -> Iterator[Listing]:
        text = "\n".join(state.lines)
        titles = list(TITLE.finditer(text))
        for title, after in zip(titles, [*titles[1:], None], strict=True):
            end = after.start() if after else len(text)
            if price := PRICE.search(text, title.end(), end):
                line = text.count("\n", 0, price.start())
                yield at.at(f"{at.locator}#line={line}").listing(
                    price_text=" ".join(price.group().split()), price_kind=state.name, mode="on_demand",
                    context=f"{state.name} | {title.group()}", card_text=title["card"],
                    vram_text=title["vram"], vram_unit="GB", count_text="1",
                )  # fmt: skip
