"""No input raises, time grows linearly, memory stays bounded."""

from __future__ import annotations

import random
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.reading import markup, price
from pipeline.reading.price import PriceReading, PriceReject, read
from pipeline.reading.price.words import vocabulary

PIECES = [
    *vocabulary(), *"¥￥$/()（）-~—·*×+<>≤≥=≈→|，,;。、 0123456789.折%倍", "4090", "A100 80G", "H800",
    "1.98", "80GB",
    "7/16", "1/4", "<del>", "</del>", "<!--", "<img>", "&yen;", "2025-10-01", "13800138000",
    "\u200b", "\x00", "\ud800", "𝟏", "①",
]  # fmt: skip


@settings(max_examples=600, deadline=None)
@given(st.lists(st.sampled_from(PIECES), max_size=16), st.lists(st.sampled_from(PIECES), max_size=10))
def test_no_combination_of_words_raises(text: list[str], context: list[str]) -> None:
    got = read("".join(text), "".join(context))
    assert isinstance(got, (PriceReading, PriceReject))
    got.row()


@settings(max_examples=300, deadline=None)
@given(st.text(max_size=60), st.text(max_size=60))
def test_no_text_raises(text: str, context: str) -> None:
    read(text, context).row()


@pytest.mark.parametrize(
    "piece",
    ["4090 ", "¥1.98/h ", "1-", "(", "千", "8*", "￥2.18 会员", "<del>", "<!--", "<b", "&amp;", "A100/",
     "1×", "2元/",
     "每", "1,", "9", "约", "原价100元 ", "(¥1", "8卡", "同一行：", "<img alt=", "aa.", "1.1.", "半年",
     "|", "1/2 ",
     "<del>1</del>", "9折", "#x41;", "\\", "<s>",
     "系统盘 50G ", "16核 系统盘 50G ", "1.98和2.08", "介于1和", "1.98\n", "1.98<br>2元/时", "~~1~~",
     "语音识别 2元/时 ", "Kafka 实例 ", "1.2万 阅读 ", "折合单卡2元/时 ", "成都 12 "],
)  # fmt: skip
@pytest.mark.parametrize("place", ["text", "context"])
def test_time_is_linear(piece: str, place: str) -> None:
    """Eight times the text takes at most about eight times as long (with room for a busy machine)."""

    def seconds(length: int) -> float:
        filling = piece * (length // len(piece))
        best = 9e9
        for _ in range(2):
            start = time.process_time()
            read(filling, "RTX 4090") if place == "text" else read("1.98元/时", filling)
            best = min(best, time.process_time() - start)
        return best

    small, large = seconds(4_000), seconds(32_000)
    assert large <= 24 * max(small, 0.004)


@pytest.mark.slow
@pytest.mark.parametrize("piece", ["¥1.98/h ", "(", "千", "<del>", "A100/", "8卡"])
def test_a_megabyte(piece: str) -> None:
    start = time.process_time()
    read(piece * (1_000_000 // len(piece)), "RTX 4090")
    assert time.process_time() - start < 30


def test_caches_are_bounded() -> None:
    assert price._remembered.cache_info().maxsize == 65_536
    assert price._context.cache_info().maxsize == 4_096
    before = price._remembered.cache_info().currsize
    read("1.98元/时" + "x" * 5_000, "RTX 4090")
    assert price._remembered.cache_info().currsize == before


def test_shuffled_order_of_reading_changes_nothing() -> None:
    cells = [
        ("1.98元/时", "RTX 4090"),
        ("7.5万/月", "H100 8卡"),
        ("面议", "H100"),
        ("4.98", "L40S 元/时"),
    ] * 5
    first = [read(*cell) for cell in cells]
    order = list(range(len(cells)))
    random.Random(7).shuffle(order)
    price._remembered.cache_clear()
    price._context.cache_clear()
    again = {i: read(*cells[i]) for i in order}
    assert [again[i] for i in range(len(cells))] == first


@given(st.text(alphabet="<>!-/ =\"'abdelsimgtrcpn价1.元", max_size=80))
def test_markup_never_raises(text: str) -> None:
    assert isinstance(markup.strip(text).text, str)


@pytest.mark.parametrize(
    ("html", "text", "struck", "image"),
    [
        ("<del>100元</del> 特惠价 <b>70</b> 元/天", "  特惠价 70 元/天", True, False),
        ("<s>100元/月</s>60元/月", " 60元/月", True, False),
        ("<!-- <b>50</b> -->60元/月", "60元/月", False, False),
        ("<!-- 60元/月", "", False, False),
        ('<span style="display: none">9</span>60元/月', " 60元/月", False, False),
        ('<span class="original-price">800</span>60', " 60", True, False),
        ("<img src=price.png>", "", False, True),
        ("0<img alt=元/月>", "0元/月", False, False),
        ('<img alt="GPU 包月价格限时 3.5 折">', "GPU 包月价格限时 3.5 折", False, False),
        ("<option> 2年532元", "  2年532元", False, False),
        ("<del>未关闭 1.98", " 未关闭 1.98", False, False),
        ("<script>9元</script>60元", " 60元", False, False),
        ("a < b > c", "a < b > c", False, False),
        ("带宽/li>", "带宽/li>", False, False),
    ],
)
def test_markup(html: str, text: str, struck: bool, image: bool) -> None:
    plain = markup.strip(html)
    assert (plain.text, plain.struck, plain.image) == (text, struck, image)
