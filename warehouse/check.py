"""Checks of a finished file, run as a process of its own: `python -m warehouse.check FILE < expected-counts`.

Prints one line per thing that is wrong and ends with 1, or prints nothing and ends with 0. Every value of
every table is read, so an unreadable block shows here and not at a reader.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

import duckdb

from warehouse.database import MEMORY, reading, sql_text


def problems(path: Path, expected: Mapping[str, int]) -> Iterator[str]:
    """What is wrong with the file, one sentence each."""
    con = reading(path, memory_limit=MEMORY)
    try:
        yield from _scan(con, expected)
        for query in sql_text("checks").split(";"):
            if query.strip():
                yield from (str(row[0]) for row in con.execute(query).fetchall())
    finally:
        con.close()


def _scan(con: duckdb.DuckDBPyConnection, expected: Mapping[str, int]) -> Iterator[str]:
    tables = con.execute(
        "SELECT schema_name || '.' || table_name FROM duckdb_tables() WHERE NOT internal ORDER BY 1"
    ).fetchall()
    found = {name: 0 for (name,) in tables}
    for name in found:
        # The hash of a whole row needs every column decoded.
        rows = con.execute(f"SELECT count(*), bit_xor(hash(t)) FROM {name} AS t").fetchall()
        found[name] = rows[0][0]
    if found != dict(expected):
        yield f"row counts {found}, built were {dict(expected)}"


def main() -> int:
    """Entry point of the child process."""
    expected = json.load(sys.stdin)
    found = list(problems(Path(sys.argv[1]), expected))
    for line in found:
        sys.stdout.write(line + "\n")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
