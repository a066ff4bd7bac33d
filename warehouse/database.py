"""Opening DuckDB files: the settings that every connection of ours has, and the SQL files beside this module.

Valid on DuckDB 1.5 and 2.0. Extensions are never looked for: the three we use are inside the wheel. Nothing
here may `open()` a database file that this process has open in DuckDB: closing that descriptor would drop
DuckDB's own lock.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

import duckdb

from warehouse.errors import Refused

# Files written by 2.x are readable by 1.5 only in this storage version.
STORAGE_VERSION = "v1.4.0"
_ALWAYS: dict[str, Any] = {
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
    "python_enable_replacements": "false",
}


@cache
def sql_text(name: str) -> str:
    """A file of `warehouse/sql/`, by name without suffix."""
    return (files("warehouse") / "sql" / f"{name}.sql").read_text(encoding="utf-8")


@contextmanager
def writing(
    path: Path, spill: Path, memory: str = "768MB", threads: int | None = None
) -> Iterator[duckdb.DuckDBPyConnection]:
    """The file open for writing, UTC clock; closed at the end of the block.

    `Refused` when another process has the file open.
    """
    config: dict[str, Any] = {
        **_ALWAYS,
        "storage_compatibility_version": STORAGE_VERSION,
        "memory_limit": memory,
        "temp_directory": str(spill),
        "preserve_insertion_order": "true",
    }
    if threads is not None:
        config["threads"] = threads
    try:
        con = duckdb.connect(str(path), config=config)
    except duckdb.IOException as error:
        if "lock" in str(error).lower():
            raise Refused(f"{path.name} is open elsewhere: {str(error).splitlines()[0]}") from None
        raise
    try:
        con.execute("SET TimeZone = 'UTC'")
        yield con
    finally:
        con.close()


def reading(path: Path, **extra: Any) -> duckdb.DuckDBPyConnection:
    """The file open read-only, UTC clock; the caller closes. `extra` are DuckDB settings."""
    con = duckdb.connect(str(path), read_only=True, config={**_ALWAYS, **extra})
    con.execute("SET TimeZone = 'UTC'")
    return con
