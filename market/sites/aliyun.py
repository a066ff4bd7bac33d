"""Aliyun: the versioned list-price file on the CDN, the page that names the version, and the
price-detail API.

Rebuilt after fuzzbuster/ec2instances.info, cloudpilot-ai/priceserver and a multi-cloud document search
(2024-2026): the page names several `ecs-price-info` versions, the highest by *numeric* compare is live,
old ones stay online frozen; keys are region :: type :: network :: OS :: I/O; `0` and `NA` mean "no
price". Real: every hourly list price (copy of the file of 2024-10-09, see `disclaimer`); the live file's
version and `publicationDate` follow the clock, or every reader would rightly refuse it as stale. Made up
(`rebuilt sample`): Windows, classic and CPU rows, and all amounts of `queryPricingDetailList`, whose
public discount no source quotes; without samples it answers `NA`.
"""

from __future__ import annotations

import base64
import re
from datetime import date, timedelta
from decimal import Decimal
from typing import Any

from market.facts import Fact, latest, market_day, provider_facts
from market.site import (
    Answer,
    Ask,
    Route,
    Site,
    html_answer,
    js_answer,
    js_json,
    json_answer,
    not_found,
    page,
)
from market.sites import _aliyun_ecs as ecs

FOLDER = "/aliyun/ecs-price-info/{version}"
FROZEN = {"2.0.8": "2019-06-13T03:21:45Z", "2.0.28": "2020-11-05T08:10:02Z"}
FIRST_WEEK = date(
    2024, 10, 7
)  # week of the price copy; the live version number grows by one a week from 2.0.211
FIRST_NUMBER = 211
INTL_VERSION = "2.0.375"

# Types whose price the copy carries as 0: unknown, not free.
ZEROES = ("cn-beijing::ecs.gn6v-c8g1.4xlarge", "cn-zhangjiakou::ecs.gn6v-c8g1.4xlarge")
# rebuilt sample: rows that a GPU reader leaves alone.
CPU_SAMPLES = {
    f"ecs.g{n}.{size}": f"{0.2 * n * k:.3f}"
    for n in (6, 7, 8)
    for k, size in enumerate(("large", "xlarge", "2xlarge", "4xlarge", "8xlarge"), 1)
}

REGION_NAMES = {
    "cn-beijing": "华北2（北京）",
    "cn-zhangjiakou": "华北3（张家口）",
    "cn-huhehaote": "华北5（呼和浩特）",
    "cn-wulanchabu": "华北6（乌兰察布）",
    "cn-qingdao": "华北1（青岛）",
    "cn-hangzhou": "华东1（杭州）",
    "cn-nanjing": "华东5（南京-本地地域）",
    "cn-shenzhen": "华南1（深圳）",
    "cn-heyuan": "华南2（河源）",
    "cn-guangzhou": "华南3（广州）",
    "cn-chengdu": "西南1（成都）",
    "cn-hongkong": "中国香港",
}
# vCPU and GiB of the types whose bundle is documented (official family pages).
BUNDLES = {
    "ecs.gn6i-c4g1.xlarge": (4, 15),
    "ecs.gn6i-c8g1.2xlarge": (8, 31),
    "ecs.gn6i-c16g1.4xlarge": (16, 62),
    "ecs.gn6i-c24g1.6xlarge": (24, 93),
    "ecs.gn6i-c40g1.10xlarge": (40, 155),
    "ecs.gn6v-c8g1.2xlarge": (8, 32),
    "ecs.gn6v-c10g1.20xlarge": (82, 336),
    "ecs.gn6e-c12g1.3xlarge": (12, 92),
    "ecs.gn7i-c8g1.2xlarge": (8, 30),
    "ecs.gn7i-c16g1.4xlarge": (16, 60),
    "ecs.gn7i-c32g1.8xlarge": (32, 188),
    "ecs.gn7i-c48g1.12xlarge": (48, 310),
    "ecs.gn7i-c56g1.14xlarge": (56, 346),
    "ecs.gn7e-c16g1.4xlarge": (16, 125),
}
PUBLIC_DISCOUNT = Decimal("0.85")  # rebuilt sample


def prices(ask: Ask) -> list[Fact]:
    """Hourly list prices by region and type at the market's clock."""
    found = latest(
        provider_facts("aliyun"),
        ask.now,
        lambda f: (
            (f.region_raw, f.sku)
            if (f.mode, f.price_kind) == ("on_demand", "list") and f.region_raw
            else None
        ),
    )
    return list(found.values())


def live_version(ask: Ask) -> str:
    """The version that the price page names as the newest."""
    weeks = (market_day(ask.now) - FIRST_WEEK).days // 7
    return f"2.0.{FIRST_NUMBER + max(0, weeks)}"


def price_page(ask: Ask) -> Answer:
    """`/price/ecs/ecs-pricing/zh`: script tags of several versions, among them the international one."""
    tags = [
        f'<script src="//g.alicdn.com/aliyun/ecs-price-info-intl/{INTL_VERSION}/price/index.js"></script>',
        *(
            f'<link rel="prefetch" href="//g.alicdn.com/aliyun/ecs-price-info/{v}/price/index.css">'
            for v in FROZEN
        ),
        f'<script src="//g.alicdn.com/aliyun/ecs-price-info/{live_version(ask)}/price/index.js"></script>',
    ]
    return html_answer(page("云服务器 ECS 定价", '<div id="ecs-price-root"></div>', "\n".join(tags) + "\n"))


def hour(amount: str) -> dict[str, Any]:
    """The value of one key; the copy has hourly prices only, so the other lists are empty."""
    return {"hours": [{"price": amount, "period": "1"}], "weeks": [], "months": [], "years": []}


def price_info(ask: Ask) -> dict[str, Any]:
    """`pricingInfo`: real rows under vpc/linux/optimized, the zero rows, and (samples) rows of other
    kinds.
    """
    info = {f"{f.region_raw}::{f.sku}::vpc::linux::optimized": hour(f.amount_low) for f in prices(ask)}
    if not info:
        return info
    info |= {f"{key}::vpc::linux::optimized": hour("0") for key in ZEROES}
    if ask.samples:
        for fact in prices(ask)[::9]:
            stem = f"{fact.region_raw}::{fact.sku}"
            info[f"{stem}::vpc::windows::optimized"] = hour(str(fact.amount + 1))
            info[f"{stem}::classic::linux::optimized"] = hour(str(fact.amount + 2))
            info[f"{stem}::vpc::linux::none"] = hour(str(fact.amount + 3))
        info |= {
            f"cn-beijing::{sku}::vpc::linux::optimized": hour(price) for sku, price in CPU_SAMPLES.items()
        }
    return info


def price_file(ask: Ask) -> Answer:
    """`instancePrice.json` of one version: the live one is dated by the clock, frozen ones as they were."""
    version = ask.match["version"]
    week = market_day(ask.now) - timedelta(days=market_day(ask.now).weekday())
    # Monday 00:00 in China
    dates = {**FROZEN, live_version(ask): f"{(week - timedelta(days=1)).isoformat()}T16:00:00Z"}
    if version not in dates:
        return not_found()
    keys = ask.cut(sorted(info := price_info(ask)))
    return json_answer(
        {
            "currency": "CNY",
            "version": version,
            "publicationDate": dates[version],
            "disclaimer": "Rebuilt stand-in: list prices of 2024-10-09, publicationDate by its own clock.",
            "pricingInfo": {key: info[key] for key in keys},
        }
    )


def type_file(ask: Ask) -> Answer:
    """`instanceTypeDefinition.js`: slices carry GPUAmount 1, bundles only where documented."""
    types: dict[str, dict[str, Any]] = {}
    for fact in prices(ask):
        amount = int(float(fact.cards)) or 1
        row: dict[str, Any] = {
            "InstanceTypeId": fact.sku,
            "GPUAmount": amount,
            "GPUSpec": f"NVIDIA {fact.card_raw}",
        }
        if fact.sku in BUNDLES:
            row["CpuCoreCount"], row["MemorySize"] = BUNDLES[fact.sku]
        types[fact.sku] = row
    return js_answer(f"var instanceTypeDefineItems = {js_json(list(types.values()))};\n")


def detail_rows(ask: Ask, regions: list[str]) -> list[dict[str, Any]]:
    """Rows of the price-detail API; every amount is a rebuilt sample (85 % of list), `NA` without samples."""
    rows = []
    for fact in prices(ask):
        if regions and fact.region_raw not in regions:
            continue
        hourly = (fact.amount * PUBLIC_DISCOUNT).quantize(Decimal("0.0001"))
        sold = ask.samples and not fact.sku.startswith("ecs.gn5-")
        post = f"{hourly.normalize():f}" if sold else "NA"
        pre = {
            term: f"{hourly * hours * rate:.2f}"
            for term, hours, rate in (
                ("1:Month", 720, Decimal("0.66")),
                ("1:Year", 8640, Decimal("0.56")),
                ("3:Year", 25920, Decimal("0.38")),
            )
        }
        cpu, mem = BUNDLES.get(fact.sku, ("-", "-"))
        family = re.sub(r"^(ecs\.[a-z0-9]+(?:-vws|-[248]x)?).*", r"\1", fact.sku)
        rows.append(
            {
                "instance_type": {"name": fact.sku, "value": fact.sku},
                "instance_type_family": {"name": family},
                "cpu": {"name": str(cpu)},
                "mem": {"name": str(mem)},
                "$priceDetailRegionCode$": {"name": REGION_NAMES[fact.region_raw], "value": fact.region_raw},
                "postPay": {"price": post, "priceUnit": "元/小时", "currency": "CNY"},
                "prePay": {term: {"price": amount if sold else "NA"} for term, amount in pre.items()}
                | {"5:Year": {"price": "NA"}},
            }
        )
    return rows


def price_detail(ask: Ask) -> Answer:
    """POST `queryPricingDetailList.json`: pages by an opaque `nextToken`, at most 500 rows each."""
    body = ask.json()
    if (
        not isinstance(body, dict)
        or body.get("saleProductCode") != "ecs"
        or body.get("billItemCode") != "instance_type"
    ):
        return json_answer(
            {"success": False, "code": "InvalidParameter", "message": "参数错误", "data": None}
        )
    rows = detail_rows(ask, [str(r) for r in body.get("regionList") or []])
    size = min(500, max(1, int(body.get("limit") or 100)))
    try:
        start = int(base64.urlsafe_b64decode(body["nextToken"])) if body.get("nextToken") else 0
    except ValueError:
        return json_answer(
            {"success": False, "code": "InvalidNextToken", "message": "参数错误", "data": None}
        )
    token = (
        base64.urlsafe_b64encode(str(start + size).encode()).decode() if start + size < len(rows) else None
    )
    data = {"nextToken": token, "values": ask.cut(rows[start : start + size])}
    return json_answer({"success": True, "code": "200", "data": data})


SITE = Site(
    slug="aliyun",
    name="阿里云",
    origins={
        "https://www.aliyun.com": (Route("/price/ecs/ecs-pricing/zh", price_page),),
        "https://g.alicdn.com": (
            Route(FOLDER + "/price/download/instancePrice.json", price_file),
            Route(FOLDER + "/price/download/instanceTypeDefinition.js", type_file),
            Route(FOLDER + "/instanceTypeDefinition.js", type_file),
        ),
        "https://buy-api.aliyun.com": (
            Route("/pricingDetail/queryPricingDetailList.json", price_detail, "POST"),
        ),
        **{f"https://ecs.{region}.aliyuncs.com": (Route("/", ecs.call, "GET POST"),) for region in ecs.HOSTS},
    },
    swaps={
        "changed_field": (('"hours"', '"hourly"'), ('"postPay"', '"postPaid"')),
        "changed_unit": (('"currency":"CNY"', '"currency":"USD"'), ("元/小时", "元/秒")),
    },
)
