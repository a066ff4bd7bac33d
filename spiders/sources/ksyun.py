"""KSyun 金山云: the signed spot history of the cloud host, behind the user's own keys.

Yuan an hour of the last three hours; the last point is the price now. The documents name no GPU family and no
price: what is read here waits for the reviewed table of instance types. Documented (docs.ksyun.com/documents/
3961, 2026); tax is not stated.
"""

from collections.abc import Iterator
from typing import Any
from urllib.parse import quote, urlencode

from spiders.base import LIST, NUMBER, TEXT, JsonSpider, Listing, Request, Response, Route, get, text
from spiders.signing import aws4

KEYS = ("KSYUN_PUBLIC_KEY", "KSYUN_PRIVATE_KEY")
REGION = "cn-beijing-6"
TYPES = ("GN6I.4A", "P3I.8A")  # two GPU families of the vendor, sizes to be reviewed
POINT = {"SpotPrice": NUMBER, "Timestamp": TEXT}


class Ksyun(JsonSpider):
    """Spot prices of GPU types in Beijing."""

    name = "ksyun"
    routes = (Route("api", needs=KEYS),)
    origins = ("https://kec.api.ksyun.com",)
    evidence_kind = "realtime"
    scope = "region"

    def begin(self, route: str) -> Iterator[Request]:
        key, secret = (self.credential(name) or "" for name in KEYS)
        for sku in TYPES:
            asked = {"Action": "DescribeSpotPriceHistory", "InstanceType": sku, "Version": "2016-03-04"}
            url = f"https://kec.api.ksyun.com/?{urlencode(sorted(asked.items()), quote_via=quote)}"
            headers = aws4(url, key, secret, self.config.now, (REGION, "kec"))
            yield self.ask(url, self.history, route=route, headers=headers, sku=sku)

    def history(self, response: Response, sku: str) -> Iterator[Listing]:
        answer: Any = self.document(response, {"SpotPrices": LIST})
        points = list(enumerate(get(answer, "SpotPrices") or ()))
        at = self.place(response)
        known = [(number, point) for number, point in points if self.layout(point, POINT, at)]
        if known:
            number, last = max(known, key=lambda each: str(each[1]["Timestamp"]))
            yield from self.quote(
                at.at(f"/SpotPrices/{number}"), last, "spot", sku=sku, region_text=REGION,
                zone_text=text(answer, "AvailabilityZone"), status="offered",
            )  # fmt: skip
