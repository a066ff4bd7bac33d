"""AutoDL's market behind a token: paging that moves, units, member prices, hosts that cannot be rented."""

from __future__ import annotations

import json
from datetime import date
from decimal import ROUND_HALF_UP, Decimal
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import pytest

from market.server import running
from market.sites._autodl_market import member
from pipeline.reading import card as card_reader
from pipeline.reading import region
from spiders.evidence import EvidenceStore
from spiders.sources._autodl_market import AutodlMarket, rentable
from tests.spiders.clouds import NOW, Cloud
from tests.spiders.platforms import alone, as_json, crawl_at, crawl_market
from tests.spiders.site import Answer, serving

GIB = 1 << 30
MARKET = alone(AutodlMarket, "autodl", "market", "AUTODL_TOKEN")
SEARCH = "/api/v1/machine/search"


@pytest.fixture(autouse=True)
def token(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SUANJIA_AUTODL_TOKEN", "market-test-token")


def host(number: int, **more: Any) -> dict[str, Any]:
    levels = [{"level": "normal", "discount": 100, "discounted_price": 2080},
              {"level": "member", "discount": 95, "discounted_price": 1976}]  # fmt: skip
    return {
        "machine_id": f"m{number}", "gpu_name": "RTX 4090", "gpu_memory": 24 * GIB, "gpu_number": 8,
        "gpu_idle_num": 3, "gpu_order_num": 3, "chip_corp": "nvidia", "cpu_per_gpu": 22,
        "mem_per_gpu": 96636764160, "region_name": "西北B区", "region_sign": "west-B", "payg_price": 2080,
        "max_instance_num": 16, "binding_instance_num": 9,
        "machine_sku_info": [
            {"type": "payg", "origin_price": 0, "current_price": 2080, "level_config": levels},
            {"type": "monthly", "origin_price": 0, "current_price": 1052000, "level_config": []},
        ],
    } | more  # fmt: skip


def crawl_hosts(folder: Path, *rows: dict[str, Any]) -> Cloud:
    """Crawl a market of these hosts: the wanted page of those that are paid in the wanted way."""

    def answer(handler: BaseHTTPRequestHandler) -> Answer:
        body = json.loads(getattr(handler, "sent", b"{}"))
        mode = body["charge_type"]
        found = [row for row in rows if any(sku["type"] == mode for sku in row["machine_sku_info"])]
        return as_json({"code": "Success", "data": {
            "page_index": 1, "page_size": 100, "max_page": 1, "result_total": len(found), "list": found,
        }})  # fmt: skip

    with serving({SEARCH: answer}) as site:
        done = crawl_at(MARKET, folder, dict.fromkeys(AutodlMarket.origins, site.origin))
        sent = [headers for headers, entry in zip(site.headers, site.log, strict=True) if entry[0] == "POST"]
    assert {headers["Authorization"] for headers in sent} == {"market-test-token"}
    return done


def test_every_way_of_paying_is_read_to_its_last_host(tmp_path: Path) -> None:
    """Cases 3 and K15, K16: rows vanish and repeat between pages; unique hosts equal the declared total."""
    with running(NOW, ["autodl"], samples=True) as origins:
        done = crawl_at(MARKET, tmp_path, origins)
        log = [entry["path"] for entry in origins.log]
    assert done.judged.outcome == "ok", done.judged
    assert done.stats["read"] == done.stats["declared"]
    assert set(done.stats["read"]) == {
        f"market:{m}" for m in ("payg", "daily", "weekly", "monthly", "yearly")
    }
    assert log.count(SEARCH) > 2 * 3 * 4  # a second sweep, since the first lost a row
    assert {o.scope for o in done.offers} == {"host"}
    assert len({x.listing_id for x in done.listings}) > 150
    assert {x.card_text for x in done.listings} & {"CPU"} == set()  # case 16
    assert sum(o.listings for o in done.offers) == len(done.listings)


def test_money_and_memory_units(tmp_path: Path) -> None:
    """Cases 8 and 10, K1, K2: 2080 is 2.08 yuan, whatever the size of the number."""
    done = crawl_hosts(tmp_path, host(1), host(2, gpu_name="RTX 3060", gpu_memory=12 * GIB, machine_sku_info=[
        {"type": "payg", "origin_price": 0, "current_price": 99, "level_config": []},
    ]))  # fmt: skip
    assert done.one(card="RTX4090", billing_mode="on_demand", price_kind="list").price == Decimal("2.08")
    assert done.one(card="RTX3060").price_cny_per_card_hour == Decimal("0.099")
    month = done.one(billing_mode="monthly")
    assert (month.price, month.per_hours) == (1052, 730)
    assert month.price_cny_per_card_hour == Decimal("1.441096")  # 1.44 at 730 h, not 1.46 at 720
    assert (month.vram_gb, month.ram_gb, month.vcpu) == (24, 90, 22)


def test_member_price_is_quoted_never_computed(tmp_path: Path) -> None:
    """Case 1, K3, K26: floored per card by the seller, a kind of its own, a rate that is no constant."""
    assert member(10500, 95) == 9975
    assert Decimal("9.975").quantize(Decimal("0.01"), ROUND_HALF_UP) == Decimal("9.98")
    assert member(2510, 95) * 4 == 9536
    levels = [{"level": "normal", "discounted_price": 7970}, {"level": "member", "discounted_price": 5977}]
    rows = [host(1, gpu_name="RTX PRO 6000", gpu_memory=96 * GIB, machine_sku_info=[
        {"type": "payg", "origin_price": 0, "current_price": 7970, "level_config": levels}])]  # fmt: skip
    done = crawl_hosts(tmp_path, *rows)
    assert {o.price_kind: o.price for o in done.offers} == {
        "list": Decimal("7.97"),
        "member": Decimal("5.977"),
    }


def test_list_and_member_price_move_apart(tmp_path: Path) -> None:
    """Case 6: 7.97 and 5.98 (75 %) one week, 7.35 and 6.98 (95 %) the next: two series, never one."""

    def week(name: str, normal: int, member_: int) -> dict[str, Decimal]:
        levels = [{"level": "member", "discounted_price": member_}]
        sku = {"type": "payg", "origin_price": 0, "current_price": normal, "level_config": levels}
        row = host(1, gpu_name="RTX PRO 6000", gpu_memory=96 * GIB, machine_sku_info=[sku])
        return {o.price_kind: o.price for o in crawl_hosts(tmp_path / name, row).offers}

    before, after = week("one", 7970, 5980), week("two", 7350, 6980)
    change = {kind: (after[kind] / before[kind] - 1) * 100 for kind in before}
    assert {kind: change[kind].quantize(Decimal("0.1")) for kind in change} == {
        "list": Decimal("-7.8"), "member": Decimal("16.7"),
    }  # fmt: skip


def test_a_struck_price_is_the_list_price(tmp_path: Path) -> None:
    sku = {"type": "payg", "origin_price": 2510, "current_price": 2290, "level_config": []}
    done = crawl_hosts(tmp_path, host(1, machine_sku_info=[sku]))
    assert {o.price_kind: o.price for o in done.offers} == {
        "list": Decimal("2.51"), "public_discount": Decimal("2.29"),
    }  # fmt: skip


@pytest.mark.parametrize(
    ("more", "free"),
    [
        ({"gpu_idle_num": 3, "gpu_order_num": 3}, True),
        ({"gpu_idle_num": 1, "gpu_order_num": 0}, False),
        ({"max_instance_num": 16, "binding_instance_num": 16}, False),  # K27
        ({"gpu_order_num": None}, True),
        ({"gpu_idle_num": 0}, True),
    ],
)
def test_hosts_that_cannot_be_rented(tmp_path: Path, more: dict[str, Any], free: bool) -> None:
    """Case 14: idle cards alone do not make a host rentable."""
    assert rentable(host(1, **more)) is free
    done = crawl_hosts(tmp_path, host(1, **more))
    offer = done.one(billing_mode="on_demand", price_kind="list")
    idle = more.get("gpu_idle_num", 3)
    assert (offer.stock_idle, offer.in_stock) == ((idle, idle > 0) if free else (0, False))
    assert offer.stock_total == 8


def test_hosts_of_one_kind_are_one_offer_at_their_median(tmp_path: Path) -> None:
    def priced(number: int, milli: int) -> dict[str, Any]:
        sku = {"type": "payg", "origin_price": 0, "current_price": milli, "level_config": []}
        return host(number, machine_sku_info=[sku])

    done = crawl_hosts(tmp_path, priced(1, 1980), priced(2, 2190), priced(3, 2900))
    offer = done.one(card="RTX4090")
    assert (offer.price, offer.listings) == (Decimal("2.19"), 3)
    assert (offer.price_min, offer.price_max) == (Decimal("1.98"), Decimal("2.90"))
    assert (offer.stock_idle, offer.stock_total, offer.max_cards) == (9, 24, 3)


def test_a_model_with_nvlink_is_another_model(tmp_path: Path) -> None:
    """K28: treating both as one misprices either; their median is the price of neither."""

    def priced(number: int, name: str, milli: int) -> dict[str, Any]:
        sku = {"type": "payg", "origin_price": 0, "current_price": milli, "level_config": []}
        return host(number, gpu_name=name, gpu_memory=80 * GIB, machine_sku_info=[sku])

    done = crawl_hosts(
        tmp_path,
        priced(1, "A800-80GB", 4980),
        priced(2, "A800-80GB-NVLink", 5980),
        priced(3, "A800-80GB", 4980),
    )
    found = {(o.card, o.interconnect, o.price, o.listings) for o in done.offers}
    assert found == {
        ("A800-80G", None, Decimal("4.98"), 2), ("A800-80G", "NVLink", Decimal("5.98"), 1),
    }  # fmt: skip


@pytest.mark.parametrize("token", ["stale-token-of-a-user", "Bearer market-test-token"])
def test_http_200_that_says_no(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, token: str) -> None:
    """Case 2, K11, K12: nothing is read, and it is a login that is wanted, never an empty market."""
    monkeypatch.setenv("SUANJIA_AUTODL_TOKEN", token)
    done = crawl_market("autodl", tmp_path, spider=MARKET)
    assert (done.judged.outcome, done.listings) == ("auth_needed", [])
    assert {problem["kind"] for problem in done.stats["problems"]} == {"auth_needed"}
    assert token not in (done.config.run_dir / "stats.json").read_text(encoding="utf-8")


def test_without_a_token_nothing_is_asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SUANJIA_AUTODL_TOKEN")
    done = crawl_market("autodl", tmp_path, spider=MARKET)
    assert (done.judged.outcome, done.stats["requests"]) == ("auth_needed", 0)


@pytest.mark.parametrize(
    ("fault", "outcome"),
    [
        ("truncated_list", "partial"), ("changed_field", "layout_changed"), ("rate_limited", "blocked"),
        ("empty_list", "empty"),
    ],
)  # fmt: skip
def test_faults(tmp_path: Path, fault: str, outcome: str) -> None:
    """K7: a shorter list is never taken for the whole one."""
    done = crawl_market("autodl", tmp_path, spider=MARKET, fault={"kind": fault, "path": "search"})
    if fault == "changed_field" and not done.stats["problems"]:
        assert done.judged.outcome == "ok"  # `payg_price` is not what prices are read from
    else:
        assert done.judged.outcome == outcome, done.judged


def test_one_way_of_paying_that_fails_is_a_gap_and_sinks_nothing(tmp_path: Path) -> None:
    """K8: the rest is read, and what is missing is told; a login that is wanted is never such a gap."""

    def answer(handler: BaseHTTPRequestHandler) -> Answer:
        mode = json.loads(getattr(handler, "sent", b"{}"))["charge_type"]
        if mode == "monthly":
            return Answer("<h1>502 Bad Gateway</h1>", 502)
        rows = [host(1)] if mode == "payg" else []
        return as_json({"code": "Success", "data": {
            "page_index": 1, "page_size": 100, "max_page": 1, "result_total": len(rows), "list": rows,
        }})  # fmt: skip

    with serving({SEARCH: answer}) as site:
        done = crawl_at(MARKET, tmp_path, dict.fromkeys(AutodlMarket.origins, site.origin))
    assert (done.judged.outcome, "HTTP 502" in done.judged.message) == ("partial", True)
    assert {o.billing_mode for o in done.offers} == {"on_demand"}
    assert "auth_needed" not in {problem["kind"] for problem in done.stats["problems"]}


def test_an_answer_with_passwords_is_neither_kept_nor_read(tmp_path: Path) -> None:
    done = crawl_hosts(tmp_path, host(1, root_password="hunter2", jupyter_token="abcdef123456"))
    assert (done.judged.outcome, done.listings) == ("failed", [])
    assert {p["kind"] for p in done.stats["problems"]} == {"refused"}
    stored = list((tmp_path / "evidence").rglob("*.zst"))
    store = EvidenceStore(tmp_path / "evidence")
    assert not [p for p in stored if b"hunter2" in store.read(p.stem)]
    assert "hunter2" not in json.dumps(done.stats, ensure_ascii=False)


def test_three_names_of_one_region() -> None:
    """Cases 4 and 5, K5: codes stay while names change; a pool is no place."""
    day = date(2026, 10, 4)
    west = {region.read(text, "autodl", day).code for text in ("西北B区", "west-B", "west-C", "westDC3")}
    assert west == {"CN-NW"}
    assert region.read("L20专区", "autodl", day).code is None
    assert region.read("北京C区", "autodl", date(2025, 10, 4)).code == "110000"
    assert region.read("3090专区", "autodl", day).code == "321000"


def test_cards_that_are_not_one_another() -> None:
    """Case 13, K24, K28."""
    names = ("vGPU-48GB", "4090-48G", "RTX 4090", "RTX 4090D", "RTX 5090 D", "RTX 5090")
    found = [card_reader.read(name, "autodl") for name in names]
    assert len({getattr(reading, "card", None) for reading in found}) == len(names)
