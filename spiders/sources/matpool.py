"""Matpool 矩池云: the public market `GET matgo.cn/api/machine_pools`, 1/100000 yuan per hour and unit (份).

A unit is usually one card; `gpuIds` lists the cards of one. `max_available_units` can be rented now,
`total` are the cards of the pool. An answer may lack `code`; HTTP 200 with 176 means "not logged in". The
home page's "from" prices are monthly rates per hour: not used. Known from public clients, 2026-09-07; tax
is not stated.
"""

from collections.abc import Iterator
from typing import Any

from spiders.base import LIST, NUMBER, TEXT, JsonSpider, Listing, Place, Request, Route, Walk, get, text

# The platform's own names of its zones (documented by two clients); they are no places.
ZONES = {"0": "1区", "2": "2区", "3": "3区", "11": "亚太2区", "13": "13区", "15": "国产卡", "16": "16区"}
UNIT = "1e-5 CNY/unit/hour"
HARDWARE = "machine/hardware"


class Matpool(JsonSpider):
    """Pools with list and discounted price."""

    name = "matpool"
    routes = (Route("pools"),)
    origins = ("https://matgo.cn",)
    evidence_kind = "realtime"
    scope = "pool"
    rows = "pools"
    page_count = "pagination/num_pages"
    total = "pagination/total"
    page_size = 100
    row_id = "resource_pool_id"
    success = {"code": (0, None)}
    expect = {"gpu_model": TEXT, f"{HARDWARE}/priceMillicent": NUMBER, "max_available_units": NUMBER}
    maybe = {f"{HARDWARE}/discountPriceMillicent": NUMBER, f"{HARDWARE}/gpu/gpuRamMB": NUMBER,
             f"{HARDWARE}/gpu/gpuIds": LIST, "domain": NUMBER, "total": NUMBER}  # fmt: skip

    def page_request(self, walk: Walk) -> Request:
        query = f"machine_category=0&page={walk.page}&per_page={self.page_size}"
        return self.ask(f"https://matgo.cn/api/machine_pools?{query}", self.page, route=walk.route, walk=walk)

    def read(self, row: Any, at: Place) -> Iterator[Listing]:
        cards = len(get(row, f"{HARDWARE}/gpu/gpuIds") or ()) or None
        units, domain = get(row, "max_available_units"), text(row, "domain")
        price, discount = (text(row, f"{HARDWARE}/{name}Millicent") for name in ("price", "discountPrice"))
        kinds = [("priceMillicent", price, "list"), ("discountPriceMillicent", discount, "public_discount")]
        for field, amount, kind in kinds if discount not in (None, price) else kinds[:1]:
            yield at.listing(
                f"{HARDWARE}/{field}", price_text=amount, unit=UNIT, price_kind=kind, mode="on_demand",
                card_text=text(row, "gpu_model"), count_text=str(cards) if cards else None,
                vram_text=text(row, f"{HARDWARE}/gpu/gpuRamMB"), vram_unit="MB",
                ram_text=text(row, f"{HARDWARE}/machine/ramMB"), ram_unit="MB",
                region_text=ZONES.get(domain or "", domain and f"domain {domain}"),
                stock_idle=units * (cards or 1) if isinstance(units, int) else None,
                stock_total=get(row, "total"), listing_id=text(row, "resource_pool_id"),
            )  # fmt: skip
