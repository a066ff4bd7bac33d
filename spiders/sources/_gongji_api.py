"""Gongji's resource search behind a token: price, discounted price and inventory of every device and region.

An integer of 50 or more is *points per second for the whole device* (1 yuan = 1,000,000 points); a small
number with a fraction is yuan an hour; anything else has no unit and becomes a rejection. Memory is MB of the
whole device. `regions` is a list, in an older state of the document an object (`region_map`). Codes of
regions are literal, misspellings included. Documented by the vendor, 2026-07-15; tax is not stated.
"""

from collections.abc import Iterator
from decimal import Decimal
from typing import Any

from spiders.base import LIST, NUMBER, TABLE, TEXT, JsonSpider, Listing, Place, Request, Walk
from spiders.shape import PRICE, get, linked, pointer, text

POINTS, YUAN = "1e-6 CNY/device/second", "CNY/device/hour"
KINDS = {"price": "list", "discount_price": "public_discount"}


class GongjiApi(JsonSpider):
    """Devices for elastic services."""

    origins = ("https://openapi.suanli.cn",)
    evidence_kind = "realtime"
    scope = "region"
    rows = "data/results"
    total = "data/count"
    success = {"code": ("0000",)}
    expect = {"device_name": TEXT, "gpu_name": TEXT, "gpu_count": NUMBER}
    maybe = {"gpu_memory": NUMBER, "memory": NUMBER, "cpu_cores": NUMBER, "regions": LIST,
             "region_map": TABLE}  # fmt: skip

    def page_request(self, walk: Walk) -> Request:
        headers = {
            "token": self.credential("GONGJI_TOKEN") or "",
            "timestamp": str(int(self.config.now.timestamp() * 1000)),
            "version": "1.0.0",
        }
        query = "task_type=Deployment&device_type=GpuDevice"
        url = f"https://openapi.suanli.cn/api/deployment/resource/search?{query}"
        return self.ask(url, self.page, route=walk.route, headers=headers, walk=walk)

    def read(self, row: Any, at: Place) -> Iterator[Listing]:
        places = get(row, "regions")
        parts = {("regions", n): place for n, place in enumerate(places or ())}
        parts |= {("region_map", code): place for code, place in (get(row, "region_map") or {}).items()}
        if not parts and places is None:
            self.layout(row, {"regions": LIST}, at)
        for (name, key), place in parts.items():
            yield from self.region(row, place, at.at(f"{at.locator}{pointer(name, key)}"))

    def region(self, row: Any, place: Any, at: Place) -> Iterator[Listing]:
        """Price and discounted price of a device in one region; equal ones once."""
        if not self.layout(place, {"price": PRICE}, at):
            return
        prices = {name: get(place, name) for name in KINDS if name == "price" or get(place, name) is not None}
        count, idle = get(row, "gpu_count"), get(place, "inventory")
        for name, amount in prices.items():
            if name == "discount_price" and amount == prices.get("price"):
                continue
            yield at.listing(
                name, price_text=text(amount), unit=unit_of(amount), mode="on_demand", price_kind=KINDS[name],
                card_text=text(row, "gpu_name"), count_text=text(count), vram_total=True,
                vram_text=text(row, "gpu_memory"), vram_unit="MB", vcpu_text=text(row, "cpu_cores"),
                ram_text=text(row, "memory"), ram_unit="MB", region_text=text(place, "region_name"),
                zone_text=text(place, "region") or at.locator.rsplit("/", 1)[-1],
                stock_idle=idle * count if isinstance(idle, int) and isinstance(count, int) else None,
                **linked(text(row, "gpu_name")),
            )  # fmt: skip


def unit_of(amount: Any) -> str | None:
    """The unit that the size and kind of a number tell, None for neither."""
    if isinstance(amount, int) and amount >= 50:
        return POINTS
    return YUAN if isinstance(amount, Decimal) and 0 < amount < 1000 else None
