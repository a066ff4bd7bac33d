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

-- Keys that may have several prices at one moment: of several goods, in sheets, or told twice by a run.
CREATE OR REPLACE TEMP TABLE ix_crowded AS
SELECT key_no
FROM ix_good
WHERE key_no IS NOT NULL
GROUP BY key_no
HAVING count(*) > 1
UNION
SELECT g.key_no
FROM ix_good AS g
WHERE g.key_no IS NOT NULL
  AND (g.good IN (SELECT good FROM ix_fact WHERE twin) OR g.good IN (SELECT good FROM ix_fact WHERE sheet));

-- The last moment of each day, and the last at which the key could be bought, packed as time in ms and run; the
-- price at each, which is the only one there unless the key is crowded.
CREATE OR REPLACE TEMP MACRO ix_pack(t, run) AS (t // 1000) * 4194304 + run + 1;

CREATE OR REPLACE TEMP TABLE ix_last AS
SELECT d.*, d.n > 1 AND c.key_no IS NOT NULL AS crowded
FROM (SELECT key_no, day, max(ix_pack(t, run)) AS last, max(ix_pack(t, run)) FILTER (WHERE in_stock) AS last_in_stock,
             arg_max(micro, ix_pack(t, run)) AS micro,
             arg_max(micro, ix_pack(t, run)) FILTER (WHERE in_stock) AS micro_in_stock,
             bool_or(coalesce(in_stock, true)) AS may_be_bought, bool_or(in_stock IS NOT NULL) AS shows_stock,
             bool_or(coalesce(in_stock, false)) AS in_stock, max(t) AS t, count(*) AS n
      FROM ix_priced
      GROUP BY key_no, day) AS d
LEFT JOIN ix_crowded AS c ON c.key_no = d.key_no;

-- All prices at those moments of crowded keys.
CREATE OR REPLACE TEMP TABLE ix_crowded_day AS
SELECT key_no, day, last, last_in_stock FROM ix_last WHERE crowded;

CREATE OR REPLACE TEMP TABLE ix_crowd AS
SELECT l.key_no, l.day, o.micro, o.run = l.last % 4194304 - 1 AS is_last,
       coalesce(o.in_stock AND o.run = l.last_in_stock % 4194304 - 1, false) AS is_last_in_stock
FROM ix_crowded_day AS l
JOIN ix_priced AS o ON o.key_no = l.key_no AND o.day = l.day
WHERE o.run = l.last % 4194304 - 1 OR o.in_stock AND o.run = l.last_in_stock % 4194304 - 1;

-- Twice the median, so that the mean of the two in the middle stays a whole number. Up to two prices it is their
-- sum; only larger groups need sorting.
CREATE OR REPLACE TEMP TABLE ix_few AS
SELECT key_no, day, count(*) FILTER (WHERE is_last) AS n, count(*) FILTER (WHERE is_last_in_stock) AS n_in_stock,
       min(micro) FILTER (WHERE is_last) + max(micro) FILTER (WHERE is_last) AS twice,
       min(micro) FILTER (WHERE is_last_in_stock) + max(micro) FILTER (WHERE is_last_in_stock) AS twice_in_stock
FROM ix_crowd
GROUP BY key_no, day;

CREATE OR REPLACE TEMP TABLE ix_many AS
SELECT c.key_no, c.day, (2 * median(c.micro) FILTER (WHERE c.is_last))::BIGINT AS twice,
       (2 * median(c.micro) FILTER (WHERE c.is_last_in_stock))::BIGINT AS twice_in_stock
FROM ix_crowd AS c
SEMI JOIN (SELECT key_no, day FROM ix_few WHERE n > 2 OR n_in_stock > 2) AS f
  ON f.key_no = c.key_no AND f.day = c.day
GROUP BY c.key_no, c.day;

CREATE OR REPLACE TEMP TABLE ix_day AS
SELECT key_no, day, 2 * micro AS twice, 2 * micro_in_stock AS twice_in_stock, may_be_bought, shows_stock, in_stock, t
FROM ix_last
WHERE NOT crowded
UNION ALL
SELECT l.key_no, l.day, coalesce(m.twice, f.twice), coalesce(m.twice_in_stock, f.twice_in_stock), l.may_be_bought,
       l.shows_stock, l.in_stock, l.t
FROM ix_last AS l
JOIN ix_few AS f ON f.key_no = l.key_no AND f.day = l.day
LEFT JOIN ix_many AS m ON m.key_no = l.key_no AND m.day = l.day
WHERE l.crowded;
