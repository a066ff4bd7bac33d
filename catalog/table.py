"""Reading the catalog's CSV files: header row, UTF-8, every cell a stripped string, "" = not known."""

from __future__ import annotations

import csv
from decimal import Decimal
from pathlib import Path

DIR = Path(__file__).parent


def rows(name: str) -> list[dict[str, str]]:
    """Rows of `catalog/<name>` as dicts. Raises ValueError for a row with too many or too few cells."""
    with (DIR / name).open(encoding="utf-8", newline="") as file:
        reader = csv.DictReader(file)
        found = []
        for row in reader:
            if None in row or None in row.values():
                raise ValueError(f"catalog/{name} line {reader.line_num}: wrong number of cells")
            found.append({key: value.strip() for key, value in row.items()})
        return found


def decimal(cell: str) -> Decimal | None:
    """A number cell; "" is None."""
    return Decimal(cell) if cell else None


def number(cell: str) -> float | None:
    """A physics cell (never money) as float; "" is None."""
    return float(cell) if cell else None


def decimals(cell: str) -> tuple[Decimal, ...]:
    """A `;` list of numbers."""
    return tuple(Decimal(part) for part in cell.split(";") if part)
