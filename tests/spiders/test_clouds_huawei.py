"""Huawei Cloud: unit ids, free-text accelerators, hidden and repeated flavours, reserved instances."""

from __future__ import annotations

import json
from decimal import Decimal
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spiders.huawei_parts import accelerator, bundle, regions_of
from tests.spiders.clouds import Cloud, crawl_cloud
from tests.spiders.site import Answer, serving

SITE = "https://portal.huaweicloud.com"
API = "/api/calculator/rest/cbc/portalcalculatornodeservice/v4/api"


@pytest.fixture(scope="module")
def cloud(tmp_path_factory: pytest.TempPathFactory) -> Cloud:
    return crawl_cloud("huawei", tmp_path_factory.mktemp("huawei"))


def test_cards_memory_and_sizes_without_their_unit_ids(cloud: Cloud) -> None:
    for spec, card, cards, vcpu, ram in (
        ("pi2.4xlarge.4", "T4", 2, 16, 64), ("pi2.8xlarge.4", "T4", 4, 32, 128),  # the latter states MB
        ("p2s.16xlarge.8", "V100-32G", 8, 64, 512), ("ai1s.large.4", "310", 1, 2, 8),
    ):  # fmt: skip
        offer = cloud.find(sku=spec, billing_mode="on_demand")[0]
        assert (offer.card, offer.gpu_count, offer.vcpu, offer.ram_gb) == (card, cards, vcpu, ram)
    slice_ = cloud.one(sku="g6v.2xlarge.2", billing_mode="on_demand")
    assert (slice_.share, slice_.vram_gb) == (Decimal("0.25"), 4)


def test_hour_month_year_and_the_monthly_rate_of_a_reserved_instance(cloud: Cloud) -> None:
    wanted = {"sku": "pi2.2xlarge.4", "region_label": "cn-north-4"}
    found = {o.billing_mode: (o.price, o.per_hours, o.term_hours) for o in cloud.find(**wanted)}
    assert found == {
        "on_demand": (Decimal("9.12"), 1, None),
        "monthly": (Decimal(4370), 730, 730),
        "yearly": (Decimal(43700), 8760, 8760),
        "reserved": (Decimal("2709.4"), 730, 8760),
    }
    assert {(o.evidence_kind, o.price_kind, o.in_stock) for o in cloud.offers} == {("pricing", "list", None)}


def test_what_is_left_out_is_counted(cloud: Cloud) -> None:
    assert cloud.stats["skipped"] == {
        "hidden_flavour": 2, "no GPU": 4, "not_linux": 14, "paid by RI price": 14,
    }  # fmt: skip
    assert cloud.find(sku="p1.2xlarge.8") == []
    assert cloud.made.remark == "unknown cards: 1 (NVIDIA Z999)"
    assert {o.region_code for o in cloud.offers} == {"110000", "150900", "440100", "310000", "520100"}


@pytest.mark.parametrize(
    ("printed", "fields"),
    [
        ("1/4 * NVIDIA T4 / 4G",
         {"card_text": "NVIDIA T4", "share_text": "1/4", "vram_text": "4", "vram_unit": "GB"}),
        ("2 * NVIDIA T4 / 2 * 16G",
         {"card_text": "NVIDIA T4", "count_text": "2", "vram_text": "16", "vram_unit": "GB"}),
        ("1/8*NVIDIA T4/1*2G",
         {"card_text": "NVIDIA T4", "share_text": "1/8", "vram_text": "2", "vram_unit": "GB"}),
        ("8 * Ascend 910B", {"card_text": "Ascend 910B", "count_text": "8"}),
        ("GPU on request", {"card_text": "GPU on request"}),
    ],
)  # fmt: skip
def test_accelerators_as_they_are_written(printed: str, fields: dict[str, str]) -> None:
    assert accelerator(printed) == fields


@given(st.text(max_size=40), st.text(max_size=40), st.text(max_size=40))
def test_no_text_of_theirs_raises(card: str, cpu: str, memory: str) -> None:
    assert accelerator(card)["card_text"] is not None
    assert "vcpu_text" in bundle(cpu, memory)


def test_an_unknown_unit_id_leaves_the_memory_open() -> None:
    assert bundle("8BSSUNIT.pluralUnit.23", "32BSSUNIT.pluralUnit.999") == {"vcpu_text": "8"}
    assert bundle("8BSSUNIT.pluralUnit.23", "32768BSSUNIT.pluralUnit.21") == {
        "vcpu_text": "8", "ram_text": "32768", "ram_unit": "MB",
    }  # fmt: skip


def service(regions: list[Any]) -> dict[str, Any]:
    return {"urlPath": "ecs", "hasCalculator": True, "regionOnline": {"regionList": regions}}


@pytest.mark.parametrize(
    "menu",
    [
        [service(["cn-north-4", "ap-southeast-1"])],
        [
            {
                "categoryName": "计算",
                "subCategoryLists": [{"urlPath": "bms"}, service([{"regionId": "cn-north-4"}])],
            }
        ],
        [service([{"id": "cn-north-4", "name": "华北-北京四"}])],
    ],
)
def test_the_menu_is_read_both_ways(menu: list[Any]) -> None:
    assert list(regions_of(menu, "ecs")) == ["cn-north-4"]


def flavour(code: str = "pi2.2xlarge.4.linux", **more: Any) -> dict[str, Any]:
    return {
        "resourceSpecCode": code, "spec": code.rpartition(".")[0], "cpu": "8BSSUNIT.pluralUnit.23",
        "mem": "32BSSUNIT.pluralUnit.102", "imageSpec": "linux", "acceleratorCard": "1 * NVIDIA T4 / 1 * 16G",
        "productSpecSysDesc": "Remark:normal;",
        "planList": [{"billingMode": "ONDEMAND", "periodNum": None, "amount": 9.12, "originType": "price",
                      "usageFactor": "Duration", "usageMeasureId": 4}],
    } | more  # fmt: skip


def crawl_rows(tmp_path: Path, rows: list[dict[str, Any]], export: Any = None, menu: Any = None) -> Cloud:
    def answer(handler: BaseHTTPRequestHandler) -> Answer:
        query = parse_qs(urlsplit(handler.path).query)
        if "menuInfo" in handler.path:
            found: Any = menu if menu is not None else {"menuInfos": [service(["cn-north-4"])]}
        elif "export" in handler.path:
            found = export if export is not None else {}
        else:
            found = {"region": query["region"][0], "product": {"ec2_vm": rows}}
        return Answer(json.dumps(found), type="application/json")

    paths = {f"{API}/{name}": answer for name in ("menuInfo", "productInfo", "export/productlist")}
    with serving(paths) as site:
        return crawl_cloud("huawei", tmp_path, origins={SITE: site.origin})


def test_a_repeated_flavour_is_one_offer_and_two_prices_are_a_conflict(tmp_path: Path) -> None:
    same = crawl_rows(tmp_path, [flavour(), flavour(localDisk="NVMe"), flavour()])
    assert (same.one(sku="pi2.2xlarge.4").listings, same.judged.outcome) == (2, "ok")
    dearer = [{"billingMode": "ONDEMAND", "amount": 10.5, "usageMeasureId": 4}]
    other = crawl_rows(tmp_path, [flavour(), flavour(planList=dearer)])
    assert [o.quarantine for o in other.made.offers] == ["conflict", "conflict"]


def test_a_printed_card_that_is_another_is_refused(tmp_path: Path) -> None:
    wrong = flavour(acceleratorCard="1 * NVIDIA V100 / 1 * 16G")
    right = flavour("p1.2xlarge.8.linux", acceleratorCard="1 * NVIDIA P100 / 1 * 16G")
    cloud = crawl_rows(tmp_path, [wrong, right])
    assert dict(cloud.made.reasons) == {"card_sku_conflict": 1}


def test_three_years_reserved_is_a_month_price_with_a_term(tmp_path: Path) -> None:
    plans = [{"billingMode": "RI", "periodNum": 3, "originType": kind, "amount": amount}
             for kind, amount in (("price", 0), ("perPrice", 1800))]  # fmt: skip
    cloud = crawl_rows(tmp_path, [flavour(planList=plans)])
    offer = cloud.one(sku="pi2.2xlarge.4")
    assert (offer.per_hours, offer.term_hours, offer.price) == (730, 26280, 1800)


@pytest.mark.parametrize(
    ("rows", "menu", "named"),
    [
        ([flavour(acceleratorCard=None, acceleratorcard="1 * NVIDIA T4")], None, "acceleratorCard"),
        ([flavour(planList=[{"billingMode": "ONDEMAND", "price": 9.12}])], None, "planList/0/amount"),
        ([flavour(planList=[{"billingMode": "ONDEMAND", "amount": 9.12, "usageMeasureId": 11}])], None,
         "planList/0/usageMeasureId"),
        ([], {"menuInfos": [{"urlPath": "ecs", "regions": ["cn-north-4"]}]}, "menuInfos"),
        ([], {"menus": []}, "menuInfos"),
    ],
)  # fmt: skip
def test_a_field_that_has_moved_is_named(tmp_path: Path, rows: list[Any], menu: Any, named: str) -> None:
    cloud = crawl_rows(tmp_path, rows, menu=menu)
    assert cloud.judged.outcome == "layout_changed", cloud.judged
    assert named in [drift["field"] for drift in cloud.stats["drift"]]


def test_the_export_list_is_a_second_opinion(tmp_path: Path) -> None:
    export = {"cn-north-4": [{"resourceSpecCode": "pi2.2xlarge.4.linux", "ONDEMAND": 9.5, "MONTHLY_1": 1}]}
    cloud = crawl_rows(tmp_path, [flavour()], export=export)
    assert cloud.judged.outcome == "ok"
    told = [d for d in cloud.stats["drift"] if d["field"].startswith("export")]
    assert [d["field"] for d in told] == ["export of cn-north-4/pi2.2xlarge.4.linux"]
    assert {told[0]["expected"], told[0]["found"]} == {"9.12", "9.5"}
