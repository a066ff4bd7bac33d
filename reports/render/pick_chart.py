"""Which chart an issue has: index lines where two weeks of them show a move, else the jobs' totals."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, timedelta
from decimal import Decimal

from reports.issue.model import Issue
from reports.render import figures
from reports.render.chart import Bar, Series, bar_chart, empty_chart, line_chart
from reports.render.fit_table import short_cards, shown_fits
from reports.render.names import Names
from reports.render.words import Words, choices

_DRAWN = {"base", "published", "indicative"}
_WEEKS = 52
Points = Sequence[tuple[date, Decimal | None]]


def chart_of(issue: Issue, lang: str) -> tuple[str, bytes]:
    """(words for who does not see it, PNG)."""
    w, names = Words(lang), Names(issue, lang)
    source = w("chart.source", label=issue.week.label)
    lines, bars = index_lines(issue), fit_bars(issue, names)
    if lines and (_moved(lines) or not bars):
        told = w("head.comma").join(one.text for one in lines)
        title = w("chart.title_index")
        return w("chart.alt", title=title, lines=told), line_chart(lines, title, source)
    title = w("chart.title_fit")
    if bars:
        told = w("head.comma").join(f"{bar.name} {bar.text}" for bar in bars)
        return w("chart.alt", title=title, lines=told), bar_chart(bars, title, source)
    words = w("chart.alt_none")
    return words, empty_chart(title, source, words)


def index_lines(issue: Issue) -> list[Series]:
    """The first national on-demand cells, by preference, that have a value this week and the one before."""
    mode = choices()["headline_mode"]
    found = []
    for card in choices()["headline_cards"]:
        points = _year(issue.history.get(("CN", card, mode), ()), issue.week.monday)
        if points and points[-1][1] is not None:
            found.append(Series(card, tuple(points), f"{card} {figures.index_value(points[-1][1])}"))
    return found[: choices()["chart_lines"]]


def _moved(lines: Sequence[Series]) -> bool:
    """Whether any line shows more than one number: lines that all lie on each other say nothing."""
    return any(len({figures.index_value(v) for _, v in line.points if v is not None}) > 1 for line in lines)


def _year(history: Sequence[tuple[date, Decimal | None, str]], monday: date) -> Points:
    """The last year, from the first two weeks in a row on; empty where this week has no value."""
    known = {week: value for week, value, state in history if state in _DRAWN}
    weeks = [monday - timedelta(weeks=back) for back in range(_WEEKS, -1, -1)]
    points = [(week, known.get(week)) for week in weeks]
    joined = [n for n in range(1, len(points)) if points[n][1] is not None and points[n - 1][1] is not None]
    if not joined or points[-1][1] is None:
        return ()
    return points[joined[0] - 1 :]


def fit_bars(issue: Issue, names: Names) -> list[Bar]:
    """The cheapest total of every job on the mainland."""
    return [
        Bar(names.job(job), fit.total_cny_p50, f"{figures.money(fit.total_cny_p50)} · {short_cards(fit)}")
        for job, (fit, *_) in shown_fits(issue, "CN").items()
    ]
