"""UCloud: the signed API of the cloud host, behind the user's own keys.

A shape of every GPU type is priced in all its modes, without disks: `OriginalPrice` is the list price of the
machine, `PriceDetail.UHost` what the account pays. `T4/4` is a quarter of a card. Memory is GB in the list of
types and MB in the price call. Documented (official SDK 0.11.150); tax is not stated.
"""

from collections.abc import Iterator
from typing import Any
from urllib.parse import urlencode

from spiders.base import LIST, NUMBER, TEXT, JsonSpider, Listing, Request, Response, Route, get, text
from spiders.shape import counted
from spiders.signing import ucloud
from spiders.sources._ucloud_shapes import REGIONS, STATUS, shape_of

KEYS = ("UCLOUD_PUBLIC_KEY", "UCLOUD_PRIVATE_KEY")
TYPES, PRICES = "AvailableInstanceTypes", "PriceSet"


class Ucloud(JsonSpider):
    """GPU machines by region."""

    name = "ucloud"
    routes = (Route("api", needs=KEYS),)
    origins = ("https://api.ucloud.cn",)
    evidence_kind = "realtime"
    scope = "zone"
    periods_vary = True
    success = {"RetCode": (0, 230)}  # 230: not sold there

    def begin(self, route: str) -> Iterator[Request]:
        for region in REGIONS:
            asked = {"Action": "DescribeAvailableInstanceTypes", "Region": region}
            yield self.call(asked, self.types, route, region=region)

    def call(self, asked: dict[str, str], then: Any, route: str, **carry: Any) -> Request:
        key, secret = (self.credential(name) or "" for name in KEYS)
        sent = ucloud({**asked, "PublicKey": key}, secret)
        return self.ask(f"https://api.ucloud.cn/?{urlencode(sent)}", then, route=route, **carry)

    def types(self, response: Response, region: str) -> Iterator[Request]:
        answer, at = self.document(response, {"RetCode": NUMBER}), self.place(response, TYPES)
        for row in get(answer, TYPES) or ():
            if self.layout(row, {"Zone": TEXT, "GpuType": TEXT, "MachineSizes": LIST}, at):
                sliced = "/" in row["GpuType"]
                for size in (s for s in row["MachineSizes"] if not sliced or text(s, "Gpu") == "1"):
                    asked = shape_of(region, row, size)
                    yield self.call(asked, self.prices, at.route, shape=asked, status=text(row, "Status"))

    def prices(self, response: Response, shape: dict[str, str], status: str | None) -> Iterator[Listing]:
        card, _, parts = shape["GpuType"].partition("/")
        answer, at = self.document(response, {"RetCode": NUMBER}), self.place(response)
        for number, price in enumerate(get(answer, PRICES) or ()):
            yield from self.quote(
                at.at(f"/{PRICES}/{number}"), price, text(price, "ChargeType") or "", card_text=card,
                **counted(f"1/{parts}" if parts else shape["GPU"]), vcpu_text=shape["CPU"], ram_unit="MB",
                ram_text=shape["Memory"], region_text=shape["Region"], zone_text=shape["Zone"],
                status=STATUS.get(status or ""),
            )  # fmt: skip
