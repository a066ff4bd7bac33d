"""Documentation that cannot fall behind: pages are remade and compared, every worked query runs."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from dataclasses import replace
from datetime import date, timedelta
from decimal import Decimal
from pathlib import Path

import duckdb
import pyarrow as pa
import pytest

from tests.warehouse.warehouse_world import T0, World, offer, rejection
from warehouse.docs import Query, pages, worked_queries
from warehouse.query import select
from warehouse.reader import open_latest

DOCS = Path(__file__).parents[2] / "docs"
MONTH = {"billing_mode": "monthly", "per_hours": Decimal(730), "term_hours": Decimal(730)}


@pytest.fixture(scope="module")
def rich(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Four weeks of a market in which every worked query has something to say."""
    world = World(tmp_path_factory.mktemp("rich") / "home")
    for week in range(4):
        at = T0 + timedelta(days=7 * week)
        step = Decimal("0.02") * week
        rows = []
        for n, provider in enumerate(("alpha", "beta", "gamma")):
            own = {"provider": provider, "provider_class": world.providers[provider].class_}
            price = Decimal("2.00") + Decimal(n) / 10 + step
            run = f"{provider}-{week}"
            rows = [
                offer(run, at, price=price, stock_idle=4, in_stock=True, **own),
                offer(run, at, price=price + 1, region_code="130700", region_label="张家口", **own),
                offer(run, at, price=price - Decimal("0.10"), price_kind="member", **own),
                offer(run, at, price=price / 2, billing_mode="spot", **own),
                offer(run, at, price=price * 500, **MONTH, **own),
                offer(run, at, price=price * 24, gpu_count=Decimal(8), basis="server", card="A100-80G",
                      vram_gb=Decimal(80), form="SXM", max_cards=None, **own),
            ]  # fmt: skip
            if provider == "beta":
                rows.append(offer(run, at, currency="USD", price=Decimal("0.40"), sku="usd", **own))
            if provider == "gamma" and week < 2:
                rows.append(offer(run, at, sku="gone", **own))
            if provider == "alpha" and week == 3:
                rows.append(offer(run, at + timedelta(hours=1), sku="typo", price=Decimal("21.8"), **own))
            rows = [replace(row, locator=f"/{i}") for i, row in enumerate(rows)]
            world.run(rows, [rejection(run, at, provider=provider)], complete=True)
    (world.home / "fx_rates.csv").write_text(
        "date,pair,rate,source\n2026-12-14,USD/CNY,7.10,x\n", encoding="utf-8"
    )

    def fits(con: duckdb.DuckDBPyConnection) -> dict[str, pa.Table]:
        name = con.execute("SELECT offer_id FROM offers ORDER BY 1").fetchall()[0][0]
        row = {"week": date(2026, 12, 7), "workload": "w", "rank": 1, "offer_id": name, "provider": "alpha"}
        return {"cheapest_fit": pa.Table.from_pylist([{**row, "card": "RTX4090"}])}

    world.go(extra_tables=fits)
    return world.home


@pytest.fixture
def con(rich: Path) -> Iterator[duckdb.DuckDBPyConnection]:
    found, _ = open_latest(rich)
    yield found
    found.close()


def test_there_are_twenty_and_more() -> None:
    queries = worked_queries()
    assert len(queries) >= 20
    assert [query.title.split(".")[0] for query in queries] == [str(i + 1) for i in range(len(queries))]


@pytest.mark.parametrize("query", worked_queries(), ids=lambda query: query.title.split(".")[0])
def test_every_worked_query_runs_and_says_something(rich: Path, query: Query) -> None:
    answer = select(rich, query.sql)
    assert answer.rows, query.title
    assert len(set(answer.names)) == len(answer.names)


@pytest.mark.parametrize("name", ["sql.md", "data-dictionary.md"])
def test_the_pages_are_what_the_comments_say(name: str) -> None:
    """After a change of the database: python -m warehouse.docs"""
    assert (DOCS / name).read_text("utf-8") == pages()[name]


def test_the_promised_columns_are_there(con: duckdb.DuckDBPyConnection) -> None:
    """The contract with users: these names stay; new ones may come."""
    promised = tomllib.loads((Path(__file__).parent / "promised_columns.toml").read_text("utf-8"))
    for table, names in promised.items():
        rows = con.execute(f"DESCRIBE {table}").fetchall()
        assert set(names) <= {row[0] for row in rows}, table
        for row in rows:
            if row[0].startswith("price") and not row[0].endswith(("kind", "text")):
                assert row[1] == "DECIMAL(18,6)", (table, row[0])
            if row[0].endswith("_at"):
                assert row[1] == "TIMESTAMP WITH TIME ZONE", (table, row[0])


def test_macros_take_their_arguments_by_name(con: duckdb.DuckDBPyConnection) -> None:
    for sql in (
        "SELECT * FROM cheapest(card := 'RTX4090', gpu_count := 1, region := NULL)",
        "SELECT * FROM index_series(region := 'CN', card := 'RTX4090', mode := 'on_demand')",
        "SELECT * FROM price_at(ts := TIMESTAMPTZ '2026-12-10 00:00:00+08')",
    ):
        assert con.execute(sql).fetchall(), sql
