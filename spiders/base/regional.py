"""Lists by region: the seller's own list of regions first, then what is sold in each."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, ClassVar

from scrapy import Request
from scrapy.http import Response

from spiders.base.json import JsonSpider, Walk
from spiders.shape import LIST, TEXT, Expectation, get


class RegionalSpider(JsonSpider):
    """A JsonSpider whose lists follow from a list of regions.

    `regions_url` is asked with `regions_data` as a POST body (GET where it is None), `regions_rows` is the
    path of its rows, `regions_row` what each region must hold. `walks_of` says which lists a region has;
    regions abroad have none. Override `regions_in` where the regions lie deeper.
    """

    regions_url: ClassVar[str] = ""
    regions_data: ClassVar[Any] = None
    regions_rows: ClassVar[str] = ""
    regions_row: ClassVar[Expectation] = {"": TEXT}

    def regions_in(self, answer: Any) -> list[Any]:
        """The regions of the answer."""
        found: list[Any] = get(answer, self.regions_rows)
        return found

    def walks_of(self, region: Any, route: str) -> Iterable[Walk]:
        """The lists of one region."""
        yield Walk(route, str(region))

    def begin(self, route: str) -> Iterator[Request]:
        """The list of regions."""
        method = "GET" if self.regions_data is None else "POST"
        yield self.ask(self.regions_url, self.region_list, route=route, method=method, data=self.regions_data)

    def region_list(self, response: Response) -> Iterator[Request]:
        """One request a list; a probe reads the first only."""
        answer = self.document(response, {self.regions_rows: LIST})
        at = self.place(response, self.regions_rows)
        regions = self.regions_in(answer) if answer is not None else []
        if get(answer, self.regions_rows) and not regions:
            self.moved(self.regions_rows, "regions", None, at)
        for region in regions:
            walks = self.walks_of(region, at.route) if self.layout(region, self.regions_row, at) else ()
            for walk in walks:
                walk.page = self.first_page
                yield self.page_request(walk)
                if self.probing:
                    return
