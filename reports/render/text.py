"""The plain text part: the same tables and numbers, readable without HTML."""

from __future__ import annotations

from collections.abc import Iterator

from reports.render.view import Section, Table, View


def text_part(view: View) -> str:
    """The issue as plain text, one block a row, so that nothing depends on the width of a screen or font."""
    return "\n".join(_lines(view)).replace("\u00a0", " ") + "\n"


def _lines(v: View) -> Iterator[str]:
    yield v.title
    yield v.week
    yield from (text for text in (v.rebuilt, v.running) if text)
    yield v.coverage
    yield ""
    yield from v.sentences
    yield from _table(v.fits)
    yield from _section(Section(v.chart_title, (v.chart_alt,)))
    yield from _table(v.movers)
    yield from _table(v.regions, heads=True)
    for section in (v.parity, v.exclusions, v.marks):
        yield from _section(section)
    yield from _table(v.held)
    for section in (v.sources, v.corrections, v.method):
        yield from _section(section)


def _title(text: str) -> Iterator[str]:
    yield ""
    yield f"== {text} =="


def _table(table: Table, heads: bool = False) -> Iterator[str]:
    yield from _title(table.title)
    if not table.lines:
        yield table.nothing
        return
    if not heads:
        yield "  ".join(head.top for head in table.heads)
        under = [head.under for head in table.heads if head.under]
        if under:
            yield "    " + " · ".join(under)
    for line in table.lines:
        if heads:
            first, *rest = line.cells
            yield f"* {first.top}"
            for head, cell in zip(table.heads[1:], rest, strict=True):
                yield f"    {head.top} {cell.top}" + (f" · {cell.under}" if cell.under else "")
            continue
        yield ("  - " if line.quiet else "* ") + "  ".join(cell.top for cell in line.cells)
        under = [cell.under for cell in line.cells if cell.under]
        if under:
            yield "    " + " · ".join(under)
        yield from (f"    {cell.href}" for cell in line.cells if cell.href)
    yield from table.notes


def _section(section: Section) -> Iterator[str]:
    if section.lines:
        yield from _title(section.title)
        yield from section.lines
