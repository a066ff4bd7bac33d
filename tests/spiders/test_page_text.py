"""The text of a page and the place of every element in it."""

from __future__ import annotations

import re
import time

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from spiders.boxes import boxes
from spiders.page_text import MOST_LINES, Hits, Page
from spiders.tables import grids
from spiders.textio import is_hidden, parse_html, visible_lines, visible_text

PARTS = st.lists(
    st.sampled_from([
        "<div>", "</div>", "<b>", "</b>", "<p>", "</p>", "<del>", "</del>", "<br>", "<td>", "<table>",
        "</table>", "<span hidden>", "</span>", "<!-- no -->", "￥1.88", "/小时", "RTX 4090", " ", "\u3000",
        "\n", "&nbsp;", "24G", "元", "12", "已售罄", "<script>1元</script>", "<textarea>",
    ]),
    max_size=60,
)  # fmt: skip


@given(PARTS)
def test_text_and_lines_are_those_of_a_reader(parts: list[str]) -> None:
    root = parse_html("<html><body>" + "".join(parts))
    body = root.find("body")
    page = Page(root if body is None else body)
    for element in page.shown:
        assert page.lines(element) == visible_lines(element)
        assert page.text(element) == " ".join(visible_lines(element))
    assert [e for e in page.shown if is_hidden(e) and e is not page.shown[0]] == []


@example("1111111￥1元", 8, 10)  # a hit that begins inside another and ends beyond it
@given(st.text("12元￥. a", max_size=30), st.integers(0, 30), st.integers(0, 30))
def test_a_hit_is_what_a_search_in_the_part_finds(text: str, a: int, b: int) -> None:
    pattern = re.compile(r"￥\d[\d.]{0,9}|\d[\d.]{0,9}元")
    start, end = sorted((min(a, len(text)), min(b, len(text))))
    assert Hits(pattern, text).within(start, end) == bool(pattern.search(text[start:end]))


def test_a_box_never_repeats_the_whole_page() -> None:
    page = Page(parse_html("<div>" + "<p>RTX 4090" * (3 * MOST_LINES) + "</div>"))
    assert len(page.lines(page.shown[0])) == MOST_LINES


@pytest.mark.parametrize(
    "unit",
    ["<div>RTX 4090 ￥1.5/小时 ", "<div>￥1.5 ", "<div><del>￥2</del>RTX 4090 已售罄 ", "<div>元 RTX 4090 "],
)
def test_deep_nesting_costs_no_more_than_flat(unit: str) -> None:
    """Two hundred levels against two: the same words, at most some times the work."""

    def cost(depth: int) -> float:
        root = parse_html("<html><body>" + (unit * depth + "</div>" * depth) * (4000 // depth))
        clock = time.process_time()
        boxes(root)
        return time.process_time() - clock

    assert cost(200) < 12 * cost(2) + 0.05


def test_many_tables_under_long_words_cost_no_more_than_each() -> None:
    def cost(tables: int) -> float:
        root = parse_html("<html><body>" + f"<div><table><tr><td>{'x' * 61}</table></div>" * tables)
        clock = time.process_time()
        assert len(grids(root)) == tables
        return time.process_time() - clock

    # The least of three: what the collector and the machine add is not the tables'.
    assert min(cost(1600) for _ in range(3)) < 16 * cost(200) + 0.1


@pytest.mark.parametrize(
    ("inside", "text"),
    [
        (
            "<b{0}>RTX 3090</b><i{0}>24 GB</i><u{0}>¥1.62/小时</u><em{0}>起</em>",
            "RTX 3090 24 GB ¥1.62/小时 起",
        ),
        ("<b{0}>1</b><i{0}>.</i><b{0}>9</b><b{0}>8</b><i{0}>/时</i>", "1.98 /时"),  # a digit a box
        ("<b{0}>¥1</b><sup{0}>.98</sup>", "¥1.98"),
        ("<b{0}>昇腾910B</b><i{0}>64GB</i>", "昇腾910B 64GB"),
        ("<div><b{0}>A100</b></div>80 GB", "A100 80 GB"),
    ],
)
def test_words_in_boxes_of_their_own_do_not_run_together(inside: str, text: str) -> None:
    root = parse_html(f"<html><body><p>{inside.format(' data-suanjia-apart')}</p></body></html>")
    body = root.find("body")
    assert visible_text(body) == text
    assert Page(body).text(body) == text
    plain = parse_html(f"<html><body><p>{inside.format('')}</p></body></html>").find("body")
    assert Page(plain).text(plain) == visible_text(plain)
