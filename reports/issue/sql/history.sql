-- Two years of the series that the chart may draw: national cells of the list series. In: $week.
SELECT region_code, card, billing_mode, week, value::DECIMAL(18,8) AS value, state
FROM price_index
WHERE series = 'list' AND region_code = 'CN' AND week <= $week AND week > $week - INTERVAL 104 WEEK
ORDER BY region_code, card, billing_mode, week;
