-- The price of every key on every day: the last moment of the Shanghai day, the median of the key's offers at it.
-- In: ix_fact, ix_good, ix_held (obs, released_at in µs or NULL, in_time: released before the freeze of its
-- week). Out: ix_told, ix_day.

-- In sheets every offer counts with its last price of the day; a crawl has each offer once.
CREATE OR REPLACE TEMP TABLE ix_early AS
SELECT obs
FROM (SELECT f.obs, f.t < max(f.t) OVER (PARTITION BY f.good, f.day) AS early
      FROM ix_fact AS f
      LEFT JOIN ix_held AS h ON h.obs = f.obs
      WHERE f.sheet AND (h.obs IS NULL OR h.in_time))
WHERE early;

-- Observations that may enter a weekly price: not held, or released before their week was frozen.
CREATE OR REPLACE TEMP VIEW ix_told AS
SELECT g.key_no, g.unit_no, g.provider_no, f.obs, f.good, f.t, f.day, CASE WHEN f.sheet THEN -1 ELSE f.run END AS run,
       f.run AS true_run, f.micro, f.in_stock
FROM ix_fact AS f
JOIN ix_good AS g ON g.good = f.good
LEFT JOIN ix_held AS h ON h.obs = f.obs
WHERE h.obs IS NULL OR h.in_time;

CREATE OR REPLACE TEMP VIEW ix_priced AS
SELECT *
FROM ix_told
WHERE key_no IS NOT NULL AND obs NOT IN (SELECT obs FROM ix_early);

-- The last moment of each day, and the last at which the key could be bought, packed as time in ms and run.
CREATE OR REPLACE TEMP MACRO ix_pack(t, run) AS (t // 1000) * 4194304 + run + 1;

CREATE OR REPLACE TEMP TABLE ix_last AS
SELECT key_no, day, max(ix_pack(t, run)) AS last, max(ix_pack(t, run)) FILTER (WHERE in_stock) AS last_in_stock,
       bool_or(coalesce(in_stock, true)) AS may_be_bought, bool_or(in_stock IS NOT NULL) AS shows_stock,
       bool_or(coalesce(in_stock, false)) AS in_stock, max(t) AS t, count(*) AS n, min(micro) AS micro
FROM ix_priced
GROUP BY key_no, day;

-- Prices at those moments, where the day has more than one; kind 0: all offers, kind 1: those in stock.
CREATE OR REPLACE TEMP TABLE ix_crowd AS
SELECT l.key_no, l.day, o.micro, o.run = l.last % 4194304 - 1 AS is_last,
       o.in_stock AND o.run = l.last_in_stock % 4194304 - 1 AS is_last_in_stock
FROM ix_last AS l
JOIN ix_priced AS o ON o.key_no = l.key_no AND o.day = l.day
WHERE l.n > 1 AND (o.run = l.last % 4194304 - 1 OR o.in_stock AND o.run = l.last_in_stock % 4194304 - 1);

CREATE OR REPLACE TEMP TABLE ix_at AS
SELECT 0::TINYINT AS kind, key_no, day, micro FROM ix_crowd WHERE is_last
UNION ALL
SELECT 1::TINYINT, key_no, day, micro FROM ix_crowd WHERE is_last_in_stock;

-- Twice the median, so that the mean of the two in the middle stays a whole number. Up to two prices it is their
-- sum; only larger groups need sorting.
CREATE OR REPLACE TEMP TABLE ix_few AS
SELECT kind, key_no, day, count(*) AS n, min(micro) + max(micro) AS twice
FROM ix_at
GROUP BY kind, key_no, day;

CREATE OR REPLACE TEMP TABLE ix_many AS
SELECT a.kind, a.key_no, a.day, (2 * median(a.micro))::BIGINT AS twice
FROM ix_at AS a
SEMI JOIN (SELECT kind, key_no, day FROM ix_few WHERE n > 2) AS f
  ON f.kind = a.kind AND f.key_no = a.key_no AND f.day = a.day
GROUP BY a.kind, a.key_no, a.day;

CREATE OR REPLACE TEMP TABLE ix_middle AS
SELECT f.kind, f.key_no, f.day, coalesce(m.twice, f.twice) AS twice
FROM ix_few AS f
LEFT JOIN ix_many AS m ON m.kind = f.kind AND m.key_no = f.key_no AND m.day = f.day;

CREATE OR REPLACE TEMP TABLE ix_day AS
SELECT key_no, day, 2 * micro AS twice, CASE WHEN in_stock THEN 2 * micro END AS twice_in_stock, may_be_bought,
       shows_stock, in_stock, t
FROM ix_last
WHERE n = 1
UNION ALL
SELECT l.key_no, l.day, a.twice, b.twice, l.may_be_bought, l.shows_stock, l.in_stock, l.t
FROM ix_last AS l
JOIN ix_middle AS a ON a.kind = 0 AND a.key_no = l.key_no AND a.day = l.day
LEFT JOIN ix_middle AS b ON b.kind = 1 AND b.key_no = l.key_no AND b.day = l.day
WHERE l.n > 1;
