-- The list-price index of the week, with the level beside it. In: $week.
SELECT i.region_code, i.card, i.billing_mode, i.value::DECIMAL(18,8) AS value, i.link::DECIMAL(18,8) AS link,
       i.state, i.grade, i.direction, i.n_offers, i.n_providers, i.n_imputed,
       i.in_stock_share::DECIMAL(18,6) AS in_stock_share, i.flags, l.median AS level
FROM price_index AS i
LEFT JOIN (
    SELECT region_code, card, billing_mode, (median(median))::DECIMAL(18,6) AS median
    FROM price_level
    WHERE week = $week AND price_kind = 'list'
    GROUP BY ALL
) AS l ON l.region_code = i.region_code AND l.card = i.card AND l.billing_mode = i.billing_mode
WHERE i.series = 'list' AND i.week = $week
ORDER BY i.region_code, i.card, i.billing_mode;
