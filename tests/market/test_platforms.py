"""The rental platforms' stand-ins: routes, units, keys and pages as documented."""

from __future__ import annotations

import re
from datetime import datetime
from urllib.parse import urlencode

import pytest

from market.server import running
from market.sites._compshare_api import TEST_PRIVATE_KEY, TEST_PUBLIC_KEY, sign
from market.sites.gongji import TEST_TOKEN
from tests.market.market_client import Client

BEARER = {"Authorization": f"Bearer {TEST_TOKEN}"}


def rows(html: str) -> list[list[str]]:
    return [re.findall(r"<td[^>]*>(.*?)</td>", row) for row in re.findall(r"<tr>(.*?)</tr>", html, re.S)]


def test_gongji_page_has_families_spot_and_a_pack_of_days(market: Client) -> None:
    page = market.get("https://www.gongjiyun.com/pricing").text
    assert ["RTX 4090 24GB", "16核/64G", "¥1.98", "元/卡时"] in rows(page)
    assert ["RTX 4090 24GB", "¥1.19", "元/卡时"] in rows(page)  # 60 % of 1.98
    assert ["8 × RTX 4090", "¥8314.10", "30天"] in rows(page)


def test_gongji_api_counts_points_per_second_of_a_device(market: Client) -> None:
    url = (
        "https://openapi.suanli.cn/api/deployment/resource/search?task_type=Deployment&device_type=GpuDevice"
    )
    headers = {"token": TEST_TOKEN, "timestamp": "1790000000000", "version": "1.0.0"}
    assert market.get(url).json()["code"] != "0000"
    data = market.get(url, headers).json()["data"]
    h20 = next(r for r in data["results"] if r["device_name"] == "H20 x 8")
    assert h20["gpu_memory"] == 786432  # MB of the whole device: 8 x 96 GB
    assert {(r["region"], r["price"]) for r in h20["regions"]} == {
        ("hebeif-1", 16416),
        ("xingjiangf-1", 16416),
    }
    one = next(r for r in data["results"] if r["device_name"] == "4090 x 1")
    assert one["regions"][0]["price"] == 550  # 1.98 an hour
    old = market.get(url, headers | {"version": "0.9.0"}).json()["data"]["results"][0]
    assert set(old["region_map"]) == {"hebeif-1", "xingjiangf-1"}


def test_compshare_page_shows_floors_and_the_month_shown_per_hour(market: Client) -> None:
    lines = rows(market.get("https://www.compshare.cn/price-list").text)
    assert ["RTX 4090", "24GB", "-", "¥1.92/小时 起", "-", "¥1,154.64/月", "¥1.31/小时"] in lines
    assert ["RTX 5090", "32GB", "14核/64G", "¥3.20/小时", "¥70.53/日", "¥1,923.60/月", "-"] in lines
    assert any("折 ¥1.00/时" in line for line in lines)
    assert lines[-1][0] == "无卡模式"


def compshare(market: Client, params: dict[str, str], key: str = TEST_PRIVATE_KEY) -> dict:
    params = params | {"PublicKey": TEST_PUBLIC_KEY}
    query = urlencode(params | {"Signature": sign(params, key)})
    return market.get(f"https://api.compshare.cn/?{query}").json()


def test_compshare_api_checks_its_signature(market: Client) -> None:
    zones = {"Action": "DescribeCompShareSupportZone", "Region": "cn-wlcb"}
    assert compshare(market, zones)["RetCode"] == 0
    assert compshare(market, zones, "wrong")["RetCode"] == 171
    assert market.get("https://api.compshare.cn/?Action=X&PublicKey=nobody").json()["RetCode"] == 172
    assert compshare(market, {"Action": "NoSuchAction"})["RetCode"] == 161


def test_compshare_prices_of_the_zone_and_memory_in_mb(market: Client) -> None:
    types = compshare(
        market,
        {"Action": "DescribeAvailableCompShareInstanceTypes", "Region": "cn-wlcb", "InstanceType": "uhost"},
    )["AvailableInstanceTypes"]
    assert {t["Zone"] for t in types} == {"cn-wlcb-01", "cn-sh2-02"}  # other zones come along
    shape = next(t for t in types if t["Zone"] == "cn-wlcb-01" and t["Name"] == "4090")["MachineSizes"][0][
        "Collection"
    ]
    price = {
        "Action": "GetCompShareInstancePrice",
        "Region": "cn-wlcb",
        "Zone": "cn-wlcb-01",
        "GpuType": "4090",
        "Gpu": "1",
        "Cpu": str(shape[0]["Cpu"]),
        "Memory": str(shape[0]["Memory"][0]),
    }
    assert compshare(market, price)["RetCode"] == 230  # GB where MB are meant
    answer = compshare(market, price | {"Memory": str(shape[0]["Memory"][0] * 1024)})
    listed = {d["ChargeType"]: d["Instance"] for d in answer["ListPriceDetails"]}
    paid = {d["ChargeType"]: d["Instance"] for d in answer["PriceDetails"]}
    # One account's answer of 2026-04-17 in this zone.
    assert listed == {"Postpay": 1.66, "Dynamic": 1.66, "Day": 36.73, "Month": 1001.95, "Spot": 1.16}
    assert paid == {"Postpay": 1.58, "Dynamic": 1.58, "Day": 34.9, "Month": 951.85, "Spot": 1.1}


def test_gpushare_pages_to_its_total_and_answers_401(market: Client) -> None:
    url = "https://api.gpushare.com/app/api/market/machine/list?models=-1&gpuName=&priceOrder=asc&pn={}&ps=50"
    assert market.get(url.format(1)).status == 401
    seen: list[int] = []
    total, page = 1, 0
    while page * 50 < total:
        page += 1
        data = market.get(url.format(page), BEARER).json()["data"]
        total = data["total"]
        seen += [r["id"] for r in data["list"]]
    assert len(set(seen)) == total == 120


def test_ppio_expired_key_has_no_data(market: Client) -> None:
    url = "https://api.ppinfra.com/gpu-instance/openapi/v1/products"
    got = market.get(url)
    assert got.status == 401
    assert "data" not in got.json()
    first = market.get(url, BEARER).json()["data"][0]
    assert (first["id"], first["price"], first["spotPrice"]) == ("4090.16c62g", "210000", "126000")


def test_omniyq_lines(market: Client) -> None:
    page = market.get("https://www.omniyq.com/h-col-104.html").text
    assert re.search(r"8[*×xX]B300 [-–—] 280000/月", page)
    assert re.search(r"8[*×xX]4090 [-–—] 7800/月", page)
    assert "元/月" not in page


def gitee(market: Client) -> list[dict]:
    items: list[dict] = []
    for page in range(1, 9):
        data = market.get(f"https://ai.gitee.com/api/base/market/products?page={page}").json()
        assert data["size"] == 10
        items += data["items"]
    assert len(items) == data["total"]
    return items


def test_gitee_hour_price_is_the_machines(market: Client) -> None:
    by = {(i["name"], i["gpu_num"]): i for i in gitee(market)}
    assert by["Ascend 910B1 64GB", 1]["hour_price"] == 6
    assert by["Ascend 910B1 64GB × 8", 8]["hour_price"] == 48
    assert by["海光 BW1000 64GB", 1]["hour_price"] is None
    assert by["NVIDIA A100 80GB", 1]["hour_price"] == 7  # never the 3.00 of 2026-07-25


def test_gitee_moves_with_the_facts() -> None:
    with running(datetime.fromisoformat("2026-07-17T00:00:00+08:00"), ["gitee_ai"], samples=False) as origins:
        market = Client(origins)
        price = {i["gpu_model"]: i["hour_price"] for i in gitee(market)}
        assert price["壁仞 天垓150"] == 3
        assert price["海光 BW1000"] == 3
        origins.clock(datetime.fromisoformat("2026-07-20T00:00:00+08:00"))
        assert {i["gpu_model"]: i["hour_price"] for i in gitee(market)}["壁仞 天垓150"] == 2
        assert all(i["gpu_num"] == 1 for i in gitee(market))


def test_jygpu_wangsu_lanrui(market: Client) -> None:
    assert "8×910B 裸金属 15,600-17,040 元/月" in market.get("https://www.jygpu.com/").text
    assert ["RTX 4090", "RTX 4090*8", "8卡整机", "8,200"] in rows(
        market.get("https://online.wangsu.com/product/gpu-").text
    )
    assert "Cova" in market.get("https://lanrui.co/pricing").text
    with running(datetime.fromisoformat("2023-09-01T00:00:00+08:00"), ["lanrui"]) as origins:
        assert "￥1.90/时 <del>￥4.90/时</del>" in Client(origins).get("https://lanrui.co/pricing").text


@pytest.mark.parametrize(
    "url",
    [
        "https://www.shengsuanyun.com/hashrate",
        "https://ai.gitee.com/compute",
        "https://featurize.cn/vm/available",
        "https://openbayes.com/pricing",
        "https://www.gpufree.cn/",
        "https://www.suanjiayun.com/",
    ],
)
def test_shells_have_no_price_without_their_script(market: Client, url: str) -> None:
    page = market.get(url).text
    assert not re.search(r"[¥￥]|元", page)
    name = re.search(r"/assets/app\.[0-9a-f]{8}\.js", page)
    assert name
    assert market.get("/".join(url.split("/")[:3]) + name[0]).status == 200


def test_without_samples_nothing_is_invented() -> None:
    with running(datetime.fromisoformat("2026-11-30T00:00:00+08:00"), samples=False) as origins:
        market = Client(origins)
        assert market.get("https://ai.gitee.com/api/base/market/products?page=1").json()["total"] == 22
        assert market.get("https://www.tengyun-idc.example/zuyong/bgp/hengyang").status == 404
        assert market.get("https://www.yunsuan-a.example/console/v1/product").json()["data"]["count"] == 0
        assert "8,200" not in market.get("https://online.wangsu.com/product/gpu-").text
