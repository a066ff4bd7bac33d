-- The week's cheapest fits with the offer as it stood, and what the same offer cost in the week before.
-- In: $week, $start (its Monday), temp table issue_live.
WITH chosen AS (SELECT * FROM cheapest_fit WHERE week = $week),
history AS (
    SELECT o.offer_id, min(o.observed_at) AS first_at,
           arg_max(o.price_cny_per_card_hour, o.observed_at) FILTER (
               WHERE o.quarantine IS NULL AND o.observed_at >= $start - INTERVAL 7 DAY AND o.observed_at < $start
           ) AS price_before
    FROM observations AS o
    WHERE o.usable AND o.offer_id IN (SELECT offer_id FROM chosen) AND o.observed_at <= $as_of
    GROUP BY o.offer_id
)
SELECT c.workload, c.region_code, c.rank, c.offer_id, l.obs_id, c.provider,
       coalesce(l.region_code, CASE l.scope WHEN 'national' THEN 'CN' END) AS place, l.scope, c.card, l.form,
       c.gpu_count, c.cards_used, c.nodes, c.billing_mode, c.strategy, c.hours_p50, c.hours_p90, c.total_cny_p50,
       c.total_cny_p90, c.price_cny_per_card_hour, h.price_before,
       coalesce(h.first_at >= $start, false) AS is_new, c.observed_at,
       round((epoch_us($as_of) - epoch_us(c.observed_at)) / 3.6e9, 2)::DECIMAL(18,2) AS age_hours,
       l.stock_idle, c.grade, c.mark, c.proof, c.margin_to_next_pct, c.source_url,
       p.homepage, coalesce(l.valid_until >= $as_of, false) AS valid
FROM chosen AS c
LEFT JOIN providers AS p ON p.provider = c.provider
LEFT JOIN issue_live AS l ON l.offer_id = c.offer_id
LEFT JOIN history AS h ON h.offer_id = c.offer_id
ORDER BY c.workload, c.region_code, c.rank;
