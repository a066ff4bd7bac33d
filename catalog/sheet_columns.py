"""The columns of a quote sheet, with the headers people write for them."""

from __future__ import annotations

import csv
import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Column:
    """One column: canonical name, its header in Chinese, what it holds, whether a row needs it."""

    name: str
    zh: str
    en: str
    required: bool
    aliases: tuple[str, ...]


@cache
def columns() -> tuple[Column, ...]:
    """All columns, in the order of the template."""
    with Path(__file__).with_name("sheet_columns.csv").open(encoding="utf-8", newline="") as lines:
        return tuple(
            Column(r["column"], r["zh"], r["en"], r["required"] == "yes", tuple(r["aliases"].split("|")))
            for r in csv.DictReader(lines)
        )


@cache
def _by_header() -> dict[str, str]:
    table: dict[str, str] = {}
    for column in columns():
        for name in (column.name, column.zh, *column.aliases):
            if name:
                table.setdefault(_key(name), column.name)
    return table


def canonical(header: str) -> str | None:
    """The column that a header means, or None for one the table does not know."""
    return _by_header().get(_key(header))


def _key(header: str) -> str:
    return re.sub(r"[\s_*]", "", header).casefold()
