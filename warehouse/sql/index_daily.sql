-- The price of every key on every day: the last moment of the Shanghai day, the median of the key's offers at it.
-- In: ix_fact, ix_good, ix_key, ix_held (obs, released_at in µs or NULL). Out: ix_day, ix_shown.

-- Observations that may enter a weekly price: not held, or released before their week was frozen
-- (Monday 04:00 Shanghai; week 0 begins on Monday 1969-12-29).
CREATE OR REPLACE TEMP TABLE ix_told AS
SELECT k.key_no, f.good, f.t, f.day, CASE WHEN f.sheet THEN -1 ELSE f.run END AS run, f.micro, f.in_stock
FROM ix_fact AS f
JOIN ix_good AS g ON g.good = f.good AND g.left_out IS NULL
JOIN ix_key AS k ON k.key_name = g.key_name
LEFT JOIN ix_held AS h ON h.obs = f.obs
WHERE h.obs IS NULL
   OR h.released_at < (((f.day + 3) // 7 + 1) * 7 - 3)::BIGINT * 86400000000 - 28800000000
                      + getvariable('ix_freeze_us');

-- In sheets every offer counts with its last price of the day; a crawl has each offer once.
DELETE FROM ix_told AS early
WHERE run = -1
  AND t < (SELECT max(t) FROM ix_told AS late
           WHERE late.run = -1 AND late.good = early.good AND late.day = early.day);

CREATE OR REPLACE TEMP TABLE ix_moment AS
SELECT key_no, day, run, max(t) AS t, (2 * median(micro))::BIGINT AS twice,
       (2 * median(micro) FILTER (WHERE in_stock))::BIGINT AS twice_in_stock,
       bool_or(coalesce(in_stock, true)) AS may_be_bought
FROM ix_told
GROUP BY key_no, day, run;

-- `twice` is 2 · price · 10⁶, so that the mean of the two in the middle stays a whole number.
CREATE OR REPLACE TEMP TABLE ix_day AS
SELECT key_no, day,
       arg_max(twice, (t, run)) AS twice,
       arg_max(twice_in_stock, (t, run)) FILTER (WHERE twice_in_stock IS NOT NULL) AS twice_in_stock,
       bool_or(may_be_bought) AS may_be_bought,
       max(t) AS t
FROM ix_moment
GROUP BY key_no, day;
