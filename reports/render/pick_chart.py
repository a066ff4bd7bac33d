"""Which chart an issue has: index lines where there are at least two weeks of them, else the jobs' totals."""

from __future__ import annotations

from datetime import date
from decimal import Decimal

from reports.issue.model import Issue
from reports.render import figures
from reports.render.chart import Bar, Series, bar_chart, empty_chart, line_chart
from reports.render.fit_table import cards, shown_fits
from reports.render.names import Names
from reports.render.words import Words, choices

_DRAWN = {"base", "published", "indicative"}


def chart_of(issue: Issue, lang: str) -> tuple[str, str, bytes]:
    """(title, words for who does not see it, PNG)."""
    w, names = Words(lang), Names(issue, lang)
    source = w("chart.source", label=issue.week.label)
    lines = index_lines(issue)
    if lines:
        title = w("chart.title_index")
        told = [f"{one.name} {figures.index_value(one.points[-1][1] or Decimal(0))}" for one in lines]
        return title, w("chart.alt_index", lines=w("head.comma").join(told)), line_chart(lines, title, source)
    title = w("chart.title_fit")
    bars = _bars(issue, names, w)
    if not bars:
        words = w("chart.alt_none")
        return title, words, empty_chart(title, source, words)
    told = [f"{bar.name} {bar.text}" for bar in bars]
    return title, w("chart.alt_fit", lines=w("head.comma").join(told)), bar_chart(bars, title, source)


def index_lines(issue: Issue) -> list[Series]:
    """The first national on-demand cells, by preference, that have a value now and one before."""
    mode = choices()["headline_mode"]
    found = []
    for card in choices()["headline_cards"]:
        history = issue.history.get(("CN", card, mode), ())
        points: list[tuple[date, Decimal | None]] = [
            (week, value if state in _DRAWN else None) for week, value, state in history
        ]
        if not points or points[-1][0] != issue.week.monday or points[-1][1] is None:
            continue
        if sum(value is not None for _, value in points) >= 2:
            found.append(Series(card, tuple(points)))
    return found[: choices()["chart_lines"]]


def _bars(issue: Issue, names: Names, w: Words) -> list[Bar]:
    return [
        Bar(
            names.job(job),
            fits[0].total_cny_p50,
            f"{figures.money(fits[0].total_cny_p50)} · {cards(fits[0], w)}",
        )
        for job, fits in shown_fits(issue, "CN").items()
    ]
