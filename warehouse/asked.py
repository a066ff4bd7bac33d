"""One SELECT in a process of its own, for `warehouse.query`: `python -m warehouse.asked HOME SECONDS`.

DuckDB's own locks do most of the work: the file is open read-only, access to anything outside is off, Python
objects are not looked up, and the configuration is locked. On top only statements that DuckDB's parser calls
SELECT are run, one at a time, with a time limit, no spilling to disk, and limits on DuckDB's memory, on the
size of the answer and on the memory of the whole process. Writes a pickle: (names, rows, generation), or the
error.
"""

from __future__ import annotations

import pickle
import re
import resource
import sys
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import duckdb

from warehouse.errors import BadRequest, WarehouseError
from warehouse.query import TOO_LARGE, too_long
from warehouse.reader import open_latest

MEMORY = "1GB"
PROCESS_BYTES = 3 << 30
ANSWER_BYTES = 256 << 20
_CHUNK_ROWS = 1_000
_SHUT = {
    "enable_external_access": "false",
    "allow_community_extensions": "false",
    "memory_limit": MEMORY,
    "temp_directory": "",
    "secret_directory": "none",
}

Answered = tuple[tuple[str, ...], list[tuple[Any, ...]], str]


def ask(home: Path, sql: str, seconds: float) -> Answered:
    """(names, rows, generation). BadRequest as in `warehouse.query.select`."""
    con, generation = open_latest(home, **_SHUT)
    try:
        con.execute("SET lock_configuration = true")
        names, rows = _limited(con, _the_select(con, sql), seconds)
        return names, rows, generation
    except duckdb.InterruptException:
        raise BadRequest(too_long(seconds)) from None
    except duckdb.OutOfMemoryException:
        raise BadRequest(TOO_LARGE) from None
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
    con: duckdb.DuckDBPyConnection, statement: duckdb.Statement, seconds: float
) -> tuple[tuple[str, ...], list[tuple[Any, ...]]]:
    timer = threading.Timer(seconds, con.interrupt)
    timer.daemon = True
    timer.start()
    try:
        result = con.execute(statement)
        names = distinct([str(column[0]) for column in result.description or ()])
        rows: list[tuple[Any, ...]] = []
        size = 0
        while chunk := result.fetchmany(_CHUNK_ROWS):
            rows += chunk
            size += sum(map(_bytes, chunk))
            if size > ANSWER_BYTES:
                raise BadRequest(
                    f"the answer is larger than {ANSWER_BYTES >> 20} MB; ask for less, or add LIMIT"
                )
        return names, rows
    finally:
        timer.cancel()


def _bytes(row: tuple[Any, ...]) -> int:
    return sys.getsizeof(row) + sum(map(sys.getsizeof, row))


def distinct(names: Sequence[str]) -> tuple[str, ...]:
    """Column names that are there once: the second `price` is `price_1`, as DuckDB names it in a table."""
    taken: set[str] = set(names)
    seen: set[str] = set()
    out: list[str] = []
    for name in names:
        new, n = name, 0
        while name in seen and new in taken:
            n += 1
            new = f"{name}_{n}"
        seen.add(name)
        taken.add(new)
        out.append(new)
    return tuple(out)


def _sentence(error: duckdb.Error) -> str:
    """The message on one line, with what DuckDB thinks was meant, without its picture of the query and
    without advice to change settings."""
    told = re.split(r"\n\s*\n|\n(?=LINE |Possible solutions)", str(error).strip())[0]
    words = " ".join(line.strip() for line in told.splitlines())
    return re.sub(r' Use "SET .*', "", words) or type(error).__name__


def main() -> None:
    """Entry point of the process. Told what went wrong, it ends with 0 all the same: that is its answer."""
    _, most = resource.getrlimit(resource.RLIMIT_DATA)
    few = PROCESS_BYTES if most == resource.RLIM_INFINITY else min(PROCESS_BYTES, most)
    resource.setrlimit(resource.RLIMIT_DATA, (few, most))
    sql = sys.stdin.buffer.read().decode("utf-8", "replace")
    answer: Answered | WarehouseError
    try:
        answer = ask(Path(sys.argv[1]), sql, float(sys.argv[2]))
    except WarehouseError as error:
        answer = error
    pickle.dump(answer, sys.stdout.buffer, protocol=pickle.HIGHEST_PROTOCOL)


if __name__ == "__main__":
    main()
