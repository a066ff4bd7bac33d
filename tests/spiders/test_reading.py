"""Readers of outside bytes: encodings, visible text, tables, JSON shapes. None may raise, whatever comes."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spiders.profile import unit_of
from spiders.shape import ANY, NUMBER, TEXT, differences, get, loads, memory, pointer, text
from spiders.signs import classify, is_cut, is_login_address
from spiders.tables import fake_grids, grids, select
from spiders.textio import decode, parse_html, visible_lines, visible_text
from tests.spiders.conftest import listing

CHINESE = "显卡 RTX 4090，价格：2.19元/小时；镕、㊣、𠮷"


@pytest.mark.parametrize(
    ("encoding", "declared"),
    [
        ("gb18030", "gb2312"), ("gb18030", "gbk"), ("gb18030", ""), ("gb18030", "utf-8"), ("utf-8", ""),
        ("utf-8", "gbk"), ("utf-8", "iso-8859-1"), ("utf-8-sig", "gbk"), ("gb18030", "nonsense-42"),
    ],
)  # fmt: skip
def test_what_bytes_prove_goes_before_what_is_declared(encoding: str, declared: str) -> None:
    assert decode(CHINESE.encode(encoding), declared)[0] == CHINESE


def test_meta_charset_is_read() -> None:
    page = "<html><head><meta charset='gb2312'><title>价</title></head></html>"
    assert decode(page.encode("gbk"), "")[0] == page


@settings(max_examples=200)
@given(st.binary(max_size=400), st.text(max_size=12))
def test_decode_never_raises(body: bytes, declared: str) -> None:
    assert isinstance(decode(body, declared)[0], str)


@settings(max_examples=150)
@given(st.text(max_size=400))
def test_html_never_raises(markup: str) -> None:
    root = parse_html(markup)
    visible_lines(root)
    grids(root)
    is_cut(markup)
    classify(markup)
    is_login_address(markup)


def test_hidden_text_is_no_text() -> None:
    root = parse_html(
        "<div>a<script>1</script><!-- 2 --><span style='display: none'>3</span><del>9.99</del>"
        "<b hidden>4</b><i data-suanjia-hidden=''>5</i>b<br>c&nbsp;d</div>"
    )
    assert visible_lines(root) == ["ab", "c d"]
    assert "9.99" in visible_text(root, struck=True)


def cells(markup: str) -> list[list[str]]:
    (grid,) = grids(parse_html(f"<table>{markup}</table>"))
    return [[cell.text for cell in row] for row in grid.rows]


def test_merged_cells_are_expanded() -> None:
    markup = (
        "<tr><td rowspan=2>A</td><td colspan=2>B</td></tr><tr><td>C</td><td rowspan=9>D</td></tr>"
        "<tr><td>E</td><td>F</td></tr>"
    )
    assert cells(markup) == [["A", "B", "B"], ["A", "C", "D"], ["E", "F", "D"]]


def test_rowspan_zero_and_nonsense_spans() -> None:
    markup = "<tr><td rowspan=0>A</td><td colspan=x>B</td></tr><tr><td>C</td></tr><tr><td>D</td></tr>"
    assert cells(markup) == [["A", "B"], ["A", "C"], ["A", "D"]]


@settings(max_examples=100)
@given(
    st.lists(
        st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), min_size=1, max_size=4),
        min_size=1,
        max_size=5,
    )
)
def test_every_grid_is_a_rectangle_and_keeps_every_cell(rows: list[list[tuple[int, int]]]) -> None:
    number = 0
    markup = []
    for row in rows:
        line = ""
        for wide, high in row:
            line += f"<td colspan={wide} rowspan={high}>c{number}</td>"
            number += 1
        markup.append(f"<tr>{line}</tr>")
    grid = cells("".join(markup))
    assert len({len(row) for row in grid}) == 1
    assert {text for row in grid for text in row if text} == {f"c{n}" for n in range(number)}


def test_two_header_rows_make_one_name() -> None:
    root = parse_html(
        "<h3>GPU 价格</h3><table><tr><th rowspan=2>型号</th><th colspan=2>价格</th></tr>"
        "<tr><th>元/小时</th><th>元/月</th></tr><tr><td>T4</td><td>1</td><td>2</td></tr></table>"
    )
    (grid,) = grids(root)
    assert grid.names == ["型号", "价格 元/小时", "价格 元/月"]
    assert (grid.headers, grid.heading) == (2, "GPU 价格")


def test_two_header_rows_of_plain_cells() -> None:
    root = parse_html(
        "<table><tr><td rowspan=2>型号</td><td colspan=2>价格</td></tr><tr><td>时</td><td>月</td></tr>"
        "<tr><td>T4</td><td>1</td><td>2</td></tr></table>"
    )
    (grid,) = grids(root)
    assert grid.names == ["型号", "价格 时", "价格 月"]


def test_a_merged_first_row_of_data_is_no_header() -> None:
    root = parse_html(
        "<table><tr><td>型号</td><td>价格</td></tr>"
        "<tr><td rowspan=2>T4</td><td>1</td></tr><tr><td>2</td></tr></table>"
    )
    (grid,) = grids(root)
    assert grid.headers == 1
    assert [[c.text for c in row] for _, row in grid.body()] == [["T4", "1"], ["T4", "2"]]


def test_fake_tables() -> None:
    root = parse_html(
        "<div><div class=r><div class=c>卡</div><div class=c>价</div></div>"
        "<div class=r><div class=c>T4</div><div class=c><s>9</s> 1</div></div></div>"
    )
    (grid,) = fake_grids(root, "div.r", "div.c")
    assert grid.names == ["卡", "价"]
    assert [[c.text for c in row] for _, row in grid.body()] == [["T4", "1"]]


def test_layout_tables_do_not_swallow_rows() -> None:
    root = parse_html(
        "<table><tr><td><table><tr><th>卡</th></tr><tr><td>T4</td></tr></table></td></tr></table>"
    )
    inner = grids(root)[-1]
    assert [[c.text for c in row] for row in inner.rows] == [["卡"], ["T4"]]
    with pytest.raises(ValueError, match="not CSS"):
        select(root, "div[")


@pytest.mark.parametrize(
    ("page", "cut"),
    [
        ("<html><body><table><tr><td>1</td></tr></table></body></html>", False),
        ("<html><body><table><tr><td>1", True),
        ("<html><body><p>half", True),
        ("<div>fragment</div>", False),
        ("<HTML><BODY>x</BODY></HTML>", False),
    ],
)
def test_cut_pages(page: str, cut: bool) -> None:
    assert is_cut(page) == cut


def test_numbers_stay_as_printed() -> None:
    row = loads('{"a": 1.980, "b": 220000, "c": {"d~/e": [true, "x", 1E-5]}, "f": ""}')
    assert text(row, "a") == "1.980"
    assert text(row, "b") == "220000"
    assert get(row, "c/d~0~1e/2") == Decimal("1E-5")
    assert text(row, "c/d~0~1e/2") == "0.00001"
    assert text(row, "c/d~0~1e/0") == "true"
    assert text(row, "f") is None
    assert get(row, "c/nothing") is None
    assert pointer("c", "d~/e", 2) == "/c/d~0~1e/2"
    with pytest.raises(ValueError, match="NaN"):
        loads('{"a": NaN}')


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.decimals(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=10,
)


@settings(max_examples=150)
@given(JSON, st.text(max_size=12))
def test_shapes_never_raise(value: Any, path: str) -> None:
    get(value, path)
    text(value, path)
    list(differences(value, {path: ANY, "a/b": NUMBER}))


@pytest.mark.parametrize(
    ("row", "found"),
    [
        ({"hardware": {"priceMillicent": 1}}, []),
        (
            {"hardware": {"priceMilli": 1}},
            [("hardware/priceMillicent", "missing; hardware/priceMilli is similar")],
        ),
        ({"priceMillicent": 1}, [("hardware/priceMillicent", "missing; now at priceMillicent")]),
        ({"hardware": {"priceMillicent": "1"}}, [("hardware/priceMillicent", 'text "1"')]),
        ({"hardware": {"priceMillicent": None}}, [("hardware/priceMillicent", "null")]),
        ({}, [("hardware/priceMillicent", "missing")]),
    ],
)
def test_a_moved_field_is_named(row: Any, found: list[tuple[str, str]]) -> None:
    got = [(path, what) for path, _, what in differences(row, {"hardware/priceMillicent": NUMBER})]
    assert got == found


def test_expected_values() -> None:
    assert list(differences({"unit": "元/小时"}, {"unit": ("元/小时",)})) == []
    assert list(differences({"unit": "元/天"}, {"unit": ("元/小时",)})) == [("unit", "'元/小时'", '"元/天"')]
    assert list(differences({}, {"unit": TEXT}, optional=True)) == []


@pytest.mark.parametrize(
    ("printed", "fields"),
    [
        ("40GB", {"vram_text": "40", "vram_unit": "GB"}),
        ("24 GiB", {"vram_text": "24", "vram_unit": "GB"}),
        ("16G", {"vram_text": "16", "vram_unit": "GB"}),
        ("24564 MB", {"vram_text": "24564", "vram_unit": "MB"}),
        ("80", {"vram_text": "80", "vram_unit": "GB"}),
        ("2*24GB", {"vram_text": "2*24GB"}),
        (None, {}),
    ],
)
def test_memory_is_taken_apart_not_converted(printed: str | None, fields: dict[str, str]) -> None:
    assert memory("vram", printed) == fields


@pytest.mark.parametrize(
    ("values", "unit"),
    [
        ({"price_text": "7.32", "context": "T4 | 按需价格（元/小时）"}, "hour 元"),
        ({"price_text": "￥1.98 /时"}, "hour 元"),
        ({"price_text": "3515", "context": "价格（元/月）"}, "month 元"),
        ({"price_text": "36元/7天"}, "7 day 元"),
        ({"price_text": "1", "unit": "1e-5 CNY/unit/hour"}, "1e-5 CNY/unit/hour"),
        ({"price_text": "12", "context": "显卡"}, ""),
    ],
)
def test_units_as_words(values: dict[str, Any], unit: str) -> None:
    assert unit_of(listing(**values)) == unit


@pytest.mark.parametrize(
    ("said", "kind"),
    [
        ("登录超时，请重新登录", "auth_needed"),
        ("登录态失效", "auth_needed"),
        ("登录状态已过期", "auth_needed"),
        ("登陆已失效", "auth_needed"),
        ("会话已过期", "auth_needed"),
        ("请求过于频繁，请稍后再试", "blocked"),
        ("操作太频繁", "blocked"),
        ("访问过快", "blocked"),
        ("系统错误", None),
        ("登录送算力", None),
    ],
)
def test_what_an_answer_without_data_says(said: str, kind: str | None) -> None:
    found = classify('{"code": 7, "msg": "%s"}' % said)  # noqa: UP031
    assert (found and found[0]) == kind
