"""CTyun 天翼云: the GPU price document, a server-rendered table with one row a flavour, hourly and monthly.

Prices are list prices of the instance in yuan; the unit stands in the column header. No region column was
ever seen: national. Some answers are GBK. On the page month = 480 x hour holds for every row but pn8r: a
check, not a rule. A card count may be a fraction (slices of g5, g6, g7). Known from transcriptions; rows
confirmed 2026-07-14 … 2026-08-22.
"""

from collections.abc import Iterator

from spiders.base import Listing, Place, Route, Row, TableSpider, memory


class Ctyun(TableSpider):
    """The price document, national scope."""

    name = "ctyun"
    routes = (Route("document"),)
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
    price = r"元|价格|价$|按(需|量)|包(年|月)|小时"

    def read(self, row: Row, at: Place) -> Iterator[Listing]:
        count = row.get("count")
        share = count is not None and ("/" in count or count.startswith("0."))
        for header, cell, locator in row.prices:
            yield at.listing(
                locator, **self.money(row, header, cell),
                card_text=row.get("card"), **memory("vram", row.get("vram")),
                count_text=None if share else count, share_text=count if share else None,
                sku=row.get("sku") or row.get("family"), vcpu_text=row.get("vcpu"),
                **memory("ram", row.get("ram")),
            )  # fmt: skip
