"""The columns of a quote sheet, with the headers people write for them."""

from __future__ import annotations

import csv
import re
import unicodedata
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from catalog.table import rows


@dataclass(frozen=True, slots=True)
class Column:
    """One column: canonical name, its header in Chinese, what it holds (`en`, `zh_help`), whether a row
    needs it."""

    name: str
    zh: str
    en: str
    required: bool
    aliases: tuple[str, ...]
    zh_help: str


@cache
def columns() -> tuple[Column, ...]:
    """All columns, in the order of the template."""
    with Path(__file__).with_name("sheet_columns.csv").open(encoding="utf-8", newline="") as lines:
        return tuple(
            Column(
                r["column"],
                r["zh"],
                r["en"],
                r["required"] == "yes",
                tuple(r["aliases"].split("|")),
                r["zh_help"],
            )
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
    """The column that a header means, or None for one the table does not know. A unit in brackets behind it
    (`单价（元/月）`) does not matter; `unit_in` gives it."""
    table = _by_header()
    return table.get(_key(header)) or table.get(_key(_BRACKETS.sub("", _plain(header))))


def unit_in(header: str) -> str:
    """`元/月` of `单价（元/月）`, "" where the header of a price has no unit in brackets."""
    found = _BRACKETS.search(_plain(header))
    return found[1].strip() if found and canonical(header) == "amount_low" else ""


def value_of(column: str, text: str) -> str | None:
    """What a cell under a column of fixed words means (`整机` under basis is `server`); None for no such
    word."""
    return _values().get((column, _word(text)))


def words_of(column: str, lang: str) -> list[str]:
    """The words that a column takes, one for each value, in `zh` or as the program writes them."""
    found: dict[str, str] = {}
    for (name, word), value in _values().items():
        if name == column:
            found.setdefault(value, word if lang == "zh" else value)
    return list(found.values())


@cache
def _values() -> dict[tuple[str, str], str]:
    table: dict[tuple[str, str], str] = {}
    for row in rows("sheet_values.csv"):
        for word in (*row["words"].split("|"), row["value"]):
            table.setdefault((row["column"], _word(word)), row["value"])
    return table


def _word(text: str) -> str:
    return re.sub(r"\s", "", _plain(text)).casefold()


def _plain(text: str) -> str:
    return unicodedata.normalize("NFKC", text)


_BRACKETS = re.compile(r"\s*[(\[]([^()\[\]]*)[)\]]\s*$")


def _key(header: str) -> str:
    return re.sub(r"[\s_*:]", "", _plain(header)).casefold()
