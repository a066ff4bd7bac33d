"""Aliyun 阿里云: `instancePrice.json`, ECS list prices of every type and region, in yuan per instance.

The version stands in the public price page: old files stay online, frozen, so the highest by number counts.
Key: region :: type :: network :: system :: I/O; 0 is "not sold". Known from three clients; tax not stated."""

import re
from collections.abc import Iterator
from typing import IO, Any

import ijson

from spiders.base import LIST, FileSpider, Listing, Place, Response, Route, pointer, published
from spiders.sources._aliyun_detail import GPU_FAMILY, AliyunDetail
from spiders.sources._aliyun_signed import SIGNED

VERSION = re.compile(r"g\.alicdn\.com/aliyun/ecs-price-info/([0-9]+(?:\.[0-9]+)+)")
FILE = "https://g.alicdn.com/aliyun/ecs-price-info/{}/price/download/instancePrice.json"
PERIODS = {"hours": "hour", "weeks": "week", "months": "month", "years": "year"}


class Aliyun(FileSpider):
    """The price file of the mainland site."""

    name = "aliyun"
    routes = (Route("file"), Route("detail", extra=True, by=AliyunDetail), SIGNED)
    origins = ("https://www.aliyun.com", "https://g.alicdn.com")
    evidence_kind = "pricing"
    scope = "region"
    periods_vary = True
    index = ("https://www.aliyun.com/price/ecs/ecs-pricing/zh",)

    def find_files(self, response: Response) -> Iterator[tuple[str, str]]:
        if found := set(VERSION.findall(self.text_of(response))):
            newest = max(found, key=lambda version: [int(part) for part in version.split(".")])
            yield FILE.format(newest), newest

    def read_file(self, stream: IO[bytes], at: Place) -> Iterator[Listing]:
        head = self.heads(at, "currency", "publicationDate")
        if self.fresh(published(head.get("publicationDate")), at):
            for key, prices in ijson.kvitems(stream, "pricingInfo"):
                region, sku, *rest = key.split("::")
                if not GPU_FAMILY.match(sku) or rest != ["vpc", "linux", "optimized"]:
                    self.skip("other system or network" if GPU_FAMILY.match(sku) else "no GPU")
                else:
                    here = at.at(pointer("pricingInfo", key))
                    yield from self._type(region, sku, prices, head.get("currency", ""), here)

    def _type(self, region: str, sku: str, prices: Any, currency: str, at: Place) -> Iterator[Listing]:
        if prices.keys() - PERIODS.keys():
            self.layout(prices, {"hours": LIST}, at)
        for kind, period in PERIODS.items():
            for number, price in enumerate(prices.get(kind) or ()):
                count = price.get("period") or "1"
                yield at.listing(
                    f"{kind}/{number}/price", price_text=price.get("price"), sku=sku, region_text=region,
                    unit=f"{currency}/instance/{period if count == '1' else f'{count} {period}'}",
                    mode="on_demand" if period == "hour" else None, price_kind="list",
                    os="linux", status="offered",
                )  # fmt: skip
