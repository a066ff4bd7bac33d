"""How long the index takes: five years of 5,000 keys, week by week, and the recursion alone."""

from __future__ import annotations

import time
from datetime import UTC, datetime

import duckdb
import pyarrow as pa

from warehouse.database import in_memory
from warehouse.index import compute
from warehouse.index.method import load_method

WEEKS = 260
KEYS = 5_000
BAR_SECONDS = 10.0
NOW = datetime(2026, 11, 30, tzinfo=UTC)

_SQL = """
CREATE SCHEMA store;
CREATE TABLE store.run AS
SELECT (w * 25 + p + 1)::INTEGER AS run, w || '/' || p AS run_id, 'p' || p AS provider, 'crawl' AS kind,
       TIMESTAMPTZ '2021-11-29 08:00:00+08' + w * INTERVAL 7 DAY AS started_at, true AS complete,
       true AS usable, TIMESTAMPTZ '2021-11-29 09:00:00+08' + w * INTERVAL 7 DAY AS loaded_at
FROM range({weeks}) AS a(w), range(25) AS b(p);
CREATE TABLE store.good AS
SELECT (i + 1)::INTEGER AS good, 'offer:' || i AS offer_id, 'p' || (i % 25) AS provider,
       ['marketplace', 'cloud', 'idc'][1 + i % 25 % 3] AS provider_class, 'mainland' AS site,
       ['110000', '440100', '440300', '130700', '150900', 'CN'][1 + i % 6] AS region_code,
       NULL::VARCHAR AS region_label, 'z' || (i // 500) AS zone, NULL::VARCHAR AS sku,
       'CARD' || (i // 25 % 20) AS card, NULL::VARCHAR AS form, 1::DECIMAL(18,6) AS gpu_count,
       1::DECIMAL(18,6) AS share, NULL::DECIMAL(18,6) AS vcpu, NULL::DECIMAL(18,6) AS ram_gb,
       ['on_demand', 'monthly'][1 + i % 2] AS billing_mode, NULL::DECIMAL(18,6) AS term_hours,
       1::DECIMAL(18,6) AS per_hours, 'list' AS price_kind, 't' || (i // 3000) AS tier, 'CNY' AS currency,
       NULL::VARCHAR AS os, false AS is_floor,
       CASE WHEN i % 6 = 5 THEN 'national' ELSE 'region' END AS scope, 'day' AS date_precision,
       'seller' AS trust
FROM range({keys}) AS r(i);
CREATE TABLE store.fact AS
SELECT row_number() OVER (ORDER BY w, i) AS obs,
       TIMESTAMPTZ '2021-11-29 08:00:00+08' + w * INTERVAL 7 DAY + (i % 25) * INTERVAL 1 MINUTE
           AS observed_at,
       (i + 1)::INTEGER AS good, (w * 25 + i % 25 + 1)::INTEGER AS run, price,
       NULL::DECIMAL(18,6) AS price_high, NULL::DECIMAL(18,6) AS upfront, price AS cny,
       hash(i, w) % 12 > 0 AS in_stock, NULL::TIMESTAMPTZ AS valid_until, false AS conflict, false AS twin
FROM (SELECT w, i,
             ((1 + i // 25 % 20) * (0.8 + hash(i) % 40 / 100.0)
              * (1 + (hash(i, (w + hash(i) % 9) // 9) % 11 - 5.0) / 60))::DECIMAL(18,2)::DECIMAL(18,6)
                 AS price
      FROM range({weeks}) AS a(w), range({keys}) AS b(i)
      WHERE hash(w, i, 7) % 25 > 0)
ORDER BY w, i;
"""
_BARE = "SELECT good, time_bucket(INTERVAL 7 DAY, observed_at), avg(ln(cny)) FROM store.fact GROUP BY ALL"


def market(weeks: int = WEEKS, keys: int = KEYS) -> duckdb.DuckDBPyConnection:
    """An in-memory store: 25 sellers, 20 cards, six regions, gaps, sold-out weeks, small moves."""
    con = in_memory()
    con.execute("SET threads = 2")
    con.execute(_SQL.format(weeks=weeks, keys=keys))
    return con


def measure(con: duckdb.DuckDBPyConnection) -> tuple[float, float, pa.Table]:
    """(seconds, processor seconds, price_index) of one whole computation."""
    start, busy = time.perf_counter(), time.process_time()
    result = compute(con, now=NOW, method=load_method())
    return time.perf_counter() - start, time.process_time() - busy, result.price_index


def main() -> bool:
    """Print the figures; whether the bar holds."""
    measure(market(weeks=4, keys=50))  # imports
    con = market()
    seconds, busy, table = measure(con)
    baseline = time.perf_counter()
    con.execute(_BARE).fetchall()
    bare = time.perf_counter() - baseline
    con.close()
    print(
        f"index: {KEYS:,} keys x {WEEKS} weeks ({table.num_rows:,} cell weeks) in {seconds:.1f} s"
        f" (bar {BAR_SECONDS:.0f} s; {busy:.1f} processor seconds);"
        f" {seconds / bare:.1f} x a bare weekly mean in SQL"
    )
    return seconds <= BAR_SECONDS


if __name__ == "__main__":
    raise SystemExit(0 if main() else 1)
