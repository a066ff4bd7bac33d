"""The cheapest-fit table of the mail, and the same jobs in other places."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from decimal import Decimal

from reports.issue.model import Fit, Issue
from reports.marks import words as mark_words
from reports.numbers import half_up
from reports.render import figures
from reports.render.links import seller_page
from reports.render.names import Names
from reports.render.view import Cell, Line, Table
from reports.render.words import Words, choices

OLD_HOURS = 72
MAX_AGE_HOURS = 168


def heads_of(text: str, right_from: int = 99) -> tuple[Cell, ...]:
    """`one\\nunder|two\\nunder` → heads; those from `right_from` on hold numbers."""
    pairs = [part.split("\n") for part in text.split("|")]
    return tuple(
        Cell(top, under[0] if under else "", right=place >= right_from)
        for place, (top, *under) in enumerate(pairs)
    )


def shown_fits(issue: Issue, region: str) -> dict[str, list[Fit]]:
    """Fits that may stand in the issue (young enough), by job in the order of the jobs."""
    found: dict[str, list[Fit]] = defaultdict(list)
    for fit in issue.fits:
        if fit.region_code == region and (fit.age_hours <= MAX_AGE_HOURS or fit.valid):
            found[fit.workload].append(fit)
    order = [job.name for job in issue.workloads]
    return {name: found[name] for name in [*order, *sorted(set(found) - set(order))] if name in found}


def fit_table(issue: Issue, names: Names, w: Words, rows: int) -> Table:
    """Per job the winner, the runner-up, and the cheapest that is not reclaimed where the winner can be.

    Winners always; `rows` in all, as far as others go.
    """
    chosen = shown_fits(issue, "CN")
    lines = [_line(fits[0], None, names, w) for fits in chosen.values()]
    room = rows - len(lines)
    grouped: list[Line] = []
    for line, fits in zip(lines, chosen.values(), strict=True):
        grouped.append(line)
        for fit, label in _others(fits, w):
            if room > 0:
                grouped.append(_line(fit, label, names, w))
                room -= 1
    return Table(
        w("fit.title"),
        heads_of(w("fit.heads"), 2),
        tuple(grouped),
        w("sentence.no_fit"),
        (w("fit.note"),),
        (29, 30, 16, 14, 11),
    )


def _others(fits: list[Fit], w: Words) -> Iterable[tuple[Fit, str]]:
    best = fits[0]
    runner = next((f for f in fits[1:] if (f.provider, f.card) != (best.provider, best.card)), None)
    if runner is not None:
        more = figures.surplus(runner.total_cny_p50 / best.total_cny_p50)
        yield runner, w("fit.runner_same") if more is None else w("fit.runner_more", pct=more)
    if best.billing_mode == "spot":
        firm = next((f for f in fits[1:] if f.billing_mode != "spot"), None)
        if firm is not None and firm is not runner:
            yield firm, w("fit.firm")


def cards(fit: Fit, w: Words) -> str:
    """`A100-40G × 2（2 台）`; a narrow line breaks before the count."""
    return breakable(short_cards(fit)) + (w("fit.nodes", n=fit.nodes) if fit.nodes > 1 else "")


def short_cards(fit: Fit) -> str:
    """`A100-40G × 2`."""
    return f"{fit.card}\u00a0×\u00a0{figures.count(fit.gpu_count)}"


def breakable(cards: str) -> str:
    """The cards with a place to break, for a narrow column."""
    return cards.replace("\u00a0×", " ×")


def _line(fit: Fit, label: str | None, names: Names, w: Words) -> Line:
    seller = tied(names.provider(fit.provider), names.place(fit.place), names.mode(fit.billing_mode))
    moved, tone = week_change(fit, w)
    strong = "" if label else "strong"
    within = f"≤\u00a0{figures.amount(fit.total_cny_p90)}"
    under = tied(figures.moment(fit.observed_at), *one_mark(fit, w))
    return Line(
        (
            Cell(label or names.job(fit.workload), cards(fit, w), tone=strong),
            Cell(seller, under, href=seller_page(fit.source_url, fit.homepage)),
            Cell(figures.money(fit.total_cny_p50), within, None, strong, True),
            Cell(figures.money(fit.price_cny_per_card_hour), duration(fit.hours_p50, w), right=True),
            Cell(moved, grade_of(fit.grade), tone=tone, right=True),
        ),
        quiet=label is not None,
    )


def tied(*parts: str) -> str:
    """Parts with dots between them, each kept whole and with its dot when the line breaks."""
    return "\u00a0· ".join(part.replace(" ", "\u00a0") for part in parts)


def grade_of(grade: str | None) -> str:
    """`A`, `B`, hollow `○ C`, or a dash without an index."""
    return "—" if grade is None else ("○\u00a0" if grade == "C" else "") + grade


def duration(hours: Decimal, w: Words) -> str:
    """`1.3 小时`, or days from four days on."""
    if hours < 96:
        return w("fit.hours", n=figures.count(half_up(hours, 1))).replace(" ", "\u00a0")
    return w("fit.days", n=figures.count(half_up(hours / 24, 1))).replace(" ", "\u00a0")


def one_mark(fit: Fit, w: Words) -> list[str]:
    """The one mark that a row carries: the gravest first; free stock where there is none."""
    lang = w.lang
    if fit.age_hours > OLD_HOURS:
        return mark_words("old", fit.age_hours, lang)
    codes = [code for code in (fit.mark or "").split(",") if code and code not in {"old", "new"}]
    if codes:
        return mark_words(codes[0], fit.age_hours, lang)
    return [] if fit.stock_idle is None else [w("fit.stock", n=figures.count(fit.stock_idle))]


def week_change(fit: Fit, w: Words) -> tuple[str, str]:
    """(text, tone) of the same offer's price against the week before; a new offer has no change."""
    if fit.is_new:
        return w("word.change_new"), "muted"
    if fit.price_before is None:
        return w("word.no_match"), "muted"
    moved = figures.change(fit.price_cny_per_card_hour / fit.price_before)
    if moved is None:
        return w("word.flat"), "muted"
    return moved, "up" if moved[0] == figures.UP else "down"


def brief_lines(issue: Issue, names: Names, w: Words) -> tuple[str, ...]:
    """The headline jobs first, then the others: job, total, card and seller in one line each."""
    chosen = shown_fits(issue, "CN")
    first = [name for name in choices()["headline_jobs"] if name in chosen]
    order = [*first, *(name for name in chosen if name not in first)]
    return tuple(
        w(
            "fit.brief",
            job=names.job(name),
            total=figures.money((fit := chosen[name][0]).total_cny_p50),
            cards=short_cards(fit).replace("\u00a0", " "),
            provider=names.provider(fit.provider),
            mode=names.mode(fit.billing_mode),
        )
        for name in order
    )


def region_table(issue: Issue, names: Names, w: Words, rows: int) -> Table:
    """Jobs down, the first `rows`; places across: the cheapest total and its card."""
    places: list[str] = choices()["regions"]
    best = {place: {job: fits[0] for job, fits in shown_fits(issue, place).items()} for place in places}
    jobs = [job.name for job in issue.workloads][:rows]
    lines = []
    for job in jobs:
        found = [best[place].get(job) for place in places]
        if any(found):
            lines.append(Line((Cell(names.job(job), tone="strong"), *(_total(fit, w) for fit in found))))
    heads = (Cell(w("region.job")), *(Cell(names.place(place), right=True) for place in places))
    return Table(
        w("region.title"),
        heads,
        tuple(lines),
        w("sentence.no_fit"),
        (w("region.note"),),
        (28, 18, 18, 18, 18),
        small=True,
    )


def _total(fit: Fit | None, w: Words) -> Cell:
    if fit is None:
        return Cell(w("region.none"), tone="muted", right=True)
    return Cell(figures.money(fit.total_cny_p50), breakable(short_cards(fit)), right=True)
