"""The format of provider files, sentence by sentence: pages with other words, columns and orders."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.spiders.idc_runs import ORIGIN, Idc, crawl_pages, page
from tests.spiders.site import Answer

TABLE = f'[source]\narchetype = "table"\npages = ["{ORIGIN}/a.html"]\nrows = "table"\n'
READ = '[read]\ncard = { column = "显卡" }\nbasis = "server"\n'
MONTH = '[[read.price]]\ncolumn = "月付"\nunit = "元/月"\n'
SIMPLE = TABLE + READ + MONTH


def table(*rows: str, head: str = "<th>显卡</th><th>月付</th>") -> str:
    return f"<table><tr>{head}</tr>{''.join(f'<tr>{row}</tr>' for row in rows)}</table>"


def one(toml: str, body: str, where: Path, head: str = "") -> Idc:
    return crawl_pages(toml, {"/a.html": page(body, head)}, where)


# -- what is text, what is a price ---

NO_TEXT = {
    "comment": "<td>RTX 4090*8</td><td>7600<!-- 元/年 9999 --></td>",
    "display:none": '<td>RTX 4090*8</td><td><span style="display:none">5500</span>7600</td>',
    "display : none": '<td>RTX 4090*8</td><td><i style="color:red; DISPLAY : None">5500</i>7600</td>',
    "del": "<td>RTX 4090*8</td><td><del>9900</del> 7600</td>",
    "s": "<td>RTX 4090*8</td><td><s>9900元/月</s>7600</td>",
    "script": "<td>RTX 4090*8</td><td><script>var p = '5500元/月';</script>7600</td>",
    "style sheet": '<td>RTX 4090*8</td><td><b class="old">5500</b>7600</td>',
    "hidden attribute": "<td>RTX 4090*8</td><td><b hidden>5500</b>7600</td>",
    "comment around a row": "<td>RTX 4090*8</td><td>7600</td></tr><!-- <tr><td>A100*8</td></tr> --><tr>",
    "hidden row": '<td>RTX 4090*8</td><td>7600</td></tr><tr style="display:none"><td>A100*8</td><td>2</td>',
}


@pytest.mark.parametrize("name", NO_TEXT)
def test_what_a_reader_does_not_see_is_no_text(name: str, tmp_path: Path) -> None:
    style = "<style>@media print{.x{display:none}} .old{display:none}</style>"
    idc = one(SIMPLE, table(NO_TEXT[name]), tmp_path, style)
    assert idc.prices() == [("RTX4090", "monthly", "7600")], idc.reasons()


def test_a_tab_that_the_style_sheet_shows_again_is_text(tmp_path: Path) -> None:
    style = "<style>.tab{display:none}\n.tab.on{display:block}</style>"
    toml = TABLE.replace('rows = "table"', 'rows = "div.tab table"') + READ + MONTH
    body = f'<div class="tab on">{table("<td>RTX 4090*8</td><td>7600</td>")}</div>'
    assert one(toml, body, tmp_path, style).prices() == [("RTX4090", "monthly", "7600")]


NO_PRICE = {
    "-": "no_number", "--": "no_number", "&nbsp;": "no_number", "": "no_number", "面议": "quote_required",
    "电询": "quote_required", "登录后可见": "login_required", "￥0.00/月": "js_calculator",
    "已售罄": "sold_out", '<img src="p.jpg" alt="">': "price_in_image", "立即咨询": "quote_required",
}  # fmt: skip


@pytest.mark.parametrize("cell", NO_PRICE)
def test_what_is_no_price_is_a_rejection(cell: str, tmp_path: Path) -> None:
    idc = one(
        SIMPLE, table(f"<td>RTX 4090*8</td><td>{cell}</td>", "<td>A100 80G*8</td><td>26000</td>"), tmp_path
    )
    assert idc.reasons() == [NO_PRICE[cell]]
    assert idc.prices() == [("A100-80G", "monthly", "26000")]


UNITS = {
    # unit of the file, cell → per card-hour of 8 cards
    "bare": ("元/月", "7,600", "7600", 730),
    "wan": ("元/月", "2.58万", "25800", 730),
    "cell wins: year": ("元/月", "82080元/年", "82080", 8760),
    "cell wins: hour": ("元/月", "￥12.8/小时", "12.8", 1),
    "wan in the unit": ("万元/月", "2.58", "25800", 730),
    "full width": ("元/月", "￥２５８００", "25800", 730),
    "quarter": ("元/季", "22800", "22800", 2190),
    "half a year": ("元/半年", "45600", "45600", 4380),
    "day": ("元/天", "320", "320", 24),
}


@pytest.mark.parametrize("name", UNITS)
def test_a_unit_in_the_cell_wins_over_that_of_the_file(name: str, tmp_path: Path) -> None:
    unit, cell, price, hours = UNITS[name]
    toml = TABLE + READ + f'[[read.price]]\ncolumn = "价格"\nunit = "{unit}"\n'
    card = "A100 80G*8" if "25800" in price else "RTX 4090*8"
    idc = one(toml, table(f"<td>{card}</td><td>{cell}</td>", head="<th>显卡</th><th>价格</th>"), tmp_path)
    (offer,) = idc.offers
    assert (f"{offer.price.normalize():f}", int(offer.per_hours), offer.gpu_count) == (price, hours, 8)


def test_prices_for_several_periods_in_one_cell_are_all_kept(tmp_path: Path) -> None:
    toml = TABLE + READ + '[[read.price]]\ncolumn = "价格"\nunit = "元/月"\n'
    cell = "<td>RTX 4090*8</td><td>16元/小时；7600元/月；82000元/年</td>"
    idc = one(toml, table(cell, head="<th>显卡</th><th>价格</th>"), tmp_path)
    assert [(mode, price) for _, mode, price in idc.prices()] == [
        ("monthly", "7600"), ("on_demand", "16"), ("yearly", "82000"),
    ]  # fmt: skip


def test_a_range_keeps_both_ends(tmp_path: Path) -> None:
    (offer,) = one(SIMPLE, table("<td>RTX 4090*8</td><td>7500-7700</td>"), tmp_path).offers
    assert (offer.price, offer.price_high) == (7500, 7700)


def test_mode_is_the_declared_one_else_by_the_unit(tmp_path: Path) -> None:
    prices = (
        '[[read.price]]\ncolumn = "按月结"\nunit = "元/月"\nmode = "yearly"\n'
        '[[read.price]]\ncolumn = "三年约"\nunit = "元/月"\nmode = "reserved"\n'
        '[[read.price]]\ncolumn = "竞价"\nunit = "元/小时"\nmode = "spot"\n'
        '[[read.price]]\ncolumn = "零售"\nunit = "元/小时"\n'
    )
    head = "<th>显卡</th><th>按月结</th><th>三年约</th><th>竞价</th><th>零售</th>"
    row = "<td>RTX 4090*8</td><td>7000</td><td>6500</td><td>8</td><td>16</td>"
    idc = one(TABLE + READ + prices, table(row, head=head), tmp_path)
    assert {(o.billing_mode, int(o.per_hours)) for o in idc.offers} == {
        ("yearly", 730), ("reserved", 730), ("spot", 1), ("on_demand", 1),
    }  # fmt: skip


# -- basis, count, memory ---


@pytest.mark.parametrize(
    ("basis", "count", "cell", "cards", "hourly"),
    [
        ("server", "8", "7600", 8, "1.301370"),
        ("server", "8张", "7600", 8, "1.301370"),
        ("server", "八卡", "7600", 8, "1.301370"),
        ("card", "8", "950", 1, "1.301370"),
        ("card", "8", "1.98元/小时", 1, "1.980000"),
        ("server", "8", "1.98元/卡/小时", 1, "1.980000"),
        ("card", "8", "7600元/台/月", 8, "1.301370"),
    ],
)
def test_basis_says_what_one_amount_pays_for(
    basis: str, count: str, cell: str, cards: int, hourly: str, tmp_path: Path
) -> None:
    read = f'[read]\ncard = {{ column = "GPU" }}\ncount = {{ column = "数量" }}\nbasis = "{basis}"\n'
    body = table(
        f"<td>RTX 4090 24G</td><td>{count}</td><td>{cell}</td>", head="<th>GPU</th><th>数量</th><th>月付</th>"
    )
    (offer,) = one(TABLE + read + MONTH, body, tmp_path).offers
    assert (offer.gpu_count, str(offer.price_cny_per_card_hour)) == (cards, hourly)


def test_a_machine_whose_cards_nobody_counts_is_refused(tmp_path: Path) -> None:
    idc = one(SIMPLE, table("<td>RTX 4090</td><td>7600</td>", "<td>RTX 4090</td><td>-</td>"), tmp_path)
    assert idc.reasons() == ["count_unknown", "no_number"]


@pytest.mark.parametrize(
    ("card", "vram", "name"),
    [
        ("A100", "80GB", "A100-80G"),
        ("A100", "40G HBM2", "A100-40G"),
        ("A100", "640GB", "A100-80G"),  # of all eight
        ("RTX 4090", "48G", "RTX4090-48G"),
        ("H20", "141 GB", "H20-141G"),
    ],
)
def test_memory_beside_the_card_says_which_card_it_is(
    card: str, vram: str, name: str, tmp_path: Path
) -> None:
    read = READ + 'vram = { column = "显存" }\ncount = { column = "卡数" }\n'
    head = "<th>显存</th><th>显卡</th><th>卡数</th><th>月付</th>"
    body = table(f"<td>{vram}</td><td>{card}</td><td>8</td><td>26000</td>", head=head)
    assert [o.card for o in one(TABLE + read + MONTH, body, tmp_path).offers] == [name]


def test_a_machine_without_card_is_no_gpu(tmp_path: Path) -> None:
    rows = [f"<td>{card}</td><td>900</td>" for card in ("无", "--", "", "E5-2680v4")]
    assert one(SIMPLE, table(*rows), tmp_path).reasons() == ["not_gpu"] * 4


def test_tax_as_declared(tmp_path: Path) -> None:
    toml = TABLE + READ + 'tax = "excluded"\n' + MONTH
    (offer,) = one(toml, table("<td>RTX 4090*8</td><td>7600</td>"), tmp_path).offers
    assert offer.tax == "excluded"
    assert offer.price_cny_per_card_hour_gross == pytest.approx(offer.price_cny_per_card_hour * 106 / 100)


# -- tables ---


def test_spans_are_expanded_before_reading(tmp_path: Path) -> None:
    read = '[read]\ncard = { column = "显卡" }\nregion = { column = "机房" }\nbasis = "server"\n'
    body = table(
        '<td rowspan="2">乌兰察布机房</td><td>RTX 4090*8</td><td rowspan="2">BGP</td><td>7600</td>',
        "<td>RTX 3090*8</td><td>5200</td>",
        '<td>韶关机房</td><td>L40S*8</td><td>电信</td><td rowspan="2">13000</td>',
        "<td>张家口机房</td><td>L40S*8</td><td>移动</td>",
        head="<th>机房</th><th>显卡</th><th>线路</th><th>月付</th>",
    )
    idc = one(TABLE + read + MONTH, body, tmp_path)
    assert sorted((o.region_code, o.card, int(o.price)) for o in idc.offers) == [
        ("130700", "L40S", 13000), ("150900", "RTX3090", 5200), ("150900", "RTX4090", 7600),
        ("440200", "L40S", 13000),
    ]  # fmt: skip


def test_a_two_storey_header_a_title_row_and_group_rows(tmp_path: Path) -> None:
    body = (
        '<table><tr><td colspan="3">GPU服务器租用价格表</td></tr>'
        '<tr><td rowspan="2">显卡</td><td colspan="2">租用价格</td></tr><tr><td>月付</td><td>年付</td></tr>'
        '<tr><td colspan="3">裸金属</td></tr><tr><td>RTX 4090*8</td><td>7600</td><td>82000</td></tr></table>'
    )
    toml = TABLE + READ + MONTH + '[[read.price]]\ncolumn = "年付"\nunit = "元/年"\n'
    assert one(toml, body, tmp_path).prices() == [
        ("RTX4090", "monthly", "7600"),
        ("RTX4090", "yearly", "82000"),
    ]


def test_headers_may_carry_a_unit_in_brackets_and_stand_in_any_order(tmp_path: Path) -> None:
    head = "<td>月付（元/台）</td><td>备注</td><td> 显 卡 </td>"
    body = table("<td>7600</td><td>赠送 20M</td><td>RTX 4090*8</td>", head=head)
    assert one(SIMPLE, body, tmp_path).prices() == [("RTX4090", "monthly", "7600")]


def test_all_cells_th_and_a_repeated_header(tmp_path: Path) -> None:
    body = table(
        "<th>RTX 4090*8</th><th>7600</th>", "<th>显卡</th><th>月付</th>", "<th>L40S*8</th><th>13000</th>"
    )
    assert [card for card, _, _ in one(SIMPLE, body, tmp_path).prices()] == ["L40S", "RTX4090"]


def test_other_tables_of_the_page_are_left_alone(tmp_path: Path) -> None:
    nav = "<table><tr><td>首页</td><td>GPU</td></tr><tr><td>A100</td><td>100元/月</td></tr></table>"
    body = nav + table("<td>RTX 4090*8</td><td>7600</td>")
    idc = one(SIMPLE, f"<table><tr><td>{body}</td></tr></table>", tmp_path)
    assert (idc.prices(), idc.kinds) == ([("RTX4090", "monthly", "7600")], [])


COLUMNS = TABLE + 'goods = "columns"\n' + '[read]\ncard = { header = true }\nbasis = "server"\n'


def test_goods_in_columns(tmp_path: Path) -> None:
    body = (
        "<table><tr><th>配置</th><th>RTX 4090</th><th>A100</th></tr>"
        "<tr><td>显存</td><td>24G</td><td>80G</td></tr><tr><td>卡数</td><td>8</td><td>4</td></tr>"
        "<tr><td>月租（元）</td><td>7600</td><td>1.3万</td></tr><tr><td>年租</td><td>82000元/年</td><td>&nbsp;</td></tr></table>"
    )
    read = 'vram = { label = "显存" }\ncount = { label = "卡数" }\n'
    prices = (
        '[[read.price]]\nrow = "月租（元）"\nunit = "元/月"\n[[read.price]]\nrow = "年租"\nunit = "元/年"\n'
    )
    idc = one(COLUMNS + read + prices, body, tmp_path)
    assert idc.prices() == [
        ("A100-80G", "monthly", "13000"), ("RTX4090", "monthly", "7600"), ("RTX4090", "yearly", "82000"),
    ]  # fmt: skip
    assert idc.reasons() == ["no_number"]


# -- div_table, cards, script_price ---

DIVS = f'[source]\narchetype = "div_table"\npages = ["{ORIGIN}/a.html"]\nrows = "div.r"\ncells = "span.c"\n'


def test_a_table_of_boxes_with_its_head_elsewhere_and_the_place_above(tmp_path: Path) -> None:
    def row(*cells: str) -> str:
        return '<div class="r">' + "".join(f'<span class="c">{cell}</span>' for cell in cells) + "</div>"

    body = (
        f'<div class="head">{row("线路", "显卡", "月付")}</div><h3>韶关机房</h3>'
        f"<div>{row('BGP', 'RTX 4090*8', '7600')}{row('电信', 'L40S*8', '-')}</div>"
        f"<h3>中卫机房</h3><div>{row('线路', '显卡', '月付')}{row('BGP', 'RTX 4090*8', '7300')}</div>"
        "<h3>联系我们</h3><p>庆阳 0934-0000000</p>"
    )
    idc = one(DIVS + READ + 'region = { css = "h3" }\n' + MONTH, body, tmp_path)
    assert sorted((o.region_code, int(o.price)) for o in idc.offers) == [("440200", 7600), ("640500", 7300)]
    assert idc.reasons() == ["no_number"]


CARDS = f'[source]\narchetype = "cards"\npages = ["{ORIGIN}/a.html"]\nrows = "li.box"\n'


def test_cards_by_css_and_label_and_without_a_price_locator(tmp_path: Path) -> None:
    body = (
        '<ul><li class="box"><h4>RTX 4090*8</h4><p>机房：宿迁</p><p>月付 <b>￥</b><b>7600</b></p>'
        "<p>年付：￥82000</p></li></ul>"
    )
    read = '[read]\ncard = { css = "h4" }\nregion = { label = "机房" }\nbasis = "server"\n'
    by_label = (
        '[[read.price]]\nlabel = "月付"\nunit = "元/月"\n[[read.price]]\nlabel = "年付"\nunit = "元/年"\n'
    )
    both = [("RTX4090", "monthly", "7600"), ("RTX4090", "yearly", "82000")]
    idc = one(CARDS + read + by_label, body, tmp_path / "a")
    assert (idc.prices(), {o.region_code for o in idc.offers}) == (both, {"321300"})
    assert one(CARDS + read, body, tmp_path / "b").prices() == both


SCRIPT = (
    f'[source]\narchetype = "script_price"\npages = ["{ORIGIN}/a.html"]\nrows = "ul.g"\n'
    '[read]\ncard = { label = "GPU" }\nbasis = "server"\nprice_css = "li.p script"\n'
)


@pytest.mark.parametrize(
    ("argument", "expected", "reasons"),
    [
        ('{"cprice":"7600","cycle":"1"}', [("RTX4090", "monthly", "7600")], []),
        (
            '{"cycle":"1,3,6,12,24","cprice":"7600,22000,43000,82000,160000"}',
            [("RTX4090", "monthly", "7600"), ("RTX4090", "reserved", "160000"),
             ("RTX4090", "reserved", "22000"), ("RTX4090", "reserved", "43000"),
             ("RTX4090", "yearly", "82000")],
            [],
        ),
        ('{"cprice":"0,82000","cycle":"1,12"}', [("RTX4090", "yearly", "82000")], []),
        ('{"cprice":"0","cycle":"1"}', [], ["no_number"]),
        ('{"cprice":"5999","cycle":"1","pricedes":"面议"}', [], ["quote_required"]),
        ('{"cprice":"5999","cycle":"1","pricedes":"6999元/月"}', [("RTX4090", "monthly", "6999")], []),
    ],
)  # fmt: skip
def test_script_prices(argument: str, expected: list[Any], reasons: list[str], tmp_path: Path) -> None:
    body = (
        f"<ul class='g'><li><b>GPU：RTX 4090*8</b><b>内存：512G</b></li><li class='p'><script>document.write("
        f"getPrice($.parseJSON('{argument}'), $.parseJSON('{{\"nastock\": \"3\"}}'), 1))</script></li></ul>"
    )
    idc = one(SCRIPT, body, tmp_path)
    assert (idc.prices(), idc.reasons(), idc.kinds) == (expected, reasons, [])


# -- per_sku_pages, select_period, text ---

SKU = (
    f'[source]\narchetype = "per_sku_pages"\npages = ["{ORIGIN}/list.html"]\nfollow = "a.sku"\n'
    '[read]\ncard = { label = "显卡型号" }\ncount = { label = "卡数" }\nregion = { label = "所在机房" }\n'
    'basis = "server"\n'
    '[[read.price]]\nlabel = "报价"\nunit = "元/月"\n'
)


def sku_page(card: str, price: str) -> bytes:
    body = (
        f"<table><tr><td>菜单</td><td><table><tr><td>显卡型号：</td><td>{card}</td></tr><tr><td>卡数</td><td>8</td></tr>"
        f"<tr><td>所在机房</td><td>佛山</td></tr><tr><td>报价（元/月）</td><td>{price}</td></tr></table></td></tr></table>"
    )
    return f'<html><meta charset="gb2312"><body>{body}</body></html>'.encode("gbk")


def test_pages_of_goods_are_followed_on_the_same_origin_only(tmp_path: Path) -> None:
    links = (
        '<a class="sku" href="show.asp?id=1">1</a><a class="sku" href="/show.asp?id=1#top">1</a>'
        '<a class="sku" href="show.asp?id=2">2</a><a class="sku" href="https://elsewhere.example/x">3</a>'
        '<a href="/no">4</a>'
    )
    pages = {
        "/list.html": page(links),
        "/show.asp?id=1": sku_page("昇腾910B 64G", "15800"),
        "/show.asp?id=2": Answer(sku_page("RTX 4090", "7600"), type="text/html; charset=utf-8"),
    }
    idc = crawl_pages(SKU, pages, tmp_path)
    assert idc.prices() == [("910B-64G", "monthly", "15800"), ("RTX4090", "monthly", "7600")]
    assert (idc.kinds, idc.stats["skipped"]) == ([], {"link to another host": 1})


def test_a_page_of_goods_that_is_gone_makes_the_run_partial(tmp_path: Path) -> None:
    links = '<a class="sku" href="1.html">1</a><a class="sku" href="2.html">2</a>'
    idc = crawl_pages(SKU, {"/list.html": page(links), "/1.html": sku_page("RTX 4090", "7600")}, tmp_path)
    assert (len(idc.offers), idc.kinds) == (1, ["gone"])


def test_periods_of_a_select(tmp_path: Path) -> None:
    toml = (
        f'[source]\narchetype = "select_period"\npages = ["{ORIGIN}/a.html"]\noptions = "#time option"\n'
        '[read]\ncard = { css = "h2" }\nbasis = "card"\n'
    )
    body = (
        "<h2>RTX 5090 单卡云主机</h2><!-- <select id=time><option>1个月 1元</option></select> -->"
        '<select id="time"><option value="">请选择</option><option>1个月 1500元</option>'
        "<option>半年8700元（省300元）</option><option>1年16800元</option></select>"
    )
    idc = one(toml, body, tmp_path)
    assert [(mode, price) for _, mode, price in idc.prices()] == [
        ("monthly", "1500"), ("reserved", "8700"), ("yearly", "16800"),
    ]  # fmt: skip


def test_lines_of_text(tmp_path: Path) -> None:
    toml = f'[source]\narchetype = "text"\npages = ["{ORIGIN}/a.html"]\nlines = "#list"\n'
    toml += '[read]\nregion = { text = "庆阳" }\n'
    body = (
        '<div id="list">现货：<br>8*H100 80G - 76000/月<br>8*H100/H800 - 70000/月<br>H20 141G*8 4.1万/月'
        "<p>8月1日更新</p><p>QQ 10000 电话 13800000000</p><p>8*X9900 - 9000元/月</p></div>"
        "<p>8*A100 80G - 1/月</p>"
    )
    idc = one(toml, body, tmp_path)
    assert [(card, price) for card, _, price in idc.prices()] == [
        ("H100-80G", "76000"),
        ("H20-141G", "41000"),
    ]
    assert {o.region_code for o in idc.offers} == {"621000"}
    assert idc.reasons() == ["multiple_cards", "not_gpu"]


# -- regions, encodings, dedupe ---


def test_a_region_that_is_no_place_is_none(tmp_path: Path) -> None:
    toml = TABLE + READ + 'region = { css = "h2" }\n' + MONTH
    (offer,) = one(
        toml, "<h2>A区</h2><p>位于陕西</p>" + table("<td>RTX 4090*8</td><td>7600</td>"), tmp_path
    ).offers
    assert (offer.region_code, offer.precision, offer.region_label) == (None, "none", "A区")


def test_the_sellers_own_words_for_places(tmp_path: Path) -> None:
    toml = TABLE + '[regions]\n"A区" = "430400"\n' + READ + 'region = { css = "h2" }\n' + MONTH
    (offer,) = one(toml, "<h2>A区</h2>" + table("<td>RTX 4090*8</td><td>7600</td>"), tmp_path).offers
    assert (offer.region_code, offer.region_label) == ("430400", "A区")


def test_the_encoding_of_the_file_goes_before_what_the_page_says(tmp_path: Path) -> None:
    toml = SIMPLE.replace('rows = "table"', 'rows = "table"\nencoding = "big5"')
    body = page(table("<td>RTX 4090*8</td><td>7600</td>", head="<th>顯示卡</th><th>月付</th>")).encode("big5")
    idc = crawl_pages(
        toml.replace("显卡", "顯示卡"), {"/a.html": Answer(body, type="text/html; charset=gbk")}, tmp_path
    )
    assert idc.prices() == [("RTX4090", "monthly", "7600")]


def test_one_price_on_two_pages_is_one_offer_two_prices_are_a_conflict(tmp_path: Path) -> None:
    toml = SIMPLE.replace(f'"{ORIGIN}/a.html"', f'"{ORIGIN}/a.html", "{ORIGIN}/b.html"')
    first = page(table("<td>RTX 4090*8</td><td>7600</td>", "<td>L40S*8</td><td>13000</td>"))
    second = page(table("<td>RTX 4090 * 8</td><td>7600元/月</td>", "<td>L40S*8</td><td>14000</td>"))
    idc = crawl_pages(toml, {"/a.html": first, "/b.html": second}, tmp_path)
    assert sorted((o.card, o.listings, o.quarantine or "") for o in idc.offers) == [
        ("L40S", 1, "conflict"), ("L40S", 1, "conflict"), ("RTX4090", 2, ""),
    ]  # fmt: skip


def test_like_machines_of_one_page_at_different_prices_are_told_apart(tmp_path: Path) -> None:
    body = table(
        "<td>RTX 4090*8</td><td>20M</td><td>7600</td>", "<td>RTX 4090*8</td><td>100M</td><td>8900</td>",
        head="<th>显卡</th><th>带宽</th><th>月付</th>",
    )  # fmt: skip
    idc = one(SIMPLE, body, tmp_path)
    assert sorted((o.sku, int(o.price), o.quarantine) for o in idc.offers) == [
        ("100M", 8900, None),
        ("20M", 7600, None),
    ]


# -- a page that is none ---


@pytest.mark.parametrize(
    ("body", "kind", "words"),
    [
        (
            table("<td>RTX 4090*8</td><td>7600</td>", head="<th>型号</th><th>月付</th>"),
            "layout_changed",
            "read.card",
        ),
        (
            table("<td>RTX 4090*8</td><td>7600</td>", head="<th>显卡</th><th>月租</th>"),
            "layout_changed",
            "read.price",
        ),
        ("<p>欢迎</p>", "layout_changed", "source.rows"),
        ("<p>请先登录</p><input type=password>", "auth_needed", "登录"),
        ("<p>请输入验证码</p>", "blocked", "验证码"),
        ("<p>RTX 4090*8 7600元/月</p><p>暂无优惠</p>", "layout_changed", "source.rows"),
    ],
)
def test_another_page_than_was_declared(body: str, kind: str, words: str, tmp_path: Path) -> None:
    idc = one(SIMPLE, body, tmp_path)
    assert idc.kinds == [kind] and words in idc.messages
    assert idc.offers == []


def test_a_list_that_says_it_is_empty_is_no_layout_change(tmp_path: Path) -> None:
    idc = one(SIMPLE, "<p>该线路暂无机房开放租用</p>", tmp_path)
    assert (idc.kinds, idc.listings) == ([], [])


def test_a_column_that_is_on_no_page_any_more_is_named(tmp_path: Path) -> None:
    toml = SIMPLE + '[[read.price]]\ncolumn = "年付"\nunit = "元/年"\n'
    idc = one(toml, table("<td>RTX 4090*8</td><td>7600</td>"), tmp_path)
    assert idc.kinds == ["layout_changed"] and "年付" in idc.messages


def test_an_article_never_gives_offers(tmp_path: Path) -> None:
    toml = f'[source]\narchetype = "text"\npages = ["{ORIGIN}/a.html"]\nlines = "body"\n'
    body = (
        "<h1>北京GPU服务器租用多少钱？</h1><p>作者：小编</p><ul><li>RTX 4090：单卡月租1500-2500元</li></ul>"
    )
    idc = one(toml, body, tmp_path)
    assert idc.offers == [] and set(idc.reasons()) == {"not_an_offer"}


@pytest.mark.parametrize(
    ("cell", "outcome"),
    [("登录后可见", "auth_needed"), ("面议", "empty"), ("￥0.00", "empty"), ("--", "empty")],
)
def test_a_site_that_stops_to_show_prices_is_told(cell: str, outcome: str, tmp_path: Path) -> None:
    idc = one(
        SIMPLE, table(f"<td>RTX 4090*8</td><td>{cell}</td>", f"<td>L40S*8</td><td>{cell}</td>"), tmp_path
    )
    assert idc.made.without_offers[0] == outcome
    assert "no price: 2 × " in idc.made.remark


def test_a_cut_page_is_asked_for_once_more(tmp_path: Path) -> None:
    whole = page(table("<td>RTX 4090*8</td><td>7600</td>"))
    answers = iter([whole[:120], whole])
    idc = crawl_pages(SIMPLE, {"/a.html": lambda _: Answer(next(answers))}, tmp_path)  # type: ignore[dict-item]
    assert (idc.kinds, len(idc.offers)) == ([], 1)


@pytest.mark.parametrize(("unit", "basis", "price"), [("元/卡/月", "card", 1460), ("元/月", "server", 11680),
                                                      ("元/台/月", "server", 11680)])  # fmt: skip
@pytest.mark.parametrize("dress", ["{}", "{}元", "￥{}", "{}起"])
def test_the_basis_in_a_unit_holds_for_every_cell(
    unit: str, basis: str, price: int, dress: str, tmp_path: Path
) -> None:
    toml = SIMPLE.replace('unit = "元/月"', f'unit = "{unit}"')
    assert unit in toml
    idc = one(toml, table(f"<td>RTX 4090*8</td><td>{dress.format(price)}</td>"), tmp_path)
    (offer,) = idc.offers
    assert (offer.basis, offer.price_cny_per_card_hour) == (basis, 2), "2 a card-hour, either way"
