"""Aliyun's signed ECS API behind the user's own read-only key: what is in stock, and the present spot price.

`DescribeAvailableResource` says which types a zone has; those with stock are asked for their spot history,
whose last point in each zone is the price now, yuan an hour. Its `OriginPrice` is the list price that the
file has already. Documented (RPC 2014-05-26); tax is not stated.
"""

from collections.abc import Iterator
from typing import Any

from spiders.base import LIST, NUMBER, TEXT, JsonSpider, Listing, Request, Response, Route, get, text
from spiders.signing import aliyun_rpc
from spiders.sources._aliyun_detail import GPU_FAMILY

KEYS = ("ALIYUN_PUBLIC_KEY", "ALIYUN_PRIVATE_KEY")
REGIONS = ("cn-beijing", "cn-zhangjiakou", "cn-wulanchabu", "cn-shenzhen", "cn-guangzhou", "cn-heyuan")
ZONES = "AvailableZones/AvailableZone"
POINT = {"ZoneId": TEXT, "SpotPrice": NUMBER, "Timestamp": TEXT}


class AliyunSigned(JsonSpider):
    """Spot prices of GPU types that can be had."""

    origins = tuple(f"https://ecs.{region}.aliyuncs.com" for region in REGIONS)
    evidence_kind = "realtime"
    scope = "zone"

    def begin(self, route: str) -> Iterator[Request]:
        self.calls = 0
        for region in REGIONS:
            about = {"DestinationResource": "InstanceType", "NetworkCategory": "vpc"}
            yield self.call("DescribeAvailableResource", self.stock, route, region, about)

    def call(
        self, action: str, then: Any, route: str, region: str, about: dict[str, str], **carry: Any
    ) -> Request:
        self.calls += 1
        key, secret = (self.credential(name) or "" for name in KEYS)
        sent = {"Action": action, "Version": "2014-05-26", "RegionId": region, **about}
        form = aliyun_rpc(sent, key, secret, self.config.now, f"{self.config.run_id}-{self.calls}")
        url = f"https://ecs.{region}.aliyuncs.com/"
        return self.ask(url, then, route=route, method="POST", form=form, region=region, **carry)

    def stock(self, response: Response, region: str) -> Iterator[Request]:
        """The zones that have a type in stock; each type is asked for once."""
        zones: dict[str, set[str]] = {}
        for zone in get(self.document(response, {ZONES: LIST}), ZONES) or ():
            for resource in get(zone, "AvailableResources/AvailableResource") or ():
                for kind in get(resource, "SupportedResources/SupportedResource") or ():
                    sku = text(kind, "Value") or ""
                    if GPU_FAMILY.match(sku) and text(kind, "StatusCategory") == "WithStock":
                        zones.setdefault(sku, set()).add(text(zone, "ZoneId") or "")
        for sku in sorted(zones):
            asked = {"InstanceType": sku, "NetworkType": "vpc", "OSType": "linux"}
            about = {"sku": sku, "zones": zones[sku]}
            route = response.meta["route"]
            yield self.call("DescribeSpotPriceHistory", self.history, route, region, asked, **about)

    def history(self, response: Response, region: str, sku: str, zones: set[str]) -> Iterator[Listing]:
        """The last point of every zone."""
        path, last = "SpotPrices/SpotPriceType", dict[str, tuple[int, Any]]()
        answer = self.document(response, {path: LIST, "Currency": TEXT})
        at = self.place(response)
        for number, point in enumerate(get(answer, path) or ()):
            if self.layout(point, POINT, at):
                known = last.get(point["ZoneId"])
                if known is None or point["Timestamp"] > known[1]["Timestamp"]:
                    last[point["ZoneId"]] = (number, point)
        for zone, (number, point) in last.items():
            yield at.at(f"/{path}/{number}").listing(
                "SpotPrice", price_text=text(point, "SpotPrice"), unit=f"{answer['Currency']}/instance/hour",
                mode="spot", price_kind="list", sku=sku, region_text=region, zone_text=zone, os="linux",
                status="available" if zone in zones else None,
            )  # fmt: skip


SIGNED = Route("signed", needs=KEYS, extra=True, by=AliyunSigned)
