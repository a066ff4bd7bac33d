"""From an issue to its texts."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal

from reports.issue.headline import Headline, headline
from reports.issue.model import Cell, Issue
from reports.marks import WORDS
from reports.render import figures
from reports.render.fit_table import brief_lines, fit_table, region_table
from reports.render.index_tables import mover_table, parity_section
from reports.render.names import Names
from reports.render.source_tables import corrections, held_table, sources
from reports.render.view import Section, View
from reports.render.words import Words, choices

MONTH_HOURS = 730


def _lead(head: Headline, issue: Issue, names: Names, w: Words) -> tuple[list[str], list[str]]:
    """(parts of the subject, sentences), both from the same two rows."""
    subject, sentences = [], []
    if head.cell is None:
        sentences.append(w("sentence.no_index"))
    else:
        short, sentence = _move(head.cell, names, w)
        subject.append(short)
        sentences.append(sentence)
    if head.fit is None:
        sentences.append(w("sentence.no_fit"))
    else:
        fit, job = head.fit, names.job(head.fit.workload)
        total = figures.money(fit.total_cny_p50)
        subject.append(w("head.subject_fit", job=job, total=total))
        told = {
            "job": job,
            "total": total,
            "provider": names.provider(fit.provider),
            "card": fit.card,
            "count": figures.count(fit.gpu_count),
            "mode": names.mode(fit.billing_mode),
            "price": figures.money(fit.price_cny_per_card_hour),
        }
        sentences.append(w("sentence.fit", **told))
    return subject or [w("head.subject_none", offers=figures.count(issue.coverage.offers))], sentences


def _move(cell: Cell, names: Names, w: Words) -> tuple[str, str]:
    """(for the subject, sentence) of an index cell. The words are flat whenever the method says so."""
    moved = None if cell.direction == "flat" else figures.change(cell.link or Decimal(1))
    told = {"card": cell.card, "mode": names.mode(cell.billing_mode)}
    short = w("head.subject_move", change=moved or w("word.flat"), **told)
    key = "sentence.flat" if moved is None else f"sentence.{'rose' if moved[0] == figures.UP else 'fell'}"
    sentence = w(
        key,
        pct=(moved or "")[1:],
        level="" if cell.level is None else w("sentence.level", price=figures.money(cell.level)),
        value=figures.index_value(cell.value or Decimal(0)),
        grade=cell.grade,
        offers=cell.n_offers,
        sellers=cell.n_providers,
        **told,
    )
    return short, sentence


def exclusions(issue: Issue, names: Names, w: Words) -> Section:
    """What is in the price and what is not, and for one card from how many hours on a month pays."""
    lines = w.many("exclusion.lines")
    pairs = {row.card: row for row in reversed(issue.break_even)}
    card = next((card for card in choices()["headline_cards"] if card in pairs), None)
    if card is not None:
        row = pairs[card]
        told = {"provider": names.provider(row.provider), "card": card, "hours": figures.hours(row.hours)}
        lines.append(w("exclusion.break_even", share=figures.percent(row.hours / MONTH_HOURS, 0), **told))
    return Section(w("exclusion.title"), tuple(lines))


def marks_section(w: Words) -> Section:
    """What every mark of the tables means, in the words of the marks."""
    place = 0 if w.lang == "zh" else 1
    told = {code: pair[place].format(days="N") for code, pair in WORDS.items()}
    return Section(w("mark.title"), tuple(w.many("mark.lines", **told)))


def _week(issue: Issue, w: Words, year: str, number: int) -> str:
    """The week, and which edition of its issue this is where it is not the first."""
    week = w("head.week", year=year, number=number)
    if issue.revision is None:
        return week
    return f"{week} · {w('correction.edition', vintage=issue.revision.vintage)}"


def make_view(issue: Issue, lang: str, rows: Sequence[int] = ()) -> View:
    """The texts of the issue in `zh` or `en`; `rows`: at most so many of fits and of jobs by region."""
    fit_rows, region_rows = rows or choices()["rows"][0]
    w, names = Words(lang), Names(issue, lang)
    head = headline(issue, choices())
    label = issue.week.label
    year, number = label.split("-W")
    subject_parts, sentences = _lead(head, issue, names, w)
    cover = issue.coverage
    held = sum(count.week for count in issue.counts if count.kind == "held")
    example = f"fit:{label}/{head.fit.workload}/{head.fit.region_code}/1" if head.fit else "offer:…"
    coverage = w(
        "head.coverage",
        **{"from": figures.day(issue.week.monday, lang), "to": figures.day(issue.week.sunday, lang)},
        done=len(cover.complete),
        planned=len(cover.planned),
        offers=figures.count(cover.offers),
        held=figures.count(held),
        share=w("head.unknown_share") if cover.share is None else figures.percent(cover.share, 0),
    )
    when = figures.full_moment(issue.week.as_of)
    return View(
        lang=lang,
        subject=w("head.subject", label=label, rest=w("head.comma").join(subject_parts)),
        title=w("head.title"),
        week=_week(issue, w, year, int(number)),
        rebuilt=w("head.rebuilt") if issue.rebuilt else "",
        running=w("head.running", when=when) if issue.week.running else "",
        coverage=(w("head.low") if cover.low else "") + coverage,
        low=cover.low,
        sentences=tuple(sentences),
        brief=brief_lines(issue, names, w),
        fits=fit_table(issue, names, w, fit_rows),
        chart_title=w("chart.title"),
        chart_alt="",
        movers=mover_table(issue, names, w),
        regions=region_table(issue, names, w, region_rows),
        parity=parity_section(issue, names, w),
        exclusions=exclusions(issue, names, w),
        marks=marks_section(w),
        held=held_table(issue, names, w),
        sources=sources(issue, names, w),
        corrections=corrections(issue, names, w),
        method=Section(
            w("method.title"),
            tuple(
                w.many(
                    "method.lines",
                    method=issue.method_version,
                    code=issue.code_version,
                    example=example,
                    label=label,
                    when=when,
                )
            ),
        ),
    )
