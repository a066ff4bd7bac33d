"""Rows of a query for people: an aligned table that knows how wide Chinese is, or CSV."""

from __future__ import annotations

import csv
import io
import unicodedata
from collections.abc import Sequence
from datetime import datetime
from decimal import Decimal
from typing import Any

from pipeline.guard import guarded
from warehouse.jsonout import dumps, number


def cell(value: Any) -> str:
    """One value as text: unknown is empty, Decimals without trailing zeros, times ISO 8601 with offset."""
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    if isinstance(value, Decimal):
        return number(value) if value.is_finite() else str(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, datetime):
        return value.isoformat(sep=" ")
    if isinstance(value, list | dict | tuple):
        return dumps(value)
    return str(value)


def width(text: str) -> int:
    """Columns a terminal needs: two for wide characters, none for combining marks."""
    return sum(
        0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text
    )


def table(names: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
    """An aligned table with a header and a rule, numbers to the right, control characters visible."""
    texts = [[_printable(cell(value)) for value in row] for row in rows]
    heads = [_printable(name) for name in names]
    widths = [max([width(head), *(width(row[i]) for row in texts)]) for i, head in enumerate(heads)]
    right = [
        bool(rows) and all(isinstance(row[i], int | float | Decimal | None) for row in rows)
        for i in range(len(heads))
    ]

    def line(cells: Sequence[str]) -> str:
        padded = [
            " " * (w - width(text)) + text if to_right else text + " " * (w - width(text))
            for text, w, to_right in zip(cells, widths, right, strict=True)
        ]
        return "  ".join(padded).rstrip()

    return "\n".join([line(heads), "  ".join("─" * w for w in widths), *(line(row) for row in texts)])


def csv_text(names: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
    """RFC 4180 with a header row and \\n line ends; text that a spreadsheet would run is guarded."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(names)
    writer.writerows(
        [guarded(value) if isinstance(value, str) else cell(value) for value in row] for row in rows
    )
    return out.getvalue()


def _printable(text: str) -> str:
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else "␤" if c == "\n" else "�" for c in text)
