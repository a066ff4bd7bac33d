"""What was held back or refused, who is missing, what was corrected."""

from __future__ import annotations

from catalog.reasons import reason_text
from reports.issue.model import Issue
from reports.render import figures
from reports.render.fit_table import heads_of
from reports.render.names import Names
from reports.render.view import Cell, Line, Section, Table
from reports.render.words import Words, choices

REFERENCE = "not_an_offer"


def held_table(issue: Issue, names: Names, w: Words) -> Table:
    """Counts by reason, in the week and in all, and the first few prices that are held."""
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
    ]
    notes = (*_held_lines(issue, names, w), w("held.note"))
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
    lines = [
        w(
            "correction.line",
            place=names.place(row.region_code),
            card=row.card,
            mode=names.mode(row.billing_mode),
            week=f"{row.week:%G-W%V}",
            old="—" if row.old_value is None else figures.index_value(row.old_value),
            new="—" if row.new_value is None else figures.index_value(row.new_value),
            reason=w(f"reason.{row.reason}"),
        )
        for row in issue.corrections
    ]
    return Section(w("correction.title"), tuple(lines) or (w("correction.none"),))
