"""What tables and columns mean, kept inside the file: `sql/comments.sql`, one comment for all namesakes."""

from __future__ import annotations

from dataclasses import dataclass

import duckdb

from warehouse.database import sql_text

# Where a column without a comment of its own looks for that of a namesake, first found wins.
_LENDERS = ("offers", "observations", "runs", "rejections", "price_index", "price_level")


@dataclass(frozen=True, slots=True)
class Column:
    """One published column: schema.table, name, SQL type, comment (None = missing)."""

    table: str
    name: str
    type: str
    comment: str | None


def add_comments(con: duckdb.DuckDBPyConnection) -> None:
    """Comment every object that `comments.sql` names, then every namesake that has none yet."""
    con.execute(sql_text("comments"))
    found = columns(con)
    told = {(c.table, c.name): c.comment for c in found if c.comment}
    for column in found:
        if column.comment:
            continue
        lent = next((told[t, column.name] for t in _LENDERS if (t, column.name) in told), None)
        if lent is not None:
            text = lent.replace("'", "''")
            con.execute(f"""COMMENT ON COLUMN {column.table}."{column.name}" IS '{text}'""")


def columns(con: duckdb.DuckDBPyConnection) -> list[Column]:
    """Every column of every table and view of the file, in order of table and position."""
    rows = con.execute(
        "SELECT CASE schema_name WHEN 'main' THEN '' ELSE schema_name || '.' END || table_name, column_name,"
        " data_type, comment FROM duckdb_columns() WHERE NOT internal AND database_name = current_database()"
        " AND table_name NOT IN (SELECT table_name FROM duckdb_tables() WHERE temporary)"
        " ORDER BY schema_name, table_name, column_index"
    ).fetchall()
    return [Column(str(table), str(name), str(kind), text) for table, name, kind, text in rows]


def tables(con: duckdb.DuckDBPyConnection) -> dict[str, str | None]:
    """Every table and view of the file with its comment, by name."""
    rows = con.execute(
        "SELECT schema_name, table_name, comment FROM duckdb_tables() WHERE NOT internal AND NOT temporary"
        " UNION ALL SELECT schema_name, view_name, comment FROM duckdb_views() WHERE NOT internal"
        " ORDER BY 1, 2"
    ).fetchall()
    return {name if schema == "main" else f"{schema}.{name}": comment for schema, name, comment in rows}
