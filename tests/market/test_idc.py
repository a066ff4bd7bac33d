"""Shops and IDC pages: the planted traps are there, and the truth file names every page's goods."""

from __future__ import annotations

import csv
import re
from pathlib import Path

import market as market_package
from market.server import running
from market.sites.idc import IDCS
from tests.market.market_client import NOW, Client

TRUTH = Path(market_package.__file__).parent / "data" / "idc_truth.csv"
SHOP = "https://www.yunsuan-a.example/console/v1"
CLOUD_SHOP = "https://www.yunsuan-b.example/console/v1"


def test_shop_answers_400_inside_200(market: Client) -> None:
    body = {"model_config_id": 2, "line_id": 101}
    refused = market.post(f"{SHOP}/product/1/mf_dcim/duration", body)
    assert (refused.status, refused.json()["status"]) == (200, 400)
    allowed = market.post(f"{SHOP}/product/1/mf_dcim/duration", body | {"line_id": 102}).json()
    assert allowed["status"] == 200
    assert [(p["num"], p["unit"], p["price"]) for p in allowed["data"]][:2] == [
        (1, "month", "26800.00"),
        (3, "month", "80400.00"),
    ]
    assert market.get(f"{SHOP}/product/1/mf_cloud/order_page").json()["status"] == 400


def test_shop_traps(market: Client) -> None:
    tree = market.get(f"{SHOP}/product/1/mf_dcim/order_page").json()["data"]
    assert tree["data_center"][0]["name"] == "中国"
    assert {m["gpu"] for m in tree["model_config"]} >= {"--", "无", "", "RTX4090 24G*8", "8×A100 80G"}
    two = market.get(f"{SHOP}/product/2").json()["data"]["product"]
    assert (two["stock_control"], two["qty"]) == (1, 0)
    assert market.get(f"{SHOP}/product/3").json()["data"]["hidden"] == 1
    edited = market.post(
        f"{SHOP}/product/2/mf_dcim/duration", {"model_config_id": 21, "line_id": 201}
    ).json()["data"]
    assert edited[0]["name"] == "首月体验"
    assert (edited[1]["num"], edited[1]["discount"]) == (24, "47400.00")


def test_cloud_shop_spells_the_key_wrong_and_hours_are_zero(market: Client) -> None:
    area = market.get(f"{CLOUD_SHOP}/product/5/mf_cloud/order_page").json()["data"]["data_center"][0]["city"][
        0
    ]["area"][0]
    package = area["reommend_config"][1]
    assert (package["gpu_num"], package["gpu_name"]) == (2, "RTX 4090")
    periods = market.post(
        f"{CLOUD_SHOP}/product/5/mf_cloud/duration", {"recommend_config_id": package["id"]}
    ).json()["data"]
    assert {p["unit"]: p["price"] for p in periods} == {"hour": "0.00", "day": "86.40", "month": "2160.00"}
    assert market.get(f"{CLOUD_SHOP}/product/6/mf_dcim/order_page").json()["status"] == 400
    assert market.get(f"{CLOUD_SHOP}/product/6/remf_dcim/order_page").json()["status"] == 200


def test_every_page_of_the_truth_file_is_served_and_holds_its_amounts(market: Client) -> None:
    with TRUTH.open(encoding="utf-8", newline="") as stream:
        truth = list(csv.DictReader(stream))
    for row in truth:
        got = market.get(row["url"])
        assert got.status == 200, row["url"]
        encoding = "gbk" if "gbk-idc" in row["url"] else "utf-8"
        text = got.body.decode(encoding)
        if row["archetype"] == "A8":
            text = market.get(row["url"].replace(".example/", ".example/js/") + ".js").text
        low = row["amount_low"]
        wan = f"{float(low or 0) / 10000:g}"
        if low:
            assert re.search(rf"(?<![\d.]){re.escape(low)}(?![\d.])", text) or wan in text.replace(
                "．", "."
            ), row
    assert {r["archetype"] for r in truth} == {f"A{n}" for n in range(2, 13)}


def test_gbk_page_needs_more_than_gb2312_and_one_header_lies(market: Client) -> None:
    right = market.get("https://www.gbk-idc.example/show.asp?id=11")
    assert right.headers["content-type"] == "text/html"
    assert b"charset=gb2312" in right.body
    assert "昇腾910B" in right.body.decode("gbk")
    try:
        right.body.decode("gb2312")
        raise AssertionError("昇 is not in GB2312")
    except UnicodeDecodeError:
        pass
    wrong = market.get("https://www.gbk-idc.example/show.asp?id=13")
    assert wrong.headers["content-type"] == "text/html; charset=utf-8"
    assert "2．58万" in wrong.body.decode("gbk")


def test_old_prices_stand_where_nobody_may_read_them(market: Client) -> None:
    promo = market.get("https://www.cuxiao-idc.example/").text
    assert "9999" in re.findall(r"<!--(.*?)-->", promo, re.S)[0]
    assert '<p class="hide">￥5500/月</p>' in promo
    assert "￥222元/台/月" in promo
    assert "<option> 1年 3800元</option>" in market.get("https://www.xuanpei-idc.example/gpu/4090.html").text


def test_list_faults_reach_the_static_pages_too() -> None:
    urls = {row.slug: row.origin + next(iter(row.pages)) for row in IDCS if row.rows}
    urls["idc_market_cards"] = "https://www.suanliju.example/js/market.js"
    with running(NOW, list(urls)) as origins:
        market = Client(origins)
        for slug, url in urls.items():
            sizes = []
            for fault in (None, "truncated_list", "empty_list"):
                origins.fault(slug, fault)
                sizes.append(len(market.get(url).body))
            assert sizes[0] > sizes[1] > sizes[2], slug
