"""`suanjia new-provider --declared` on pages that it has never seen: the untouched draft reads them already,
and every guess is marked for review."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from spiders.pages.draft import REVIEW, toml
from spiders.pages.drafting import draft
from tests.spiders.idc_runs import ORIGIN, crawl_pages, page

URL = f"{ORIGIN}/a.html"
BOX = '<div class="pro"><h4>{}</h4><p>2×EPYC</p><div class=pr>￥<b>{}</b>/月</div><a>立即租用</a></div>'
ITEM = "<li><p>{}</p><div>月付 <b>￥</b><b>{}</b></div><div>年付 <b>￥</b><b>{}</b></div></li>"
PAGES = {
    # page → (archetype, prices of the draft)
    "two_storeys": (
        "<table><caption>价格均含税</caption><tr><td rowspan=2>机房</td><td rowspan=2>GPU配置</td>"
        "<td colspan=2>租用价格</td></tr><tr><td>月付</td><td>年付</td></tr><tr><td rowspan=2>张家口</td>"
        "<td>8×RTX 4090 24G</td><td>7,800</td><td>8.4万</td></tr><tr><td>8×L20 48G</td><td>9,600</td>"
        "<td>-</td></tr><tr><td>乌兰察布</td><td>8×H20 96G</td><td colspan=2>面议</td></tr></table>",
        "table",
        {("RTX4090", "monthly", "7800"), ("RTX4090", "yearly", "84000"), ("L20", "monthly", "9600")},
    ),
    "wan_in_the_head": (
        "<table><tr><th>显卡型号</th><th>数量</th><th>价格(万元/月)</th></tr><tr><td>A100 80G</td><td>8</td>"
        "<td>2.58</td></tr><tr><td>H800 80G</td><td>8</td><td>5.5</td></tr></table>",
        "table",
        {("A100-80G", "monthly", "25800"), ("H800-80G", "monthly", "55000")},
    ),
    "goods_in_columns": (
        "<table><tr><th>配置</th><th>RTX 4090*8</th><th>A800 80G*8</th></tr><tr><td>CPU</td><td>EPYC</td>"
        "<td>Xeon</td></tr><tr><td>月租（元）</td><td>7600</td><td>26000</td></tr></table>",
        "table",
        {("RTX4090", "monthly", "7600"), ("A800-80G", "monthly", "26000")},
    ),
    "lists_that_make_a_table": (
        "<h3>东莞机房</h3><ul class=row><li>包年</li><li>GPU</li><li>卡数</li><li>包月</li></ul>"
        "<ul class=row><li>86,000元/年</li><li>RTX 4090</li><li>8卡</li><li>¥7,900元/月</li></ul>"
        "<ul class=row><li>160000元/年</li><li>L40S</li><li>8</li><li>15600元/月</li></ul>",
        "div_table",
        {("RTX4090", "monthly", "7900"), ("RTX4090", "yearly", "86000"),
         ("L40S", "monthly", "15600"), ("L40S", "yearly", "160000")},
    ),
    "boxes": (
        BOX.format("RTX 4090 24G × 8", 7600) + BOX.format("L40S × 8", 15600),
        "cards",
        {("RTX4090", "monthly", "7600"), ("L40S", "monthly", "15600")},
    ),
    "items_without_a_class": (
        f"<ul>{ITEM.format('RTX 4090*8', 7800, 86000)}{ITEM.format('L40S*8', 15600, 170000)}</ul>",
        "cards",
        {("RTX4090", "monthly", "7800"), ("RTX4090", "yearly", "86000"),
         ("L40S", "monthly", "15600"), ("L40S", "yearly", "170000")},
    ),
    "lines": (
        "<div class=c><h2>10月报价</h2><p>8*H100 – 75000元/月</p><p>8X910B 64G — 15000元/月</p>"
        "<p>电话 13800138000</p></div>",
        "text",
        {("H100-80G", "monthly", "75000"), ("910B-64G", "monthly", "15000")},
    ),
    "choices": (
        "<h1>8卡 RTX 4090 服务器</h1><select id=period><option>请选择</option><option> 月付 7800元</option>"
        "<option> 3个月 22200元（省1200元）</option><option>1年82000元</option></select>",
        "select_period",
        {("RTX4090", "monthly", "7800"), ("RTX4090", "reserved", "22200"), ("RTX4090", "yearly", "82000")},
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", PAGES)
def test_an_untouched_draft_reads_its_page(name: str, tmp_path: Path) -> None:
    body, archetype, prices = PAGES[name]
    made = draft(page(body), URL)
    assert made.archetype == archetype, made.notes
    text = toml(made, "idc_mine", URL, "2026-10-05")
    assert tomllib.loads(text)["source"]["archetype"] == archetype
    guesses = [line for line in text.splitlines() if " = " in line and not line.startswith(("#", "slug"))]
    plain = {"class", "homepage"}
    assert all(REVIEW in line for line in guesses if line.split(" = ")[0] not in plain), text
    idc = crawl_pages(text[text.index("[source]") :], {"/a.html": page(body)}, tmp_path)
    assert idc.kinds == [], idc.messages
    assert set(idc.prices()) == prices
    assert {o.gpu_count for o in idc.offers} == {8}
