"""HTML tables as grids: spans expanded, cells as text, headers found. This module imports no Scrapy.

A grid is what a reader sees: every cell of a merged block carries the block's text. Fake tables (boxes of
boxes) make the same grids.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from cssselect import SelectorError
from lxml.cssselect import CSSSelector
from lxml.etree import XPathSyntaxError

from spiders.textio import visible_text

MAX_COLUMNS = 200
MAX_ROWS = 5000
MOST_BEFORE = 100
_HEADINGS = frozenset("h1 h2 h3 h4 h5 h6 caption legend strong b".split())


@dataclass(frozen=True, slots=True)
class Cell:
    """One place of a grid. `own` is False where a span from above or from the left reaches in."""

    text: str
    header: bool = False
    own: bool = True


@dataclass(slots=True)
class Grid:
    """A table: equal-length rows of cells, the number of header rows, the words that stand above it."""

    rows: list[list[Cell]]
    headers: int
    heading: str = ""
    number: int = 0  # which table of the page, from 0
    names: list[str] = field(default_factory=list)

    def body(self) -> Iterator[tuple[int, list[Cell]]]:
        """(row number in the table, cells) of every row under the header."""
        yield from ((n, row) for n, row in enumerate(self.rows) if n >= self.headers)


def select(root: Any, css: str) -> list[Any]:
    """Elements that match, in document order. ValueError for CSS that is none."""
    try:
        found: list[Any] = CSSSelector(css, translator="html")(root)
    except (SelectorError, XPathSyntaxError) as error:
        raise ValueError(f"not CSS: {css!r} ({error})") from None
    return found


def grids(root: Any, css: str = "table") -> list[Grid]:
    """Every table that `css` gives, layout tables (that only hold other tables) left out."""
    made = []
    seen: dict[Any, str] = {}
    for number, table in enumerate(select(root, css)):
        rows = expand(table)
        if rows:
            made.append(_named(Grid(rows, _header_rows(rows), heading_of(table, seen), number)))
    return made


def fake_grids(root: Any, rows_css: str, cells_css: str) -> list[Grid]:
    """A grid from boxes: `rows_css` gives the row boxes, `cells_css` the cells inside one. First row =
    header.

    Row boxes with different parents are different tables.
    """
    groups: dict[Any, list[list[Cell]]] = {}
    first: dict[Any, Any] = {}
    for box in select(root, rows_css):
        parent = box.getparent()
        cells = [Cell(visible_text(cell)) for cell in select(box, cells_css)]
        if cells:
            groups.setdefault(parent, []).append(cells)
            first.setdefault(parent, box)
    made = []
    for number, (parent, rows) in enumerate(groups.items()):
        width = max(map(len, rows))
        padded = [row + [Cell("", own=False)] * (width - len(row)) for row in rows]
        made.append(_named(Grid(padded, 1, heading_of(first[parent]), number)))
    return made


def expand(table: Any) -> list[list[Cell]]:
    """The rows of a table, every one as wide as the widest; a cell that spans others is echoed in them."""
    grid: list[dict[int, Cell]] = []
    pending: dict[int, tuple[int, Cell]] = {}  # column → (rows left, cell) of cells that reach down
    lines = [tr for tr in table.iter("tr") if _table_of(tr) is table][:MAX_ROWS]
    for left, tr in zip(range(len(lines), 0, -1), lines, strict=True):
        above = {column: cell for column, (_, cell) in pending.items()}
        pending = {column: (rest - 1, cell) for column, (rest, cell) in pending.items() if rest > 1}
        row: dict[int, Cell] = {}
        column = 0
        for element in (c for c in tr if c.tag in ("td", "th")):
            while column in above:
                row[column] = above[column]
                column += 1
            wide, high = _span(element, "colspan"), _span(element, "rowspan", left)
            cell = Cell(visible_text(element), header=element.tag == "th")
            echo = Cell(cell.text, cell.header, own=False)
            for offset in range(min(wide, MAX_COLUMNS - column)):
                row[column + offset] = echo if offset else cell
                if high > 1:
                    pending[column + offset] = (high - 1, echo)
            column += wide
        row = above | row
        if row:
            grid.append(row)
    width = max((max(row) + 1 for row in grid), default=0)
    return [[row.get(column, Cell("", own=False)) for column in range(width)] for row in grid]


def _table_of(tr: Any) -> Any:
    return next((a for a in tr.iterancestors() if a.tag == "table"), None)


def _span(element: Any, name: str, rest: int = 1) -> int:
    """colspan/rowspan as browsers read it: at least 1, rowspan 0 = to the end."""
    raw = (element.get(name) or "1").strip()
    if not (raw.isascii() and raw.isdigit()):
        return 1
    value = int(raw[:9])
    if name == "rowspan":
        return min(value or rest, MAX_ROWS)
    return min(max(value, 1), MAX_COLUMNS)


def _header_rows(rows: list[list[Cell]]) -> int:
    """Rows of header cells at the top, at least one; with td headers the first row and what it spans into."""
    marked = 0
    for row in rows:
        if not all(cell.header or not cell.text for cell in row):
            break
        marked += 1
    if marked:
        return min(marked, len(rows))
    # A td header whose cells reach down ("price" over "hour" and "month") is two rows.
    depth = 1
    while depth < len(rows) and any(not c.own for c in rows[depth]) and parted(rows, depth):
        depth += 1
    return min(depth, len(rows))


def parted(rows: list[list[Cell]], depth: int) -> bool:
    """Does row `depth` split a header cell above it, rather than start the data?"""
    above, here = rows[depth - 1], rows[depth]
    joined = [i for i, cell in enumerate(above) if not cell.own and i and above[i - 1].text == cell.text]
    reaching = [i for i, cell in enumerate(here) if not cell.own]
    return bool(joined) and bool(reaching) and all(here[i].own for i in joined)


def _named(grid: Grid) -> Grid:
    """Column names: the header cells above a column, repeats folded."""
    width = len(grid.rows[0])
    for column in range(width):
        parts: list[str] = []
        for row in grid.rows[: grid.headers]:
            if row[column].text and row[column].text not in parts:
                parts.append(row[column].text)
        grid.names.append(" ".join(parts))
    return grid


def heading_of(element: Any, seen: dict[Any, str] | None = None) -> str:
    """The words above a table: its caption, else the nearest heading or short line before it, at most
    MOST_BEFORE elements away. `seen` remembers what other tables of the page have asked for."""
    seen = {} if seen is None else seen
    caption = element.find("caption") if element.tag == "table" else None
    if caption is not None:
        return visible_text(caption)
    for before in islice(_before(element), MOST_BEFORE):
        if before.tag == "table":
            return ""
        if before not in seen:
            seen[before] = _heading_in(before)
        if seen[before]:
            return seen[before]
    return ""


def _before(element: Any) -> Iterator[Any]:
    """What stands before an element and before what holds it, nearest first."""
    while element is not None and element.tag != "body":
        yield from element.itersiblings(preceding=True)
        element = element.getparent()


def _heading_in(element: Any) -> str:
    if not isinstance(element.tag, str):
        return ""
    found = [e for e in element.iter() if e.tag in _HEADINGS]
    if found:
        return visible_text(found[-1])[:120]
    text = visible_text(element)
    return text if element.tag in ("p", "div", "span") and 0 < len(text) <= 60 else ""
