-- Two years of every list-price cell that was in the index during the last half year. In: $week.
WITH shown AS (
    SELECT DISTINCT region_code, card, billing_mode
    FROM price_index
    WHERE series = 'list' AND week <= $week AND week > $week - INTERVAL 26 WEEK
      AND state IN ('base', 'published', 'indicative')
)
SELECT i.region_code, i.card, i.billing_mode, i.week,
       CASE WHEN i.state IN ('base', 'published', 'indicative') THEN i.value::DECIMAL(18,8) END AS value, i.grade
FROM price_index AS i
JOIN shown AS s USING (region_code, card, billing_mode)
WHERE i.series = 'list' AND i.week <= $week AND i.week > $week - INTERVAL 104 WEEK
ORDER BY i.region_code, i.card, i.billing_mode, i.week;
