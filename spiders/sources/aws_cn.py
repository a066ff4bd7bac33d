"""AWS China: the public Bulk Price List, one file a region and version, found through two indexes: JSON, or
CSV where the index names one (the same path with `.csv`); either is read as a stream.

Linux, shared tenancy, no software, `BoxUsage`: the plain instance, yuan an hour; other goods are counted. A
reserved instance pays by the hour, at the start, or both. Savings plans stand in files of their own, joined
on the SKU. Odd regions are left out. Documented by AWS; whether tax is inside is not stated.
"""

from collections.abc import Iterator
from typing import IO, Any
from urllib.parse import urljoin

from spiders.aws_csv import prices
from spiders.aws_files import plan_prices, regional, version
from spiders.base import FileSpider, Listing, Place, Request, Response, Route, get, loads

SITE = "https://pricing.cn-north-1.amazonaws.com.cn"
REGIONS = ("cn-north-1", "cn-northwest-1")


class AwsCn(FileSpider):
    """Instance prices of both regions of the partition."""

    name = "aws_cn"
    routes = (Route("bulk"), Route("savings_plan", extra=True))
    origins = (SITE,)
    evidence_kind = "pricing"
    scope = "region"
    periods_vary = True

    def begin(self, route: str) -> Iterator[Request]:
        if route == "bulk":
            self.types: dict[str, dict[str, Any]] = {}  # SKU → bundle
            self.plans = ""
            yield self.ask(f"{SITE}/offers/v1.0/cn/index.json", self.index_page, route=route)

    def find_files(self, response: Response) -> Iterator[tuple[str, str] | Request]:
        answer = loads(self.text_of(response))
        if "offers" in answer and (url := get(answer, "offers/AmazonEC2/currentRegionIndexUrl")):
            self.plans = get(answer, "offers/AmazonEC2/currentSavingsPlanIndexUrl") or ""
            yield self.ask(response.urljoin(url), self.index_page, route="bulk")
        found = dict(regional(answer))
        yield from ((response.urljoin(found[r]), version(found[r])) for r in REGIONS if r in found)
        if found and (missing := [region for region in REGIONS if region not in found]):
            self.run.problem("truncated", f"the index lacks {missing}", response.url, response.meta["route"])

    def after(self, route: str) -> Iterator[Request]:
        if route == "bulk" and self.plans:  # the types are known now
            yield self.ask(urljoin(SITE, self.plans), self.index_page, route="savings_plan")

    def read_file(self, stream: IO[bytes], at: Place) -> Iterator[Listing]:
        if at.route == "savings_plan":
            read = plan_prices(stream, self.types)
        else:
            read = prices(lambda: self.reopen(at), self.types, self.skip)
        try:
            for place, fields in read:
                yield at.at(place).listing(**fields, price_kind="list", status="offered")
        except (KeyError, TypeError) as error:
            self.moved("price file", "the documented fields", f"no {error}", at)
