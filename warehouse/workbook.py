"""The published tables as one XLSX workbook: a sheet a table, with real numbers and times."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path
from typing import IO, Any

import duckdb
import xlsxwriter

from warehouse.textout import cell

# One header row beside what Excel allows.
MOST_ROWS = 1_048_575
_LONGEST = 32_767
# A fixed date of creation: the same tables give the same bytes.
_MADE = datetime(2026, 1, 1)  # noqa: DTZ001 - a property of the file, not a moment


def write_workbook(con: duckdb.DuckDBPyConnection, tables: Iterable[Any], path: Path) -> list[str]:
    """Write the tables; returns a sentence for every table that is too long for a sheet and was left out."""
    # Made where its parts are made and then copied: a zip that breaks off on a full disk complains for ever.
    with tempfile.TemporaryFile() as made:
        left_out = _make(con, tables, made)
        made.seek(0)
        with path.open("wb") as out:
            shutil.copyfileobj(made, out)
    return left_out


def _make(con: duckdb.DuckDBPyConnection, tables: Iterable[Any], made: IO[bytes]) -> list[str]:
    left_out = []
    options = {
        "constant_memory": True,
        "strings_to_formulas": False,
        "strings_to_numbers": False,
        "strings_to_urls": False,
    }
    with xlsxwriter.Workbook(made, options) as book:
        book.set_properties({"title": "suanjia", "created": _MADE})
        head = book.add_format({"bold": True})
        day = book.add_format({"num_format": "yyyy-mm-dd"})
        moment = book.add_format({"num_format": "yyyy-mm-dd hh:mm:ss"})
        for table in tables:
            rows = con.execute(f"SELECT count(*) FROM {table.name}").fetchall()[0][0]
            if rows > MOST_ROWS:
                left_out.append(f"{table.name}: {rows} rows, a sheet holds {MOST_ROWS}; use parquet or csv")
                continue
            sheet = book.add_worksheet(table.name)
            sheet.freeze_panes(1, 1)
            sheet.write_row(0, 0, table.columns, head)
            for number, row in enumerate(_rows(con, table.query()), 1):
                _write(sheet, number, row, day, moment)
    return left_out


def _rows(con: duckdb.DuckDBPyConnection, sql: str) -> Iterator[Sequence[Any]]:
    result = con.execute(sql)
    while chunk := result.fetchmany(10_000):
        yield from chunk


def _write(sheet: Any, number: int, row: Sequence[Any], day: Any, moment: Any) -> None:
    for column, value in enumerate(row):
        if value is None:
            continue
        if isinstance(value, bool):
            sheet.write_boolean(number, column, value)
        elif isinstance(value, int | float | Decimal):
            sheet.write_number(number, column, float(value))
        elif isinstance(value, datetime):
            # Excel knows no time zones: times are UTC, as in the database.
            sheet.write_datetime(number, column, value.astimezone(UTC).replace(tzinfo=None), moment)
        elif isinstance(value, date):
            sheet.write_datetime(number, column, datetime(value.year, value.month, value.day), day)  # noqa: DTZ001
        else:
            sheet.write_string(number, column, _text(cell(value)))


def _text(value: str) -> str:
    clean = "".join(c if c >= " " or c in "\n\t" else "�" for c in value)
    return clean if len(clean) <= _LONGEST else clean[: _LONGEST - 1] + "…"
