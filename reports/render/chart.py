"""The one chart of an issue, a PNG at twice its width. A character without a glyph is an error, not a box."""

from __future__ import annotations

import io
import warnings
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Any

from reports.render.font import FontError, font_path

WIDTH_PX, HEIGHT_PX = 1312, 620
_DPI = 160
_INK, _GREY, _RULE = "#1f2328", "#5b6470", "#dfe3e8"
_LINES = ("#0b57a4", "#d9730d", "#17703c", "#7a3e9d")
_STYLES = ("-", "--", "-.", ":")


@dataclass(frozen=True, slots=True)
class Series:
    """A line: its name and (week, value) points; None is a gap."""

    name: str
    points: tuple[tuple[date, Decimal | None], ...]


@dataclass(frozen=True, slots=True)
class Bar:
    """A bar: its name, value, and the words beside it."""

    name: str
    value: Decimal
    text: str


def line_chart(series: list[Series], title: str, source: str) -> bytes:
    """Lines over weeks, each named at its end."""

    def draw(axes: Any) -> None:
        for number, one in enumerate(series):
            weeks = [week for week, _ in one.points]
            values = [float("nan") if value is None else float(value) for _, value in one.points]
            axes.plot(
                weeks,
                values,
                _STYLES[number % 4],
                color=_LINES[number % 4],
                linewidth=1.8,
                marker="o",
                markersize=2.5 if len(weeks) > 30 else 4,
            )
            axes.annotate(
                one.name,
                (weeks[-1], values[-1]),
                xytext=(6, 0),
                textcoords="offset points",
                va="center",
                color=_LINES[number % 4],
                fontsize=9,
            )
        axes.margins(x=0.02)
        axes.grid(axis="y", color=_RULE, linewidth=0.8)

    return _picture(draw, title, source)


def bar_chart(bars: list[Bar], title: str, source: str) -> bytes:
    """Bars on a log scale, the cheapest on top."""

    def draw(axes: Any) -> None:
        places = range(len(bars))
        axes.barh(places, [float(bar.value) for bar in bars], color=_LINES[0], height=0.6)
        axes.set_yticks(places, [bar.name for bar in bars])
        axes.invert_yaxis()
        axes.set_xscale("log")
        axes.xaxis.set_visible(False)
        most = max(float(bar.value) for bar in bars)
        axes.set_xlim(min(float(bar.value) for bar in bars) / 2, most * 8)
        for place, bar in zip(places, bars, strict=True):
            axes.annotate(
                bar.text,
                (float(bar.value), place),
                xytext=(5, 0),
                textcoords="offset points",
                va="center",
                color=_INK,
                fontsize=9,
            )
        axes.spines["bottom"].set_visible(False)

    return _picture(draw, title, source)


def empty_chart(title: str, source: str, words: str) -> bytes:
    """A picture that says there is nothing to draw."""

    def draw(axes: Any) -> None:
        axes.set_axis_off()
        axes.text(
            0.5, 0.5, words, ha="center", va="center", color=_GREY, fontsize=12, transform=axes.transAxes
        )

    return _picture(draw, title, source)


def _picture(draw: Any, title: str, source: str) -> bytes:
    from matplotlib import font_manager, rc_context
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    path = str(font_path())
    font_manager.fontManager.addfont(path)
    name = font_manager.FontProperties(fname=path).get_name()
    settings: Any = {"font.family": [name], "axes.unicode_minus": False, "svg.hashsalt": "suanjia"}
    out = io.BytesIO()
    with rc_context(settings), warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            figure = Figure(figsize=(WIDTH_PX / _DPI, HEIGHT_PX / _DPI), dpi=_DPI, facecolor="white")
            FigureCanvasAgg(figure)
            axes = figure.add_subplot()
            for side in ("top", "right", "left"):
                axes.spines[side].set_visible(False)
            axes.spines["bottom"].set_color(_RULE)
            axes.tick_params(colors=_GREY, length=0, labelsize=9)
            draw(axes)
            axes.set_title(title, loc="left", color=_INK, fontsize=11.5, pad=12)
            figure.text(0.995, 0.012, source, ha="right", va="bottom", color=_GREY, fontsize=7.5)
            figure.tight_layout(rect=(0, 0.03, 1, 1))
            figure.savefig(out, format="png", metadata={"Software": None})
        except UserWarning as warning:
            raise FontError(f"the chart cannot be drawn: {warning}") from None
    return out.getvalue()
