"""Volcengine's pricing portal: from a product's page to its template, its configurations and its price table.

Template codes differ and change: they are found on the page, never pinned.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from spiders.base import LIST, TEXT, JsonSpider, Listing, Place, Request, Response, get, text
from spiders.shape import Expectation
from spiders.volcengine_parts import Configuration, configurations, template_of

SITE = "https://www.volcengine.com"
PAGE = f"{SITE}/pricing?product={{}}&tab=1&__loader=__ssr_without_user/pricing/page&__ssrDirect=true"
PRICE = f"{SITE}/anonymous-api/trade/price?Action={{}}&Version=2020-01-01"
TREE = "Result/List/0/Template"
TABLES = "Result/TableList"
ROW: Expectation = {"ConfigurationCode": TEXT, "ChargeItemCode": TEXT, "PriceInfoList": LIST}


class VolcenginePortal(JsonSpider):
    """`products` are asked one after the other; `read_row` gets each row of their tables with what the
    template says of its configuration."""

    products: tuple[str, ...] = ()

    def read_row(self, row: Any, product: str, abilities: Mapping[str, str], at: Place) -> Iterator[Listing]:
        """Listings of one row."""
        raise NotImplementedError

    def begin(self, route: str) -> Iterator[Request]:
        for product in self.products:
            yield self.ask(PAGE.format(product), self.page_of, route=route, product=product)

    def page_of(self, response: Response, product: str) -> Iterator[Request]:
        answer = self.document(response, {})
        listed, code = template_of(answer)
        if code:
            url = f"{PRICE.format('ListTemplate')}&TemplateCode={code}"
            yield self.ask(url, self.template, route=response.meta["route"], product=product, code=code)
        elif listed:
            self.skip("product without a price table")
        elif answer is not None:
            self.moved("TemplateInfoList", "a list", None, self.place(response))

    def template(self, response: Response, product: str, code: str) -> Iterator[Request]:
        try:
            found = configurations(text(self.document(response, {TREE: TEXT}), TREE) or "[]")
        except ValueError:
            self.moved(TREE, "JSON in a string", "something else", self.place(response))
            return
        about: dict[str, Any] = {"product": product, "known": {each.code: each for each in found}}
        route, data = response.meta["route"], {"TemplateCode": code}
        yield self.ask(PRICE.format("GetTable"), self.table, route=route, method="POST", data=data, **about)

    def table(self, response: Response, product: str, known: dict[str, Configuration]) -> Iterator[Listing]:
        read: set[str] = set()
        for number, table in enumerate(get(self.document(response, {TABLES: LIST}), TABLES) or ()):
            for line, row in enumerate(get(table, "Rows") or ()):
                at = self.place(response, f"/{TABLES}/{number}/Rows/{line}")
                if self.layout(row, ROW, at):
                    read.add(row["ConfigurationCode"])
                    about = known.get(row["ConfigurationCode"])
                    yield from self.read_row(row, product, about.abilities if about else {}, at)
        missing = known.keys() - read
        if missing:
            self.run.changed(f"GetTable of {product}", f"{len(known)} configurations", f"{len(read)} priced")
        if read and len(missing) * 2 >= len(known):
            told = f"{product}: prices for {len(read)} of {len(known)} configurations"
            self.run.problem("truncated", told, response.url, response.meta["route"])
