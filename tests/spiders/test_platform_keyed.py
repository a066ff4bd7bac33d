"""Keyed routes of CompShare, Gongji, Gpushare and PPIO: units, shapes, stale keys, other routes."""

from __future__ import annotations

import json
from decimal import Decimal
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from market.server import running
from spiders.base import SourceSpider
from spiders.registry import spider_class
from spiders.sources._compshare_api import ARRAYS, CompshareApi
from spiders.sources._gongji_api import GongjiApi, unit_of
from tests.spiders.clouds import NOW, Cloud
from tests.spiders.conftest import MARKET_KEYS
from tests.spiders.platforms import alone, as_json, crawl_at, crawl_market
from tests.spiders.site import Answer, serving

KEYS = ("COMPSHARE_PUBLIC_KEY", "COMPSHARE_PRIVATE_KEY")


@pytest.fixture(autouse=True)
def keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in MARKET_KEYS.items():
        monkeypatch.setenv(name, value)


def crawl_answer(spider: type[SourceSpider], folder: Path, path: str, answer: Any) -> Cloud:
    with serving({path: answer if isinstance(answer, Answer) else as_json(answer)}) as site:
        return crawl_at(spider, folder, {spider.origins[0]: site.origin})


# -- compshare ---

API = alone(CompshareApi, "compshare", "api", *KEYS)


def test_compshare_every_zone_shape_and_mode(tmp_path: Path) -> None:
    with running(NOW, ["compshare"], samples=True) as origins:
        done = crawl_at(API, tmp_path, origins)
        asked = [parse_qs(urlsplit(entry["path"]).query) for entry in origins.log]
    assert done.judged.outcome == "ok", done.judged
    prices = [q for q in asked if q.get("Action") == ["GetCompShareInstancePrice"]]
    assert {q["Memory"][0] for q in prices if q["GpuType"] == ["4090"]} == {
        "65536",
        "131072",
        "262144",
        "524288",
    }
    assert all("Signature" in q and "PublicKey" in q for q in asked if "Action" in q)
    assert {o.zone for o in done.offers} == {"cn-wlcb-01", "cn-sh2-01", "cn-sh2-02", "cn-bj2-03"}
    assert {o.region_code for o in done.find(zone="cn-wlcb-01")} == {"150900"}  # 华北二A is Ulanqab
    assert {o.region_code for o in done.find(zone="cn-bj2-03")} == {"110000"}
    assert len({(x.zone_text, x.card_text, x.count_text, x.unit, x.mode, x.price_kind, x.tier)
                for x in done.listings}) == len(done.listings)  # no row of another zone twice  # fmt: skip
    one = {"card": "RTX4090", "zone": "cn-wlcb-01", "gpu_count": 1, "price_kind": "list"}
    hour, prepaid = done.one(**one, billing_mode="on_demand"), done.one(**one, billing_mode="prepaid_hour")
    assert (hour.price, hour.basis, hour.vcpu, hour.ram_gb) == (Decimal("1.66"), "server", 16, 64)
    assert (prepaid.per_hours, prepaid.term_hours) == (1, None)  # 包时 is no on-demand price
    four = done.one(**{**one, "gpu_count": 4}, billing_mode="on_demand")
    assert (four.price, four.price_cny_per_card_hour) == (Decimal("6.64"), Decimal("1.66"))


def test_compshare_three_arrays(tmp_path: Path) -> None:
    done = crawl_market("compshare", tmp_path, spider=API)
    same = {"card": "RTX5090", "zone": "cn-sh2-01", "gpu_count": 1, "billing_mode": "on_demand"}
    assert {(o.price_kind, o.tier): o.price for o in done.find(**same)} == {
        ("list", None): Decimal("3.2"),
        ("member", "account"): Decimal("3.04"),
        ("promo", "night"): Decimal("2.74"),
    }
    assert not [o for o in done.made.offers if o.quarantine]
    assert {x.status for x in done.listings} == {"available", "sold_out"}


def compshare_answer(handler: Any) -> Answer:
    """Every region names every zone; each array says that the night discount runs."""
    asked = {name: values[0] for name, values in parse_qs(urlsplit(handler.path).query).items()}
    zone = {"Region": "cn-wlcb", "Zone": "cn-wlcb-01", "Describe": "华北二A"}
    sizes = [{"Gpu": 1, "Collection": [{"Cpu": 16, "Memory": [64]}]}]
    memory = {"Value": 24, "Rate": 1}
    row = {"Name": "4090", "Zone": "cn-wlcb-01", "Status": "Normal", "MachineSizes": sizes}
    answers: dict[str, Any] = {
        "DescribeCompShareSupportZone": {"ZoneInfo": [zone]},
        "DescribeAvailableCompShareInstanceTypes": {
            "AvailableInstanceTypes": [{**row, "GraphicsMemory": memory}]
        },
        "GetCompShareInstancePrice": {
            name: [{"ChargeType": "Postpay", "Instance": amount, "InstanceDiscountType": 1}]
            for name, amount in zip(ARRAYS, (2.0, 2.0, 1.6), strict=True)
        },
    }
    return as_json({"RetCode": 0, **answers[asked["Action"]]})


def test_compshare_a_list_price_stays_one_by_night(tmp_path: Path) -> None:
    with serving({"/": compshare_answer}) as site:
        done = crawl_at(API, tmp_path, {"https://api.compshare.cn": site.origin})
        asked = [path for path in site.paths() if "SupportZone" not in path]
    assert {(o.price_kind, o.tier, o.price) for o in done.offers} == {
        ("list", None, Decimal("2.0")), ("promo", "night", Decimal("1.6")),
    }  # fmt: skip
    assert len(asked) == 2  # one zone is asked once, whatever regions name it
    assert done.stats["skipped"] == {"zone that another region named too": 2}


@pytest.mark.parametrize("bad", KEYS)
def test_compshare_wrong_keys(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, bad: str) -> None:
    monkeypatch.setenv(f"SUANJIA_{bad}", "wrong-key-of-somebody")
    done = crawl_market("compshare", tmp_path, spider=API)
    assert (done.judged.outcome, done.listings) == ("auth_needed", [])
    with_page = crawl_market("compshare", tmp_path)
    assert with_page.judged.outcome == "partial"  # what the page says is not told as the whole
    assert {x.route for x in with_page.listings} == {"page"}


def test_keys_stand_in_no_file(tmp_path: Path) -> None:
    done = crawl_market("compshare", tmp_path)
    kept = [p.read_bytes() for p in done.config.run_dir.iterdir()]
    assert kept
    for secret in (MARKET_KEYS[f"SUANJIA_{name}"].encode() for name in KEYS):
        assert not any(secret in body for body in kept)
    assert not any(b"Signature=" in body for body in kept)
    assert {x.source_url.partition("?")[0] for x in done.listings} == {
        "https://www.compshare.cn/price-list", "https://api.compshare.cn/"
    }  # fmt: skip


def test_compshare_without_keys_is_judged_by_its_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in KEYS:
        monkeypatch.delenv(f"SUANJIA_{name}")
    with running(NOW, ["compshare"], samples=True) as origins:
        done = crawl_at(spider_class("compshare"), tmp_path, origins)
        assert {e["origin"] for e in origins.log} == {"https://www.compshare.cn"}
    assert (done.judged.outcome, done.stats["routes"]) == ("ok", ["page"])


# -- gongji ---

DEVICES = alone(GongjiApi, "gongji", "api", "GONGJI_TOKEN")
SEARCH = "/api/deployment/resource/search"


def device(**more: Any) -> dict[str, Any]:
    return {
        "device_name": "H20 x 8", "gpu_name": "H20", "gpu_count": 8, "gpu_memory": 786432, "memory": 2097152,
        "cpu_cores": 192, "regions": [{"region": "hebeif-1", "region_name": "河北一区", "price": 16416,
                                       "discount_price": 16416, "inventory": 2}],
    } | more  # fmt: skip


def answer_of(*rows: dict[str, Any]) -> dict[str, Any]:
    return {"code": "0000", "data": {"count": len(rows), "results": list(rows)}}


def test_points_per_second_of_a_device(tmp_path: Path) -> None:
    done = crawl_answer(DEVICES, tmp_path, SEARCH, answer_of(device()))
    offer = done.one(card="H20-96G")
    assert (offer.price, offer.gpu_count, offer.per_hours) == (Decimal("59.0976"), 8, 1)
    assert offer.price_cny_per_card_hour == Decimal("7.387200")
    assert (offer.region_code, offer.zone, offer.stock_idle) == ("130000", "hebeif-1", 16)
    assert (offer.vram_gb, offer.ram_gb, offer.vcpu) == (96, 2048, 192)


def test_both_shapes_say_the_same(tmp_path: Path) -> None:
    places = device()["regions"]
    old = device(region_map={place["region"]: place for place in places})
    del old["regions"]
    new, before = (crawl_answer(DEVICES, tmp_path, SEARCH, answer_of(row)).offers for row in (device(), old))
    assert [(o.offer_id, o.price) for o in new] == [(o.offer_id, o.price) for o in before]
    assert before[0].locator == "/data/results/0/region_map/hebeif-1/price"


@pytest.mark.parametrize(
    ("amount", "unit"),
    [(16416, "1e-6 CNY/device/second"), (550, "1e-6 CNY/device/second"), (50, "1e-6 CNY/device/second"),
     (Decimal("1.98"), "CNY/device/hour"), (49, None), (Decimal("16416.5"), None), (0, None)],
)  # fmt: skip
def test_the_unit_that_a_number_tells(amount: Any, unit: str | None) -> None:
    assert unit_of(amount) == unit


def test_a_number_of_no_known_unit_is_refused(tmp_path: Path) -> None:
    odd = device(regions=[{"region": "r", "region_name": "河北一区", "price": 12}])
    done = crawl_answer(DEVICES, tmp_path, SEARCH, answer_of(odd, device()))
    assert len(done.offers) == 1
    (rejection,) = done.made.rejections
    assert rejection.reason in ("missing_unit", "missing_period", "currency_unknown")


def test_a_discount_above_the_price_is_told(tmp_path: Path) -> None:
    place = {"region": "r", "region_name": "河北一区", "price": 16416, "discount_price": 20000}
    done = crawl_answer(DEVICES, tmp_path, SEARCH, answer_of(device(regions=[place])))
    assert "public_discount is 72" in done.made.remark


def test_gongji_stale_token_and_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SUANJIA_GONGJI_TOKEN", "stale-token")
    done = crawl_market("gongji", tmp_path)
    assert done.judged.outcome == "partial"
    assert "auth_needed" in done.judged.message
    monkeypatch.delenv("SUANJIA_GONGJI_TOKEN")
    done = crawl_market("gongji", tmp_path)
    assert (done.judged.outcome, {x.route for x in done.listings}) == ("ok", {"page"})


def test_gongji_a_moved_discount_is_named(tmp_path: Path) -> None:
    odd = device(regions=[{"region": "r", "region_name": "河北一区", "final_price": 16416}])
    done = crawl_answer(DEVICES, tmp_path, SEARCH, answer_of(odd))
    assert (done.judged.outcome, done.listings) == ("layout_changed", [])
    assert "final_price" in done.judged.message


# -- gpushare ---


def test_gpushare_pages_and_ways_of_paying(tmp_path: Path) -> None:
    done = crawl_market("gpushare", tmp_path)
    assert done.judged.outcome == "ok"
    assert done.stats["declared"] == done.stats["read"] == {"market": 120}
    assert set(done.stats["skipped"]) == {"cpu", "host off line"}
    assert {o.scope for o in done.offers} == {"host"}
    assert {o.region_code for o in done.offers} == {None}
    hour = done.one(card="RTX3090", billing_mode="on_demand")
    assert (hour.price, hour.price_min, hour.price_max) == (Decimal("0.98"), Decimal("0.98"), Decimal("1.08"))
    assert hour.listings > 30
    assert 0 < (hour.stock_idle or 0) < (hour.stock_total or 0)
    assert {o.per_hours for o in done.find(card="RTX3090")} == {1, 168, 730}
    assert done.one(card="RTX3090Ti", billing_mode="on_demand").price == Decimal("0.99")


@pytest.mark.parametrize(
    ("fault", "outcome"),
    [("changed_field", "layout_changed"), ("changed_unit", "layout_changed"), ("truncated_list", "partial")],
)
def test_gpushare_faults(tmp_path: Path, fault: str, outcome: str) -> None:
    assert crawl_market("gpushare", tmp_path, fault=fault).judged.outcome == outcome


@pytest.mark.parametrize("slug", ["gpushare", "ppio"])
def test_a_stale_key_is_a_login_that_is_wanted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, slug: str
) -> None:
    name = f"SUANJIA_{slug.upper()}_TOKEN"
    monkeypatch.setenv(name, "stale-token")
    done = crawl_market(slug, tmp_path)
    assert (done.judged.outcome, done.listings) == ("auth_needed", [])
    monkeypatch.delenv(name)
    done = crawl_market(slug, tmp_path)
    assert (done.judged.outcome, done.stats["requests"]) == ("auth_needed", 0)


def test_gpushare_nvlink_is_another_model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [
        {"id": n, "machineName": f"m{n}", "isOnline": True, "gpuNum": 8, "gpuUsed": 0,
         "baseInfo": {"gpuName": name}, "skuList": [{"skuName": "payg", "price": price}]}
        for n, (name, price) in enumerate((("A800-80GB", 5.0), ("A800-80GB-NVLink", 6.0)))
    ]  # fmt: skip
    answer = {"code": 200, "data": {"total": 2, "list": rows}}
    done = crawl_answer(spider_class("gpushare"), tmp_path, "/app/api/market/machine/list", answer)
    assert {(o.interconnect, o.price) for o in done.offers} == {(None, 5), ("NVLink", 6)}


# -- ppio ---


def test_ppio_strings_spot_and_stock(tmp_path: Path) -> None:
    done = crawl_market("ppio", tmp_path)
    assert done.judged.outcome == "ok"
    first = done.one(sku="4090.16c62g", billing_mode="on_demand")
    assert (first.price, first.card, first.region_code) == (Decimal("2.1"), "RTX4090", "130000")
    assert done.one(sku="4090.16c62g", billing_mode="spot").price == Decimal("1.26")
    assert [o.billing_mode for o in done.find(sku="4090.16c125g")] == ["on_demand"]  # its spot price is 0
    assert done.one(sku="3090.14c58g", billing_mode="on_demand").in_stock is False
    assert done.one(card="A100-80G").form == "SXM"


@pytest.mark.parametrize(
    ("answer", "outcome"),
    [
        ({"code": 401, "reason": "INVALID_API_KEY", "message": "invalid api key"}, "auth_needed"),
        ({"code": 0, "message": "ok"}, "layout_changed"),
        ({"data": None}, "layout_changed"),
        ({"data": []}, "empty"),
    ],
)
def test_ppio_no_data_is_not_no_stock(tmp_path: Path, answer: dict[str, Any], outcome: str) -> None:
    done = crawl_answer(spider_class("ppio"), tmp_path, "/gpu-instance/openapi/v1/products", answer)
    assert done.judged.outcome == outcome, done.judged


def test_account_answers_never_reach_the_store(tmp_path: Path) -> None:
    body = json.dumps({"data": [{"id": "x", "name": "RTX 4090", "price": "1", "billingMethods": [],
                                 "ssh_command": "ssh -p 1 root@x"}]})  # fmt: skip
    answer = Answer(body, type="application/json")
    done = crawl_answer(spider_class("ppio"), tmp_path, "/gpu-instance/openapi/v1/products", answer)
    assert {p["kind"] for p in done.stats["problems"]} == {"refused"}
    assert done.stats["statuses"] == {"404": 1}  # of robots.txt
