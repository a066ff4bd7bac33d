"""The files quote sheets come in: CSV, XLSX and JSON Lines → rows of text by canonical column.

Numbers stay text. A file that is none of the three, or whose header names no known column, is one clear
SheetError; a damaged row is left to the row reader.
"""

from __future__ import annotations

import csv
import io
import json
import zipfile
from collections.abc import Iterator, Mapping
from decimal import Decimal
from itertools import chain, islice
from pathlib import PurePath
from typing import Any

from catalog import sheet_columns
from pipeline import xlsx_guard
from pipeline.guard import unguarded

MAX_BYTES = 64 * 1024 * 1024
MAX_UNPACKED = 512 * 1024 * 1024
MAX_ROWS = 1_000_000
HEADER_UNIT = "amount_unit"  # the unit of `单价（元/月）`, as if it were a column
_TITLE_ROWS = 20  # a header stands among the first rows
_KNOWN_COLUMNS = 3
Row = tuple[int, str, Mapping[str, str]]


class SheetError(ValueError):
    """A file that cannot be read as a sheet; the message says why."""


def read_file(name: str, body: bytes) -> Iterator[Row]:
    """(row number, locator, column → text) of every row that is not empty.

    The row number counts data rows from 1. SheetError: too large, unknown kind, no header.
    """
    if len(body) > MAX_BYTES:
        raise SheetError(f"larger than {MAX_BYTES // 2**20} MiB")
    kind = PurePath(name).suffix.lower()
    if kind in {".jsonl", ".ndjson"}:
        return _json_lines(body)
    if kind in {".xlsx", ".xlsm"}:
        return _xlsx(body)
    if kind in {".csv", ".txt", ".tsv"}:
        return _csv(body, "\t" if kind == ".tsv" else ",")
    raise SheetError("not a CSV, XLSX or JSON Lines file (by its name)")


def _csv(body: bytes, delimiter: str) -> Iterator[Row]:
    text = _decode(body)
    if "\0" in text:
        raise SheetError("holds zero bytes: not a text file")
    csv.field_size_limit(1_000_000)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
    try:
        # A title above the table is no header: the header is the first row that names known columns.
        above = list(islice(reader, _TITLE_ROWS))
        start = next((n for n, cells in enumerate(above) if _names_columns(cells)), 0)
        names, units = _header(above[start] if above else [])
        for number, cells in enumerate(chain(above[start + 1 :], reader), 1):
            if any(cell.strip() for cell in cells):
                yield number, f"row {number}", _row(names, units, [unguarded(cell) for cell in cells])
    except csv.Error as error:
        raise SheetError(f"not CSV: {error}") from None


def _decode(body: bytes) -> str:
    try:
        return body.decode("utf-8-sig")
    except UnicodeDecodeError:
        # What Excel on a Chinese Windows saves as "CSV".
        try:
            return body.decode("gb18030")
        except UnicodeDecodeError:
            raise SheetError("neither UTF-8 nor GB18030 text") from None


def _json_lines(body: bytes) -> Iterator[Row]:
    # Lines end with \n alone: a value may hold what Unicode calls a line break.
    for number, line in enumerate(_decode(body).split("\n"), 1):
        if not line.strip():
            continue
        try:
            value = json.loads(line, parse_float=Decimal, parse_int=str, parse_constant=str)
        except (ValueError, RecursionError, ArithmeticError):  # 1e99999999999999999999 is no Decimal
            value = None
        fields = value if isinstance(value, dict) else {}
        row = {sheet_columns.canonical(k) or k: _text(v) for k, v in fields.items()}
        yield number, f"line {number}", row


def _xlsx(body: bytes) -> Iterator[Row]:
    # openpyxl is slow to import and only this road needs it.
    import openpyxl

    try:
        with zipfile.ZipFile(io.BytesIO(body)) as archive:
            if sum(info.file_size for info in archive.infolist()) > MAX_UNPACKED:
                raise SheetError("unpacks to more than 512 MiB")
            if odd := xlsx_guard.bomb(archive):
                raise SheetError(odd)
        book = openpyxl.load_workbook(io.BytesIO(body), data_only=True)
    except SheetError:
        raise
    except Exception as error:  # noqa: BLE001 — a damaged workbook fails anywhere in openpyxl
        raise SheetError(f"not a readable XLSX: {type(error).__name__}") from None
    if sum(sheet.max_row for sheet in book.worksheets) > MAX_ROWS:
        raise SheetError(f"more than {MAX_ROWS} rows")
    if any(sheet.max_row * sheet.max_column > xlsx_guard.MAX_CELLS for sheet in book.worksheets):
        raise SheetError("cells too far apart")
    number, found = 0, False
    for sheet in book.worksheets:
        if sheet.sheet_state != "visible":
            continue
        for line, row in _sheet_rows(sheet):
            found = True
            if row is not None:
                number += 1
                yield number, f"{sheet.title}!{line}", row
    if not found:
        raise SheetError("no header row with known columns")


def _sheet_rows(sheet: Any) -> Iterator[tuple[int, Mapping[str, str] | None]]:
    """(line, row) of one worksheet; its header is told as a line without a row."""
    merged, across = _merged(sheet)
    header: tuple[list[str], list[str]] | None = None
    for line, cells in enumerate(sheet.iter_rows(values_only=True), 1):
        texts = [_text(merged.get((line, at), value)) for at, value in enumerate(cells, 1)]
        if header is None:
            if _names_columns(texts):
                header = _header(texts)
                yield line, None
        elif any(texts) and line not in across:
            yield line, _row(*header, texts)


def _names_columns(cells: list[str]) -> bool:
    """Is this the header? A title is none; three known columns are."""
    return sum(sheet_columns.canonical(cell) is not None for cell in cells) >= _KNOWN_COLUMNS


def _merged(sheet: Any) -> tuple[dict[tuple[int, int], Any], set[int]]:
    """Every cell of a merged range → the value that the range shows; lines that one range fills from end to
    end (the name of a room above its rows)."""
    cells: dict[tuple[int, int], Any] = {}
    across: set[int] = set()
    for area in sheet.merged_cells.ranges:
        if area.size["rows"] * area.size["columns"] > 100_000:
            raise SheetError(f"merged range {area.coord} is too large")
        value = sheet.cell(area.min_row, area.min_col).value
        for line in range(area.min_row, area.max_row + 1):
            for at in range(area.min_col, area.max_col + 1):
                cells[line, at] = value
        if area.min_col == 1 and area.max_col >= sheet.max_column > 1:
            across.update(range(area.min_row, area.max_row + 1))
    return cells, across


def _header(cells: list[str]) -> tuple[list[str], list[str]]:
    """(columns, units in brackets behind the price's header)."""
    known = [sheet_columns.canonical(cell) for cell in cells]
    if not any(known):
        raise SheetError("no header row with known columns")
    names = [name or cell.strip() for name, cell in zip(known, cells, strict=True)]
    return names, [sheet_columns.unit_in(cell) for cell in cells]


def _row(names: list[str], units: list[str], cells: list[str]) -> Mapping[str, str]:
    row = {name: cell.strip() for name, cell in zip(names, cells, strict=False) if name}
    unit = next(filter(None, units), "")
    return row | {HEADER_UNIT: unit} if unit else row


def _text(value: Any) -> str:
    """A cell as text: dates in ISO form, whole floats without `.0`, nothing for None."""
    if value is None:
        return ""
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() else repr(value)
    if hasattr(value, "isoformat"):
        text: str = value.isoformat()
        return text.removesuffix("T00:00:00")
    # JSON can hold half characters, which no file can.
    return str(value).strip().encode("utf-8", "replace").decode("utf-8")
