-- What a card-hour was listed at, week by week: the median over sellers of each seller's median key. In: $week.
WITH priced AS (
    SELECT unnest(string_split(k.region_codes, ',')) AS region_code, k.card, k.billing_mode, k.provider, w.week, w.price
    FROM index_key_weeks AS w
    JOIN index_keys AS k ON k.key_no = w.key_no
    WHERE w.series = 'list' AND w.state = 'kept' AND k.price_kind = 'list'
      AND w.week <= $week AND w.week > $week - INTERVAL 104 WEEK
),
seller AS (
    SELECT region_code, card, billing_mode, provider, week, median(price) AS price FROM priced GROUP BY ALL
)
SELECT region_code, card, billing_mode, week, median(price)::DECIMAL(18,6) AS level
FROM seller
GROUP BY ALL
ORDER BY region_code, card, billing_mode, week;
