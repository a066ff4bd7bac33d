"""Other pages of the archetypes: columns swapped, cells merged, GBK that nobody declares, prices in
attributes."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path

import pytest

from catalog.providers import ProviderFileError
from tests.spiders.idc_runs import ORIGIN, Idc, crawl_pages, page
from tests.spiders.site import Answer


def source(archetype: str, more: str = "") -> str:
    return f'[source]\narchetype = "{archetype}"\npages = ["{ORIGIN}/a.html"]\n{more}\n'


def read(**spots: str) -> str:
    lines = [f"{name} = {{ {spot} }}" for name, spot in spots.items() if name != "basis"]
    return "\n".join(["[read]", *lines, f'basis = "{spots.get("basis", "server")}"', ""])


def price(spot: str, unit: str = "元/月") -> str:
    return f'[[read.price]]\n{spot}\nunit = "{unit}"\n'


TABLE = source("table", 'rows = "table"')
CARD = read(card='column = "显卡"')
MONTH, YEAR = price('column = "月付"'), price('column = "年付"', "元/年")


def got(toml: str, body: str | Answer, where: Path) -> Idc:
    return crawl_pages(toml, {"/a.html": body if isinstance(body, Answer) else page(body)}, where)


def rows(idc: Idc) -> set[tuple[str, str, str, str | None]]:
    """(card, mode, price, place); every machine has the cards of its name."""
    assert idc.kinds == [], idc.messages
    return {(o.card, o.billing_mode, f"{o.price.normalize():f}", o.region_code) for o in idc.offers}


def test_merged_cells_a_caption_with_tax_and_a_header_of_two_storeys(tmp_path: Path) -> None:
    toml = TABLE + read(card='column = "GPU配置"', region='column = "机房"') + MONTH + YEAR
    idc = got(toml, """<table><caption>以下价格均含税</caption>
        <tr><td rowspan=2>机房</td><td rowspan=2>GPU配置</td><td colspan=2>租用价格</td></tr>
        <tr><td>月付</td><td>年付</td></tr>
        <tr><td rowspan=2>张家口</td><td>8×RTX 4090 24G</td><td>7,800</td><td>8.4万</td></tr>
        <tr><td>8×L20 48G</td><td>9,600</td><td>-</td></tr>
        <tr><td>乌兰察布</td><td>8×H20 96G</td><td colspan=2>面议</td></tr></table>""", tmp_path)  # fmt: skip
    assert rows(idc) == {
        ("RTX4090", "monthly", "7800", "130700"), ("RTX4090", "yearly", "84000", "130700"),
        ("L20", "monthly", "9600", "130700"),
    }  # fmt: skip
    assert idc.reasons() == ["no_number", "quote_required", "quote_required"]
    assert {o.gpu_count for o in idc.offers} == {8}


@pytest.mark.parametrize(
    ("head", "unit", "cell", "amount"),
    [
        ("月付（万元）", "元/月", "2.58", "25800"),  # the page says 万 above every price
        ("月付(单位：万元)", "元/月", "2.58", "25800"),
        ("月付(万元/月)", "万元/月", "2.58", "25800"),
        ("月付（元）", "元/月", "2.58万", "25800"),
        ("月付（万元）", "元/月", "25800元", "25800"),  # a unit in the cell wins
        ("月付 ▲▼", "元/月", "25800", "25800"),
        ("月付<br>(元)", "元/月", "２５，８００．００", "25800"),
        ("月付<i class=sort></i> ↓", "元/月", "&yen;25,800", "25800"),
    ],
)
def test_headings_with_units_and_signs(head: str, unit: str, cell: str, amount: str, tmp_path: Path) -> None:
    body = (
        f"<table><tr><th>{head}</th><th>显卡 ▲▼</th></tr><tr><td>{cell}</td><td>A100 80G*8</td></tr></table>"
    )
    idc = got(TABLE + CARD + price('column = "月付"', unit), body, tmp_path)
    assert rows(idc) == {("A100-80G", "monthly", amount, None)}


def test_gbk_that_nobody_declares(tmp_path: Path) -> None:
    body = (
        "<html><body><table><tr><th>显卡</th><th>显存</th><th>数量</th><th>机房</th><th>价格(元/月)</th></tr>"
        "<tr><td>昇腾910B</td><td>64G</td><td>8</td><td>镕城</td><td>￥21，500</td></tr>"
        "<tr><td>RTX 4090</td><td>24G</td><td>8</td><td>东莞—A</td><td>7600～7800</td></tr>"
        "</table></body></html>"
    )
    spots = {"card": 'column = "显卡"', "vram": 'column = "显存"', "count": 'column = "数量"'}
    toml = TABLE + read(**spots, region='column = "机房"') + price('column = "价格"')
    idc = got(toml, Answer(body.encode("gbk"), type="text/html"), tmp_path)
    assert rows(idc) == {("910B-64G", "monthly", "21500", None), ("RTX4090", "monthly", "7600", "441900")}
    assert {o.price_high for o in idc.offers} == {21500, 7800}


def test_facts_and_prices_in_attributes(tmp_path: Path) -> None:
    """The text of a box is written by a script; the markup has card and prices as attributes."""
    toml = source("cards", 'rows = "li.g"') + read(card='css = "li.g::attr(data-gpu)"')
    toml += price('css = "li.g::attr(data-month)"') + price('css = "b.y::attr( data-price )"', "元/年")
    good = '<li class=g data-gpu="{}" data-month="{}">-- <b class=y data-price="{}"></b></li>'
    idc = got(
        toml, f"<ul>{good.format('RTX 4090*8', 7600, 82000)}{good.format('L40S*8', 15600, '')}</ul>", tmp_path
    )
    assert rows(idc) == {
        ("RTX4090", "monthly", "7600", None), ("RTX4090", "yearly", "82000", None),
        ("L40S", "monthly", "15600", None),
    }  # fmt: skip
    assert idc.reasons() == ["no_number"]


@pytest.mark.parametrize(
    ("toml", "words"),
    [
        (source("cards", 'rows = "li::attr(x)"') + CARD, "::attr(…) is for facts and prices"),
        (source("cards", 'rows = "li"') + read(card='css = "b::before"'), "not CSS of an element"),
        (TABLE + CARD + price('css = "span.p"'), "name a column"),
    ],
)
def test_css_that_cannot_be_used_is_told_before_anything_runs(toml: str, words: str, tmp_path: Path) -> None:
    with pytest.raises(ProviderFileError) as error:
        got(toml, "", tmp_path)
    assert words in str(error.value)


def test_a_tab_that_is_not_shown_is_no_text(tmp_path: Path) -> None:
    style = "<style>.pane{display:none}.pane.active{display:block}</style>"
    box = "<div class=card><h4>{}</h4><div class='pane active m'>{}</div><div class='pane d'>￥40</div></div>"
    toml = source("cards", 'rows = "div.card"') + read(card='css = "h4"', basis="card") + price('css = ".m"')
    body = style + box.format("RTX 4090 24G", "￥980") + box.format("RTX 3090 24G", "680元/月")
    assert rows(got(toml, body, tmp_path)) == {
        ("RTX4090", "monthly", "980", None), ("RTX3090", "monthly", "680", None),
    }  # fmt: skip


@pytest.mark.parametrize(
    "line",
    [
        "月付 <span>￥</span><span>7800</span> 年付 <span>￥</span><span>86000</span>",
        "年付 <span>￥</span><span>86000</span> 月付 <span>￥</span><span>7800</span>",
        "年付：￥86,000 / 月付：￥7,800",
        "<div>年付￥8.6万</div><div>月付￥7800</div>",
    ],
)
def test_two_ways_of_paying_in_one_line(line: str, tmp_path: Path) -> None:
    toml = source("cards", 'rows = "ul > li"') + read(card='css = "p"', region='css = "option.on"')
    toml += price('label = "年付"', "元/年") + price('label = "月付"')
    body = (
        "<select onchange='location=this.value'><option>东莞</option>"
        "<option class=on>佛山机房</option></select>"
        f"<ul><li><p>RTX 4090*8</p>{line}</li></ul>"
    )
    assert rows(got(toml, body, tmp_path)) == {
        ("RTX4090", "yearly", "86000", "440600"), ("RTX4090", "monthly", "7800", "440600"),
    }  # fmt: skip


def test_several_tables_each_under_its_place(tmp_path: Path) -> None:
    head = "<tr><th>显卡</th><th>月付</th></tr>"
    body = (
        "<table><tr><th>CPU</th><th>月付</th></tr><tr><td>E5-2680</td><td>600</td></tr></table>"
        f"<h3>张家口机房</h3><table>{head}<tr><td>RTX 4090*8</td><td>7600</td></tr></table>"
        "<h3>韶关机房</h3><table><tr><th>月付</th><th>备注</th><th>显卡</th></tr>"
        "<tr><td>7900</td><td>现货</td><td>RTX 4090*8</td></tr></table>"
    )
    idc = got(TABLE + read(card='column = "显卡"', region='css = "h3"') + MONTH, body, tmp_path)
    assert rows(idc) == {("RTX4090", "monthly", "7600", "130700"), ("RTX4090", "monthly", "7900", "440200")}


def test_one_price_for_two_rows_and_a_place_for_many(tmp_path: Path) -> None:
    body = (
        "<table><tr><th>机房</th><th>显卡</th><th>月付</th></tr><tr><td rowspan=3>广州</td>"
        "<td>RTX 4090*8</td><td rowspan=2>7600</td></tr><tr><td>RTX 4090D*8</td></tr>"
        "<tr><td>L20*8</td><td>9800</td></tr>"
        "<tr><td rowspan=0>佛山</td><td>L40*8</td><td>12000</td></tr></table>"
    )
    idc = got(TABLE + read(card='column = "显卡"', region='column = "机房"') + MONTH, body, tmp_path)
    assert rows(idc) == {
        ("RTX4090", "monthly", "7600", "440100"), ("RTX4090D", "monthly", "7600", "440100"),
        ("L20", "monthly", "9800", "440100"), ("L40", "monthly", "12000", "440600"),
    }  # fmt: skip


def test_cells_as_sellers_write_them(tmp_path: Path) -> None:
    cells = (
        ("NVIDIA GeForce RTX 4090", "8片", "24GB", "河北·张家口怀来数据中心", "&yen;7,600"),
        ("NVIDIA GeForce RTX 4090", "八卡", "192G", "乌兰察布", "７６００．００元"),
        ("GeForce RTX 3090", "8 GPUs", "24GB*8", "广州", "<b>￥</b>5,600<small>/月</small>"),
        (
            "A800",
            "8",
            "80GB",
            "内蒙古·和林格尔",
            "<i style='text-decoration:line-through'>￥30000</i> ￥26000",
        ),
        ("RTX 4090D", "8卡", "24G", "东莞", "特惠价7200元/月 原价9900元/月"),
        ("L20", "4块", "48G", "北京亦庄", "7600元/月（不含税）"),
        ("RTX 5090", "8", "32G", "上海", "￥1.2万/月起"),
        ("H20", "8", "96G", "深圳", "已租完"),
        ("无", "-", "-", "上海", "900"),
    )
    head = "<tr><th>显卡</th><th>数量</th><th>显存</th><th>机房</th><th>月付</th></tr>"
    body = "".join(f"<tr>{''.join(f'<td>{cell}</td>' for cell in row)}</tr>" for row in cells)
    last = "<tr><td colspan=5>以上价格不含税，电话 400-800-1234</td></tr>"
    spots = {"card": 'column = "显卡"', "vram": 'column = "显存"', "count": 'column = "数量"'}
    toml = TABLE + read(**spots, region='column = "机房"') + MONTH
    idc = got(toml, f"<table>{head}{body}{last}</table>", tmp_path)
    assert idc.kinds == []
    found = {
        (o.card, o.gpu_count, o.vram_gb, o.region_code, o.price, o.price_kind, o.tax) for o in idc.offers
    }
    assert found == {
        ("RTX4090", 8, 24, "130730", 7600, "list", "unknown"),
        ("RTX4090", 8, 24, "150900", 7600, "list", "unknown"),
        ("RTX3090", 8, 24, "440100", 5600, "list", "unknown"),
        ("A800-80G", 8, 80, "150123", 26000, "list", "unknown"),
        ("RTX4090D", 8, 24, "441900", 7200, "promo", "unknown"),
        ("L20", 4, 48, "110115", 7600, "list", "excluded"),
        ("RTX5090", 8, 32, "310000", 12000, "floor", "unknown"),
    }
    assert idc.reasons() == ["not_gpu", "sold_out"]


def test_choices_of_a_period_in_other_words(tmp_path: Path) -> None:
    toml = source("select_period", 'options = "select#period option, label.per"')
    toml += read(card='css = "h1"', region='label = "机房"')
    body = (
        "<h1>8卡 RTX 4090 服务器</h1><p>机房：东莞</p><select id=period><option>请选择付款周期</option>"
        "<option> 月付 7800元</option><option> 3个月 22200元（省1200元）</option>"
        "<option>半年付：43000元</option>"
        "</select><label class=per><input type=radio>年付 ￥82000（合￥6833/月）</label>"
    )
    idc = got(toml, body, tmp_path)
    found = {(o.billing_mode, int(o.per_hours), o.price) for o in idc.offers}
    assert found == {
        ("monthly", 730, 7800), ("reserved", 2190, 22200), ("reserved", 4380, 43000), ("yearly", 8760, 82000),
    }  # fmt: skip
    assert {o.region_code for o in idc.offers} == {"441900"}


def test_scripts_that_write_prices_in_another_order(tmp_path: Path) -> None:
    toml = source("script_price", 'rows = "div.g"') + read(card='label = "显卡"', region='css = "h2"')
    toml = toml.replace("basis", 'price_css = ".price script"\nbasis')
    body = r"""<h2>成都</h2><div class=g><p>显卡：RTX 4090*8</p><span class=price><script>
        document.write(getPrice(
        $.parseJSON('{"onetime":"0","cycle":"1,3,12","cprice":"7600,21600,0"}'),1))</script></span></div>
        <div class=g><p>显卡：A100 80G*8</p><span class=price><script>document.write(getPrice(JSON.parse(
        "{\"cprice\":26000,\"cycle\":1,\"pricedes\":\"\"}")))</script></span></div>
        <div class=g><p>显卡：H20 96G*8</p><span class=price><script>document.write(getPrice(
        $.parseJSON('{"cprice":"1","cycle":"1","pricedes":"面议"}')))</script></span></div>"""
    idc = got(toml, body, tmp_path)
    assert rows(idc) == {
        ("RTX4090", "monthly", "7600", "510100"), ("RTX4090", "reserved", "21600", "510100"),
        ("A100-80G", "monthly", "26000", "510100"),
    }  # fmt: skip
    assert idc.reasons() == ["quote_required"]


def test_lines_with_every_sign(tmp_path: Path) -> None:
    lines = (
        "2026年10月报价", "现货", "8*H100 – 75000/月", "8X910B 64G — 15000元/月",
        "RTX4090x8：7800/月（含税）", "L40S/L40 8卡 - 12000/月", "H20 141G×8 3.2万/月", "电话 13800138000",
    )  # fmt: skip
    body = f"<div class=c>{''.join(f'<p>{line}</p>' for line in lines)}</div>"
    idc = got(source("text", 'lines = "div.c"'), body, tmp_path)
    assert {(o.card, o.gpu_count, o.price) for o in idc.offers} == {
        ("H100-80G", 8, 75000), ("910B-64G", 8, 15000), ("RTX4090", 8, 7800), ("H20-141G", 8, Decimal(32000)),
    }  # fmt: skip
    assert idc.reasons() == ["multiple_cards"]


def test_goods_in_columns_with_units_in_the_row_heads(tmp_path: Path) -> None:
    toml = source("table", 'goods = "columns"\nrows = "table"') + read(
        card="header = true", count='label = "卡数"'
    )
    toml += '[[read.price]]\nrow = "年租"\nunit = "元/年"\n[[read.price]]\nrow = "月租"\nunit = "元/月"\n'
    body = (
        "<table><tr><th>配置</th><th>RTX 4090</th><th>A800 80G</th></tr>"
        "<tr><td>卡数</td><td>8</td><td>4</td></tr><tr><td>月租（元）</td><td>7600</td><td>面议</td></tr>"
        "<tr><td>年租（万元）</td><td>8.2</td><td>260000元/年</td></tr></table>"
    )
    idc = got(toml, body, tmp_path)
    assert rows(idc) == {
        ("RTX4090", "monthly", "7600", None), ("RTX4090", "yearly", "82000", None),
        ("A800-80G", "yearly", "260000", None),
    }  # fmt: skip
    assert {(o.card, o.gpu_count) for o in idc.offers} == {("RTX4090", 8), ("A800-80G", 4)}
