-- When a provider was last seen. stale_since: its last run is not good, so what is shown is this old.
-- In: variable as_of; providers filled from the catalog; offers.

-- A seller known from sheets alone is a provider too.
INSERT INTO providers (provider, name, class)
SELECT g.provider, g.provider, min(g.provider_class)
FROM store.good AS g
WHERE g.provider NOT IN (SELECT provider FROM providers)
GROUP BY g.provider
ORDER BY g.provider;

INSERT INTO providers (provider, name)
SELECT DISTINCT r.provider, r.provider
FROM store.run AS r
WHERE r.provider NOT IN (SELECT provider FROM providers)
ORDER BY r.provider;

UPDATE providers AS p
SET last_run_at = s.last_run_at,
    last_outcome = s.last_outcome,
    last_ok_at = s.last_ok_at,
    stale_since = CASE WHEN s.last_run_at > s.last_ok_at THEN s.last_ok_at END
FROM (
    SELECT provider,
           max(ended_at) AS last_run_at,
           arg_max(outcome, (ended_at, run_id)) AS last_outcome,
           -- A sheet of which no row was good is no good run.
           max(ended_at) FILTER (WHERE usable AND outcome <> 'empty') AS last_ok_at
    FROM store.run
    WHERE started_at <= getvariable('as_of')
    GROUP BY provider
) AS s
WHERE p.provider = s.provider;

UPDATE providers AS p
SET live_offers = coalesce((SELECT count(*) FROM offers AS o WHERE o.provider = p.provider), 0);
