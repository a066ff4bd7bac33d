-- Sellers that are asked, or were asked here: what they are, how they have been doing, what their meter does.
-- In: $as_of.
SELECT p.provider, p.name, p.class, p.status, p.homepage, p.known_as, p.granularity_s, p.min_charge_s,
       p.free_disk_gb, p.disk_cny_per_gb_day, p.traffic_cny_per_gb, p.deposit_cny, p.robots_verdict, p.robots_as_of,
       p.terms_url, p.live_offers,
       c.crawled_at, c.crawl_outcome, c.crawl_ok_at, l.seen_at
FROM providers AS p
LEFT JOIN (
    SELECT provider, max(ended_at) AS crawled_at, arg_max(outcome, (ended_at, run_id)) AS crawl_outcome,
           max(ended_at) FILTER (WHERE usable AND complete) AS crawl_ok_at
    FROM runs
    WHERE kind <> 'import' AND started_at <= $as_of
    GROUP BY provider
) AS c ON c.provider = p.provider
LEFT JOIN (
    SELECT provider, max(observed_at) AS seen_at
    FROM observations
    WHERE usable AND observed_at <= $as_of
    GROUP BY provider
) AS l ON l.provider = p.provider
WHERE coalesce(p.status, 'active') = 'active' OR p.live_offers > 0
ORDER BY p.live_offers DESC, p.provider;
