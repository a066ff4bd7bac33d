"""Tencent Cloud: every mode beside its list price, steps, stock, fractions, spellings."""

from __future__ import annotations

import json
from decimal import Decimal
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import pytest

from tests.spiders.clouds import Cloud, crawl_cloud, facts_of
from tests.spiders.site import Answer, serving

SITE = "https://workbench.cloud.tencent.com"


@pytest.fixture(scope="module")
def cloud(tmp_path_factory: pytest.TempPathFactory) -> Cloud:
    return crawl_cloud("tencent", tmp_path_factory.mktemp("tencent"))


def test_the_dated_prices_come_out_to_the_last_digit(cloud: Cloud) -> None:
    found = {
        (o.sku, o.billing_mode): o.price for o in cloud.offers if o.price_kind == "list" and o.tier is None
    }
    checked = 0
    for (sku, _, mode), amount in facts_of("tencent", "TCD-").items():
        if (sku, mode) in found and mode in ("on_demand", "monthly"):
            checked += found[sku, mode] == amount
            assert found[sku, mode] == amount, (sku, mode)
    assert checked >= 40


def test_hour_month_year_and_spot_with_discounts_beside_the_list(cloud: Cloud) -> None:
    wanted = {"sku": "GN7.5XLARGE80", "zone": "ap-guangzhou-4"}
    hour = cloud.one(**wanted, billing_mode="on_demand", tier=None)
    month = cloud.one(**wanted, billing_mode="monthly")
    spot = cloud.one(**wanted, billing_mode="spot")
    assert (spot.price_kind, spot.price) == ("list", (hour.price * Decimal("0.2")).quantize(Decimal("0.01")))
    years = {o.price_kind: o.price for o in cloud.find(**wanted, billing_mode="yearly")}
    assert years == {"list": month.price * 12, "public_discount": (month.price * 12 * Decimal("0.83"))}
    three = cloud.find(**wanted, billing_mode="reserved", term_hours=26280)
    assert {(o.price_kind, o.per_hours) for o in three} == {("list", 26280), ("public_discount", 26280)}
    assert {
        (o.region_code, o.region_label, o.card, o.gpu_count, o.evidence_kind) for o in (hour, month, spot)
    } == {("440100", "ap-guangzhou", "T4", 1, "realtime")}


def test_a_step_is_a_price_of_a_long_run_and_never_the_list_price(cloud: Cloud) -> None:
    steps = cloud.find(
        sku="GN7.5XLARGE80", zone="ap-guangzhou-4", billing_mode="on_demand", price_kind="promo"
    )
    assert [o.tier for o in sorted(steps, key=lambda o: -o.price)] == ["from_96h", "from_360h"]
    assert cloud.find(price_kind="promo", tier=None) == []
    assert {o.tier for o in cloud.offers if o.price_kind in ("list", "public_discount")} == {None}


def test_what_is_sold_out_is_kept_with_its_stock(cloud: Cloud) -> None:
    assert {o.in_stock for o in cloud.offers if (o.zone or "").startswith("ap-shanghai")} == {False}
    assert {o.in_stock for o in cloud.offers} == {True, False}
    assert {"limited", "available", "sold_out"} <= {listing.status for listing in cloud.listings}


def test_fractions_stay_fractions(cloud: Cloud) -> None:
    quarter = cloud.find(sku="GN7.LARGE20", billing_mode="on_demand", tier=None)[0]
    half = cloud.find(sku="GN7.2XLARGE40", billing_mode="on_demand", tier=None)[0]
    assert (quarter.share, quarter.gpu_count, quarter.vram_gb) == (Decimal("0.25"), Decimal("0.25"), 4)
    assert (half.share, half.vram_gb) == (Decimal("0.5"), 8)
    assert quarter.price_cny_per_card_hour == (quarter.price * 4).quantize(Decimal("0.000001"))


def row(**more: Any) -> dict[str, Any]:
    return {
        "Zone": "ap-guangzhou-6", "InstanceType": "GN7.2XLARGE32", "InstanceFamily": "GN7",
        "InstanceChargeType": "POSTPAID_BY_HOUR", "Cpu": 8, "Memory": 32, "Gpu": 1, "GpuCount": 1.0,
        "Status": "SELL", "StatusCategory": "EnoughStock", "LocalDiskTypeList": [],
        "Price": {"UnitPrice": 8.68, "UnitPriceDiscount": 8.68, "ChargeUnit": "HOUR"},
    } | more  # fmt: skip


def crawl_rows(
    tmp_path: Path, rows: list[dict[str, Any]], regions: list[dict[str, Any]] | None = None
) -> Cloud:
    known = regions or [{"region": "ap-guangzhou", "area": "华南地区", "zones": [{"zone": "ap-guangzhou-6"}]}]

    def answer(handler: BaseHTTPRequestHandler) -> Answer:
        listed = "queryCvmRegion" in handler.path
        inside = {"RegionSet": known} if listed else {"InstanceTypeQuotaSet": rows}
        return Answer(json.dumps({"code": 0, "data": {"Response": inside}}), type="application/json")

    with serving({"/cgi/area/queryCvmRegion": answer, "/cgi/api": answer}) as site:
        found = crawl_cloud("tencent", tmp_path, origins={SITE: site.origin})
        found.stats["asked"] = site.paths()
        found.stats["bodies"] = [json.loads(body) for body in site.bodies if body]
    return found


@pytest.mark.parametrize("spelling", ["ThreeYear", "ThreeYears"])
def test_both_spellings_of_three_years(tmp_path: Path, spelling: str) -> None:
    price = {"OriginalPrice": 1000, "DiscountPrice": 1000, f"OriginalPrice{spelling}": 36000,
             f"DiscountPrice{spelling}": 18000}  # fmt: skip
    cloud = crawl_rows(tmp_path, [row(InstanceChargeType="PREPAID", Price=price)])
    assert {(o.price_kind, o.price) for o in cloud.find(term_hours=26280)} == {
        ("list", 36000), ("public_discount", 18000),
    }  # fmt: skip


def test_what_is_asked_is_what_the_clients_ask(tmp_path: Path) -> None:
    cloud = crawl_rows(tmp_path, [row()])
    assert cloud.stats["asked"][1:] == [
        "/cgi/api?i=cvm/DescribeZoneInstanceConfigInfos&uin=&region=ap-guangzhou"
    ]
    body = cloud.stats["bodies"][1]
    assert (body["serviceType"], body["region"], body["data"]["Version"]) == (
        "cvm",
        "ap-guangzhou",
        "2017-03-12",
    )
    assert {"Name": "zone", "Values": ["ap-guangzhou-6"]} in body["data"]["Filters"]


def test_regions_abroad_are_not_asked(tmp_path: Path) -> None:
    regions = [
        {"region": "ap-singapore", "area": "亚太东南", "zones": [{"zone": "ap-singapore-1"}]},
        {"region": "na-ashburn", "area": "美国东部", "zones": [{"zone": "na-ashburn-1"}]},
        {"region": "ap-beijing", "area": "华北地区", "zones": [{"zone": "ap-beijing-5"}]},
    ]
    cloud = crawl_rows(tmp_path, [row()], regions)
    assert [path.partition("region=")[2] for path in cloud.stats["asked"]] == ["", "ap-beijing"]


def test_a_name_that_the_seller_withholds_goes_to_review(tmp_path: Path) -> None:
    rows = [row(InstanceType=name) for name in ("GN7.2XLARGE32", "PNV6.4XLARGE160", "GN99.LARGE1")]
    rows.append(row(InstanceType="S5.LARGE8", Gpu=0, GpuCount=0))
    cloud = crawl_rows(tmp_path, rows)
    assert dict(cloud.made.reasons) == {"unknown_family": 2}
    assert cloud.made.remark == "unknown families: 2 (GN99.LARGE1, PNV6.4XLARGE160)"
    assert cloud.stats["skipped"] == {"no GPU": 1}


def test_zero_is_no_price(tmp_path: Path) -> None:
    cloud = crawl_rows(
        tmp_path, [row(Price={"UnitPrice": 0.0, "UnitPriceDiscount": 0.0, "ChargeUnit": "HOUR"})]
    )
    assert (cloud.offers, dict(cloud.made.reasons)) == ([], {"price_zero": 1})


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"GpuCount": None, "GpuNum": 1.0}, "GpuCount"),
        ({"Price": {"HourPrice": 8.68, "ChargeUnit": "HOUR"}}, "Price/UnitPrice"),
        ({"Price": {"UnitPrice": 8.68, "ChargeUnit": "MINUTE"}}, "Price/ChargeUnit"),
    ],
)
def test_a_field_that_has_moved_is_named(tmp_path: Path, change: dict[str, Any], named: str) -> None:
    cloud = crawl_rows(tmp_path, [row(**change), row()])
    assert cloud.judged.outcome == "layout_changed"
    assert named in [drift["field"] for drift in cloud.stats["drift"]]


def test_an_error_inside_a_good_answer_is_no_empty_zone(tmp_path: Path) -> None:
    error = {"code": 0, "data": {"Response": {"Error": {"Code": "UnsupportedRegion", "Message": "no"}}}}
    with serving({"/cgi/area/queryCvmRegion": Answer(json.dumps(error), type="application/json")}) as site:
        cloud = crawl_cloud("tencent", tmp_path, origins={SITE: site.origin})
    assert (cloud.judged.outcome, "UnsupportedRegion" in cloud.judged.message) == ("failed", True)
