"""Baidu AI Cloud: the price calculator's flavours and prices, region by region.

`postpay` is yuan a *minute*, `prepay` yuan for so many months, the system disk taken out. A flavour stands in
several zones at one price; it need not be in stock. Known from two clients, 2026; tax is not stated.
"""

from collections.abc import Iterator
from typing import Any

from spiders.base import LIST, TEXT, Listing, Place, Request, Response, Route, Walk, text
from spiders.shape import local_disk
from spiders.sources._baidu_prices import LENGTHS, ZONES, BaiduPrices

API = "https://cloud.baidu.com/api"


class Baidu(BaiduPrices):
    """GPU flavours of every region."""

    name = "baidu"
    routes = (Route("calculator"),)
    origins = ("https://cloud.baidu.com",)
    evidence_kind = "catalog"
    scope = "region"
    periods_vary = True
    regions_url, regions_data = f"{API}/region/region_list", {"serviceType": "BCC"}
    regions_rows, regions_row = "result", {"value": TEXT}

    def walks_of(self, region: Any, route: str) -> list[Walk]:
        return [Walk(route, region["value"])]

    def page_request(self, walk: Walk) -> Request:
        asked = {"region": walk.key, "ignoreReservedInstanceProductType": True}
        url = f"{API}/calculator/bccFlavor"
        return self.ask(url, self.flavors, route=walk.route, method="POST", data=asked, walk=walk)

    def flavors(self, response: Response, walk: Walk) -> Iterator[Request]:
        found = self.flavors_in(self.document(response, {ZONES: LIST}), self.place(response, f"/{ZONES}"))
        for mode in LENGTHS:
            some = [flavor for flavor in found if flavor["productType"] == mode]
            yield from self.priced(some, mode, walk.key, walk.route)

    def read_price(self, flavor: Any, months: int, item: Any, region: str, at: Place) -> Iterator[Listing]:
        about = {"sku": flavor["spec"], "card_text": flavor["gpuCardType"], "region_text": region,
                 "count_text": text(flavor, "gpuCardCount"), "vcpu_text": text(flavor, "cpuCount"),
                 "ram_text": text(flavor, "memoryCapacityInGB"), "os": "linux", "status": "offered",
                 **local_disk(flavor.get("ephemeralDiskInGb"))}  # fmt: skip
        if item is None:
            yield at.listing(price_text=None, unit="CNY/instance/month", **about)
        else:
            yield from self.quote(at, item, flavor["productType"], count=str(months), **about)
