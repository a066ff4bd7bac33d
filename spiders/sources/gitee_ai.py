"""Gitee AI 模力方舟: `GET /api/base/market/products?page=N`, from which the page `/compute` is drawn.

`hour_price` is yuan an hour of the machine of `gpu_num` cards; stock is idle and total cards; ten products a
page. A price may be null, a product `offline`. One card is sold in several machines: the product's name tells
them apart, and says more than the model where it names the card (memory, slice). Domestic cards. 天垓 is
listed under another maker. Known from daily captures 2026-07-15 to 08-22 and the list's field names; no
region shown, tax not stated.
"""

from collections.abc import Iterator
from typing import Any

from spiders.base import NUMBER, TEXT, JsonSpider, Listing, Place, Request, Route, Walk, get, text

STATUS = {"normal": "available", "sold_out": "sold_out", "offline": "sold_out"}


def card_of(name: str, model: str) -> str:
    """The text that names the card: the product's name if it holds the model, else the model."""
    short, long = ("".join(word.upper().split()) for word in (name, model))
    number = next((word for word in model.upper().split() if any(map(str.isdigit, word))), long)
    if number in short and short not in long:
        return name
    return f"{model} {name}" if "切片" in name or "vGPU" in name else model


class GiteeAi(JsonSpider):
    """The compute market."""

    name = "gitee_ai"
    routes = (Route("market"),)
    origins = ("https://ai.gitee.com",)
    evidence_kind = "realtime"
    rows = "items"
    total = "total"
    page_size = 10
    row_id = "id"
    expect = {"name": TEXT, "gpu_model": TEXT, "gpu_num": NUMBER}
    maybe = {"hour_price": NUMBER, "gpu_idle": NUMBER, "gpu_total": NUMBER, "status": TEXT}

    def page_request(self, walk: Walk) -> Request:
        url = f"https://ai.gitee.com/api/base/market/products?page={walk.page}"
        return self.ask(url, self.page, route=walk.route, walk=walk)

    def read(self, row: Any, at: Place) -> Iterator[Listing]:
        status, idle = text(row, "status") or "", get(row, "gpu_idle")
        if not isinstance(row, dict) or "hour_price" not in row:
            self.moved("hour_price", "a price or null", None, at)
            return
        name = text(row, "name") or ""
        yield at.listing(
            "hour_price", price_text=text(row, "hour_price"), unit="CNY/instance/hour", mode="on_demand",
            card_text=card_of(name, text(row, "gpu_model") or ""), sku=name, count_text=text(row, "gpu_num"),
            stock_idle=idle if isinstance(idle, int) else None, stock_total=get(row, "gpu_total"),
            status="sold_out" if idle == 0 else STATUS.get(status),
        )  # fmt: skip
