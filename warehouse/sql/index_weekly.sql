-- What each week saw of every key beside its prices. In: ix_fact, ix_good, ix_key, ix_held, store.run. Out:
-- ix_seen (key-weeks), ix_source (provider-weeks: was it asked, did it answer), ix_complete (complete runs).

CREATE OR REPLACE TEMP TABLE ix_good_week AS
SELECT good, (day + 3) // 7 AS week, max(t) AS t, bool_or(sheet) AS sheet
FROM ix_fact
GROUP BY good, (day + 3) // 7;

-- Held at the freeze of its week.
CREATE OR REPLACE TEMP TABLE ix_held_week AS
SELECT f.good, (f.day + 3) // 7 AS week
FROM ix_held AS h
JOIN ix_fact AS f ON f.obs = h.obs
GROUP BY f.good, (f.day + 3) // 7
HAVING bool_or(NOT h.in_time);

-- Keys whose goods come with different bundles; only theirs need a median.
CREATE OR REPLACE TEMP TABLE ix_mixed AS
SELECT key_no
FROM ix_good
WHERE key_no IS NOT NULL
GROUP BY key_no
HAVING count(DISTINCT (vcpu, ram_gb)) > 1;

CREATE OR REPLACE TEMP TABLE ix_bundle AS
SELECT g.key_no, w.week, median(g.vcpu)::DOUBLE AS vcpu, median(g.ram_gb)::DOUBLE AS ram_gb
FROM ix_good_week AS w
JOIN ix_good AS g ON g.good = w.good
SEMI JOIN ix_mixed AS m ON m.key_no = g.key_no
GROUP BY g.key_no, w.week;

CREATE OR REPLACE TEMP TABLE ix_seen AS
SELECT s.key_no, s.week, s.t, s.held,
       CASE WHEN b.key_no IS NULL THEN s.vcpu ELSE b.vcpu END AS vcpu,
       CASE WHEN b.key_no IS NULL THEN s.ram_gb ELSE b.ram_gb END AS ram_gb
FROM (SELECT g.key_no, w.week, max(w.t) AS t, bool_or(h.good IS NOT NULL) AS held, max(g.vcpu)::DOUBLE AS vcpu,
             max(g.ram_gb)::DOUBLE AS ram_gb
      FROM ix_good_week AS w
      JOIN ix_good AS g ON g.good = w.good AND g.key_no IS NOT NULL
      LEFT JOIN ix_held_week AS h ON h.good = w.good AND h.week = w.week
      GROUP BY g.key_no, w.week) AS s
LEFT JOIN ix_bundle AS b ON b.key_no = s.key_no AND b.week = s.week;

-- A crawl belongs to the week it began in; a sheet to every week it has observations of.
CREATE OR REPLACE TEMP TABLE ix_source AS
SELECT provider, week, bool_or(answered) AS answered, bool_or(crawled) AS crawled, bool_or(seen) AS seen,
       max(sheet_t) AS sheet_t, max(valid_until) AS valid_until
FROM (
    SELECT provider, ((epoch_us(started_at) + 28800000000) // 86400000000 + 3) // 7 AS week,
           complete AND usable AS answered, true AS crawled, false AS seen, NULL AS sheet_t, NULL AS valid_until
    FROM store.run
    WHERE kind <> 'import' AND started_at <= getvariable('ix_as_of')
    UNION ALL
    SELECT g.provider, w.week, w.sheet, false, true, NULL, NULL
    FROM ix_good_week AS w
    JOIN ix_good AS g ON g.good = w.good
    UNION ALL
    SELECT g.provider, (f.day + 3) // 7, true, false, true, f.t, epoch_us(s.valid_until)
    FROM ix_fact AS f
    JOIN ix_good AS g ON g.good = f.good
    JOIN store.fact AS s ON s.obs = f.obs
    WHERE f.sheet
)
GROUP BY provider, week
ORDER BY provider, week;

-- A complete sheet is a run of every day that it tells of, since history comes in one file.
CREATE OR REPLACE TEMP TABLE ix_complete AS
SELECT provider, epoch_us(started_at) AS t
FROM store.run
WHERE complete AND usable AND kind <> 'import'
UNION ALL
SELECT r.provider, min(f.t)
FROM ix_fact AS f
JOIN store.run AS r ON r.run = f.run AND r.kind = 'import' AND r.complete
GROUP BY r.provider, f.run, f.day;
