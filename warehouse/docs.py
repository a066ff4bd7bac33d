"""docs/sql.md and docs/data-dictionary.md, made from the comments inside a generation.

    python -m warehouse.docs

A test compares the files with what this module makes, so they cannot fall behind the database.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime
from pathlib import Path

import duckdb

from warehouse.build import Inputs, build
from warehouse.comments import Column, columns, tables
from warehouse.database import reading, sql_text, writing
from warehouse.index.method import load_method

# Shown first and in this order; every other table follows by name.
_FIRST = (
    "offers",
    "observations",
    "price_index",
    "price_level",
    "cheapest_fit",
    "rejections",
    "runs",
    "providers",
)
_MADE = (
    "<!-- Made by `python -m warehouse.docs` from the comments in the database; edit warehouse/sql/, not this"
    " file. -->\n\n"
)
_INTRO = """# SQL on the published generation 用 SQL 查询

{made}`suanjia sql "SELECT …"` runs one SELECT on the newest generation, read-only and shut in: no other file,
no setting and no write can be reached; thirty seconds at most (`--seconds`), 1 GB of memory for DuckDB,
answers up to 256 MB. `--format table|csv|json`. The file itself is an ordinary DuckDB file
(`published/LATEST` names it; storage version v1.4.0, readable by DuckDB 1.5 and later): open it read-only
with any client, its tables carry these words as comments.

Money is `DECIMAL(18,6)`, times are `TIMESTAMPTZ` in UTC, weeks are the Monday of the ISO week in
Asia/Shanghai, an unknown is NULL. 金额为 DECIMAL(18,6)，时间为 UTC，周以上海时间周一为准，未知为 NULL。

"""
_DICTIONARY = """# Data dictionary 数据字典

{made}Every table, view and column of a published generation. `store.*` is the append-only store that the
views read; its layout may change, the tables above it may only grow.

"""


@dataclass(frozen=True, slots=True)
class Query:
    """One worked query: title, a sentence or two, the SQL."""

    title: str
    text: str
    sql: str


def worked_queries() -> list[Query]:
    """The queries of `sql/worked_queries.sql`, in order."""
    found = []
    for part in sql_text("worked_queries").split("\n--# ")[1:]:
        title, _, body = part.partition("\n")
        lines = body.strip().splitlines()
        text = [line.removeprefix("-- ") for line in lines if line.startswith("-- ")]
        sql = [line for line in lines if not line.startswith("-- ")]
        found.append(Query(title, " ".join(text), "\n".join(sql).rstrip(";")))
    return found


def empty_generation(path: Path) -> None:
    """A generation without a single run: all its tables, macros and comments."""
    with writing(path, path.parent) as con:
        con.execute(sql_text("store"))
    build(
        path,
        path.parent,
        Inputs(
            now=datetime(2026, 1, 1, tzinfo=UTC),
            name=path.name,
            week=date(2025, 12, 29),
            vintage=1,
            code_version="docs",
            method=load_method(),
            input_hash="docs",
            providers={},
        ),
    )


def pages() -> dict[str, str]:
    """File name under docs/ → text."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "empty.duckdb"
        empty_generation(path)
        with reading(path) as con:
            return {"sql.md": "".join(_sql_page(con)), "data-dictionary.md": "".join(_dictionary(con))}


def _sql_page(con: duckdb.DuckDBPyConnection) -> Iterator[str]:
    yield _INTRO.format(made=_MADE)
    yield "## Tables 表\n\n| table | what |\n|---|---|\n"
    for name, comment in _ordered(con):
        if not name.startswith("store."):
            yield f"| [`{name}`](data-dictionary.md#{name}) | {_cell(comment)} |\n"
    yield "\n## Macros 宏\n\n| macro | what |\n|---|---|\n"
    for name, parameters, comment in con.execute(
        "SELECT function_name, parameters, comment FROM duckdb_functions()"
        " WHERE NOT internal AND function_type LIKE '%macro' ORDER BY 1"
    ).fetchall():
        yield f"| `{name}({', '.join(parameters)})` | {_cell(comment)} |\n"
    yield "\n## Worked queries 查询示例\n"
    for query in worked_queries():
        yield f"\n### {query.title}\n\n"
        if query.text:
            yield query.text + "\n\n"
        yield f"```sql\n{query.sql}\n```\n"


def _dictionary(con: duckdb.DuckDBPyConnection) -> Iterator[str]:
    yield _DICTIONARY.format(made=_MADE)
    found: dict[str, list[Column]] = {}
    for column in columns(con):
        found.setdefault(column.table, []).append(column)
    for name, comment in _ordered(con):
        yield f'## <a id="{name}"></a>{name}\n\n{comment}\n\n| column | type | what |\n|---|---|---|\n'
        for column in found[name]:
            yield f"| `{column.name}` | {_type(column.type)} | {_cell(column.comment)} |\n"
        yield "\n"


def _ordered(con: duckdb.DuckDBPyConnection) -> list[tuple[str, str | None]]:
    found = tables(con)
    later = sorted((name for name in found if name not in _FIRST), key=lambda n: (n.startswith("store."), n))
    return [(name, found[name]) for name in (*_FIRST, *later)]


def _type(name: str) -> str:
    return name.replace("TIMESTAMP WITH TIME ZONE", "TIMESTAMPTZ")


def _cell(text: str | None) -> str:
    return re.sub(r"\s+", " ", text or "").replace("|", "\\|")


def main() -> None:
    """Write the pages into docs/ of the working directory."""
    for name, text in pages().items():
        Path("docs", name).write_text(text, encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
