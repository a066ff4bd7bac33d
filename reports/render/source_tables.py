"""What was held back or refused, who is missing, what was corrected."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal

from catalog.reasons import reason_text
from reports.issue.model import Issue, Revision
from reports.render import figures
from reports.render.fit_table import heads_of
from reports.render.names import Names
from reports.render.view import Cell, Line, Section, Table
from reports.render.words import Words, choices

REFERENCE = "not_an_offer"


def held_table(issue: Issue, names: Names, w: Words) -> Table:
    """Counts by reason (the most frequent of the week), and the first few prices that are held."""
    most = choices()["reason_rows"]
    frequent = sorted(issue.counts, key=lambda count: (-count.week, -count.total, count.kind, count.reason))
    shown = set(frequent[:most])
    lines = [
        Line(
            (
                Cell(_kind(count.kind, count.reason, w), tone="muted"),
                Cell(reason_text(count.reason, w.lang)),
                Cell(figures.count(count.week), right=True),
                Cell(figures.count(count.total), right=True),
            )
        )
        for count in issue.counts
        if count in shown
    ]
    left = len(frequent) - most
    more = [w("held.more_reasons", n=figures.count(left))] if left > 0 else []
    notes = (*more, *_held_lines(issue, names, w), w("held.note"))
    heads, nothing = heads_of(w("held.heads"), 2), w("held.none")
    return Table(w("held.title"), heads, tuple(lines), nothing, notes, (12, 64, 12, 12))


def _held_lines(issue: Issue, names: Names, w: Words) -> list[str]:
    most = choices()["held_rows"]
    lines = [
        w(
            "held.line",
            card=row.card,
            provider=names.provider(row.provider),
            mode=names.mode(row.billing_mode),
            price="—" if (cny := row.price_cny_per_card_hour) is None else figures.money(cny),
            reason=reason_text(row.reason, w.lang),
            when=figures.moment(row.observed_at),
        )
        for row in issue.held[:most]
    ]
    left = len(issue.held) - most
    return [*lines, w("held.more", n=figures.count(left))] if left > 0 else lines


def _kind(kind: str, reason: str, w: Words) -> str:
    return w("held.reference") if reason == REFERENCE else w(f"held.{kind}")


def sources(issue: Issue, names: Names, w: Words) -> Section:
    """Planned sources that gave no complete data, by name; and those that were never asked."""
    cover = issue.coverage
    missing = [names.provider(slug) for slug in cover.missing]
    lines = [w("source.missing", names=w.listed(missing)) if missing else w("source.none")]
    if cover.never:
        lines.append(w("source.never", names=w.listed([names.provider(slug) for slug in cover.never])))
    return Section(w("source.title"), tuple(lines))


def corrections(issue: Issue, names: Names, w: Words) -> Section:
    """Published values that were wrong and are not any more."""
    past = [
        w(
            "correction.line",
            place=names.place(row.region_code),
            card=row.card,
            mode=names.mode(row.billing_mode),
            week=f"{row.week:%G-W%V}",
            old=_index(row.old_value),
            new=_index(row.new_value),
            reason=w(f"reason.{row.reason}"),
        )
        for row in issue.corrections
    ]
    now = [] if issue.revision is None else list(_revision(issue.revision, names, w))
    if now and past:
        now.append(w("correction.past"))
    most = choices()["correction_rows"]
    if len(past) > most:
        past[most:] = [w("correction.revision_more", n=figures.count(len(past) - most))]
    return Section(w("correction.title"), (*now, *past) or (w("correction.none"),))


def _revision(revision: Revision, names: Names, w: Words) -> Iterator[str]:
    """What this edition says differently from the one before it."""
    reasons = [w(f"reason.{code}") for code in revision.reasons] or [w("reason.none")]
    yield w(
        "correction.revision",
        vintage=revision.vintage,
        before=revision.supersedes,
        reasons=w.listed(reasons),
    )
    lines = [
        *(
            w(
                "correction.revision_cell",
                place=names.place(cell.region_code),
                card=cell.card,
                mode=names.mode(cell.billing_mode),
                old_change=_moved(cell.old_link, w),
                old=_index(cell.old_value),
                new_change=_moved(cell.new_link, w),
                new=_index(cell.new_value),
            )
            for cell in revision.cells
        ),
        *(
            w(
                "correction.revision_fit",
                job=names.job(fit.workload),
                old="—" if fit.old is None else figures.money(fit.old),
                new="—" if fit.new is None else figures.money(fit.new),
            )
            for fit in revision.fits
        ),
    ]
    most = choices()["correction_rows"]
    yield from lines[:most]
    if len(lines) > most:
        yield w("correction.revision_more", n=figures.count(len(lines) - most))
    if not lines:
        yield w("correction.revision_words")


def _moved(link: Decimal | None, w: Words) -> str:
    return "—" if link is None else figures.change(link) or w("word.flat")


def _index(value: Decimal | None) -> str:
    return "—" if value is None else figures.index_value(value)
