"""CTyun 天翼云: the GPU price document, a server-rendered table with one row a flavour, hourly and monthly.

Prices are list prices of the instance in yuan; the unit stands in the column header. No region column was
ever seen: national. Some answers are GBK. On the page month = 480 x hour holds for every row but pn8r: a
check, not a rule. A card count may be a fraction. What the prose takes off for years paid at once is quoted
as a promotion. Known from transcriptions; rows confirmed 2026-07-14 … 2026-08-22.
"""

import re
from collections.abc import Iterator

from spiders.base import Listing, Place, Response, Route, Row, TableSpider, memory
from spiders.discounts import Discounts, read_discounts
from spiders.shape import counted
from spiders.sources._ctyun_price import CtyunPrice
from spiders.textio import parse_html, visible_text


class Ctyun(TableSpider):
    """The price document, national scope."""

    name = "ctyun"
    routes = (Route("document"), Route("price", extra=True, by=CtyunPrice))
    origins = ("https://www.ctyun.cn",)
    evidence_kind = "pricing"
    pages = ("https://www.ctyun.cn/document/10029787/10047957",)
    columns = {
        "count": r"(GPU|显卡|加速卡|卡|芯片).*(数|个|张)|卡数|^数量|count",
        "card": r"(GPU|显卡|加速卡|芯片|NPU).*(型号|类型|规格|卡)|^(GPU|显卡|加速卡|卡型|型号)|card|model",
        "vram": r"显存",
        "vcpu": r"v?CPU|核",
        "ram": r"内存|memory",
        "family": r"规格族|系列|实例族|类型|family",
        "sku": r"规格|实例|flavor",
    }
    need = ("card",)
    units = {"小时|元/时": "CNY/instance/hour", "月": "CNY/instance/month", "年": "CNY/instance/year"}
    optional = ("年",)
    price = r"元|价格|价$|按(需|量)|包(年|月)|小时"

    def read_page(self, response: Response, text: str, place: Place) -> Iterator[Listing]:
        self.discounts: Discounts = read_discounts(visible_text(parse_html(text)))
        yield from super().read_page(response, text, place)

    def read(self, row: Row, at: Place) -> Iterator[Listing]:
        sku, card = row.get("sku") or row.get("family"), row.get("card")
        about = {"card_text": card, "sku": sku, "vcpu_text": row.get("vcpu"), **counted(row.get("count")),
                 **memory("vram", row.get("vram")), **memory("ram", row.get("ram"))}  # fmt: skip
        for header, cell, locator in row.prices:
            money = self.money(row, header, cell)
            self.run.shared[(sku or "").partition(".")[0], money.get("unit"), cell] = about
            yield at.listing(locator, **money, **about, status="offered")
            monthly = money.get("unit") == self.units["月"] and re.search(r"\d", cell)
            for rule in self.discounts.of(card, sku) if monthly else ():
                yield at.listing(
                    locator, price_text=cell, unit=rule.unit, price_kind="promo", tier="paid_at_once", **about
                )
