"""Aliyun: the versioned list file and the public discount, never one series; spot and stock behind a key."""

from __future__ import annotations

import json
from decimal import Decimal
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import pytest

from market.server import running
from market.sites._compshare_api import TEST_PRIVATE_KEY, TEST_PUBLIC_KEY
from tests.spiders.clouds import NOW, Cloud, crawl_cloud, facts_of
from tests.spiders.site import Answer, serving

PAGE, CDN, API = "https://www.aliyun.com", "https://g.alicdn.com", "https://buy-api.aliyun.com"
DETAIL = "/pricingDetail/queryPricingDetailList.json"
FOLDER = "/aliyun/ecs-price-info"


@pytest.fixture(scope="module")
def cloud(tmp_path_factory: pytest.TempPathFactory) -> Cloud:
    return crawl_cloud("aliyun", tmp_path_factory.mktemp("aliyun"))


def test_the_dated_prices_come_out_to_the_last_digit(cloud: Cloud) -> None:
    checked = 0
    for (sku, region, mode), amount in facts_of("aliyun").items():
        if mode == "on_demand" and region:
            offer = cloud.one(sku=sku, region_label=region, billing_mode=mode, price_kind="list")
            assert offer.price == amount
            checked += 1
    assert checked >= 160


def test_slices_are_goods_of_their_own(cloud: Cloud) -> None:
    """The integer GPUAmount of a slice says 1: the reviewed map says which fraction of which card."""
    for sku, card, share, per_card in (
        ("ecs.vgn7i-vws-m8.2xlarge", "A10", "0.333333", "16.676466"),
        ("ecs.sgn7i-vws-m2.xlarge", "A10", "0.083333", "22.379484"),
        ("ecs.vgn6i-m4-vws.xlarge", "T4", "0.25", "13.094876"),
    ):  # fmt: skip
        offer = next(
            o for o in cloud.find(sku=sku, price_kind="list") if o.region_code in ("440300", "440100")
        )
        assert (offer.card, offer.share.quantize(Decimal("0.000001"))) == (card, Decimal(share).quantize(
            Decimal("0.000001")))  # fmt: skip
        assert offer.price_cny_per_card_hour == Decimal(per_card)


def test_list_and_public_discount_are_two_offers(cloud: Cloud) -> None:
    wanted = {"sku": "ecs.gn7i-c8g1.2xlarge", "region_label": "cn-beijing", "billing_mode": "on_demand"}
    listed = cloud.one(**wanted, price_kind="list")
    public = cloud.one(**wanted, price_kind="public_discount")
    assert (listed.price, public.price) == (Decimal("9.5326"), Decimal("8.1027"))
    assert listed.offer_id != public.offer_id
    assert {o.price_kind for o in cloud.offers if "buy-api" in o.source_url} == {"public_discount"}
    assert {o.price_kind for o in cloud.offers if "alicdn" in o.source_url} == {"list"}
    terms = {(o.billing_mode, o.per_hours) for o in cloud.find(sku=listed.sku, price_kind="public_discount")}
    assert terms == {("on_demand", 1), ("monthly", 730), ("yearly", 8760), ("reserved", 26280)}


def test_what_is_not_sold_is_no_offer_and_zero_is_no_price(cloud: Cloud) -> None:
    assert cloud.find(sku="ecs.gn5-c4g1.xlarge", price_kind="public_discount") == []  # "NA"
    assert [r.card_text for r in cloud.made.rejections] == ["ecs.gn6v-c8g1.4xlarge"] * 2
    assert dict(cloud.made.reasons) == {"price_zero": 2}
    assert cloud.stats["skipped"]["other system or network"] > 50


def test_every_page_of_every_region_is_read_once(tmp_path: Path) -> None:
    with running(NOW, ["aliyun"], samples=True) as origins:
        cloud = crawl_cloud("aliyun", tmp_path, origins=origins)
        asked = [entry for entry in origins.log if DETAIL in entry["path"]]
    assert len(asked) == 13
    keys = [(o.offer_id, o.observed_at) for o in cloud.offers]
    assert len(keys) == len(set(keys))


def price_file(published: str, **more: Any) -> dict[str, Any]:
    key = "cn-beijing::ecs.gn7i-c8g1.2xlarge::vpc::linux::optimized"
    prices = {"hours": [{"price": "9.5326", "period": "1"}], "weeks": [],
              "months": [{"price": "4575.65", "period": "1"}],
              "years": [{"price": "40000", "period": "1"}, {"price": "90000", "period": "3"}]}  # fmt: skip
    return {
        "currency": "CNY",
        "version": "x",
        "publicationDate": published,
        "pricingInfo": {key: prices},
    } | more


def crawl_site(tmp_path: Path, page: str, files: dict[str, Any], pages: list[Any] | None = None) -> Cloud:
    """A site whose price page, files and detail pages are given."""
    listed = pages or [{"success": True, "code": "200", "data": {"nextToken": None, "values": []}}]

    def detail(handler: BaseHTTPRequestHandler) -> Answer:
        body = json.loads(handler.sent)  # type: ignore[attr-defined]
        number = int(body["nextToken"] or 0)
        found = listed[number] if body["regionList"] == ["cn-beijing"] else listed[-1] | {
            "data": {"nextToken": None, "values": []}}  # fmt: skip
        return Answer(json.dumps(found), type="application/json")

    routes: dict[str, Any] = {"/price/ecs/ecs-pricing/zh": Answer(page), DETAIL: detail}
    for version, file in files.items():
        path = f"{FOLDER}/{version}/price/download/instancePrice.json"
        routes[path] = Answer(json.dumps(file), type="application/json")
    with serving(routes) as site:
        cloud = crawl_cloud("aliyun", tmp_path, origins=dict.fromkeys((PAGE, CDN, API), site.origin))
        cloud.stats["asked"] = site.paths()
    return cloud


def tags(*versions: str) -> str:
    links = "".join(
        f'<script src="//g.alicdn.com/aliyun/ecs-price-info/{v}/price/index.js"></script>' for v in versions
    )
    return f"<html><body>{links}</body></html>"


def test_the_highest_version_by_number_counts(tmp_path: Path) -> None:
    page = tags("2.0.28", "2.0.211", "2.0.8") + tags().replace(
        "ecs-price-info/", "ecs-price-info-intl/2.0.375"
    )
    cloud = crawl_site(tmp_path, page, {"2.0.211": price_file("2026-10-01T00:00:00Z")})
    assert cloud.judged.outcome == "ok", cloud.judged
    assert {(o.billing_mode, o.per_hours, o.price) for o in cloud.offers} == {
        ("on_demand", 1, Decimal("9.5326")), ("monthly", 730, Decimal("4575.65")),
        ("yearly", 8760, Decimal(40000)), ("reserved", 26280, Decimal(90000)),
    }  # fmt: skip


@pytest.mark.parametrize(
    ("published", "outcome", "words"),
    [
        ("2026-07-05T00:00:00Z", "failed", "91 days ago"),
        ("2019-06-13T03:21:45Z", "failed", "refused"),
        ("2026-07-07T00:00:00Z", "ok", ""),
        (None, "layout_changed", "when it was published"),
    ],
)
def test_a_frozen_file_is_refused(tmp_path: Path, published: str, outcome: str, words: str) -> None:
    cloud = crawl_site(tmp_path, tags("2.0.8"), {"2.0.8": price_file(published)})
    assert (cloud.judged.outcome, words in cloud.judged.message) == (outcome, True), cloud.judged
    assert bool(cloud.offers) == (outcome == "ok")


def detail_row(sku: str, **more: Any) -> dict[str, Any]:
    return {
        "instance_type": {"name": sku, "value": sku}, "cpu": {"name": "8"}, "mem": {"name": "30"},
        "$priceDetailRegionCode$": {"name": "华北2（北京）", "value": "cn-beijing"},
        "postPay": {"price": "8.1", "priceUnit": "元/小时", "currency": "CNY"},
        "prePay": {"1:Month": {"price": "2000"}, "5:Year": {"price": "NA"}},
    } | more  # fmt: skip


def detail_page(rows: list[Any], token: str | None = None) -> dict[str, Any]:
    return {"success": True, "code": "200", "data": {"nextToken": token, "values": rows}}


GOOD = {"2.0.211": price_file("2026-10-01T00:00:00Z")}


def test_pages_are_followed_by_their_token(tmp_path: Path) -> None:
    pages = [
        detail_page([detail_row("ecs.gn6i-c4g1.xlarge")], "1"),
        detail_page([detail_row("ecs.gn7i-c8g1.2xlarge")]),
    ]
    cloud = crawl_site(tmp_path, tags("2.0.211"), GOOD, pages)
    public = cloud.find(price_kind="public_discount")
    assert {(o.sku, o.billing_mode) for o in public} == {
        (sku, mode)
        for sku in ("ecs.gn6i-c4g1.xlarge", "ecs.gn7i-c8g1.2xlarge") for mode in ("on_demand", "monthly")
    }  # fmt: skip
    assert {(o.vcpu, o.ram_gb) for o in public} == {(8, 30)}


@pytest.mark.parametrize(
    ("page", "words"),
    [
        (detail_page([detail_row("ecs.gn6i-c4g1.xlarge", postPay={"price": "8", "priceUnit": "元/秒"})]),
         "priceUnit"),
        (detail_page([detail_row("ecs.gn6i-c4g1.xlarge", postPay={"amount": "8"})]), "postPay/price"),
        (detail_page([{"instanceType": "ecs.gn6i-c4g1.xlarge"}]), "instance_type"),
        ({"success": False, "code": "InvalidParameter", "message": "参数错误"}, "参数错误"),
    ],
)  # fmt: skip
def test_a_second_route_that_has_moved_costs_only_itself(tmp_path: Path, page: Any, words: str) -> None:
    cloud = crawl_site(tmp_path, tags("2.0.211"), GOOD, [page])
    assert (cloud.judged.outcome, cloud.judged.dropped) == ("ok", ("detail",)), cloud.judged
    assert words in cloud.judged.message
    assert {o.price_kind for o in cloud.offers} == {"list"}


def test_a_first_route_that_fails_is_not_made_good_by_the_second(tmp_path: Path) -> None:
    cloud = crawl_cloud("aliyun", tmp_path, fault={"kind": "server_error", "path": "instancePrice"})
    assert cloud.judged.outcome == "failed"
    assert "503" in cloud.judged.message


def test_spot_and_stock_behind_the_users_key(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SUANJIA_ALIYUN_PUBLIC_KEY", TEST_PUBLIC_KEY)
    monkeypatch.setenv("SUANJIA_ALIYUN_PRIVATE_KEY", TEST_PRIVATE_KEY)
    cloud = crawl_cloud("aliyun", tmp_path)
    assert (cloud.judged.outcome, cloud.judged.dropped) == ("ok", ())
    spots = cloud.find(billing_mode="spot")
    assert len(spots) > 40
    assert {(o.price_kind, o.in_stock, o.evidence_kind, o.per_hours) for o in spots} == {
        ("list", True, "realtime", 1)
    }
    assert {o.zone for o in spots} <= {f"{o.region_label}-a" for o in spots}
    listed = {
        (o.region_label, o.sku): o.price for o in cloud.find(billing_mode="on_demand", price_kind="list")
    }
    assert all(o.price < listed[o.region_label, o.sku] for o in spots if (o.region_label, o.sku) in listed)
    kept = b"".join(path.read_bytes() for path in tmp_path.rglob("*.json*"))
    assert TEST_PRIVATE_KEY.encode() not in kept and TEST_PUBLIC_KEY.encode() not in kept


def test_a_wrong_key_costs_only_its_route(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SUANJIA_ALIYUN_PUBLIC_KEY", TEST_PUBLIC_KEY)
    monkeypatch.setenv("SUANJIA_ALIYUN_PRIVATE_KEY", "not-the-key")
    cloud = crawl_cloud("aliyun", tmp_path)
    assert (cloud.judged.outcome, cloud.judged.dropped) == ("ok", ("signed",))
    assert "SignatureDoesNotMatch" in cloud.judged.message
    assert cloud.find(billing_mode="spot") == []


def test_without_a_key_the_signed_api_is_not_asked(tmp_path: Path) -> None:
    with running(NOW, ["aliyun"], samples=True) as origins:
        cloud = crawl_cloud("aliyun", tmp_path, origins=origins)
        assert [entry for entry in origins.log if "aliyuncs.com" in entry["origin"]] == []
    assert cloud.stats["routes"] == ["file", "detail"]
