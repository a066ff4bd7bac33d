"""Volcengine: the pricing portal's anonymous JSON, product by product.

Yuan per instance for `Times` hours or months; the region stands in the charge code. Card counts of most
families are not published: those wait for review. A price here need not be in stock. Known from two clients,
live-tested 2026-06-03; tax is not stated.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from spiders.base import NUMBER, Listing, Place, Route, text
from spiders.shape import Expectation, local_disk
from spiders.sources._volcengine_portal import SITE, VolcenginePortal
from spiders.volcengine_parts import gpu_name, is_gpu, region_of, sku_of

PRICE: Expectation = {"Period": ("hourly", "monthly"), "Times": NUMBER}


class Volcengine(VolcenginePortal):
    """GPU machines of four products."""

    name = "volcengine"
    routes = (Route("pricing"),)
    origins = (SITE,)
    evidence_kind = "catalog"
    scope = "region"
    periods_vary = True
    products = ("GPU_Server", "HPC_GPU", "ECS", "ECS_BareMetal")

    def read_row(self, row: Any, product: str, abilities: Mapping[str, str], at: Place) -> Iterator[Listing]:
        code = row["ConfigurationCode"]
        if not is_gpu(code, product, abilities):
            self.skip("no GPU")
            return
        for number, price in enumerate(row["PriceInfoList"]):
            if self.layout(price, PRICE, at):
                yield from self.quote(
                    at, price, price["Period"], f"PriceInfoList/{number}", count=text(price, "Times") or "",
                    sku=sku_of(code), region_text=region_of(row["ChargeItemCode"]), os="linux",
                    card_text=gpu_name(abilities), vcpu_text=abilities.get("vcpu"), status="offered",
                    ram_text=abilities.get("memory"), **local_disk(abilities.get("ssd")),
                )  # fmt: skip
