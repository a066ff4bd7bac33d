"""The four sites of the first chain, against what the documents say of the real ones."""

from __future__ import annotations

import re
from datetime import datetime
from decimal import Decimal

from market.server import running
from market.sites._autodl_market import TEST_TOKEN
from tests.market.market_client import Client

ALICDN = "https://g.alicdn.com/aliyun/ecs-price-info/{}/price/download/instancePrice.json"


def pools(market: Client, page: int, size: int = 100) -> dict:
    query = f"machine_category=0&page={page}&per_page={size}"
    return market.get(f"https://matgo.cn/api/machine_pools?{query}").json()


def test_matpool_pages_without_a_code_and_prices_in_millicent(market: Client) -> None:
    first, second = pools(market, 1), pools(market, 2)
    assert "code" not in first
    assert first["pagination"]["num_pages"] == 2
    rows = first["pools"] + second["pools"]
    assert len({r["resource_pool_id"] for r in rows}) == len(rows) == first["pagination"]["total"]
    by_name = {
        (r["gpu_model"], len(r["machine"]["hardware"]["gpu"]["gpuIds"])): r["machine"]["hardware"][
            "priceMillicent"
        ]
        for r in rows
    }
    # Survey of 2026-10-04: 4090 at 2.20, 3090 at 1.85, A100-PCIE-40GB at 2.80; a two-card unit costs twice.
    assert by_name["NVIDIA GeForce RTX 4090", 1] == 220_000
    assert by_name["NVIDIA GeForce RTX 3090", 1] == 185_000
    assert by_name["NVIDIA GeForce RTX 3090", 2] == 370_000
    assert by_name["NVIDIA A100-PCIE-40GB", 1] == 280_000
    assert any("discountPriceMillicent" not in r["machine"]["hardware"] for r in rows)


def test_matpool_refuses_a_category_that_is_no_integer(market: Client) -> None:
    got = market.get("https://matpool.com/api/machine_pools?machine_category=gpu&page=1&per_page=100")
    assert (got.status, got.json()) == (200, {"code": 6, "msg": "param illegal"})


def test_matpool_shows_only_what_was_known_that_week() -> None:
    with running(datetime.fromisoformat("2026-09-30T00:00:00+08:00"), ["matpool"]) as origins:
        assert {p["gpu_model"] for p in pools(Client(origins), 1)["pools"]} == {"NVIDIA A16"}
        origins.clock(datetime.fromisoformat("2026-10-05T00:00:00+08:00"))
        assert len({p["gpu_model"] for p in pools(Client(origins), 1)["pools"]}) == 4


def test_aliyun_live_version_wins_by_number_not_by_text(market: Client) -> None:
    page = market.get("https://www.aliyun.com/price/ecs/ecs-pricing/zh").text
    versions = set(re.findall(r"g\.alicdn\.com/aliyun/ecs-price-info/([0-9.]+)", page))
    live = max(versions, key=lambda v: [int(n) for n in v.split(".")])
    assert max(versions) != live  # the trap: text order picks a frozen file
    data = market.get(ALICDN.format(live)).json()
    assert data["version"] == live
    assert data["publicationDate"] == "2026-11-29T16:00:00Z"  # the Monday of the clock's week, in China
    frozen = market.get(ALICDN.format(max(versions))).json()
    assert frozen["publicationDate"] < "2021"
    assert market.get(ALICDN.format("2.0.1")).status == 404


def test_aliyun_prices_to_the_last_digit(market: Client) -> None:
    page = market.get("https://www.aliyun.com/price/ecs/ecs-pricing/zh").text
    live = re.findall(r'src="//g\.alicdn\.com/aliyun/ecs-price-info/([0-9.]+)', page)[0]
    info = market.get(ALICDN.format(live)).json()["pricingInfo"]

    def price(region: str, kind: str) -> str:
        return info[f"{region}::ecs.{kind}::vpc::linux::optimized"]["hours"][0]["price"]

    # Table of the price copy of 2024-10-09, one of each region the chain needs.
    assert price("cn-beijing", "gn7i-c8g1.2xlarge") == "9.5326"
    assert price("cn-zhangjiakou", "ebmgn6v.24xlarge") == "177.84375"
    assert price("cn-wulanchabu", "gn7i-c16g1.4xlarge") == "9.084"
    assert price("cn-shenzhen", "gn7e-c16g1.32xlarge") == "277.933"
    assert price("cn-guangzhou", "vgn6i-m4-vws.xlarge") == "3.273719"
    assert price("cn-heyuan", "gn7i-c32g1.8xlarge") == "11.9775"
    assert price("cn-beijing", "gn6v-c8g1.4xlarge") == "0"


def test_aliyun_discount_api_pages_by_token(market: Client) -> None:
    url = "https://buy-api.aliyun.com/pricingDetail/queryPricingDetailList.json"
    body = {
        "saleProductCode": "ecs",
        "billItemCode": "instance_type",
        "limit": 7,
        "regionList": ["cn-shenzhen"],
    }
    names: list[str] = []
    token = None
    for _ in range(20):
        data = market.post(url, body | {"nextToken": token}).json()["data"]
        names += [v["instance_type"]["value"] for v in data["values"]]
        token = data["nextToken"]
        if token is None:
            break
    assert len(names) == len(set(names)) == 24
    assert {v["$priceDetailRegionCode$"]["value"] for v in data["values"]} == {"cn-shenzhen"}


def test_aliyun_discounts_are_not_sold_without_samples() -> None:
    with running(datetime.fromisoformat("2026-11-30T00:00:00+08:00"), ["aliyun"], samples=False) as origins:
        body = {"saleProductCode": "ecs", "billItemCode": "instance_type", "limit": 500, "regionList": []}
        url = "https://buy-api.aliyun.com/pricingDetail/queryPricingDetailList.json"
        values = Client(origins).post(url, body).json()["data"]["values"]
        assert len(values) == 164
        assert {v["postPay"]["price"] for v in values} == {"NA"}


def ctyun_rows(market: Client) -> list[list[str]]:
    got = market.get("https://www.ctyun.cn/document/10029787/10047957")
    assert got.headers["content-type"] == "text/html"  # no charset: the meta tag has it
    text = got.body.decode("gbk")
    assert "昇腾910B" in text
    return [re.findall(r"<td[^>]*>(.*?)</td>", row) for row in re.findall(r"<tr>(.*?)</tr>", text, re.S)][1:]


def test_ctyun_month_is_480_hours_but_for_pn8r(market: Client) -> None:
    odd = set()
    for row in ctyun_rows(market):
        hour, month = row[-2:]
        if "—" not in (hour, month) and abs(Decimal(month) / Decimal(hour) / 480 - 1) > Decimal("0.0015"):
            odd.add(row[-3])
    assert odd == {"NVIDIA 24GB"}


def test_ctyun_price_call_wants_the_visitors_cookie(market: Client) -> None:
    tree = market.get(
        "https://www.ctyun.cn/v1/portal/menu/GetTree?domain=portal.header-left-menu&topic=portal&qryMode=reduce"
    )
    cookie = {"Cookie": tree.headers["set-cookie"].split(";")[0]}
    regions = market.get("https://www.ctyun.cn/v2/portal/region/regionList?productId=10000000").json()[
        "data"
    ]["all"]
    pool = regions[0]["list"][0]["id"]
    flavors_url = f"https://console.ctyun.cn/console/compute/ecm/ecs/serverextenddata/?ctyunid={pool}&type=os&regionid={pool}"
    assert "spec_list" not in market.get(flavors_url).json()
    specs = market.get(flavors_url, cookie).json()["spec_list"]
    one = next(s for s in specs if s["spec_name"].startswith("pi2."))
    body = {
        "billMode": 2,
        "regionId": pool,
        "resourceType": "ecs_flavor",
        "flavorsInfo": [{"spec_name": one["spec_name"], "flavor_uuid": one["flavor_id"]}],
    }
    url = "https://console.ctyun.cn/console/compute/api/proxyv3/querynew/"
    assert market.post(url, body, cookie).json()["returnObj"]["subOrderPrices"][0]["finalPrice"] == 7.32
    month = body | {"billMode": 1, "cycleCnt": 2, "cycleType": "M"}
    assert market.post(url, month, cookie).json()["returnObj"]["subOrderPrices"][0]["finalPrice"] == 7030


def test_autodl_home_has_prices_only_in_a_hashed_bundle(market: Client) -> None:
    page = market.get("https://www.autodl.com/home").text
    assert "￥" not in page
    name = re.search(r'src="(/assets/index\.[0-9a-f]{8}\.js)"', page)
    assert name
    bundle = market.get("https://www.autodl.com" + name[1]).text
    assert 'gpuName:"NVIDIA RTX 4090",memory:"24GB"' in bundle
    assert re.search(r'"H800",memory:"80GB",[^}]*originalPrice:10\.5,', bundle)
    assert market.get("https://www.autodl.com/assets/index.00000000.js").status == 404


def test_autodl_market_needs_the_bare_token(market: Client) -> None:
    url = "https://www.autodl.com/api/v1/machine/search"
    texts = {}
    for name, headers in {
        "none": {},
        "bearer": {"Authorization": f"Bearer {TEST_TOKEN}"},
        "bad": {"Authorization": "x"},
    }.items():
        got = market.post(url, {"charge_type": "payg", "page_index": 1}, headers)
        assert (got.status, got.json()["code"]) == (200, "AuthorizeFailed")
        texts[name] = got.json()["msg"]
    assert texts["none"] == texts["bearer"] == "登录超时，请重新登录"
    assert texts["bad"] == "登录失败，请重试"
    for public in ("region/list", "machine/gpu_type"):
        assert market.get(f"https://www.autodl.com/api/v1/{public}").json()["code"] == "Success"


def test_autodl_paging_clamps_repeats_and_moves() -> None:
    with running(datetime.fromisoformat("2026-11-30T00:00:00+08:00"), ["autodl"]) as origins:
        market = Client(origins)

        def sweep(extra: int = 0) -> tuple[list[list[str]], int]:
            pages: list[list[str]] = []
            number = last = 1
            while number <= last + extra:
                body = {"charge_type": "payg", "page_index": number, "page_size": 500}
                got = market.post(
                    "https://api.autodl.com/api/v1/user/machine/list", body, {"Authorization": TEST_TOKEN}
                )
                data = got.json()["data"]
                assert data["page_size"] == 100
                pages.append([row["machine_id"] for row in data["list"]])
                last, total = data["max_page"], data["result_total"]
                number += 1
            return pages, total

        first, total = sweep()
        seen = {row for page in first for row in page}
        assert len(first) == 3
        assert len(seen) == total - 1  # one row moved between the pages
        second, total = sweep(extra=1)
        assert second[3] == second[2]  # past the end: the last page again
        assert len(seen | {row for page in second for row in page}) == total


def test_autodl_shows_members_alone_before_the_bundle_survey() -> None:
    with running(datetime.fromisoformat("2026-08-20T00:00:00+08:00"), ["autodl"]) as origins:
        market = Client(origins)
        page = market.get("https://www.autodl.com/").text
        name = re.search(r"/assets/index\.[0-9a-f]{8}\.js", page)
        assert name
        bundle = market.get("https://www.autodl.com" + name[0]).text
        assert re.search(
            r'"PRO 6000",memory:"96GB",[^}]*originalPrice:null,memberPrice:5\.98,discount:75', bundle
        )
