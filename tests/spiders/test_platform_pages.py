"""Public pages of the rental platforms: what each recipe says a reader must handle."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path

import pytest

from market.facts import latest, provider_facts
from spiders.registry import spider_class
from tests.spiders.clouds import NOW
from tests.spiders.platforms import as_json, crawl_at, crawl_market, crawl_page
from tests.spiders.site import serving


def page(body: str) -> str:
    return f"<!DOCTYPE html><html><head><meta charset=utf-8></head><body>{body}</body></html>"


# -- omniyq: N*card [word] [memory] - amount/month, a server a line ---


def test_omniyq_gives_every_fact_of_the_page(tmp_path: Path) -> None:
    done = crawl_market("omniyq", tmp_path)
    assert (done.judged.outcome, done.made.rejections) == ("ok", [])
    facts = latest(provider_facts("omniyq"), NOW, lambda f: f.card_raw if f.mode == "monthly" else None)
    assert sorted(o.price for o in done.offers) == sorted(f.amount for f in facts.values())
    assert {(o.gpu_count, o.basis, o.billing_mode, o.per_hours, o.scope) for o in done.offers} == {
        (8, "server", "monthly", 730, "national")
    }
    assert done.one(card="A100-80G").price_cny_per_card_hour == Decimal("4.280822")


@pytest.mark.parametrize(
    ("line", "card", "count", "price", "hours"),
    [
        ("8*H100 - 75000/月", "H100-80G", 8, 75000, 730),
        ("8X5090 — 12000/月", "RTX5090", 8, 12000, 730),
        ("4 × A100 nvlink 80G – 1.25万/月", "A100-80G", 4, 12500, 730),
        ("8x910B：15,000元/台/月", "910B", 8, 15000, 730),
        ("8*L40 - 140,000/年", "L40", 8, 140000, 8760),
        ("5090*8 - 1.2万/月", "RTX5090", 8, 12000, 730),  # the count may stand behind the card
        ("H200 x 8 — 94000/月", "H200", 8, 94000, 730),
        ("8卡4090 7800元/月", "RTX4090", 8, 7800, 730),
    ],
)
def test_omniyq_lines(tmp_path: Path, line: str, card: str, count: int, price: int, hours: int) -> None:
    done = crawl_page("omniyq", tmp_path, "/h-col-104.html", page(f"<p>{line}</p><p>8*H20 - 30000/月</p>"))
    found = done.one(card=card)
    assert (found.gpu_count, found.price, found.per_hours) == (count, price, hours)


def test_omniyq_other_lines_are_no_offers(tmp_path: Path) -> None:
    lines = ["10月4日报价", "现货：", "8*H100 - 75000/月", "以上均为裸金属，详询 0755-00000000 转 8001",
             "求购 8*H100 60000/月", "期货：", "8*B300 - 250000/月"]  # fmt: skip
    body = page("".join(f"<p>{line}</p>" for line in lines))
    done = crawl_page("omniyq", tmp_path, "/h-col-104.html", body)
    assert [(o.card, o.price) for o in done.offers] == [("H100-80G", 75000)]
    reasons = sorted(r.reason for r in done.made.rejections)
    assert reasons == ["demand_side", "not_an_offer"]  # wanted, and sold forward


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("B300*8 28万", "missing_period"), ("8*H200 - 94000", "missing_unit"),
        ("H200 141G - 面议", "quote_required"),
        ("8*L40S/L40 - 12000/月", "multiple_cards"), ("8*H100 整机出售 200万/台", "purchase_price"),
        ("8*H100 已售罄", "sold_out"),
    ],
)  # fmt: skip
def test_omniyq_a_line_about_a_card_is_refused_by_name(tmp_path: Path, line: str, reason: str) -> None:
    body = page(f"<p>{line}</p><p>8*H20 - 30000/月</p><p>GPU 服务器 4090 5090 租用，0755-00000000</p>")
    done = crawl_page("omniyq", tmp_path, "/h-col-104.html", body)
    assert [o.card for o in done.offers] == ["H20"]
    assert [r.reason for r in done.made.rejections] == [reason]


@pytest.mark.parametrize("heading", ["期货", "期货：", "【期货】", "期货机器"])
def test_omniyq_what_is_sold_forward_is_no_offer(tmp_path: Path, heading: str) -> None:
    lines = ("8*H20 - 30000/月", heading, "8*B300 - 250000/月", "现货", "8*4090 - 7800/月")
    done = crawl_page(
        "omniyq", tmp_path, "/h-col-104.html", page("".join(f"<p>{line}</p>" for line in lines))
    )
    assert {o.card for o in done.offers} == {"H20", "RTX4090"}
    assert [r.reason for r in done.made.rejections] == ["not_an_offer"]


# -- gongji: a table a product family ---


def test_gongji_families_are_apart(tmp_path: Path) -> None:
    done = crawl_market("gongji", tmp_path)
    assert (done.judged.outcome, done.made.rejections, done.judged.message) == ("ok", [], "")
    assert done.one(card="RTX4090", billing_mode="on_demand").price == Decimal("1.98")
    assert done.one(card="RTX4090", billing_mode="spot").price == Decimal("1.19")
    pack = done.one(billing_mode="pack")
    assert (pack.card, pack.gpu_count, pack.price, pack.per_hours) == ("RTX4090", 8, Decimal("8314.10"), 720)
    assert pack.price_cny_per_card_hour == Decimal("1.443420")
    assert {o.region_code for o in done.offers} == {"CN"}
    assert not any("存储" in (x.context or "") for x in done.listings)


def test_gongji_drift_is_never_the_old_price(tmp_path: Path) -> None:
    done = crawl_market("gongji", tmp_path, fault="changed_unit")
    assert done.judged.outcome == "layout_changed"
    assert "元/卡天" in done.judged.message
    for fault in ("changed_field", "changed_header"):  # another word for the same column is told
        done = crawl_market("gongji", tmp_path, fault=fault)
        assert done.one(card="RTX4090", billing_mode="spot").price == Decimal("1.19")
        assert [change["field"] for change in done.stats["drift"]]


# -- compshare: triples, floors, the no-card row ---


def test_compshare_triples_floors_and_no_card(tmp_path: Path) -> None:
    done = crawl_market("compshare", tmp_path)
    assert done.judged.outcome == "ok"
    assert "to look at" not in done.made.remark  # day = 22 h and month = 600 h hold
    assert done.stats["skipped"] == {"no-card mode": 1}
    assert not [x for x in done.listings if "0.15" in x.price_text]
    five = {o.billing_mode: o for o in done.find(card="RTX5090")}
    assert {mode: o.price for mode, o in five.items()} == {
        "on_demand": Decimal("3.20"), "daily": Decimal("70.53"), "monthly": Decimal("1923.60"),
    }  # fmt: skip
    assert (five["monthly"].per_hours, five["monthly"].vcpu, five["monthly"].ram_gb) == (730, 14, 64)
    floor = done.one(price_kind="floor")
    assert (floor.card, floor.price, floor.price_high, floor.is_floor) == (
        "RTX4090", Decimal("1.92"), None, True
    )  # fmt: skip
    per_hour = done.one(card="RTX3090", billing_mode="monthly")  # 折 ¥1.00/时
    assert (per_hour.price, per_hour.per_hours, per_hour.term_hours) == (1, 1, 730)
    assert done.one(card="RTX4090-48G", billing_mode="on_demand").price == Decimal("3.30")
    assert done.one(card="A100-80G").price == Decimal("10.75")  # its bare A100 has 80 GB
    assert {r.reason for r in done.made.rejections} == {"no_number"}  # the empty cells


def test_compshare_rule_that_no_longer_holds_is_news(tmp_path: Path) -> None:
    head = "<tr><th>GPU型号</th><th>显存</th><th>按量计费</th><th>包日</th><th>包月</th></tr>"
    row = "<tr><td>RTX 5090</td><td>32GB</td><td>¥3.20/小时</td><td>¥70.53/日</td><td>¥{}/月</td></tr>"
    for month, told in (("1,923.60", False), ("1,700.00", True)):
        done = crawl_page(
            "compshare", tmp_path, "/price-list", page(f"<table>{head}{row.format(month)}</table>")
        )
        assert done.judged.outcome == "ok"
        assert ("531.250 × on_demand, 600 expected" in done.made.remark) is told


@pytest.mark.parametrize("fault", ["changed_unit", "changed_header"])
def test_compshare_drift(tmp_path: Path, fault: str) -> None:
    done = crawl_market("compshare", tmp_path, fault=fault)
    if fault == "changed_unit":
        assert done.judged.outcome == "layout_changed"
        assert not [x for x in done.listings if "/天" in x.price_text]
    else:
        assert any(change["field"] == "column 按量计费" for change in done.stats["drift"])


# -- gitee_ai: pages of ten, price of the machine, null prices ---


def test_gitee_ai_prices_are_of_the_machine(tmp_path: Path) -> None:
    done = crawl_market("gitee_ai", tmp_path)
    assert done.judged.outcome == "ok"
    assert done.stats["declared"] == done.stats["read"] == {"market": len(done.listings)}
    assert done.stats["requests"] - 1 == -(-len(done.listings) // 10)
    for card in {o.card for o in done.offers}:
        by_count = {o.gpu_count: o for o in done.find(card=card)}
        if {1, 8} <= set(by_count):
            assert abs(by_count[8].price - 8 * by_count[1].price) < 8 * by_count[1].price
    eight = [o for o in done.offers if o.gpu_count == 8]
    assert eight
    assert all(o.price_cny_per_card_hour == o.price / 8 for o in eight)
    assert {r.reason for r in done.made.rejections} == {"fractional_gpu", "price_missing"}
    assert [o for o in done.offers if o.stock_idle == 0 and o.in_stock is False]


def test_gitee_ai_one_card_in_several_machines_is_no_conflict(tmp_path: Path) -> None:
    done = crawl_market("gitee_ai", tmp_path)
    assert len(done.offers) == len(done.made.offers)
    assert len({o.sku for o in done.offers if o.card == "910B-64G" and o.gpu_count == 1}) >= 3


@pytest.mark.parametrize(
    ("fault", "outcome"),
    [
        ("truncated_list", "partial"), ("changed_field", "layout_changed"), ("rate_limited", "blocked"),
        ("gone", "gone"), ("captcha", "blocked"), ("server_error", "failed"), ("half_text", "failed"),
    ],
)  # fmt: skip
def test_gitee_ai_faults(tmp_path: Path, fault: str, outcome: str) -> None:
    done = crawl_market("gitee_ai", tmp_path, fault=fault)
    assert done.judged.outcome == outcome, done.judged


# -- machines of eight by the month ---


def test_wangsu_machines_of_eight(tmp_path: Path) -> None:
    done = crawl_market("wangsu", tmp_path)
    assert done.judged.outcome == "ok"
    assert {(o.gpu_count, o.basis, o.billing_mode) for o in done.offers} == {(8, "server", "monthly")}
    assert done.one(card="RTX4090").price == 8200
    assert [(r.card_text, r.reason) for r in done.made.rejections] == [("H800", "quote_required")]
    assert crawl_market("wangsu", tmp_path, fault="changed_unit").judged.outcome == "layout_changed"


def test_wangsu_count_in_other_words(tmp_path: Path) -> None:
    body = page(
        "<table><tr><th>GPU型号</th><th>规格</th><th>价格（元/月）</th></tr>"
        "<tr><td>RTX 4090</td><td>8卡整机</td><td>8,200</td></tr>"
        "<tr><td>A100 80G</td><td>4 * A100</td><td>16000</td></tr>"
        "<tr><td>L20</td><td>整机</td><td>9000</td></tr></table>"
    )
    done = crawl_page("wangsu", tmp_path, "/product/gpu-", body)
    assert {o.card: o.gpu_count for o in done.offers} == {"RTX4090": 8, "A100-80G": 4}
    assert [r.reason for r in done.made.rejections] == ["count_unknown"]


def test_jygpu_own_offers_only(tmp_path: Path) -> None:
    done = crawl_market("jygpu", tmp_path)
    (offer,) = done.offers
    assert (offer.card, offer.gpu_count, offer.price, offer.price_high) == ("910B", 8, 15600, 17040)
    body = page(
        "<p>8×H100 裸金属 78,000 元/月</p><div class=news><p>8×H100 月租 84500 元/月，行情下行</p></div>"
        "<a href='/news/7'>8卡 H100 60000 元/月</a>"
    )
    done = crawl_page("jygpu", tmp_path, "/", body)
    assert [o.price for o in done.offers] == [78000]
    assert crawl_market("jygpu", tmp_path, fault="changed_unit").judged.outcome == "layout_changed"


# -- matpool: units that are not one card, missing fields ---


def matpool(**more: object) -> dict[str, object]:
    hardware = {"gpu": {"gpuRamMB": 24564, "gpuIds": [0, 1], "available": 0}, "machine": {"ramMB": 61440}}
    pool = {"resource_pool_id": "p1", "gpu_model": "NVIDIA GeForce RTX 4090", "domain": 13, "total": 32,
            "max_available_units": 6,
            "machine": {"hardware": hardware | {"priceMillicent": 440000}}}  # fmt: skip
    return {"pools": [pool], "pagination": {"page": 1, "num_pages": 1, "total": 1}} | more


def test_matpool_unit_of_two_cards_without_code_or_discount(tmp_path: Path) -> None:
    """Cases 9 and 10, K22, K23: `code` and the discount may be absent, `gpu.available` is not the stock."""
    with serving({"/api/machine_pools": as_json(matpool())}) as site:
        done = crawl_at(spider_class("matpool"), tmp_path, {"https://matgo.cn": site.origin})
        assert "machine_category=0" in site.paths()[0]  # K21: a number
        assert site.paths() == ["/api/machine_pools?machine_category=0&page=1&per_page=100"]  # case 7
    assert done.judged.outcome == "ok"
    offer = done.one(card="RTX4090")
    assert (offer.price, offer.gpu_count, offer.vram_gb) == (Decimal("4.4"), 2, 24)
    assert offer.price_cny_per_card_hour == Decimal("2.2")
    assert (offer.stock_idle, offer.in_stock, offer.region_code) == (12, True, None)


def test_matpool_http_200_that_says_no(tmp_path: Path) -> None:
    answer = {"code": 176, "msg": "check jwt token failed"}
    with serving({"/api/machine_pools": as_json(answer)}) as site:
        done = crawl_at(spider_class("matpool"), tmp_path, {"https://matgo.cn": site.origin})
    assert (done.judged.outcome, done.listings) == ("auth_needed", [])


@pytest.mark.parametrize(
    ("line", "reason"), [("8×H200 面议", "quote_required"), ("8卡 H100 已售罄", "sold_out")]
)
def test_jygpu_an_offer_without_a_price_is_refused_by_name(tmp_path: Path, line: str, reason: str) -> None:
    body = page(f"<p>8×910B 裸金属 15,600-17,040 元/月</p><p>{line}</p><p>面议合作 H100</p>")
    done = crawl_page("jygpu", tmp_path, "/", body)
    assert [o.card for o in done.offers] == ["910B"]
    assert [r.reason for r in done.made.rejections] == [reason]


@pytest.mark.parametrize(
    "table",
    [
        "<tr><th>GPU</th><th>价格</th></tr><tr><td>5090</td><td>¥3.20/小时、¥70.53/日、¥1,923.60/月</td></tr>",
        "<tr><th>GPU</th><th>小时价（元/小时）</th><th>日价（元/日）</th><th>月价（元/月）</th></tr>"
        "<tr><td>5090</td><td>3.20</td><td>70.53</td><td>1923.60</td></tr>",
        "<tr><th>GPU</th><th>按量</th><th>包日</th><th>包月</th></tr>"
        "<tr><td>5090</td><td>¥3.20/小时</td><td>¥70.53/日</td><td>¥1,923.60/月</td></tr>",
    ],
)
def test_compshare_triples_in_other_headers(tmp_path: Path, table: str) -> None:
    done = crawl_page("compshare", tmp_path, "/price-list", page(f"<table>{table}</table>"))
    assert (done.judged.outcome, done.made.rejections) == ("ok", [])
    assert {(o.billing_mode, o.price) for o in done.find(card="RTX5090")} == {
        ("on_demand", Decimal("3.20")), ("daily", Decimal("70.53")), ("monthly", Decimal("1923.60")),
    }  # fmt: skip
