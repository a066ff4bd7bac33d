"""The published tables as files: Parquet, CSV, XLSX. Same generation, same bytes, whatever the threads.

Which tables and columns, and in which order of rows, is written down in `export_tables.toml`.
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq

from pipeline.guard import guarded_sql
from warehouse.database import FILE_ANEW, enough_space
from warehouse.errors import BadRequest

_ROW_GROUP = 1 << 17
_BATCH = 1 << 14


@dataclass(frozen=True, slots=True)
class Table:
    """An exported table: its columns in order and the columns its rows are ordered by."""

    name: str
    columns: tuple[str, ...]
    key: tuple[str, ...]

    def query(self, shown: Callable[[str], str] = lambda column: f't."{column}"') -> str:
        """SELECT of the table in key order; `shown` is how a column is written."""
        listed = ", ".join(shown(column) for column in self.columns)
        order = ", ".join(f't."{column}" NULLS FIRST' for column in self.key)
        return f"SELECT {listed} FROM {self.name} AS t ORDER BY {order}"


@cache
def tables() -> tuple[Table, ...]:
    """Every exported table, in the order of the file."""
    text = (files("warehouse") / "export_tables.toml").read_text(encoding="utf-8")
    listed = tomllib.loads(text)
    return tuple(
        Table(name, tuple(listed[row.get("like", name)]["columns"]), tuple(row["key"]))
        for name, row in listed.items()
    )


@dataclass(frozen=True, slots=True)
class Exported:
    """Files that were written, and tables that a format cannot hold, each with the reason."""

    files: tuple[Path, ...]
    left_out: tuple[str, ...] = ()


def export(con: duckdb.DuckDBPyConnection, folder: Path, form: str) -> Exported:
    """Write every table of the open generation into `folder` as `parquet`, `csv` or `xlsx` (one workbook)."""
    if form not in _WRITERS:
        raise BadRequest(f"{form!r} is no format; one of {', '.join(_WRITERS)}")
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise BadRequest(f"{folder}: {error.strerror}") from None
    with enough_space("export", FILE_ANEW):
        return _WRITERS[form](con, folder)


def _parquet(con: duckdb.DuckDBPyConnection, folder: Path) -> Exported:
    done = []
    for table in tables():
        target = folder / f"{table.name}.parquet"
        with _replacing(target) as part:
            _write_parquet(con, table, part)
        done.append(target)
    return Exported(tuple(done))


def _write_parquet(con: duckdb.DuckDBPyConnection, table: Table, path: Path) -> None:
    """Row groups of a fixed size, so that the bytes do not depend on how DuckDB cuts its batches."""
    reader = con.sql(table.query()).to_arrow_reader(_BATCH)
    with pq.ParquetWriter(path, reader.schema, compression="zstd", store_schema=False) as out:
        held: list[pa.RecordBatch] = []
        rows = 0
        for batch in reader:
            held.append(batch)
            rows += batch.num_rows
            while rows >= _ROW_GROUP:
                whole = pa.Table.from_batches(held, reader.schema)
                out.write_table(whole.slice(0, _ROW_GROUP), row_group_size=_ROW_GROUP)
                held = whole.slice(_ROW_GROUP).to_batches()
                rows -= _ROW_GROUP
        out.write_table(pa.Table.from_batches(held, reader.schema), row_group_size=_ROW_GROUP)


def _csv(con: duckdb.DuckDBPyConnection, folder: Path) -> Exported:
    done = []
    for table in tables():
        target = folder / f"{table.name}.csv"
        moments = _columns_of(con, table.name, "TIMESTAMP WITH TIME ZONE")
        texts = _columns_of(con, table.name, "VARCHAR")

        def shown(column: str, moments: frozenset[str] = moments, texts: frozenset[str] = texts) -> str:
            if column in texts:
                name = f't."{column}"'
                return f'{guarded_sql(name)} AS "{column}"'
            if column not in moments:
                return f't."{column}"'
            return f"strftime(t.\"{column}\" AT TIME ZONE 'UTC', '%Y-%m-%dT%H:%M:%S.%fZ') AS \"{column}\""

        with _replacing(target) as part:
            path = str(part).replace("'", "''")
            con.execute(f"COPY ({table.query(shown)}) TO '{path}' (FORMAT csv, HEADER true)")
        done.append(target)
    return Exported(tuple(done))


def _xlsx(con: duckdb.DuckDBPyConnection, folder: Path) -> Exported:
    # Imported late: a command that writes no workbook does not load the writer.
    from warehouse.workbook import write_workbook

    target = folder / "suanjia.xlsx"
    with _replacing(target) as part:
        left_out = write_workbook(con, tables(), part)
    return Exported((target,), tuple(left_out))


_WRITERS: dict[str, Callable[[duckdb.DuckDBPyConnection, Path], Exported]] = {
    "parquet": _parquet,
    "csv": _csv,
    "xlsx": _xlsx,
}


def _columns_of(con: duckdb.DuckDBPyConnection, table: str, sql_type: str) -> frozenset[str]:
    rows = con.execute(
        "SELECT column_name FROM duckdb_columns()"
        " WHERE schema_name = 'main' AND table_name = $1 AND data_type = $2",
        [table, sql_type],
    ).fetchall()
    return frozenset(str(name) for (name,) in rows)


class _replacing:
    """A file that appears whole or not at all."""

    def __init__(self, target: Path) -> None:
        self.target = target
        self.part = target.with_name(f".{target.name}.{os.getpid()}.part")

    def __enter__(self) -> Path:
        return self.part

    def __exit__(self, kind: object, *_: object) -> None:
        if kind is None:
            self.part.replace(self.target)
        else:
            self.part.unlink(missing_ok=True)
