"""The one chart of an issue, a PNG at twice its width. A character without a glyph is an error, not a box."""

from __future__ import annotations

import io
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Any

from reports.render.font import FontError, font_path
from warehouse.textout import width

WIDTH_PX, LINE_HEIGHT_PX, BAR_PX, TALL_BAR_PX = 1312, 720, 60, 84
_NAME_COLUMNS = 24  # of a job's name beside its bar; a longer one takes two lines
_WIDENINGS = 40  # each doubles what the scale shows to the right of the bars
_DPI = 200
# Points; 11 are 15 px beside the text of a mail, and still 9 on a phone.
_TEXT = 11.0
_PALETTE = 64
_INK, _GREY, _RULE = "#1f2328", "#5b6470", "#dfe3e8"
_COLOURS = ("#0b57a4", "#c2600a", "#17703c", "#7a3e9d")
# Lines differ in more than colour: for print, and for who does not tell colours apart.
_STYLES = ("-", (0, (5, 2)), (0, (1, 1.5)), (0, (5, 2, 1, 2)))


@dataclass(frozen=True, slots=True)
class Series:
    """A line: its name, (week, value) points (None is a gap), and the words beside its end."""

    name: str
    points: tuple[tuple[date, Decimal | None], ...]
    text: str


@dataclass(frozen=True, slots=True)
class Bar:
    """A bar: its name, value, and the words beside it."""

    name: str
    value: Decimal
    text: str


def line_chart(series: Sequence[Series], title: str, source: str) -> bytes:
    """Lines over weeks, each named beside its end."""

    def draw(axes: Any) -> None:
        drawn = []
        for one, colour, style in zip(series, _COLOURS, _STYLES, strict=False):
            weeks = [week for week, _ in one.points]
            values = [float("nan") if value is None else float(value) for _, value in one.points]
            alone = "o" if len(weeks) <= 30 else None
            axes.plot(weeks, values, linestyle=style, color=colour, linewidth=1.6, marker=alone, markersize=3)
            drawn.append((values[-1], one, colour))
        low, high = _limits([value for one in series for _, value in one.points if value is not None])
        axes.set_ylim(low, high)
        last = max(one.points[-1][0] for one in series)
        for place, one, colour in _spread(drawn, (high - low) / 12):
            where = {"xytext": (8, 0), "textcoords": "offset points", "va": "center"}
            axes.annotate(one.text, (last, place), color=colour, fontsize=_TEXT, **where)
        _week_ticks(axes, sorted({week for one in series for week, _ in one.points}))
        axes.margins(x=0.01)
        axes.grid(axis="y", color=_RULE, linewidth=0.8)

    return _picture(draw, title, source, LINE_HEIGHT_PX)


def bar_chart(bars: Sequence[Bar], title: str, source: str) -> bytes:
    """Bars on a log scale without an axis: they give the order of size, the words beside them the numbers."""

    names = [_two_lines(bar.name) for bar in bars]

    def draw(axes: Any) -> None:
        places = range(len(bars))
        values = [float(bar.value) for bar in bars]
        axes.barh(places, values, left=min(values) / 3, color=_COLOURS[0], height=0.55)
        axes.set_yticks(places, names)
        axes.tick_params(axis="y", colors=_INK)
        axes.invert_yaxis()
        axes.set_xscale("log")
        axes.xaxis.set_visible(False)
        axes.set_xlim(min(values) / 3, max(values) * 40)
        for place, bar, value in zip(places, bars, values, strict=True):
            end = value + min(values) / 3
            where = {"xytext": (5, 0), "textcoords": "offset points", "va": "center"}
            axes.annotate(bar.text, (end, place), color=_INK, fontsize=_TEXT, **where)
        axes.spines["bottom"].set_visible(False)

    each = TALL_BAR_PX if any("\n" in name for name in names) else BAR_PX
    return _picture(draw, title, source, 150 + each * len(bars), _make_room)


def _make_room(axes: Any) -> None:
    """Widen the scale until the words beside the longest bar are inside the picture."""
    edge = axes.figure.bbox.x1 - 8
    for _ in range(_WIDENINGS):
        if max(words.get_window_extent().x1 for words in axes.texts) <= edge:
            return
        low, high = axes.get_xlim()
        axes.set_xlim(low, high * 2)


def _two_lines(name: str) -> str:
    """A long name in two lines, broken before a bracket or at the blank nearest to its middle."""
    if width(name) <= _NAME_COLUMNS:
        return name
    places = [n for n, letter in enumerate(name) if n and letter in "（( "]
    if not places:
        return name
    at = min(places, key=lambda n: (name[n] == " ", abs(n - len(name) / 2)))
    return f"{name[:at].rstrip()}\n{name[at:].lstrip()}"


def empty_chart(title: str, source: str, words: str) -> bytes:
    """A picture that says there is nothing to draw."""

    def draw(axes: Any) -> None:
        axes.set_axis_off()
        axes.text(
            0.5, 0.5, words, ha="center", va="center", color=_GREY, fontsize=11, transform=axes.transAxes
        )

    return _picture(draw, title, source, 300)


def _week_ticks(axes: Any, weeks: Sequence[date]) -> None:
    """At most nine Mondays under the lines, the newest always; the year where it is not the newest's."""
    from matplotlib.ticker import MaxNLocator

    step = -(-len(weeks) // 9)
    shown = list(weeks)[::-1][::step][::-1]
    year = shown[-1].year
    names = [f"{day:%m-%d}" if day.year == year else f"{day:%Y-%m-%d}" for day in shown]
    axes.set_xticks(shown, names)
    axes.yaxis.set_major_locator(MaxNLocator(5, steps=[1, 2, 5, 10]))


def _limits(values: Sequence[Decimal]) -> tuple[float, float]:
    """A frame round the values, never narrower than four points: a flat line is to look flat."""
    low, high = float(min(values)), float(max(values))
    pad = max((high - low) * 0.12, 0.0)
    middle = (low + high) / 2
    return min(low - pad, middle - 2), max(high + pad, middle + 2)


def _spread(ends: Sequence[tuple[float, Series, str]], step: float) -> list[tuple[float, Series, str]]:
    """Heights for the names, at least `step` apart, close to where the lines end."""
    # Of equal lines the first stands on top.
    order = [end for _, end in sorted(enumerate(ends), key=lambda pair: (pair[1][0], -pair[0]))]
    heights: list[float] = []
    for value, _, _ in order:
        heights.append(max(value, heights[-1] + step) if heights else value)
    surplus = sum(height - value for height, (value, _, _) in zip(heights, order, strict=True)) / len(order)
    return [(height - surplus, one, colour) for height, (_, one, colour) in zip(heights, order, strict=True)]


def _picture(draw: Any, title: str, source: str, height: int, settle: Any = None) -> bytes:
    from matplotlib import font_manager, rc_context
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    path = str(font_path())
    font_manager.fontManager.addfont(path)
    name = font_manager.FontProperties(fname=path).get_name()
    settings: Any = {"font.family": [name], "axes.unicode_minus": False}
    out = io.BytesIO()
    with rc_context(settings), warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            figure = Figure(figsize=(WIDTH_PX / _DPI, height / _DPI), dpi=_DPI, facecolor="white")
            FigureCanvasAgg(figure)
            axes = figure.add_subplot()
            for side in ("top", "right", "left"):
                axes.spines[side].set_visible(False)
            axes.spines["bottom"].set_color(_RULE)
            axes.tick_params(colors=_GREY, length=0, labelsize=_TEXT)
            axes.tick_params(axis="x", pad=9)  # the first week is not to touch the lowest number
            draw(axes)
            axes.set_title(title, loc="left", x=0, color=_INK, fontsize=_TEXT + 2, pad=12)
            figure.text(0.995, 8 / height, source, ha="right", va="bottom", color=_GREY, fontsize=_TEXT - 2.5)
            figure.tight_layout(rect=(0, 44 / height, 1, 1), pad=0.4)
            if settle is not None:
                settle(axes)
            figure.savefig(out, format="png", metadata={"Software": None})
        except UserWarning as warning:
            raise FontError(f"the chart cannot be drawn: {warning}") from None
    return _fewer_colours(out)


def _fewer_colours(picture: io.BytesIO) -> bytes:
    """The same picture with a palette of its own: a third of the bytes, nothing that an eye would miss."""
    from PIL import Image

    out = io.BytesIO()
    Image.open(picture).convert("RGB").quantize(_PALETTE).save(out, format="png", optimize=True)
    return out.getvalue()
