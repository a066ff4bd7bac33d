"""The work of a rebuild in bare DuckDB, for the benchmark to measure the rebuild by."""

from __future__ import annotations

import shutil
from functools import partial
from pathlib import Path

import duckdb

from benchmarks.measuring import busy, timed
from warehouse.database import writing

# Scan and aggregate: what a rebuild makes of the observations, in bare DuckDB, into tables of a copy of the
# store. Every value is read once; then each good's last price of every Shanghai day, the last it could be
# bought for, and the geometric means of those of a week; each good's latest row; and the levels of every
# week, one vote a provider, for each place and the nation. Left out is what cannot be said so: chaining,
# imputation, quarantine and grades.
BARE = (
    "CREATE TABLE bare_read AS SELECT count(*) AS n, bit_xor(hash(f)) AS h FROM store.fact AS f",
    """
    CREATE TABLE bare_week AS
    WITH daily AS (
        SELECT good, (observed_at AT TIME ZONE 'Asia/Shanghai')::DATE AS day,
               arg_max(cny, observed_at) AS cny,
               arg_max(cny, observed_at) FILTER (in_stock) AS in_stock
        FROM store.fact GROUP BY ALL
    )
    SELECT good, date_trunc('week', day) AS week, exp(favg(ln(cny))) AS price,
           exp(favg(ln(in_stock))) AS rentable
    FROM daily GROUP BY ALL ORDER BY ALL
    """,
    """
    CREATE TABLE bare_latest AS
    SELECT g.*, f.* EXCLUDE (good)
    FROM (SELECT * FROM store.fact
          QUALIFY row_number() OVER (PARTITION BY good ORDER BY observed_at DESC) = 1) AS f
    JOIN store.good AS g ON g.good = f.good
    ORDER BY g.offer_id
    """,
    """
    CREATE TABLE bare_level AS
    WITH vote AS (
        SELECT p.region_code, g.card, g.billing_mode, g.provider_class, w.week, g.provider,
               median(w.price) AS middle, min(w.price) AS least
        FROM bare_week AS w
        JOIN store.good AS g ON g.good = w.good
        JOIN (SELECT good, unnest(list_distinct([region_code, 'CN'])) AS region_code FROM store.good) AS p
          ON p.good = w.good
        GROUP BY ALL
    )
    SELECT region_code, card, billing_mode, provider_class, week, min(least) AS least,
           quantile_cont(middle, [0.25, 0.5, 0.75]) AS quartiles, count(*) AS n
    FROM vote GROUP BY ALL ORDER BY ALL
    """,
)
# The rule that holds prices back, in bare DuckDB: the median of the thirty days before every observation.
RULE = """
    SELECT count(*)
    FROM (SELECT f.cny,
                 quantile_cont(f.cny, 0.5) OVER (
                     PARTITION BY g.card, g.billing_mode, g.price_kind, g.provider_class
                     ORDER BY f.observed_at
                     RANGE BETWEEN INTERVAL 720 HOUR PRECEDING AND INTERVAL 1 MICROSECOND PRECEDING
                 ) AS middle
          FROM store.fact AS f JOIN store.good AS g ON g.good = f.good)
    WHERE cny NOT BETWEEN 0.33 * middle AND 3 * middle
    """


def ask(con: duckdb.DuckDBPyConnection, sql: str) -> list[tuple[object, ...]]:
    """All rows of a query."""
    return con.execute(sql).fetchall()


def bare(folder: Path, store: Path) -> tuple[float, float, float]:
    """Seconds and processor seconds of scan and aggregate in a copy of the store, and seconds of the rule."""
    copied = folder / "bare-copy.duckdb"
    shutil.copyfile(store, copied)
    with writing(copied, folder / "spill", memory="2GB", threads=2) as con:
        spent = busy()
        seconds = timed(lambda: [ask(con, sql) for sql in (*BARE, "CHECKPOINT")])
        spent = busy() - spent
        rule = timed(partial(ask, con, RULE))
    copied.unlink()
    return seconds, spent, rule
