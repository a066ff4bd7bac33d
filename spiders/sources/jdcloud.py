"""JD Cloud 京东云: two server-rendered price documents, years old, with merged cells.

The overview has two header rows: a region over a month's and an hour's price of the instance. The voucher
page states its unit in the heading only: yuan per computing unit (one card) and month, all regions. A page
that says when it was updated is quoted as of then: old prices stay old. Known from copies of 2019 and 2020.
"""

import re
from collections.abc import Iterator

from spiders.base import Listing, Place, Response, Route, Row, TableSpider
from spiders.dated import old_page
from spiders.textio import parse_html, visible_text

REGION = re.compile(r"华[北东南中]-[\u4e00-\u9fff]+")
VOUCHER_UNIT = "元/计算力/月"


class Jdcloud(TableSpider):
    """Instance prices by region, and reserved vouchers for all regions."""

    name = "jdcloud"
    routes = (Route("document"),)
    origins = ("https://docs.jdcloud.com",)
    evidence_kind = "pricing"
    scope = "region"
    pages = ("https://docs.jdcloud.com/cn/virtual-machines/price-overview",
             "https://docs.jdcloud.com/cn/virtual-machines/instance-voucher-price")  # fmt: skip
    columns = {"sku": r"^规格$|规格族", "card": r"^GPU$"}
    need = ("sku",)
    units = {"元/月|^1个月|^[13]年": "CNY/instance/month", "元/小时": "CNY/instance/hour"}
    price = r"元/|\d个?[月年]"

    def read_page(self, response: Response, text: str, place: Place) -> Iterator[Listing]:
        shown = visible_text(parse_html(text))
        self.dated, self.voucher = old_page(shown, self.config.now), "抵扣券价格" in shown
        if self.voucher and VOUCHER_UNIT not in shown:
            self.moved("unit of the vouchers", VOUCHER_UNIT, None, place)
            return
        yield from super().read_page(response, text, place)

    def read(self, row: Row, at: Place) -> Iterator[Listing]:
        for header, cell, locator in row.prices:
            region = REGION.search(header)
            if cell in ("--", "-", ""):
                self.skip("not sold")
                continue
            more = {"mode": "reserved", "term_text": header, "tier": "voucher"} if self.voucher else {}
            yield at.listing(
                locator, **{**self.money(row, header, cell), **more}, sku=row.get("sku"), price_kind="list",
                region_text=region.group() if region else None, status="offered", os="linux",
                scope="region" if region else "national", **self.dated,
            )  # fmt: skip
