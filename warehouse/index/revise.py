"""Vintages and corrections: this generation's values beside those published before."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

import duckdb
import pyarrow as pa

from warehouse.database import sql_text
from warehouse.index.method import Method
from warehouse.index.prepare import Decision, script

_KEY = "series, region_code, card, billing_mode, price_kind, week"


@dataclass(frozen=True, slots=True)
class Previous:
    """What the generation before this one published."""

    built_at: datetime
    price_index: pa.Table
    index_revisions: pa.Table


def previous_of(con: duckdb.DuckDBPyConnection) -> Previous:
    """Read an open published generation (tables price_index, index_revisions, generation)."""
    built_at = con.execute("SELECT built_at FROM generation").fetchall()[0][0]
    return Previous(
        built_at=built_at,
        price_index=con.sql("SELECT * FROM price_index").to_arrow_table(),
        index_revisions=con.sql("SELECT * FROM index_revisions").to_arrow_table(),
    )


def revise(
    con: duckdb.DuckDBPyConnection,
    fresh: pa.Table,
    previous: Previous | None,
    decisions: Sequence[Decision],
    method: Method,
) -> tuple[pa.Table, pa.Table]:
    """(price_index with vintages, index_revisions)."""
    con.execute(_empty_tables())
    con.execute("SET VARIABLE ix_method = $1", [method.id])
    tables = {"ix_fresh": fresh}
    if previous is not None:
        tables |= {"ix_before": previous.price_index, "ix_revised_before": previous.index_revisions}
    for name, table in tables.items():
        if table.num_rows:
            con.register("ix_arrow", table)
            con.execute(f"INSERT INTO {name} BY NAME SELECT * FROM ix_arrow")
            con.unregister("ix_arrow")
    _late(con, previous, decisions)
    script(con, "index_revise")
    return (
        con.sql(f"SELECT * FROM ix_price_index ORDER BY {_KEY}").to_arrow_table(),
        con.sql("SELECT * FROM ix_revisions ORDER BY ALL").to_arrow_table(),
    )


def _empty_tables() -> str:
    """Temp tables with the columns of the published ones; the schema file is the only place that has them."""
    schema = sql_text("index_schema")

    def ddl(table: str, name: str) -> str:
        body = schema.split(f"CREATE TABLE {table} (", 1)[1].split("\n);", 1)[0]
        return f"CREATE OR REPLACE TEMP TABLE {name} ({body});"

    late = (
        "CREATE OR REPLACE TEMP TABLE ix_fresh AS"
        " SELECT * EXCLUDE (vintage, published_at, supersedes) FROM ix_before;"
    )
    return ddl("price_index", "ix_before") + ddl("index_revisions", "ix_revised_before") + late


def _late(con: duckdb.DuckDBPyConnection, previous: Previous | None, decisions: Sequence[Decision]) -> None:
    """Which goods have history, and which have decisions, that the generation before did not know."""
    con.execute("SET VARIABLE ix_since = $1::TIMESTAMPTZ", [previous.built_at if previous else None])
    fresh = [d.obs for d in decisions if previous and d.decided_at > previous.built_at]
    con.execute("SET VARIABLE ix_decided = $1", [fresh or [-1]])
    con.execute(
        """
        CREATE OR REPLACE TEMP TABLE ix_late AS
        SELECT g.card, g.billing_mode, g.price_kind,
               DATE '1969-12-29' + (7 * min((f.day + 3) // 7))::INTEGER AS week
        FROM ix_fact AS f
        JOIN store.run AS r ON r.run = f.run AND r.loaded_at > getvariable('ix_since')
        JOIN ix_good AS g ON g.good = f.good
        GROUP BY ALL;
        CREATE OR REPLACE TEMP TABLE ix_reviewed AS
        SELECT DISTINCT g.card, g.billing_mode, g.price_kind
        FROM ix_fact AS f
        JOIN ix_good AS g ON g.good = f.good
        WHERE list_contains(getvariable('ix_decided'), f.obs);
        """
    )
