"""A synthetic store for measurements: 2,500 offers x 4 crawls a day, sticky prices, no chance in it.

Ten offers slip by a factor of ten in one crawl of every hundred days: something to hold back.
"""

from __future__ import annotations

from pathlib import Path

import duckdb

from warehouse.database import sql_text, writing

PROVIDERS = 25
CARDS = (
    *(
        "RTX4090",
        "RTX4090D",
        "RTX4090-48G",
        "RTX3090",
        "RTX5090",
        "RTX3080",
        "A100-40G",
        "A100-80G",
        "A800-80G",
    ),
    *(
        "H800-80G",
        "H100-80G",
        "H20-96G",
        "H20-141G",
        "L20",
        "L40S",
        "T4",
        "A10",
        "V100-16G",
        "V100-32G",
        "910B",
    ),
)
_SQL = """
INSERT INTO store.run
SELECT c * {providers} + p + 1, strftime(t, '%Y%m%dT%H%M%SZ'), 'p' || p, 'crawl', t, t + INTERVAL 5 MINUTE,
       'ok', true, true, n, n, 0, n, 0, n, n, 40, 'allowed', '1', 1, md5(c || '/' || p), NULL, NULL,
       t + INTERVAL 4 MINUTE, t + INTERVAL 10 MINUTE
FROM (SELECT c, p, TIMESTAMPTZ '{start}' + c * INTERVAL 6 HOUR + p * INTERVAL 7 SECOND AS t,
             {offers} // {providers} AS n
      FROM range({crawls}) AS a(c), range({providers}) AS b(p))
ORDER BY 1;
INSERT INTO store.good
SELECT i + 1, 'offer:' || left(md5(i::VARCHAR), 16), 'p' || (i % {providers}),
       ['marketplace', 'cloud', 'idc'][1 + i % {providers} % 3], 'mainland',
       ['110000', '440100', '130700', '150900', 'CN'][1 + i % 5], 'label' || i % 40, 'zone' || i % 7,
       'city', NULL, [{names}][1 + i // {providers} % {cards}], 24, NULL, NULL, 1, 1, NULL, 8, 'card', i % 64,
       i % 512, ['on_demand', 'on_demand', 'monthly'][1 + i % 3], CASE WHEN i % 3 = 2 THEN 730 END, 'list',
       NULL, 'CNY', CASE WHEN i % 3 = 2 THEN 730 ELSE 1 END, false, 'unknown', 'region', 'realtime', NULL,
       'day', 'seller'
FROM range({offers}) AS r(i);
INSERT INTO store.source
SELECT run, run, md5(run_id || provider) || md5(provider), 'https://www.example.com/' || provider
FROM store.run;
INSERT INTO store.fact
SELECT row_number() OVER (), t, good, run, run, locator, cny * per, NULL, NULL, cny, cny, 1, NULL, NULL,
       idle, 8, idle > 0, NULL, false, false
FROM (SELECT c,
             i + 1 AS good,
             c * {providers} + i % {providers} + 1 AS run,
             TIMESTAMPTZ '{start}' + c * INTERVAL 6 HOUR + (i % {providers}) * INTERVAL 7 SECOND
                 + (i // {providers}) * INTERVAL 2 SECOND AS t,
             '/data/list/' || i // {providers} AS locator,
             CASE WHEN i % 3 = 2 THEN 730 ELSE 1 END AS per,
             (hash(i, c // 3) % 9)::BIGINT AS idle,
             -- A level per card, a seller's own distance from it, and a step every eight weeks or so.
             ((1 + i // {providers} % {cards}) * (0.8 + hash(i, 1) % 40 / 100.0)
              * (1 + (hash(i, (c + hash(i, 2) % 224) // 224) % 11 - 5.0) / 100)
              * CASE WHEN i % 250 = 7 AND c % 400 = 213 THEN 10 ELSE 1 END
             )::DECIMAL(18,3)::DECIMAL(18,6) AS cny
      FROM range({first}, {last}) AS a(c), range({offers}) AS b(i)
      ORDER BY t, i);
"""
START = "2025-01-01 00:00:00+08"
_CHUNK = 200


def fill(path: Path, spill: Path, crawls: int, offers: int = 2500) -> None:
    """Write a store of `crawls` x `offers` observations to `path` (which must not exist)."""
    runs, goods, sources, facts = _SQL.split("INSERT INTO ")[1:]
    words = {
        "offers": offers,
        "crawls": crawls,
        "providers": PROVIDERS,
        "cards": len(CARDS),
        "names": ", ".join(f"'{card}'" for card in CARDS),
        "start": START,
    }
    with writing(path, spill, memory="2GB") as con:
        con.execute(sql_text("store"))
        for part in (runs, goods, sources):
            con.execute("INSERT INTO " + part.format(**words))
        for first in range(0, crawls, _CHUNK):
            last = min(first + _CHUNK, crawls)
            sql = "INSERT INTO " + facts.format(**words, first=first, last=last)
            con.execute(sql.replace("row_number() OVER ()", f"{first * offers} + row_number() OVER ()"))
        con.execute("CHECKPOINT")


def count(con: duckdb.DuckDBPyConnection) -> int:
    """Observations in an open store."""
    return int(con.execute("SELECT count(*) FROM store.fact").fetchall()[0][0])
