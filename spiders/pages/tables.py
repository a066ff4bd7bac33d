"""Archetypes `table` (real tables, goods in rows or in columns) and `div_table` (boxes that make one)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from catalog.source_model import Locator, Read, Source
from spiders.pages.goods import FACTS, Good, Quote, Reading, fact, key_of, memory_of_machine, stock, wanted
from spiders.pages.locate import Page, cell_text, column_of, folded, names
from spiders.tables import Cell, expand, parted, select

RAM = "内存"


@dataclass(slots=True)
class Sheet:
    """Rows under a header. `headers`: the header cells above each column; `rows`: (number, cells); `element`:
    the table, or each row's own box."""

    headers: list[list[str]]
    rows: list[tuple[int, list[str], Any]]
    element: Any
    at: str


def read_table(page: Page, source: Source, read: Read, reading: Reading) -> None:
    """Real tables: every table that `rows` selects and that has the declared columns."""
    grids = list(_grids(page, source.rows))
    if source.goods == "columns":
        for number, element, rows in grids:
            _by_columns(page, read, reading, f"table={number}", element, rows)
        return
    _best([_sheet(number, element, rows) for number, element, rows in grids], page, read, reading)


def read_div_table(page: Page, source: Source, read: Read, reading: Reading) -> None:
    """Boxes: the first row is the header, and so is any later row that names the same columns."""
    boxes = [box for box in page.found(source.rows) if not _within(box, page.boxes)]
    sheet: Sheet | None = None
    sheets: list[Sheet] = []
    for number, box in enumerate(boxes):
        cells = [cell_text(cell) for cell in _outermost(select(box, source.cells), box)]
        if not cells:
            continue
        if sheet is None or _is_header(cells, read):
            sheet = Sheet([[cell] for cell in cells], [], box, "rows")
            sheets.append(sheet)
        else:
            width = len(sheet.headers)
            sheet.rows.append((number, (cells + [""] * width)[:width], box))
    _best(sheets, page, read, reading)


def _within(element: Any, boxes: frozenset[Any]) -> bool:
    return any(above in boxes for above in element.iterancestors())


def _outermost(cells: list[Any], box: Any) -> list[Any]:
    """Cells that lie in no other cell of the row."""
    inside = set(cells)
    return [
        c for c in cells if c is not box and not any(a in inside for a in c.iterancestors() if a is not box)
    ]


def _is_header(cells: list[str], read: Read) -> bool:
    asked = [spot.column for spot in (read.card, *read.price) if spot and spot.column is not None]
    return bool(asked) and all(any(names(cell, word) for cell in cells) for word in asked)


def _grids(page: Page, css: str) -> Iterator[tuple[int, Any, list[list[Cell]]]]:
    tables: list[Any] = []
    for element in page.found(css):
        tables += [element] if element.tag == "table" else list(element.iter("table"))
    for number, table in enumerate(dict.fromkeys(tables)):
        rows = expand(table)
        while rows and is_title(rows[0]):
            rows = rows[1:]
        if rows:
            yield number, table, rows


def is_title(row: list[Cell]) -> bool:
    """One cell across the whole table: a title or the head of a group."""
    return len(row) > 1 and row[0].own and not any(cell.own for cell in row[1:])


def header_depth(rows: list[list[Cell]]) -> int:
    """Rows of the header: the first, and those that split a cell of it."""
    depth = 1
    while depth < len(rows) - 1 and any(not c.own for c in rows[depth]) and parted(rows, depth):
        depth += 1
    return depth


def _sheet(number: int, element: Any, rows: list[list[Cell]]) -> Sheet:
    depth = header_depth(rows)
    headers = [
        list(dict.fromkeys(row[column].text for row in rows[:depth] if row[column].text))
        for column in range(len(rows[0]))
    ]
    body: list[tuple[int, list[str], Any]] = []
    for at, row in enumerate(rows[depth:], depth):
        if not is_title(row) and any(cell.own and cell.text for cell in row):
            body.append((at, [cell.text for cell in row], None))
    return Sheet(headers, body, element, f"table={number}")


def _best(sheets: list[Sheet], page: Page, read: Read, reading: Reading) -> None:
    """Read the tables that fit. Where none does, the columns of the nearest one are told."""
    fitting = [sheet for sheet in sheets if _columns(sheet, read)[1]]
    for sheet in fitting:
        _by_rows(sheet, page, read, reading)
    if sheets and not fitting:
        nearest = max(sheets, key=lambda sheet: _matches(sheet, read))
        _note(nearest, read, reading)
        reading.near = ", ".join("/".join(parts) for parts in nearest.headers if parts)[:160]


def _columns(sheet: Sheet, read: Read) -> tuple[dict[str, int], dict[int, int]]:
    """(columns of facts, columns of prices); no prices where the column of the card is not there."""
    found: dict[str, int] = {}
    for name in FACTS:
        spot: Locator | None = getattr(read, name)
        if spot is not None and spot.column is not None:
            column = column_of(sheet.headers, spot.column)
            if column is not None:
                found[name] = column
    prices = {
        number: column
        for number, price in enumerate(read.price)
        if (word := price.column or price.label) is not None
        and (column := column_of(sheet.headers, word)) is not None
    }
    by_column = read.card is not None and read.card.column is not None
    return found, {} if by_column and "card" not in found else prices


def _matches(sheet: Sheet, read: Read) -> int:
    found, prices = _columns(sheet, read)
    return len(found) + len(prices)


def _note(sheet: Sheet, read: Read, reading: Reading) -> None:
    found, _ = _columns(sheet, read)
    for name in FACTS:
        spot: Locator | None = getattr(read, name)
        if spot is not None and spot.column is not None:
            reading.look(f"read.{name}", wanted(spot), name in found)
    for number, price in enumerate(read.price):
        there = column_of(sheet.headers, price.column or price.label or "") is not None
        reading.look(key_of(number), wanted(price), there)


def _by_rows(sheet: Sheet, page: Page, read: Read, reading: Reading) -> None:
    found, prices = _columns(sheet, read)
    _note(sheet, read, reading)
    used = {*found.values(), *prices.values()}
    ram = column_of(sheet.headers, RAM)
    for number, cells, box in sheet.rows:
        if all(cells[c] and any(names(cells[c], part) for part in sheet.headers[c]) for c in prices.values()):
            reading.skip("header row")
            continue
        at = f"{sheet.at}/row={number}"
        good = Good(at, ram=memory_of_machine(cells[ram]) if ram is not None else None)
        for name in FACTS:
            _fill(
                good,
                name,
                getattr(read, name),
                cells,
                found,
                page,
                sheet.element if box is None else box,
                reading,
            )
        good.quotes = [
            Quote(
                cells[column], " ".join(sheet.headers[column]), read.price[n], locator=f"{at}/cell={column}"
            )
            for n, column in prices.items()
        ]
        good.rest = tuple(cell for column, cell in enumerate(cells) if column not in used)
        reading.goods.append(stock(good, " ".join(good.rest)))


def _fill(
    good: Good, name: str, spot: Locator | None, cells: list[str], found: Mapping[str, int], page: Page, box:
    Any, reading: Reading,
) -> None:  # fmt: skip
    if spot is None:
        return
    if spot.column is None:
        text = fact(spot, page, box, reading, f"read.{name}")
        setattr(good, name, text or ("" if name == "card" else None))
    elif name in found:
        setattr(good, name, cells[found[name]] or ("" if name == "card" else None))


def _by_columns(
    page: Page, read: Read, reading: Reading, at: str, element: Any, rows: list[list[Cell]]
) -> None:
    """The first row names the goods; a row of the declaration is found by its first cell."""
    head = rows[0]
    body = rows[1:]
    spots = {
        n: _row_of(body, price.row or price.label or price.column or "") for n, price in enumerate(read.price)
    }
    labels = {name: _row_of(body, word) for name in FACTS if (word := _label(getattr(read, name)))}
    for n, lines in spots.items():
        reading.look(key_of(n), wanted(read.price[n]), bool(lines))
    for name, lines in labels.items():
        reading.look(f"read.{name}", wanted(getattr(read, name)), bool(lines))
    if not any(spots.values()):
        reading.near = reading.near or ", ".join(row[0].text for row in body if row[0].text)[:160]
        return
    ram = _row_of(body, RAM)
    for column in range(1, len(head)):
        if not head[column].own and head[column].text == head[column - 1].text:
            reading.skip("column of the same good")
            continue
        good = Good(f"{at}/column={column}")
        for name in FACTS:
            spot: Locator | None = getattr(read, name)
            if spot is None:
                continue
            if spot.header:
                text: str | None = head[column].text
                reading.look(f"read.{name}", "header", True)
            elif name in labels:
                text = next((body[line][column].text for line in labels[name]), None)
            else:
                text = fact(spot, page, element, reading, f"read.{name}")
            setattr(good, name, text or ("" if name == "card" else None))
        good.ram = memory_of_machine(body[ram[0]][column].text) if ram else None
        good.quotes = [
            Quote(
                body[line][column].text,
                body[line][0].text,
                read.price[n],
                locator=f"{at}/row={line + 1}/cell={column}",
            )
            for n, lines in spots.items()
            for line in lines
        ]
        reading.goods.append(good)


def _label(spot: Locator | None) -> str:
    return "" if spot is None or spot.css is not None else spot.label or spot.column or ""


def _row_of(body: list[list[Cell]], wanted_text: str) -> list[int]:
    """Rows whose first cell says it: exactly, else apart from a unit in brackets if one row alone does."""
    if not wanted_text:
        return []
    exact = [n for n, row in enumerate(body) if row and folded(row[0].text) == folded(wanted_text)]
    loose = [n for n, row in enumerate(body) if row and names(row[0].text, wanted_text)]
    return exact or (loose if len(loose) == 1 else [])
