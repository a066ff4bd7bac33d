"""Baidu AI Cloud: prices by the minute, the disk taken out, disks that do not fit, answers by length."""

from __future__ import annotations

import json
from collections.abc import Callable
from decimal import Decimal
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import pytest

from tests.spiders.clouds import Cloud, crawl_cloud
from tests.spiders.site import Answer, serving

SITE = "https://cloud.baidu.com"


@pytest.fixture(scope="module")
def cloud(tmp_path_factory: pytest.TempPathFactory) -> Cloud:
    return crawl_cloud("baidu", tmp_path_factory.mktemp("baidu"))


def test_a_price_by_the_minute_is_an_exact_price_by_the_hour(cloud: Cloud) -> None:
    offer = cloud.one(sku="bcc.gn3.c12m50.1v100-16g", region_label="bj", billing_mode="on_demand")
    assert (offer.price, offer.per_hours, offer.card, offer.gpu_count) == (Decimal("11.10"), 1, "V100-16G", 1)
    listing = next(each for each in cloud.listings if each.sku == offer.sku and each.mode == "on_demand")
    assert (listing.price_text, listing.unit) == ("0.185", "CNY/instance/minute")
    assert (offer.vcpu, offer.ram_gb, offer.evidence_kind) == (12, 50, "catalog")


def test_months_and_years_without_the_system_disk(cloud: Cloud) -> None:
    wanted = {"sku": "bcc.gn5.c72m296.4a10", "region_label": "bd"}
    assert cloud.one(**wanted, billing_mode="monthly").price == 18400  # the total is 18414
    year = cloud.one(**wanted, billing_mode="yearly")
    assert (year.price, year.per_hours, year.gpu_count) == (220800, 8760, 4)


def test_every_region_and_every_disk(cloud: Cloud) -> None:
    assert {(o.region_label, o.region_code) for o in cloud.offers} == {
        ("bj", "110000"), ("gz", "440100"), ("su", "320500"), ("bd", "130600"),
    }  # fmt: skip
    # The three flavours of these fit one kind of disk each: the first, the second, the last one tried.
    assert {o.sku for o in cloud.offers} >= {
        "bcc.gn3.c12m50.1v100-16g", "bcc.gn5.c18m74.1a10", "bcc.gn1.c8m36.1t4",
    }  # fmt: skip
    assert cloud.stats["skipped"] == {"no GPU": 10}


def test_a_flavour_of_two_zones_is_one_offer(cloud: Cloud) -> None:
    assert cloud.one(sku="bcc.gn3.c48m200.4v100-16g", billing_mode="monthly").listings == 1


def flavor(name: str, mode: str = "prepay", **more: Any) -> dict[str, Any]:
    return {
        "spec": f"bcc.{name}", "specId": name, "instanceType": "N5", "cpuCount": 8, "memoryCapacityInGB": 32,
        "gpuCardType": "A10", "gpuCardCount": 1, "ephemeralDiskInGb": 0, "productType": mode,
    } | more  # fmt: skip


def crawl_rows(
    tmp_path: Path, flavors: list[Any], price: Callable[[dict[str, Any]], Any], cds: Any = None
) -> tuple[Cloud, list[Any]]:
    """One region with `flavors`; `price` answers the price call."""
    asked: list[Any] = []

    def answer(handler: BaseHTTPRequestHandler) -> Answer:
        body = json.loads(handler.sent)  # type: ignore[attr-defined]
        if "region_list" in handler.path:
            result: Any = [{"value": "bj", "name": "华北 - 北京"}]
        elif "bccFlavor" in handler.path:
            groups = {"flavorGroups": [{"flavors": flavors}]}
            result = {"zoneResources": [{"zoneName": "cn-bj-a", "bccResources": groups, "cdsResources": cds}]}
        else:
            asked.append(body)
            result = price(body)
        return Answer(json.dumps({"success": True, "result": result}), type="application/json")

    paths = ("/api/region/region_list", "/api/calculator/bccFlavor", "/api/calculator/bcc/instance/priceV2")
    with serving(dict.fromkeys(paths, answer)) as site:
        return crawl_cloud("baidu", tmp_path, origins={SITE: site.origin}), asked


def detail(machine: str, disk: str = "14") -> dict[str, Any]:
    items = [
        {"servicetype": "SYS-CDS", "price": [float(disk)]},
        {"servicetype": "BCC", "price": [float(machine)]},
    ]
    return {"price": float(machine) + float(disk), "priceDetail": items}


def test_a_batch_is_answered_length_by_length(tmp_path: Path) -> None:
    """Month of the first, month of the second, year of the first, year of the second."""
    flavors = [flavor("one"), flavor("two")]

    def price(body: dict[str, Any]) -> Any:
        names = [each["spec"][4:] for each in body["bccList"]]
        amounts = {"one": {1: "100", 12: "1000"}, "two": {1: "200", 12: "2000"}}
        found = [detail(amounts[name][months]) for months in body["purchaseLengthList"] for name in names]
        return {"bccPayResults": {"bccResults": found}}

    cloud, asked = crawl_rows(tmp_path, flavors, price, cds=[{"storageType": "ssd"}])
    assert [(body["purchaseLengthList"], len(body["bccList"])) for body in asked] == [([1, 12], 2)]
    assert {(o.sku, o.billing_mode): o.price for o in cloud.offers} == {
        ("bcc.one", "monthly"): 100, ("bcc.one", "yearly"): 1000,
        ("bcc.two", "monthly"): 200, ("bcc.two", "yearly"): 2000,
    }  # fmt: skip


def test_at_most_ten_flavours_a_question(tmp_path: Path) -> None:
    def price(body: dict[str, Any]) -> Any:
        return {"bccPayResults": {"bccResults": [detail("2000")] * len(body["bccList"]) * 2}}

    cloud, asked = crawl_rows(tmp_path, [flavor(f"f{n}") for n in range(23)], price)
    assert sorted(len(body["bccList"]) for body in asked) == [3, 10, 10]
    assert len(cloud.offers) == 46


def test_a_null_is_asked_again_with_the_next_disk(tmp_path: Path) -> None:
    def price(body: dict[str, Any]) -> Any:
        fits = {"bcc.one": "premium_ssd", "bcc.two": "enhanced_ssd_pl1", "bcc.none": "cloud_hp9"}
        good = [fits[each["spec"]] == each["rootDiskStorageType"] for each in body["bccList"]]
        found = [detail("0.185", "0.0004") if fitting else {"price": None} for fitting in good]
        return {"bccPayResults": {"bccResults": found}}

    flavors = [flavor(name, "postpay") for name in ("one", "two", "none")]
    cloud, asked = crawl_rows(tmp_path, flavors, price)
    assert [(b["bccList"][0]["rootDiskStorageType"], len(b["bccList"])) for b in asked] == [
        ("enhanced_ssd_pl1", 3), ("premium_ssd", 2), ("ssd", 1),
    ]  # fmt: skip
    assert {(o.sku, o.price) for o in cloud.offers} == {
        ("bcc.one", Decimal("11.10")), ("bcc.two", Decimal("11.10")),
    }  # fmt: skip
    assert [(r.reason, r.card_text) for r in cloud.made.rejections] == [("price_missing", "A10")]
    assert cloud.judged.outcome == "ok"


def test_a_batch_without_items_is_asked_one_by_one(tmp_path: Path) -> None:
    def price(body: dict[str, Any]) -> Any:
        if "bccList" in body:
            return {"bccPayResults": {"bccResults": [{"price": 0.1904}]}}
        assert (body["purchaseLength"], body["bcc"]["spec"], body["cds"]) == (
            1,
            "bcc.one",
            {"diskConfigs": []},
        )
        return {"money": 0.1904} | {"priceDetail": detail("0.185", "0.0054")["priceDetail"]}

    cloud, asked = crawl_rows(tmp_path, [flavor("one", "postpay")], price)
    assert len(asked) == 2
    assert cloud.one(sku="bcc.one").price == Decimal("11.10")


@pytest.mark.parametrize(
    ("flavors", "result", "named"),
    [
        ([flavor("one", gpuCardType=None, gpuModel="A10")], {}, "gpuCardType"),
        ([{"spec": "bcc.one", "productType": "prepay"}], {}, "gpuCardCount"),
        ([flavor("one")], {"bccPayResults": {"results": []}}, "result/bccPayResults/bccResults"),
        ([flavor("one", "postpay")], {"bccPayResults": {"bccResults": [
            {"price": 1, "priceDetail": [{"servicetype": "VM", "price": [1]}]}]}}, "priceDetail/servicetype"),
        ([flavor("one", "postpay")], {"bccPayResults": {"bccResults": [
            {"price": 1, "priceDetail": [{"servicetype": "BCC", "money": 1}]}]}}, "price/0"),
    ],
)  # fmt: skip
def test_a_field_that_has_moved_is_named(tmp_path: Path, flavors: list[Any], result: Any, named: str) -> None:
    cloud, _ = crawl_rows(tmp_path, flavors, lambda _: result)
    assert cloud.judged.outcome == "layout_changed", cloud.judged
    assert named in [drift["field"] for drift in cloud.stats["drift"]]


def test_fewer_answers_than_questions_are_none(tmp_path: Path) -> None:
    cloud, _ = crawl_rows(
        tmp_path,
        [flavor("one"), flavor("two")],
        lambda _: {"bccPayResults": {"bccResults": [detail("1")] * 3}},
    )
    assert cloud.listings == []
    assert "3 prices for 2 flavours" in cloud.judged.message
