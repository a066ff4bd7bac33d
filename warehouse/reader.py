"""How every query command opens the published data: the generation that LATEST names, read-only."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import duckdb

from warehouse.database import first_line, reading
from warehouse.errors import NoGeneration, Refused, WarehouseError
from warehouse.layout import Layout, wal_of


def latest_path(home: Path) -> Path:
    """The file that LATEST names. NoGeneration when nothing is published."""
    layout = Layout(home)
    try:
        name = layout.latest.read_text(encoding="ascii").strip()
    except (FileNotFoundError, UnicodeDecodeError):
        name = ""
    path = layout.published / name
    if not name or "/" in name or not path.is_file():
        raise NoGeneration(
            f"no generation is published in {home}; run `suanjia crawl` or `suanjia import`,"
            " then `suanjia load` and `suanjia publish`"
        )
    return path


def open_latest(home: Path, **settings: Any) -> tuple[duckdb.DuckDBPyConnection, str]:
    """(read-only connection, generation name); the caller closes. `settings` are DuckDB's.

    Tried twice: between reading the pointer and opening the file a publish may have removed the oldest
    generation. NoGeneration when nothing is published; Refused beside a stale write-ahead log, which DuckDB
    1.5 would apply in silence; WarehouseError for a file that is damaged.
    """
    for attempt in (1, 2):
        path = latest_path(home)
        if wal_of(path).exists():
            raise Refused(f"{wal_of(path).name} stands beside the published file; move it away")
        try:
            return reading(path, **settings), path.name
        except duckdb.Error as error:
            if attempt == 2:
                raise damaged(path, error) from None
    raise AssertionError("unreachable")


def damaged(path: Path, error: duckdb.Error) -> WarehouseError:
    """What to say of a published file that DuckDB cannot open."""
    return WarehouseError(
        f"{path.name} cannot be read ({first_line(error)}); move it away and run `suanjia publish`"
    )
