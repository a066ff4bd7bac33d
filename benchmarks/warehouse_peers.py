"""Run by the interpreter of a peers' environment, never by ours: times gpuhunt and SpareCores on given rows.

    python warehouse_peers.py DISTINCT.json AGAIN.json   ->   {name: seconds | null}

gpuhunt: one catalogue query over the rows, already in memory. sparecores: its own insert of forty runs of the
same goods into an SQLite file, run by run; sparecores_distinct: of rows that are all different, at once. A
peer that is not installed gives null.
"""

from __future__ import annotations

import json
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

REPEATS = 5


def gpuhunt_query(rows: list[dict[str, Any]]) -> float:
    """Best of a few queries: one card, eight cards at most, under a price, cheapest first."""
    from gpuhunt._internal.catalog import Catalog, ProviderCatalog
    from gpuhunt._internal.models import CatalogItem

    items = [
        CatalogItem(
            provider="aws",
            instance_name=row["sku"],
            location=row["region"],
            price=row["price"],
            cpu=16,
            memory=64.0,
            gpu_count=1,
            gpu_name=row["card"],
            gpu_memory=24.0,
            spot=False,
            disk_size=100.0,
            gpu_vendor="nvidia",
        )
        for row in rows
    ]
    catalog = Catalog(balance_resources=False, auto_reload=False)
    catalog.catalog = {"aws": ProviderCatalog("1", items)}
    catalog.loaded_at = time.monotonic()
    best = float("inf")
    for _ in range(REPEATS):
        start = time.perf_counter()
        found = catalog.query(provider="aws", gpu_name="RTX4090", max_gpu_count=8, max_price=1.6)
        best = min(best, time.perf_counter() - start)
    assert found
    return best


def sparecores_insert(runs: list[list[dict[str, Any]]]) -> float:
    """Its validated bulk insert of server prices into a fresh SQLite file, run after run."""
    from sc_crawler.insert import bulk_insert_items, validate_items
    from sc_crawler.tables import ServerPrice
    from sqlmodel import Session, SQLModel, create_engine

    batches = [
        [
            {
                "vendor_id": "v",
                "region_id": row["region"],
                "zone_id": "z",
                "server_id": row["sku"],
                "operating_system": "Linux",
                "allocation": "ondemand",
                "unit": "hour",
                "price": row["price"],
                "price_upfront": 0,
                "price_tiered": [],
                "currency": "CNY",
            }
            for row in rows
        ]
        for rows in runs
    ]
    with tempfile.TemporaryDirectory() as folder:
        engine = create_engine(f"sqlite:///{Path(folder) / 'peer.db'}")
        SQLModel.metadata.create_all(engine)
        with Session(engine) as session:
            start = time.perf_counter()
            for items in batches:
                bulk_insert_items(ServerPrice, validate_items(ServerPrice, items), session=session)
                session.commit()
            return time.perf_counter() - start


def main() -> None:
    """Time what is installed."""
    distinct, again = (json.loads(Path(name).read_text(encoding="utf-8")) for name in sys.argv[1:])
    runs = [[row for row in again if row["run"] == run] for run in sorted({row["run"] for row in again})]
    told: dict[str, float | None] = {}
    for name, work in (
        ("gpuhunt", lambda: gpuhunt_query(distinct)),
        ("sparecores", lambda: sparecores_insert(runs)),
        ("sparecores_distinct", lambda: sparecores_insert([distinct])),
    ):
        try:
            told[name] = work()
        except ImportError:
            told[name] = None
    print(json.dumps(told))


if __name__ == "__main__":
    main()
