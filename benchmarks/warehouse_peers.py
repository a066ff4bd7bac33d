"""Run by the interpreter of a peers' environment, never by ours: times gpuhunt and SpareCores on given rows.

    python warehouse_peers.py ROWS.json   ->   {"gpuhunt": seconds | null, "sparecores": seconds | null}

gpuhunt: one catalogue query over the rows, already in memory. SpareCores: its own insert of the rows into an
SQLite file. A peer that is not installed gives null.
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


def sparecores_insert(rows: list[dict[str, Any]]) -> float:
    """Its validated bulk insert of server prices into a fresh SQLite file."""
    from sc_crawler.insert import bulk_insert_items, validate_items
    from sc_crawler.tables import ServerPrice
    from sqlmodel import Session, SQLModel, create_engine

    items = [
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
    with tempfile.TemporaryDirectory() as folder:
        engine = create_engine(f"sqlite:///{Path(folder) / 'peer.db'}")
        SQLModel.metadata.create_all(engine)
        with Session(engine) as session:
            start = time.perf_counter()
            bulk_insert_items(ServerPrice, validate_items(ServerPrice, items), session=session)
            session.commit()
            return time.perf_counter() - start


def main() -> None:
    """Time what is installed."""
    rows = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    told: dict[str, float | None] = {}
    for name, peer in (("gpuhunt", gpuhunt_query), ("sparecores", sparecores_insert)):
        try:
            told[name] = peer(rows)
        except ImportError:
            told[name] = None
    print(json.dumps(told))


if __name__ == "__main__":
    main()
