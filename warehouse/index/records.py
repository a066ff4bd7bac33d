"""Plain records as a store, for whoever wants the method without the rest: tests, notebooks, other
people's data.

A record is a mapping; what it leaves out takes the default of the table below. `price` is CNY per card-hour.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import duckdb
import pyarrow as pa

from warehouse.database import in_memory

_MONEY = pa.decimal128(18, 6)
_TIME = pa.timestamp("us", tz="UTC")

GOOD: dict[str, tuple[Any, pa.DataType]] = {
    "provider": ("a", pa.string()),
    "provider_class": ("marketplace", pa.string()),
    "site": ("mainland", pa.string()),
    "region_code": ("110000", pa.string()),
    "region_label": (None, pa.string()),
    "zone": (None, pa.string()),
    "sku": (None, pa.string()),
    "card": ("RTX4090", pa.string()),
    "form": (None, pa.string()),
    "gpu_count": (Decimal(1), _MONEY),
    "share": (Decimal(1), _MONEY),
    "vcpu": (None, _MONEY),
    "ram_gb": (None, _MONEY),
    "billing_mode": ("on_demand", pa.string()),
    "term_hours": (None, _MONEY),
    "per_hours": (Decimal(1), _MONEY),
    "price_kind": ("list", pa.string()),
    "tier": (None, pa.string()),
    "currency": ("CNY", pa.string()),
    "os": (None, pa.string()),
    "is_floor": (False, pa.bool_()),
    "scope": ("region", pa.string()),
    "date_precision": ("day", pa.string()),
    "trust": ("seller", pa.string()),
}
_RUN = {"kind": "import", "complete": False, "usable": True}


def open_records(
    observations: Iterable[Mapping[str, Any]], runs: Iterable[Mapping[str, Any]] = ()
) -> duckdb.DuckDBPyConnection:
    """An in-memory connection that `compute` can work on; the caller closes it.

    Observations: `price`, `observed_at` (aware), optionally `run` (a name), `in_stock`, `valid_until` and
    every field of GOOD. Runs: `run`, optionally `provider`, `kind` (`crawl` or `import`), `started_at`,
    `complete`, `usable`, `loaded_at`; a run that only observations name is an import that is not
    complete.
    """
    rows = [dict(row) for row in observations]
    told = _runs(rows, [dict(run) for run in runs])
    numbers = {(run["run"], run["provider"]): i + 1 for i, run in enumerate(told)}
    goods: dict[tuple[Any, ...], int] = {}
    facts: list[tuple[Any, ...]] = []
    for obs, row in enumerate(rows, start=1):
        good = tuple(row.get(name, default) for name, (default, _) in GOOD.items())
        number = goods.setdefault(good, len(goods) + 1)
        provider = row.get("provider", GOOD["provider"][0])
        run = numbers[row.get("run", "r"), provider]
        price = Decimal(str(row["price"])).quantize(Decimal("0.000001"))
        cny = price if row.get("currency", "CNY") == "CNY" else None
        facts.append(
            (obs, row["observed_at"], number, run, price, cny, row.get("in_stock"), row.get("valid_until"))
        )
    con = in_memory()
    con.execute("CREATE SCHEMA store")
    _store(con, "good", _goods(goods))
    _store(con, "run", _run_table(told, numbers))
    sheets = {numbers[run["run"], run["provider"]] for run in told if run["kind"] == "import"}
    _store(con, "fact", _facts(facts, sheets))
    return con


def _runs(rows: list[dict[str, Any]], given: list[dict[str, Any]]) -> list[dict[str, Any]]:
    out = [{**_RUN, **run, "provider": run.get("provider", GOOD["provider"][0])} for run in given]
    known = {(run["run"], run["provider"]) for run in out}
    for row in rows:
        key = (row.get("run", "r"), row.get("provider", GOOD["provider"][0]))
        if key not in known:
            known.add(key)
            out.append({**_RUN, "run": key[0], "provider": key[1], "started_at": row["observed_at"]})
    return sorted(out, key=lambda run: (str(run["run"]), run["provider"]))


def _store(con: duckdb.DuckDBPyConnection, name: str, table: pa.Table) -> None:
    con.register("records", table)
    con.execute(f"CREATE TABLE store.{name} AS SELECT * FROM records")
    con.unregister("records")


def _goods(goods: Mapping[tuple[Any, ...], int]) -> pa.Table:
    columns: dict[str, pa.Array] = {
        "good": pa.array(goods.values(), pa.int32()),
        "offer_id": pa.array([f"offer:{number:016x}" for number in goods.values()], pa.string()),
    }
    for i, (name, (_, kind)) in enumerate(GOOD.items()):
        values = [good[i] for good in goods]
        if kind is _MONEY:
            values = [None if v is None else Decimal(str(v)).quantize(Decimal("0.000001")) for v in values]
        columns[name] = pa.array(values, kind)
    return pa.table(columns)


def _run_table(runs: list[dict[str, Any]], numbers: Mapping[tuple[Any, Any], int]) -> pa.Table:
    epoch = datetime(1970, 1, 1, tzinfo=UTC)
    return pa.table(
        {
            "run": pa.array([numbers[run["run"], run["provider"]] for run in runs], pa.int32()),
            "run_id": pa.array([str(run["run"]) for run in runs], pa.string()),
            "provider": pa.array([run["provider"] for run in runs], pa.string()),
            "kind": pa.array([run["kind"] for run in runs], pa.string()),
            "started_at": pa.array([run.get("started_at", epoch) for run in runs], _TIME),
            "complete": pa.array([run["complete"] for run in runs], pa.bool_()),
            "usable": pa.array([run["usable"] for run in runs], pa.bool_()),
            "loaded_at": pa.array([run.get("loaded_at", epoch) for run in runs], _TIME),
        }
    )


def _facts(facts: list[tuple[Any, ...]], sheets: set[int]) -> pa.Table:
    obs, observed_at, good, run, price, cny, in_stock, valid_until = (
        zip(*facts, strict=True) if facts else [()] * 8
    )
    n = len(facts)
    # As the loader says it: the same good more than once in a crawl, in a sheet at one moment.
    moments = [(r, g, t if r in sheets else None) for r, g, t in zip(run, good, observed_at, strict=True)]
    seen = Counter(moments)
    return pa.table(
        {
            "obs": pa.array(obs, pa.int64()),
            "observed_at": pa.array(observed_at, _TIME),
            "good": pa.array(good, pa.int32()),
            "run": pa.array(run, pa.int32()),
            "price": pa.array(price, _MONEY),
            "price_high": pa.nulls(n, _MONEY),
            "upfront": pa.nulls(n, _MONEY),
            "cny": pa.array(cny, _MONEY),
            "in_stock": pa.array(in_stock, pa.bool_()),
            "valid_until": pa.array(valid_until, _TIME),
            "conflict": pa.array([False] * n, pa.bool_()),
            "twin": pa.array([seen[moment] > 1 for moment in moments], pa.bool_()),
        }
    )
