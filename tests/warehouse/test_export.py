"""`suanjia export`: columns by hand, rows in key order, the same bytes for the same generation."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from datetime import timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import openpyxl
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner

from pipeline.guard import unguarded
from suanjia.cli import cli
from tests.warehouse.warehouse_world import T0, World, offer, rejection
from warehouse import workbook
from warehouse.errors import BadRequest
from warehouse.export import export, tables
from warehouse.reader import open_latest

TEXT = '=HYPERLINK("x") 张家口 ¥￥元, "quoted"\nnext\x07'


@pytest.fixture
def con(world: World) -> Iterator[duckdb.DuckDBPyConnection]:
    """A published world with texts that are hard to write."""
    rows = [offer("r0", sku=f"s{i:02d}", price=Decimal(i + 1), locator=f"/{i}") for i in range(12)]
    rows.append(
        offer(
            "r0", sku="odd", region_label=TEXT, zone="", valid_until=T0 + timedelta(hours=2, microseconds=7)
        )
    )
    world.run(rows, [rejection("r0", price_text=TEXT)])
    world.go()
    found, _ = open_latest(world.home)
    yield found
    found.close()


def body(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


def test_the_listed_columns_are_those_of_the_database(con: duckdb.DuckDBPyConnection) -> None:
    """A column that is new in the database must be added by hand, with a thought for who reads the files."""
    for table in tables():
        found = con.execute(
            "SELECT column_name FROM duckdb_columns() WHERE schema_name = 'main' AND table_name = $1",
            [table.name],
        ).fetchall()
        assert sorted(table.columns) == sorted(name for (name,) in found), table.name
        assert set(table.key) <= set(table.columns), table.name


def test_every_promised_table_is_exported(con: duckdb.DuckDBPyConnection) -> None:
    promised = "offers observations rejections price_index price_level cheapest_fit runs providers cards"
    promised += " card_aliases regions region_aliases fx_rates workloads generation"
    assert set(promised.split()) <= {table.name for table in tables()}


def test_parquet(con: duckdb.DuckDBPyConnection, tmp_path: Path) -> None:
    done = export(con, tmp_path / "a", "parquet")
    assert {path.name for path in done.files} == {f"{table.name}.parquet" for table in tables()}
    back = pq.read_table(tmp_path / "a" / "offers.parquet")
    assert str(back.schema.field("price").type) == "decimal128(18, 6)"
    assert str(back.schema.field("observed_at").type) == "timestamp[us, tz=UTC]"
    ids = back.column("offer_id").to_pylist()
    assert ids == sorted(ids)
    assert TEXT in back.column("region_label").to_pylist()
    export(con, tmp_path / "b", "parquet")
    assert body(tmp_path / "a") == body(tmp_path / "b")


def test_csv(con: duckdb.DuckDBPyConnection, tmp_path: Path) -> None:
    export(con, tmp_path, "csv")
    with (tmp_path / "offers.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    odd = next(row for row in rows if row["sku"] == "odd")
    assert odd["region_label"] == "'" + TEXT and unguarded(odd["region_label"]) == TEXT
    assert odd["price"] == "2.180000"
    assert odd["observed_at"] == "2026-11-24T04:00:00.000000Z"
    assert odd["valid_until"] == "2026-11-24T06:00:00.000007Z"
    assert odd["stock_idle"] == ""
    assert list(rows[0]) == list(next(table for table in tables() if table.name == "offers").columns)


def test_xlsx(con: duckdb.DuckDBPyConnection, tmp_path: Path) -> None:
    export(con, tmp_path / "a", "xlsx")
    export(con, tmp_path / "b", "xlsx")
    assert body(tmp_path / "a") == body(tmp_path / "b")
    book = openpyxl.load_workbook(tmp_path / "a" / "suanjia.xlsx")
    assert book.sheetnames == [table.name for table in tables()]
    rows = list(book["offers"].iter_rows(values_only=True))
    head = rows[0]
    odd = next(row for row in rows if row[head.index("sku")] == "odd")
    assert odd[head.index("price")] == 2.18
    assert odd[head.index("region_label")] == TEXT.replace("\x07", "�")
    assert odd[head.index("observed_at")].isoformat() == "2026-11-24T04:00:00"
    # A text that looks like a formula is a text.
    cell = next(row for row in book["offers"].iter_rows() if row[head.index("sku")].value == "odd")
    assert cell[head.index("region_label")].data_type == "s"


def test_a_table_too_long_for_a_sheet_is_named(
    con: duckdb.DuckDBPyConnection, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(workbook, "MOST_ROWS", 5)
    done = export(con, tmp_path, "xlsx")
    assert any(sentence.startswith("offers: 13 rows") for sentence in done.left_out)


def test_threads_change_no_byte(world: World, con: duckdb.DuckDBPyConnection, tmp_path: Path) -> None:
    for threads in (1, 2):
        one, _ = open_latest(world.home)
        one.execute(f"SET threads = {threads}")
        for form in ("parquet", "csv"):
            export(one, tmp_path / str(threads), form)
        one.close()
    assert body(tmp_path / "1") == body(tmp_path / "2")


def test_a_folder_that_cannot_be_made(con: duckdb.DuckDBPyConnection, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(BadRequest):
        export(con, tmp_path / "file" / "under", "csv")
    with pytest.raises(BadRequest, match="no format"):
        export(con, tmp_path, "pdf")


def test_the_command(world: World, con: duckdb.DuckDBPyConnection, tmp_path: Path) -> None:
    def run(*args: str) -> Any:
        return CliRunner().invoke(cli, ["--home", str(world.home), "export", str(tmp_path / "out"), *args])

    done = run("--format", "parquet,csv,xlsx", "--json")
    told = json.loads(done.stdout)
    assert told["generation"] == "index-2026-W48-v0001.duckdb"
    assert len(told["files"]) == 2 * len(tables()) + 1
    assert {path.name for path in (tmp_path / "out").iterdir()} == {Path(name).name for name in told["files"]}
    assert run("--format", "pdf").exit_code == 2
