"""Huawei Cloud: the price calculator's `productInfo`, all ECS flavours of a region with their plans.

Yuan per instance and hour, month or year; a reserved instance per month (`perPrice`; the zero beside it is no
price). Sizes carry unit ids, the accelerator is free text ("2 * NVIDIA T4 / 2 * 16G"). A flavour of the
calculator need not be in stock. Known from four clients, 2026; tax is not stated.
"""

from collections.abc import Iterator
from typing import Any

from catalog.families import card_of
from spiders.base import LIST, TEXT, Listing, Place, Request, Route, Walk, text
from spiders.huawei_parts import API, accelerator, bundle, regions_of, way_of_paying
from spiders.shape import local_disk
from spiders.sources._huawei_export import HuaweiExport


class Huawei(HuaweiExport):
    """Linux flavours with an accelerator, of every region of the mainland."""

    name = "huawei"
    routes = (Route("calculator"), Route("export", extra=True))
    origins = ("https://portal.huaweicloud.com",)
    evidence_kind = "pricing"
    scope = "region"
    periods_vary = True
    regions_url, regions_rows = f"{API}/menuInfo?sign=common&language=zh-cn", "menuInfos"
    rows = "product/ec2_vm"
    expect = {"resourceSpecCode": TEXT, "spec": TEXT, "planList": LIST}

    def regions_in(self, answer: Any) -> list[str]:
        return list(regions_of(answer["menuInfos"], "ecs"))

    def page_request(self, walk: Walk) -> Request:
        query = f"urlPath=ecs&tag=general.online.portal&region={walk.key}&tab=calc&sign=common"
        return self.ask(f"{API}/productInfo?{query}", self.page, route=walk.route, walk=walk)

    def read(self, row: Any, at: Place) -> Iterator[Listing]:
        code, card = row["resourceSpecCode"], text(row, "acceleratorCard")
        hidden = "Remark:hidden" in (text(row, "productSpecSysDesc") or "")
        if card is None and card_of(self.name, row["spec"]) is None:
            self.skip("no GPU")
        elif hidden or not code.endswith(".linux"):
            self.skip("hidden_flavour" if hidden else "not_linux")
        elif self.layout(row, {"acceleratorCard": TEXT}, at):
            sizes = bundle(text(row, "cpu"), text(row, "mem"))
            for number, plan in enumerate(row["planList"]):
                if text(plan, "billingMode") == "ONDEMAND":
                    self.hourly(f"{at.key}/{code}", text(plan, "amount") or "0")
                yield from self.quote(
                    at, plan, way_of_paying(plan), f"planList/{number}", count=text(plan, "periodNum") or "",
                    sku=row["spec"], region_text=at.key, os="linux", status="offered",
                    **accelerator(card or ""), **sizes, **local_disk(row.get("localDisk")),
                )  # fmt: skip
