"""Opening DuckDB files: the settings that every connection of ours has, and the SQL files beside this module.

Valid on DuckDB 1.5 and 2.0. Extensions are never looked for: the three we use are inside the wheel. Nothing
here may `open()` a database file that this process has open in DuckDB: closing that descriptor would drop
DuckDB's own lock.
"""

from __future__ import annotations

import errno
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

import duckdb

from warehouse.errors import Refused, WarehouseError

# Files written by 2.x are readable by 1.5 only in this storage version.
STORAGE_VERSION = "v1.4.0"
# What DuckDB may hold of a load, a build or a check; the rest spills. The index needs memory beside it.
MEMORY = "400MB"
# Of every connection: UTC, and no progress bar, which DuckDB would draw on stdout among the results.
_SESSION = "SET TimeZone = 'UTC'; SET enable_progress_bar = false"
_NO_SPACE = "No space left on device"
_CORRUPT = "Corrupt database file"
STORE_ANEW = "the store is made from the segments: move warehouse/work.duckdb away and run `suanjia load`"
FILE_ANEW = "move the published file away and run `suanjia publish`"
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
    path: Path, spill: Path, memory: str = MEMORY, threads: int | None = None
) -> Iterator[duckdb.DuckDBPyConnection]:
    """The file open for writing, UTC clock; closed at the end of the block.

    `Refused` when another process has the file open, WarehouseError when it is no database.
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
    except duckdb.Error as error:
        if "lock" in str(error).lower():
            raise Refused(f"{path.name} is open elsewhere: {first_line(error)}") from None
        if _NO_SPACE in str(error):
            raise
        raise WarehouseError(f"{path.name} cannot be opened ({first_line(error)}); {STORE_ANEW}") from None
    try:
        con.execute(_SESSION)
        yield con
    finally:
        con.close()


def insert_columns(con: duckdb.DuckDBPyConnection, table: str, columns: Mapping[str, Sequence[Any]]) -> None:
    """Insert columns of equal length by name; for a few thousand rows. Arrow would load pandas for it."""
    names = ", ".join(f'"{name}"' for name in columns)
    values = ", ".join(f"unnest(${i})" for i, _ in enumerate(columns, start=1))
    con.execute(f"INSERT INTO {table} ({names}) SELECT {values}", [list(c) for c in columns.values()])


def first_line(error: BaseException) -> str:
    """An error without the hints that DuckDB adds below it."""
    return str(error).splitlines()[0]


def no_space(error: BaseException) -> bool:
    """Whether a full disk is what went wrong."""
    return _NO_SPACE in str(error) or getattr(error, "errno", None) == errno.ENOSPC


def corrupt(error: BaseException) -> bool:
    """Whether a block of a database file holds other bytes than were written."""
    return isinstance(error, duckdb.Error) and _CORRUPT in str(error)


@contextmanager
def enough_space(what: str, remedy: str = STORE_ANEW) -> Iterator[None]:
    """A full or read-only disk inside the block becomes one sentence, and so does a damaged database file,
    with its `remedy`; nothing that was there before is lost by it."""
    try:
        yield
    except WarehouseError:
        raise
    except Exception as error:  # whoever wrote: duckdb, pyarrow, xlsxwriter or we
        if no_space(error):
            raise WarehouseError(f"{what}: no space left on the disk; free some and run it again") from None
        if corrupt(error):
            raise WarehouseError(f"{what}: {first_line(error)}; {remedy}") from None
        if isinstance(error, OSError) and error.errno in (errno.EROFS, errno.EACCES):
            raise WarehouseError(f"{what}: {error.filename}: {error.strerror}") from None
        raise


def reading(path: Path, **extra: Any) -> duckdb.DuckDBPyConnection:
    """The file open read-only, UTC clock; the caller closes. `extra` are DuckDB settings."""
    con = duckdb.connect(str(path), read_only=True, config={**_ALWAYS, **extra})
    con.execute(_SESSION)
    return con


def in_memory() -> duckdb.DuckDBPyConnection:
    """A database of its own that no file holds, with the same settings; the caller closes."""
    con = duckdb.connect(config=_ALWAYS)
    con.execute(_SESSION)
    return con
