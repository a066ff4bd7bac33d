-- Which province is dearer, like for like. In: $week.
SELECT region_code, billing_mode, value::DECIMAL(18,6) AS value, n_cards
FROM price_parity
WHERE week = $week
ORDER BY billing_mode, value, region_code;
