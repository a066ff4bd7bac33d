-- What could be bought at a moment, by the rules of the published `offers` but for any moment.
-- In: $as_of, $until (what was seen later is not in it). Out: temp table issue_live, an offer a row.
CREATE OR REPLACE TEMP TABLE issue_live AS
WITH fresh AS (
    SELECT o.*
    FROM observations AS o
    WHERE o.observed_at <= $until
      AND (o.observed_at >= $as_of - INTERVAL 720 HOUR OR o.valid_until >= $as_of)
      AND o.usable AND o.date_precision = 'day'
      AND o.trust IN ('seller', 'seller_via_third_party')
      AND o.provider_class IN ('marketplace', 'cloud', 'idc')
),
seen AS (
    SELECT offer_id, max(observed_at) AS last_at, arg_max(run_id, observed_at) AS last_run FROM fresh GROUP BY ALL
),
newest AS (
    SELECT f.*
    FROM fresh AS f
    WHERE f.quarantine IS NULL AND coalesce(f.valid_until >= $as_of, true)
    QUALIFY row_number() OVER (PARTITION BY f.offer_id ORDER BY f.observed_at DESC, f.price, f.obs_id) = 1
),
absent AS (
    SELECT n.offer_id, count(r.run_id) AS runs
    FROM newest AS n
    JOIN seen AS s ON s.offer_id = n.offer_id
    LEFT JOIN runs AS r
      ON r.provider = n.provider AND r.complete AND r.run_id <> s.last_run
     AND r.ended_at > s.last_at AND r.ended_at <= $until
    GROUP BY n.offer_id
)
SELECT n.*, CASE a.runs WHEN 0 THEN 'active' ELSE 'missing' END AS state
FROM newest AS n
JOIN absent AS a ON a.offer_id = n.offer_id
WHERE a.runs < 2;
