"""Aliyun 阿里云: `instancePrice.json`, the ECS list prices of every instance type and region, in yuan per
instance.

The file's version is embedded in the public price page and must be found there: old versions stay online,
frozen. The highest by number counts (2.0.28 < 2.0.211). Key: region :: type :: network :: system :: I/O; a
price of 0 is "not sold". Only GPU families are quoted; other types, systems and networks are counted. A
file published more than 90 days ago is refused. Known from three public clients (2024 … 2026); tax is not
stated.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import IO

import ijson
from scrapy.http import Response

from spiders.base import FileSpider, Place, pointer, published
from spiders.listing import Listing

VERSION = re.compile(r"g\.alicdn\.com/aliyun/ecs-price-info/([0-9]+(?:\.[0-9]+)+)")
FILE = "https://g.alicdn.com/aliyun/ecs-price-info/{}/price/download/instancePrice.json"
GPU_FAMILY = re.compile(r"ecs\.(?:ebm|scc)?[vs]?gn\d")
PERIODS = {"hours": "hour", "weeks": "week", "months": "month", "years": "year"}


class Aliyun(FileSpider):
    """The price file of the mainland site."""

    name = "aliyun"
    origins = ("https://www.aliyun.com", "https://g.alicdn.com")
    evidence_kind = "pricing"
    scope = "region"
    index = ("https://www.aliyun.com/price/ecs/ecs-pricing/zh",)

    def find_files(self, response: Response) -> Iterator[tuple[str, str]]:
        found = set(VERSION.findall(self.text_of(response)))
        if found:
            newest = max(found, key=lambda version: [int(part) for part in version.split(".")])
            yield FILE.format(newest), newest

    def read_file(self, stream: IO[bytes], at: Place) -> Iterator[Listing]:
        if self.fresh(published(next(ijson.items(stream, "publicationDate"), None)), at):
            with self.reopen(at) as again:
                currency = next(ijson.items(again, "currency"), "")
            with self.reopen(at) as again:
                for key, prices in ijson.kvitems(again, "pricingInfo"):
                    yield from self._type(key, prices, currency, at)

    def _type(
        self, key: str, prices: dict[str, list[dict[str, str]]], currency: str, at: Place
    ) -> Iterator[Listing]:
        region, sku, *rest = key.split("::")
        if not GPU_FAMILY.match(sku) or rest != ["vpc", "linux", "optimized"]:
            self.skip("no GPU" if not GPU_FAMILY.match(sku) else "other system or network")
            return
        for kind, period in PERIODS.items():
            for number, price in enumerate(prices.get(kind) or ()):
                count = price.get("period") or "1"
                yield at.at(pointer("pricingInfo", key, kind, number)).listing(
                    "price", price_text=price.get("price"), price_kind="list", sku=sku, os="linux",
                    unit=f"{currency}/instance/{period if count == '1' else f'{count} {period}'}",
                    mode="on_demand" if period == "hour" else None, region_text=region,
                )  # fmt: skip
