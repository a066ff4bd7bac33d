"""`suanjia sql`: one SELECT of a stranger on the published generation, shut in.

DuckDB's own locks do the work: the file is open read-only, access to anything outside is off, Python objects
are not looked up, and the configuration is locked. On top only statements that DuckDB's parser calls SELECT
are run, one at a time, with a time and a memory limit and no spilling to disk.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb

from warehouse.errors import BadRequest
from warehouse.reader import open_latest

MEMORY = "1GB"
SECONDS = 30.0
_SHUT = {
    "enable_external_access": "false",
    "allow_community_extensions": "false",
    "memory_limit": MEMORY,
    "temp_directory": "",
}


@dataclass(frozen=True, slots=True)
class Answer:
    """Column names, rows as Python values, and the generation that gave them."""

    names: tuple[str, ...]
    rows: list[tuple[Any, ...]]
    generation: str


def select(home: Path, sql: str, seconds: float = SECONDS) -> Answer:
    """Run one SELECT. BadRequest for anything else, for SQL errors and after `seconds`."""
    con, generation = open_latest(home, **_SHUT)
    try:
        con.execute("SET lock_configuration = true")
        statement = _the_select(con, sql)
        return _limited(con, statement, seconds, generation)
    except duckdb.InterruptException:
        raise BadRequest(f"the query took longer than {seconds:g} s and was stopped") from None
    except duckdb.Error as error:
        raise BadRequest(_sentence(error)) from None
    finally:
        con.close()


def _the_select(con: duckdb.DuckDBPyConnection, sql: str) -> duckdb.Statement:
    statements = con.extract_statements(sql)
    if len(statements) != 1:
        raise BadRequest(f"one statement at a time, not {len(statements)}")
    try:
        kind = statements[0].type
    except ValueError:  # a kind of statement that DuckDB parses and its Python client has no name for
        raise BadRequest("only SELECT is allowed") from None
    if kind != duckdb.StatementType.SELECT:
        raise BadRequest(f"only SELECT is allowed, not {kind.name}")
    return statements[0]


def _limited(
    con: duckdb.DuckDBPyConnection, statement: duckdb.Statement, seconds: float, generation: str
) -> Answer:
    timer = threading.Timer(seconds, con.interrupt)
    timer.daemon = True
    timer.start()
    try:
        result = con.execute(statement)
        names = tuple(str(column[0]) for column in result.description or ())
        return Answer(names, result.fetchall(), generation)
    finally:
        timer.cancel()


def _sentence(error: duckdb.Error) -> str:
    """The message without DuckDB's picture of the line and without advice to change settings."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return lines[0] if lines else type(error).__name__
