"""Aliyun's price-detail call: the public discount price that the site shows to anyone, region by region.

Never one series with the list price of the file. Paged by a token; "NA" is not sold; `1:Month` and the like
are prices of whole periods. Known from one client, live-tested 2026-06-03; tax is not stated.
"""

import re
from collections.abc import Iterator
from typing import Any

from spiders.base import TABLE, TEXT, JsonSpider, Listing, Place, Request, Walk, get, text

URL = "https://buy-api.aliyun.com/pricingDetail/queryPricingDetailList.json"
REGIONS = ("cn-beijing", "cn-zhangjiakou", "cn-wulanchabu", "cn-huhehaote", "cn-shenzhen", "cn-guangzhou",
           "cn-heyuan", "cn-shanghai", "cn-hangzhou", "cn-nanjing", "cn-chengdu", "cn-qingdao",
           "cn-hongkong")  # fmt: skip
GPU_FAMILY = re.compile(r"ecs\.(?:ebm|scc)?[vs]?gn\d")
ASKED = {"saleProductCode": "ecs", "billItemCode": "instance_type", "limit": 500, "lang": "zh",
         "priceDetailType": "general_discount_price", "conditionFilterList": [], "billModel": "",
         "priceType": "yearPrice"}  # fmt: skip


class AliyunDetail(JsonSpider):
    """GPU types of the mainland regions and Hong Kong."""

    origins = ("https://buy-api.aliyun.com",)
    evidence_kind = "pricing"
    scope = "region"
    rows = "data/values"
    next_token = "data/nextToken"
    success = {"success": (True,)}
    expect = {
        "instance_type/value": TEXT,
        "$priceDetailRegionCode$/value": TEXT,
        "postPay": TABLE,
        "prePay": TABLE,
    }

    def walks(self, route: str) -> Iterator[Walk]:
        yield from (Walk(route, region) for region in REGIONS)

    def page_request(self, walk: Walk) -> Request:
        data = {**ASKED, "regionList": [walk.key], "nextToken": walk.token}
        return self.ask(URL, self.page, route=walk.route, method="POST", data=data, walk=walk)

    def read(self, row: Any, at: Place) -> Iterator[Listing]:
        sku = get(row, "instance_type/value")
        if not GPU_FAMILY.match(sku):
            self.skip("no GPU")
            return
        currency = text(row, "postPay/currency") or "CNY"
        about = {"sku": sku, "region_text": get(row, "$priceDetailRegionCode$/value"), "currency": currency,
                 "vcpu_text": text(row, "cpu/name"), "ram_text": text(row, "mem/name"), "os": "linux",
                 "status": "offered"}  # fmt: skip
        yield from self.quote(at, row["postPay"], "postPay", "postPay", **about)
        for term, price in row["prePay"].items():
            count, _, period = term.partition(":")
            yield from self.quote(at, price, period, f"prePay/{term}", count=count, **about)
