-- Each active source: was it planned for the week, did it answer completely, was it ever asked.
-- A source known by crawls is planned once it was asked; one known by sheets alone until its price lists end, else
-- thirty days after the last one. In: $start, $until (end of the week, or now), $as_of.
WITH crawled AS (
    SELECT provider, bool_or(complete AND usable AND started_at >= $start AND started_at < $until) AS answered
    FROM runs
    WHERE kind <> 'import' AND started_at <= $as_of
    GROUP BY provider
),
sheet_rows AS (
    SELECT o.provider, o.observed_at, o.valid_until
    FROM observations AS o
    WHERE o.run_id IN (SELECT run_id FROM runs WHERE kind = 'import')
      AND o.observed_at < $until AND o.date_precision = 'day'
      AND o.trust IN ('seller', 'seller_via_third_party')
      AND o.provider_class IN ('marketplace', 'cloud', 'idc')
),
sheets AS (
    SELECT provider, max(observed_at) AS last_at, max(valid_until) AS valid_until,
           bool_or(observed_at >= $start) AS answered
    FROM sheet_rows
    GROUP BY provider
)
SELECT p.provider,
       c.provider IS NOT NULL
           OR coalesce(coalesce(s.valid_until, s.last_at + INTERVAL 720 HOUR) >= $start, false) AS planned,
       coalesce(c.answered, false) OR coalesce(s.answered, false) AS answered,
       c.provider IS NOT NULL OR s.provider IS NOT NULL AS asked
FROM providers AS p
LEFT JOIN crawled AS c ON c.provider = p.provider
LEFT JOIN sheets AS s ON s.provider = p.provider
WHERE coalesce(p.status, 'active') = 'active'
ORDER BY p.provider;
