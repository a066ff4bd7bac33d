"""Tencent Cloud: the anonymous purchase workbench, zone by zone, every mode with list and public price.

`UnitPrice*` is yuan an hour, its steps hold from 96 and 360 hours on; `OriginalPrice*` is for a month and for
whole years. `GpuCount` may be a fraction. Known from three clients and the SDK, 2026; tax is not stated."""

import re
from collections.abc import Iterator
from typing import Any

from catalog.families import card_of
from spiders.base import LIST, NUMBER, TABLE, TEXT, Listing, Place, RegionalSpider, Request, Route, Walk
from spiders.shape import counted, local_disk, text

SITE, ACTION = "https://workbench.cloud.tencent.com/cgi", "DescribeZoneInstanceConfigInfos"
MAINLAND = re.compile("华[北东中南]|西[南北]|东北|^$")
STOCK = {"UnderStock": "limited", "WithoutStock": "sold_out"}


class Tencent(RegionalSpider):
    """GPU types of every zone of the mainland, with their stock."""

    name = "tencent"
    routes = (Route("workbench"),)
    origins = ("https://workbench.cloud.tencent.com",)
    evidence_kind = "realtime"
    scope = "zone"
    periods_vary = True
    regions_url, regions_data = f"{SITE}/area/queryCvmRegion", {}
    regions_rows, regions_row = "data/Response/RegionSet", {"region": TEXT, "zones": LIST}
    rows = "data/Response/InstanceTypeQuotaSet"
    success = {"code": (0,), "data/Response/Error": (None,)}
    expect = {"InstanceType": TEXT, "InstanceChargeType": TEXT, "Price": TABLE, "Status": TEXT, "Zone": TEXT}

    def walks_of(self, region: Any, route: str) -> list[Walk]:
        mainland = MAINLAND.search(text(region, "area") or "")
        return [Walk(route, zone["zone"], region) for zone in region["zones"] if mainland]

    def page_request(self, walk: Walk) -> Request:
        filters = {"instance-charge-type": ["PREPAID", "POSTPAID_BY_HOUR", "SPOTPAID"], "zone": [walk.key]}
        named = [{"Name": name, "Values": values} for name, values in filters.items()]
        asked = {"Version": "2017-03-12", "Platform": "LINUX", "Filters": named}
        region = walk.carry["region"]
        data = {"serviceType": "cvm", "action": ACTION, "region": region, "cgiName": "api", "data": asked}
        url = f"{SITE}/api?i=cvm/{ACTION}&uin=&region={region}"
        return self.ask(url, self.page, route=walk.route, method="POST", data=data, walk=walk)

    def read(self, row: Any, at: Place) -> Iterator[Listing]:
        sku, charge, zone = row["InstanceType"], row["InstanceChargeType"], row["Zone"]
        if not any(float(text(row, n) or 0) for n in ("GpuCount", "Gpu")) and card_of(self.name, sku) is None:
            self.skip("no GPU")
        elif self.layout(row, {"GpuCount": NUMBER}, at):
            status = STOCK.get(text(row, "StatusCategory") or "", "available")
            yield from self.quote(
                at, row["Price"], charge, "Price", sku=sku, zone_text=zone, vcpu_text=text(row, "Cpu"),
                region_text=zone.rpartition("-")[0], ram_text=text(row, "Memory"), os="linux",
                status="sold_out" if "SOLD_OUT" in row["Status"] else status,
                **counted(text(row, "GpuCount")), **local_disk(row.get("LocalDiskTypeList")),
            )  # fmt: skip
