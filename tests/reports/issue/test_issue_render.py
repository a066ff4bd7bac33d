"""Words, numbers as printed, and the chart."""

from __future__ import annotations

import io
import re
import string
import tomllib
from dataclasses import replace
from datetime import date, timedelta
from decimal import Decimal
from importlib.resources import files
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from reports.issue.build import Done
from reports.render import figures
from reports.render.chart import WIDTH_PX, Bar, Series, bar_chart, empty_chart, line_chart
from reports.render.font import FontError, font_path
from reports.render.pick_chart import chart_of
from reports.render.words import Words, spaced
from warehouse.index.method import load_method

WEEKS = [date(2026, 8, 3) + timedelta(weeks=n) for n in range(16)]


def series(name: str, values: list[str | None]) -> Series:
    points = tuple((week, None if v is None else Decimal(v)) for week, v in zip(WEEKS, values, strict=False))
    return Series(name, points, f"{name} {values[-1]}")


@pytest.mark.parametrize(
    ("ratio", "words"),
    [
        ("1.008", "▲0.8%"),
        ("0.992", "▼0.8%"),
        ("1.0004", "▲0.04%"),
        ("0.99996", None),
        ("1", None),
        ("1.00995", "▲1.0%"),
        ("11", "▲1,000.0%"),
        # half-up, never to even
        ("1.0005", "▲0.1%"),
        ("0.9985", "▼0.2%"),
    ],
)
def test_change(ratio: str, words: str | None) -> None:
    assert figures.change(Decimal(ratio)) == words


@given(st.decimals("0.01", "100", places=6))
def test_a_change_has_the_arrow_of_its_sign(ratio: Decimal) -> None:
    words = figures.change(ratio)
    if words is None:
        assert abs(ratio - 1) < Decimal("0.00005")
    else:
        assert (words[0] == figures.UP) == (ratio > 1)


@given(st.decimals("0", "1e9", places=6))
def test_money_is_half_up_to_the_fen(value: Decimal) -> None:
    printed = figures.money(value)
    assert re.fullmatch(r"¥\d{1,3}(,\d{3})*\.\d\d", printed)
    assert abs(Decimal(printed[1:].replace(",", "")) - value) <= Decimal("0.005")


def test_every_word_stands_in_both_languages_with_the_same_fillings() -> None:
    table = tomllib.loads((files("reports.render") / "words.toml").read_text(encoding="utf-8"))
    for section, words in table.items():
        for key, pair in words.items():
            assert len(pair) == 2, f"{section}.{key}"
            zh, en = ({name for _, name, _, _ in string.Formatter().parse(text) if name} for text in pair)
            assert zh == en, f"{section}.{key}"
            assert len(pair[0].split("|")) == len(pair[1].split("|")), f"{section}.{key}"
            assert not re.search(r"[\u4e00-\u9fff]", pair[1]), f"{section}.{key} is not English"
            # In a Chinese font these are as wide as a character: a gap in the middle of an English word.
            assert not set("‘’“”") & set(pair[1]), f"{section}.{key} has curly quotes"


def test_a_missing_filling_is_an_error() -> None:
    with pytest.raises(KeyError):
        Words("zh")("head.subject", label="2026-W48")


def test_chinese_spacing() -> None:
    assert spaced("7B微调最低¥3.72元") == "7B 微调最低 ¥3.72 元"
    assert spaced("按量▼0.8%，持平") == "按量 ▼0.8%，持平"


def test_every_mode_and_every_revision_reason_has_a_word() -> None:
    from catalog.billing import BILLING_MODES

    assert all(Words("zh").has(f"mode.{mode}") for mode in BILLING_MODES)
    assert all(Words("en").has(f"reason.{reason}") for reason in ("late_history", "review", "method", "code"))


def test_freeze_is_the_one_of_the_method() -> None:
    from reports.issue.clock import FREEZE

    assert timedelta(days=7, hours=load_method().week.freeze_hours) == FREEZE


def test_a_chart_is_the_same_bytes_at_twice_the_width() -> None:
    lines = [series("RTX4090", ["100", "99", "98.5"]), series("A100-80G", ["100", None, "103"])]
    first, second = (line_chart(lines, "按量租价指数（全国）", "来源：算价") for _ in range(2))
    assert first == second
    assert Image.open(io.BytesIO(first)).size[0] == WIDTH_PX


def test_bars_leave_room_for_the_longest_words() -> None:
    """No ink in the last columns: what stands beside a bar is never cut."""
    long = Bar("7B LoRA trial (within a day, under 300 yuan)", Decimal(1), "¥1.00")
    bars = [long, Bar("70B full", Decimal(9_000_000), "¥9,000,000.00 · Atlas800I-A2 × 512")]
    picture = Image.open(io.BytesIO(bar_chart(bars, "title", ""))).convert("L")
    ink = picture.point(lambda level: 255 if level < 200 else 0).getbbox()
    assert ink is not None and ink[0] > 0 and ink[2] < WIDTH_PX - 4


def test_lines_that_say_nothing_give_way_to_totals(issued: tuple[Path, Done]) -> None:
    issue = issued[1].issue
    assert "RTX4090 98.0" in chart_of(issue, "zh")[0]
    flat = {
        key: tuple((week, None if value is None else Decimal(100), state) for week, value, state in weeks)
        for key, weeks in issue.history.items()
    }
    assert chart_of(replace(issue, history=flat), "zh")[0].startswith("各任务的最低总价（全国）：")
    assert "RTX4090 100.0" in chart_of(replace(issue, history=flat, fits=()), "zh")[0]


@pytest.mark.parametrize("text", ["表情 \U0001f600", "脚注 \U00020bb7\U0002a6d6"])
def test_a_missing_glyph_fails_the_build(text: str) -> None:
    with pytest.raises(FontError, match="Glyph"):
        line_chart([series("RTX4090", ["100", "99"])], text, "来源")
    with pytest.raises(FontError, match="Glyph"):
        bar_chart([Bar(text, Decimal(3), "¥3.00")], "标题", "来源")


def test_no_font_no_picture(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("reports.render.font.PACKAGE", "nothing_of_that_name")
    font_path.cache_clear()
    try:
        with pytest.raises(FontError, match="install the locked packages"):
            empty_chart("标题", "来源", "没有数据")
    finally:
        font_path.cache_clear()


def test_the_package_of_the_font_is_not_imported() -> None:
    import sys

    font_path()
    assert "zhplot" not in sys.modules


@pytest.mark.parametrize("values", [["100", "100"], ["100", "100.0001"], ["1", "10000"], ["0.5", "0.2"]])
def test_flat_and_wild_lines_can_be_drawn(values: list[str]) -> None:
    assert line_chart([series(f"C{n}", values) for n in range(4)], "标题", "来源").startswith(b"\x89PNG")


def test_one_bar_and_equal_bars_can_be_drawn() -> None:
    for bars in ([Bar("甲", Decimal("3.2"), "¥3.20")], [Bar("甲", Decimal(5), "¥5.00")] * 3):
        assert bar_chart(bars, "标题", "来源").startswith(b"\x89PNG")
