"""CTyun: the document to the last digit, its 480 hours, its discounts, and the pools that really sell."""

from __future__ import annotations

import re
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from market.facts import provider_facts
from market.server import running
from spiders.discounts import read_discounts
from spiders.evidence import EvidenceStore
from tests.spiders.clouds import NOW, Cloud, crawl_cloud
from tests.spiders.site import Answer, serving

WWW, CONSOLE = "https://www.ctyun.cn", "https://console.ctyun.cn"
DOCUMENT = "/document/10029787/10047957"


@pytest.fixture(scope="module")
def cloud(tmp_path_factory: pytest.TempPathFactory) -> Cloud:
    return crawl_cloud("ctyun", tmp_path_factory.mktemp("ctyun"))


def test_the_dated_prices_come_out_to_the_last_digit(cloud: Cloud) -> None:
    documented = [o for o in cloud.offers if o.scope == "national" and o.price_kind == "list"]
    checked = 0
    for fact in provider_facts("ctyun"):
        if not fact.fact_id.startswith("CTY-") or fact.since > NOW.date() or fact.sku.startswith("pn8r"):
            continue
        for sku in fact.sku.split("/"):
            cards = Decimal(fact.cards).quantize(Decimal("0.000001"))
            same = [o.price for o in documented if (o.sku, o.billing_mode) == (sku, fact.mode)
                    and o.gpu_count.quantize(Decimal("0.000001")) == cards]  # fmt: skip
            assert fact.amount in same, (fact.fact_id, same)
            checked += 1
    assert checked >= 75
    l20 = cloud.one(sku="pn8i", gpu_count=1, billing_mode="on_demand", scope="national")
    assert (l20.price, l20.card, l20.region_code) == (Decimal("15.72"), "L20", "CN")


def test_a_month_is_480_hours_of_the_hourly_price(cloud: Cloud) -> None:
    assert "to look at" not in cloud.made.remark
    assert {r.card_text for r in cloud.made.rejections if r.reason == "unknown_card"} == {
        "NVIDIA 24GB"
    }  # pn8r


def page_of(rows: list[tuple[str, ...]], prose: str = "") -> str:
    head = ("规格名称", "显存", "显卡数", "显卡类型", "按需价格（元/小时）", "价格（元/月）")
    lines = "".join("<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>" for row in (head, *rows))
    return f"<html><head><meta charset='gbk'></head><body><table>{lines}</table><p>{prose}</p></body></html>"


PI7 = ("pi7", "24GB", "1", "NVIDIA A10", "9.27", "4447.43")


def crawl_page(tmp_path: Path, page: str) -> Cloud:
    """The document alone: the console answers 404."""
    with serving({DOCUMENT: Answer(page.encode("gbk"), type="text/html")}) as site:
        return crawl_cloud("ctyun", tmp_path, origins={WWW: site.origin, CONSOLE: site.origin})


def test_the_check_of_480_hours_flags_a_slip(tmp_path: Path) -> None:
    good = crawl_page(tmp_path, page_of([PI7]))
    assert (good.judged.outcome, good.judged.dropped) == ("ok", ("price",))
    assert good.made.remark == ""
    slip = crawl_page(tmp_path, page_of([(*PI7[:-1], "4474.43")]))
    assert "482.679 × on_demand, 480 expected" in slip.made.remark


def test_the_known_exception_is_no_news(tmp_path: Path) -> None:
    rows = [("pn8r.2xlarge.4", "24GB", "1", "NVIDIA A10", "18.77", "4211")]
    assert crawl_page(tmp_path, page_of(rows)).made.remark == ""


def test_discounts_are_promotions_beside_the_list_price(cloud: Cloud) -> None:
    promos = {
        (o.sku, o.billing_mode, o.term_hours): (o.price, o.per_hours)
        for o in cloud.find(price_kind="promo", gpu_count=1) if o.sku in ("pi2", "pak3", "pn8i", "pn8s")
    }  # fmt: skip
    assert promos == {
        ("pi2", "yearly", 8760): (Decimal("35853"), 8760),  # 3515 × 12 × 0.85
        ("pi2", "reserved", 17520): (Decimal("59052"), 17520),  # 3515 × 24 × 0.7
        ("pi2", "reserved", 26280): (Decimal("63270"), 26280),  # 3515 × 36 × 0.5
        ("pak3", "yearly", 8760): (Decimal("188230.8"), 8760),
        ("pak3", "reserved", 17520): (Decimal("376461.6"), 17520),
        ("pak3", "reserved", 26280): (Decimal("564692.4"), 26280),
    }
    assert {o.tier for o in cloud.find(price_kind="promo")} == {"paid_at_once"}
    assert cloud.one(sku="pi2", gpu_count=1, billing_mode="monthly", price_kind="list").price == 3515


@pytest.mark.parametrize(
    ("prose", "card", "factors"),
    [
        ("NVIDIA系列1年享8.5折，2年享7折，3年享5折", "NVIDIA T4", ["0.85", "0.7", "0.5"]),
        (
            "计算加速型（NVIDIA）：1年 85%、2年 70%；国产加速卡：1~3年 85折",
            "昇腾910B",
            ["0.85", "0.85", "0.85"],
        ),
        ("NVIDIA 1年打8.5折，国产卡1至2年打9折。", "Atlas 300I Duo", ["0.9", "0.9"]),
        ("NVIDIA 1年享8.5折。NVIDIA L20、L40S除外。", "NVIDIA L20", []),
        ("NVIDIA 1年享8.5折。NVIDIA L20、L40S除外。", "NVIDIA L40", ["0.85"]),
        ("新客1年享1折", "NVIDIA T4", []),  # nobody's cards are named
        ("NVIDIA 1年享10折", "NVIDIA T4", []),  # nothing off
        ("没有优惠", "NVIDIA T4", []),
    ],
)
def test_rules_in_prose(prose: str, card: str, factors: list[str]) -> None:
    assert [str(rule.factor) for rule in read_discounts(prose).of(card, "pi2")] == factors


@given(st.text(alphabet="NVIDIA国产1239年享打折。；%.-85L0S不参与 ", max_size=60))
def test_no_prose_raises_and_no_rule_is_a_surcharge(prose: str) -> None:
    for rule in read_discounts(prose).rules:
        assert 0 < rule.factor < 1
        assert re.fullmatch(r"[\d.]+ CNY/instance/\d year", rule.unit)


def test_pools_show_where_a_family_is_really_sold(cloud: Cloud) -> None:
    sold = {(o.region_label, (o.sku or "").partition(".")[0]) for o in cloud.find(evidence_kind="catalog")}
    assert ("华东1", "p8a") in sold and ("华北2", "p8a") not in sold
    offer = cloud.one(sku="p8a.4xlarge.4", region_label="华东1", billing_mode="on_demand")
    assert (offer.card, offer.gpu_count, offer.vcpu, offer.ram_gb) == ("A100-40G", 1, 8, 32)
    assert (offer.price, offer.price_kind, offer.region_code, offer.scope) == (
        Decimal("21.31"), "list", "320100", "region")  # fmt: skip
    assert cloud.stats["skipped"]["flavour without a price"] == 1  # the hourly price of four MLU370-S4


def test_the_visitors_cookie_is_sent_and_kept_nowhere(tmp_path: Path) -> None:
    with running(NOW, ["ctyun"], samples=True) as origins:
        cloud = crawl_cloud("ctyun", tmp_path, origins=origins)
    assert cloud.judged.dropped == ()  # the console refuses whoever does not send it
    store = EvidenceStore(cloud.config.evidence_dir)
    kept = b"".join(store.read(path.stem) for path in cloud.config.evidence_dir.rglob("*.zst"))
    kept += b"".join(path.read_bytes() for path in cloud.config.run_dir.iterdir())
    assert b"ct_tgc" not in kept


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        ({"kind": "login_page", "path": "querynew"}, "auth_needed"),
        ({"kind": "server_error", "path": "regionList"}, "503"),
        ({"kind": "half_text", "path": "serverextenddata"}, "cut"),
        ({"kind": "rate_limited", "path": "querynew"}, "429"),
        ({"kind": "changed_field", "path": "querynew"}, "finalPrice"),
        ({"kind": "gone", "path": "GetTree"}, "404"),
    ],
)
def test_the_console_costs_only_itself(tmp_path: Path, fault: dict[str, Any], words: str) -> None:
    cloud = crawl_cloud("ctyun", tmp_path, fault=fault)
    assert (cloud.judged.outcome, cloud.judged.dropped) == ("ok", ("price",)), cloud.judged
    assert words in cloud.judged.message
    assert {o.evidence_kind for o in cloud.offers} == {"pricing"}
