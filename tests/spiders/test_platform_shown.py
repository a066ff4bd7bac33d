"""Rendered pages of unknown markup: boxes and tables, whatever they are called; a dead page is a gap."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from catalog.providers import load_providers
from market.server import running
from pipeline.run import Processed, process
from spiders.boxes import boxes
from spiders.config import CrawlConfig
from spiders.outcome import Ending, judge
from spiders.registry import spider_class
from spiders.settings import PLAYWRIGHT, settings_for
from spiders.textio import parse_html
from tests.spiders.clouds import NOW
from tests.spiders.conftest import Crawled, run_child
from tests.spiders.platforms import crawl_at

SHOWN = ("featurize", "openbayes", "gpufree", "suanjiayun", "shengsuanyun", "lanrui")


def shown(slug: str, folder: Path, body: str) -> Processed:
    """What becomes of a page as a browser would have rendered it."""
    spider = spider_class(slug)
    html = f"<html><head></head><body>{body}</body></html>"
    text = "\n".join(parse_html(html).text_content().split("\n"))
    state = {"name": "page", "text": text, "html": html, "reached": True, "ready": True}
    document = {"url": spider.pages[0], "states": [state]}  # type: ignore[attr-defined]
    recording = folder / "recording"
    recording.mkdir(exist_ok=True)
    (recording / "page.json").write_text(json.dumps(document, ensure_ascii=False), encoding="utf-8")
    row = {"method": "GET", "url": spider.pages[0], "sent": "", "status": 200, "browser": True,  # type: ignore[attr-defined]
           "headers": {"content-type": "application/json; charset=utf-8"}, "file": "page.json"}  # fmt: skip
    (recording / "exchanges.jsonl").write_text(json.dumps(row) + "\n", encoding="utf-8")
    return crawl_at(spider, folder, {}, replay=str(recording), only_mapped=False).made


BOX = "<div class=zzz><h5>{title}</h5><div><i>{spec}</i></div><div>{price}</div><em>{stock}</em></div>"


@pytest.mark.parametrize(
    ("price", "kind", "amount"),
    [
        ("¥<span>1.24</span>/时", "list", "1.24"),
        ("<b>1.38</b> 元/小时", "list", "1.38"),
        ("按量起价 ¥1.62/小时", "floor", "1.62"),
        ("¥1.38/h 起", "floor", "1.38"),
        ("<del>￥2.70/小时</del> 特惠价 ￥1.15/小时", "promo", "1.15"),
        ("￥1.90/时 <s>￥4.90/时</s>", "public_discount", "1.90"),
        ("<span>￥0.98</span>/时 <br><span style='text-decoration: line-through'>￥1.03/时</span>",
         "public_discount", "0.98"),
        ("<span>¥2</span><span>/时</span>", "list", "2"),
        ("<span>￥</span><span>2.36</span><small>元/时</small>", "list", "2.36"),
    ],
)  # fmt: skip
def test_prices_in_boxes(tmp_path: Path, price: str, kind: str, amount: str) -> None:
    body = BOX.format(title="NVIDIA RTX 4090", spec="24GB 显存 / 16核", price=price, stock="3卡可租")
    made = shown("gpufree", tmp_path, f"<h2>GPU 租用</h2><section>{body}</section>")
    (offer,) = made.offers
    assert (offer.card, offer.price_kind, str(offer.price)) == ("RTX4090", kind, amount)
    assert (offer.stock_idle, offer.in_stock, offer.vram_gb) == (3, True, 24)


@pytest.mark.parametrize(
    ("price", "reason"),
    [("已售罄", "sold_out"), ("暂无报价", "no_public_price"), ("询价", "quote_required"),
     ("面议", "quote_required"), ("已下线", "delisted")],
)  # fmt: skip
def test_a_box_without_a_price_says_why(tmp_path: Path, price: str, reason: str) -> None:
    body = BOX.format(title="RTX 3090", spec="24GB", price=price, stock="")
    made = shown("gpufree", tmp_path, body)
    assert [(r.card_text, r.reason) for r in made.rejections] == [("RTX 3090", reason)]


@pytest.mark.parametrize(
    ("price", "reason"), [("1.49", "missing_unit"), ("", "no_number"), ("<i>-.--</i>", "no_number")]
)
def test_a_box_without_a_sign_or_a_price_is_refused(tmp_path: Path, price: str, reason: str) -> None:
    titles = [("摩尔线程 S4000", "1.69 元/时"), ("天垓100", price), ("昇腾910B", "2.36 元/时")]
    body = "".join(f"<li><div class=c><h3>{title}</h3><p>{shown}</p></div></li>" for title, shown in titles)
    about = "<li>A100、H100 等卡型" + "一站式算力平台" * 20 + "</li>"
    made = shown("shengsuanyun", tmp_path, f"<ul>{body}{about}</ul>")
    assert {o.card for o in made.offers} == {"MTT-S4000", "910B"}
    assert [(r.reason, r.card_text) for r in made.rejections] == [(reason, "天垓100")]


def test_two_boxes_are_never_mixed(tmp_path: Path) -> None:
    one = BOX.format(title="RTX 4090", spec="24GB", price="¥1.24/时", stock="充足")
    two = BOX.format(title="RTX 4090D", spec="24GB", price="¥1.14/时", stock="紧张")
    made = shown("suanjiayun", tmp_path, f"<div>{one}{two}</div><footer>注册送 ¥50 代金券</footer>")
    assert {o.card: (str(o.price), o.in_stock) for o in made.offers} == {
        "RTX4090": ("1.24", True), "RTX4090D": ("1.14", True)
    }  # fmt: skip
    assert made.rejections == []


def test_a_price_beside_several_cards_is_nobodys(tmp_path: Path) -> None:
    made = shown("gpufree", tmp_path, "<div><p>RTX 4090</p><p>RTX 3090</p><p>¥1.24/时</p></div>")
    assert (made.offers, [r.reason for r in made.rejections]) == ([], ["multiple_cards"])


def test_a_table_of_the_same_page(tmp_path: Path) -> None:
    body = (
        "<h1>市场</h1><table><tr><th>型号</th><th>显存</th><th>库存</th><th>价格（元/时）</th></tr>"
        "<tr><td>昇腾 910B</td><td>64GB</td><td>2/8</td><td>2.36</td></tr>"
        "<tr><td>MTT S4000</td><td>48GB</td><td>0/8</td><td><b>1.69</b> 元/时</td></tr>"
        "<tr><td>RTX 4090</td><td>24GB</td><td>-</td><td>暂无报价</td></tr></table>"
    )
    made = shown("shengsuanyun", tmp_path, body)
    found = {o.card: (str(o.price), o.stock_idle, o.stock_total, o.in_stock) for o in made.offers}
    assert found == {"910B-64G": ("2.36", 2, 8, True), "MTT-S4000": ("1.69", 0, 8, False)}
    assert [r.reason for r in made.rejections] == ["no_public_price"]


@settings(max_examples=60)
@given(st.text(alphabet="<>/ab div='¥元/时1.24RTX4090D\n售罄", max_size=200))
def test_boxes_never_raise(markup: str) -> None:
    for box in boxes(parse_html(markup)):
        assert box.prices
        assert box.vram is None or box.vram.isdigit()


@pytest.mark.browser
@pytest.mark.parametrize(
    ("fault", "outcome", "words"),
    [
        (None, "gone", "停止服务"),  # its zones are closed: a gap, never an old price
        pytest.param("redirect_host", "auth_needed", "elsewhere", marks=pytest.mark.slow),
        pytest.param("gone", "gone", "404", marks=pytest.mark.slow),
        pytest.param("refused", "failed", "", marks=pytest.mark.slow),
        pytest.param("empty_body", "layout_changed", "found: <html>", marks=pytest.mark.slow),
    ],
)
def test_lanrui_is_a_gap_with_its_reason(
    config: Callable[..., CrawlConfig], fault: str | None, outcome: str, words: str
) -> None:
    """Case 15."""
    with running(NOW, ["lanrui"], faults={"lanrui": fault} if fault else None) as origins:
        done = run_child(config("lanrui", dict(origins), timeout=3.0), {})
    found = judge(Ending(done.stats or None, log_tail=done.log))
    assert (found.outcome, done.listings) == (outcome, [])
    assert words in found.message


def rendered(
    config: Callable[..., CrawlConfig], slug: str, fault: str | None = None, now: datetime = NOW
) -> Crawled:
    with running(now, [slug], faults={slug: fault} if fault else None) as origins:
        return run_child(config(slug, dict(origins), now=now, timeout=8.0), {})


@pytest.mark.browser
@pytest.mark.slow
@pytest.mark.parametrize("slug", [slug for slug in SHOWN if slug != "lanrui"])
def test_the_stand_in_is_read_whole_and_a_new_unit_is_no_price(
    config: Callable[..., CrawlConfig], slug: str
) -> None:
    done = rendered(config, slug)
    assert judge(Ending(done.stats)).outcome == "ok", done.log[-2000:]
    made = process(done.listings, "run", NOW, load_providers())
    assert made.offers
    assert {r.reason for r in made.rejections} <= {"sold_out", "no_public_price"}
    changed = rendered(config, slug, "changed_unit")
    assert judge(Ending(changed.stats)).outcome == "layout_changed"


@pytest.mark.browser
def test_a_tracker_costs_nothing_and_is_not_asked(config: Callable[..., CrawlConfig]) -> None:
    done = rendered(config, "gpufree", "tracker")
    assert judge(Ending(done.stats)).outcome == "ok"
    assert done.stats["skipped"]["request of a page to another host"] >= 1


def test_two_pages_at_most_and_one_browser_crawl_at_a_time(config: Callable[..., CrawlConfig]) -> None:
    told: dict[str, Any] = settings_for(config("gpufree", {}), browser="/usr/bin/chromium")
    assert (told["CONCURRENT_REQUESTS"], told["CONCURRENT_REQUESTS_PER_DOMAIN"]) == (2, 1)
    assert told["PLAYWRIGHT_MAX_PAGES_PER_CONTEXT"] == PLAYWRIGHT["PLAYWRIGHT_MAX_PAGES_PER_CONTEXT"] == 2
    assert all(spider_class(slug).needs_browser for slug in SHOWN)


@pytest.mark.parametrize(
    ("price", "kind"),
    [
        ("<b>¥1.62/小时</b><em>起</em>", "floor"),
        ("<b>¥1.62</b><u>/小时</u> <em>起</em>", "floor"),
        ("<em>低至</em><b>¥1.62/小时</b>", "floor"),
        ("<p>起价</p><p><b>¥1.62</b>/小时</p>", "floor"),
        ("<b>¥1.62/小时</b><em>1 卡起租</em>", "list"),
        ("<b>¥1.62/小时</b><p>一起训练</p>", "list"),
    ],
)
def test_the_least_that_is_asked_is_a_floor(tmp_path: Path, price: str, kind: str) -> None:
    made = shown("featurize", tmp_path, f"<div><h5>RTX 3090</h5><p>24 GB</p><div>{price}</div></div>")
    assert [(o.card, o.price_kind, str(o.price)) for o in made.offers] == [("RTX3090", kind, "1.62")]


def test_a_floor_beside_another_price_is_its_own(tmp_path: Path) -> None:
    body = "<div><h5>RTX 3090</h5><p><b>¥1.62/小时</b><i>起</i></p><p><b>¥980/月</b></p></div>"
    made = shown("featurize", tmp_path, body)
    assert {(o.billing_mode, o.price_kind) for o in made.offers} == {
        ("on_demand", "floor"),
        ("monthly", "list"),
    }
