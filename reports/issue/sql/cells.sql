-- The list-price index of the week, and beside it what a card-hour is listed at: the median over sellers of each
-- seller's median key. In: $week.
WITH priced AS (
    SELECT unnest(string_split(k.region_codes, ',')) AS region_code, k.card, k.billing_mode, k.provider, w.price
    FROM index_key_weeks AS w
    JOIN index_keys AS k ON k.key_no = w.key_no
    WHERE w.week = $week AND w.series = 'list' AND w.state = 'kept' AND k.price_kind = 'list'
),
seller AS (
    SELECT region_code, card, billing_mode, provider, median(price) AS price FROM priced GROUP BY ALL
),
level AS (
    SELECT region_code, card, billing_mode, median(price)::DECIMAL(18,6) AS level FROM seller GROUP BY ALL
)
SELECT i.region_code, i.card, i.billing_mode, i.value::DECIMAL(18,8) AS value, i.link::DECIMAL(18,8) AS link,
       i.state, i.grade, i.direction, i.n_offers, i.n_providers, i.n_imputed,
       i.in_stock_share::DECIMAL(18,6) AS in_stock_share, i.flags, l.level
FROM price_index AS i
LEFT JOIN level AS l
  ON l.region_code = i.region_code AND l.card = i.card AND l.billing_mode = i.billing_mode
WHERE i.series = 'list' AND i.week = $week
ORDER BY i.region_code, i.card, i.billing_mode;
