"""PPIO 派欧云: GPU products behind the user's own key; prices are strings of 1e-5 yuan a card-hour.

Scale and currency are those of the sister platform's document (Novita); for this one they are likely, not
confirmed. An expired key answers JSON *without* `data`: that is not "no stock". A spot price of 0 is none.
The shape of `monthlyPrice` is not documented: counted, not read. A product in several regions is an offer in
each. Known from clients of both platforms, 2026; tax is not stated.
"""

from collections.abc import Iterator
from typing import Any

from spiders.base import LIST, TEXT, JsonSpider, Listing, Place, Request, Route, Walk, get, text

UNIT = "1e-5 CNY/card/hour"
STOCK = {"none": "sold_out", "low": "limited", "normal": "available", "high": "available"}


class Ppio(JsonSpider):
    """On-demand and spot price of every product."""

    name = "ppio"
    routes = (Route("products", needs=("PPIO_TOKEN",)),)
    origins = ("https://api.ppinfra.com",)
    evidence_kind = "realtime"
    scope = "region"
    rows = "data"
    row_id = "id"
    expect = {"id": TEXT, "name": TEXT, "price": TEXT, "billingMethods": LIST}
    maybe = {"regions": LIST, "spotPrice": TEXT, "inventoryState": tuple(STOCK), "monthlyPrice": LIST}

    def page_request(self, walk: Walk) -> Request:
        headers = {"Authorization": f"Bearer {self.credential('PPIO_TOKEN')}"}
        url = "https://api.ppinfra.com/gpu-instance/openapi/v1/products"
        return self.ask(url, self.page, route=walk.route, headers=headers, walk=walk)

    def read(self, row: Any, at: Place) -> Iterator[Listing]:
        methods = get(row, "billingMethods") or ()
        if "monthly" in methods and get(row, "monthlyPrice"):
            self.skip("monthly price of a shape that is not documented")
        prices = [("price", "on_demand")] if "onDemand" in methods else []
        if "spot" in methods and text(row, "spotPrice") not in (None, "0"):
            prices.append(("spotPrice", "spot"))
        status = STOCK.get(text(row, "inventoryState") or "")
        closed = get(row, "canBuy") is False or get(row, "availableDeploy") is False
        for region in get(row, "regions") or [None]:
            for field, mode in prices:
                yield at.listing(
                    field, price_text=text(row, field), unit=UNIT, mode=mode, price_kind="list",
                    card_text=text(row, "name"), sku=text(row, "id"), vcpu_text=text(row, "cpuPerGpu"),
                    ram_text=text(row, "memoryPerGpu"), ram_unit="GB", region_text=region,
                    status="sold_out" if closed else status, count_text="1",
                )  # fmt: skip
