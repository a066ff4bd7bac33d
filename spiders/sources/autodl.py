"""AutoDL: the home page's price table, national, in yuan per card-hour, with a tab for members (炼丹会员,
shown first) and one for everybody (普通用户). It exists only in a hashed JavaScript bundle: a browser shows
it.

The member's rate is not constant (95 % mostly, 75 % was seen): both prices are quoted, none is computed.
The ranking below is full of numbers that are no prices. Region and GPU list are public without prices: kept
and checked. Known from copies, 2026-09-24; tax is not stated.
"""

import re
from collections.abc import Iterator

from spiders.base import NUMBER, TEXT, BrowserSpider, Listing, Place, Rendered, Route, State
from spiders.sources._autodl_market import AutodlMarket

TITLE = re.compile(r"^(?P<card>[^\n/￥¥]{2,48}?)\s*/\s*(?P<vram>\d{1,3})\s*G[Bi]{0,2}\b", re.M)
PRICE = re.compile(r"[￥¥]\s*\d[\d.,]*\s*(?:元)?\s*/\s*(?P<per>小时|时|天|日|周|月|年)")


class Autodl(BrowserSpider):
    """List and member price of every card on the home page."""

    name = "autodl"
    routes = (Route("home"), Route("market", needs=("AUTODL_TOKEN",), by=AutodlMarket))
    origins = ("https://www.autodl.com",)
    pages = ("https://www.autodl.com/home",)
    states = (
        State("member", click=("炼丹会员",), ready=PRICE.pattern),
        State("list", click=("普通用户",), ready=PRICE.pattern),
    )

    references = {
        "https://www.autodl.com/api/v1/region/list": {"data/region_name": TEXT, "data/region_sign": TEXT},
        "https://www.autodl.com/api/v1/machine/gpu_type": {"data/gpu_name": TEXT, "data/gpu_memory": NUMBER},
    }

    def read(self, state: Rendered, at: Place) -> Iterator[Listing]:
        text = "\n".join(state.lines)
        titles = list(TITLE.finditer(text))
        for title, after in zip(titles, [*titles[1:], None], strict=True):
            end = after.start() if after else len(text)
            if price := PRICE.search(text, title.end(), end):
                line = text.count("\n", 0, price.start())
                yield at.at(f"{at.locator}#line={line}").listing(
                    price_text=" ".join(price.group().split()), price_kind=state.name,
                    mode="on_demand" if price["per"] in ("小时", "时") else None,
                    context=f"{state.name} | {title.group()}", card_text=title["card"],
                    vram_text=title["vram"], vram_unit="GB", count_text="1",
                )  # fmt: skip
