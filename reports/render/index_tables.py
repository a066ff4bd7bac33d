"""Movers of the index and the price level of provinces."""

from __future__ import annotations

from decimal import Decimal

from reports.issue.model import Cell as IndexCell
from reports.issue.model import Issue
from reports.render import figures
from reports.render.fit_table import grade_of, heads_of
from reports.render.names import Names
from reports.render.view import Cell, Line, Section, Table
from reports.render.words import Words, choices


def movers(issue: Issue) -> list[IndexCell]:
    """Cells that may be said to have moved: the largest rises, then the largest falls, of whole provinces."""
    moved = [
        cell
        for cell in issue.cells
        if cell.direction in {"up", "down"}
        and cell.link is not None
        and cell.value is not None
        and cell.state in {"published", "indicative"}
        and cell.region_code.endswith(("CN", "0000"))
    ]
    each = choices()["movers_each_way"]

    def order(cell: IndexCell) -> tuple[object, ...]:
        return (
            cell.grade or "D",
            -abs((cell.link or Decimal(1)).ln()),
            cell.region_code,
            cell.card,
            cell.billing_mode,
        )

    up = sorted((cell for cell in moved if cell.direction == "up"), key=order)[:each]
    down = sorted((cell for cell in moved if cell.direction == "down"), key=order)[:each]
    return [*up, *down]


def mover_table(issue: Issue, names: Names, w: Words) -> Table:
    """The movers with index, level and sample."""
    found = movers(issue)
    return Table(
        w("mover.title"),
        heads_of(w("mover.heads"), 1),
        tuple(_line(cell, names, w) for cell in found),
        w("mover.none"),
        (w("mover.note"),),
    )


def _line(cell: IndexCell, names: Names, w: Words) -> Line:
    moved = figures.change(cell.link or Decimal(1)) or w("word.flat")
    good = f"{cell.card} · {names.mode(cell.billing_mode)}"
    level = "—" if cell.level is None else figures.money(cell.level)
    return Line(
        (
            Cell(good, names.place(cell.region_code), tone="strong"),
            Cell(figures.index_value(cell.value or Decimal(0)), grade_of(cell.grade), right=True),
            Cell(moved, tone=cell.direction or "", right=True),
            Cell(level, right=True),
            Cell(figures.count(cell.n_offers), figures.count(cell.n_providers), right=True),
        )
    )


def parity_section(issue: Issue, names: Names, w: Words) -> Section:
    """Provinces against Beijing, on-demand prices."""
    rows = [row for row in issue.parity if row.billing_mode == choices()["headline_mode"]]
    texts = [
        w("region.parity", place=names.place(row.region_code), value=figures.index_value(row.value))
        for row in rows
    ]
    return Section(w("region.parity_title"), (" · ".join(texts),) if texts else ())
