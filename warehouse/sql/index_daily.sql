-- The price of every key on every day: the last moment of the Shanghai day, the median of the key's offers at it.
-- In: ix_fact, ix_good, ix_held (obs, released_at in µs or NULL). Out: ix_told, ix_day.

-- Observations that may enter a weekly price: not held, or released before their week was frozen
-- (Monday 04:00 Shanghai; week 0 begins on Monday 1969-12-29).
CREATE OR REPLACE TEMP TABLE ix_told AS
SELECT g.key_no, f.good, f.t, f.day, CASE WHEN f.sheet THEN -1 ELSE f.run END AS run, f.micro, f.in_stock
FROM ix_fact AS f
JOIN ix_good AS g ON g.good = f.good AND g.key_no IS NOT NULL
LEFT JOIN ix_held AS h ON h.obs = f.obs
WHERE h.obs IS NULL
   OR h.released_at < (((f.day + 3) // 7 + 1) * 7 - 3)::BIGINT * 86400000000 - 28800000000
                      + getvariable('ix_freeze_us');

-- In sheets every offer counts with its last price of the day; a crawl has each offer once.
DELETE FROM ix_told AS early
WHERE run = -1
  AND t < (SELECT max(t) FROM ix_told AS late
           WHERE late.run = -1 AND late.good = early.good AND late.day = early.day);

-- The last moment of each day, and the last at which the key could be bought, packed as time in ms and run.
CREATE OR REPLACE TEMP MACRO ix_pack(t, run) AS (t // 1000) * 4194304 + run + 1;

CREATE OR REPLACE TEMP TABLE ix_last AS
SELECT key_no, day, max(ix_pack(t, run)) AS last, max(ix_pack(t, run)) FILTER (WHERE in_stock) AS last_in_stock,
       bool_or(coalesce(in_stock, true)) AS may_be_bought, bool_or(in_stock IS NOT NULL) AS shows_stock,
       bool_or(coalesce(in_stock, false)) AS in_stock, max(t) AS t
FROM ix_told
GROUP BY key_no, day;

-- Prices at those moments; kind 0: all offers, kind 1: those in stock.
CREATE OR REPLACE TEMP TABLE ix_at AS
SELECT 0::TINYINT AS kind, l.key_no, l.day, o.micro
FROM ix_last AS l
JOIN ix_told AS o ON o.key_no = l.key_no AND o.day = l.day AND o.run = l.last % 4194304 - 1
UNION ALL
SELECT 1::TINYINT, l.key_no, l.day, o.micro
FROM ix_last AS l
JOIN ix_told AS o ON o.key_no = l.key_no AND o.day = l.day AND o.run = l.last_in_stock % 4194304 - 1 AND o.in_stock;

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
SELECT l.key_no, l.day, a.twice, b.twice AS twice_in_stock, l.may_be_bought, l.shows_stock, l.in_stock, l.t
FROM ix_last AS l
JOIN ix_middle AS a ON a.kind = 0 AND a.key_no = l.key_no AND a.day = l.day
LEFT JOIN ix_middle AS b ON b.kind = 1 AND b.key_no = l.key_no AND b.day = l.day;
