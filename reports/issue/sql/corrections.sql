-- Corrections of final values since the issue before, large enough to be told. In: $start, $as_of.
SELECT region_code, card, billing_mode, week, old_value::DECIMAL(18,8) AS old_value,
       new_value::DECIMAL(18,8) AS new_value, reason
FROM index_revisions
WHERE series = 'list' AND in_report AND recorded_at > $start + INTERVAL 4 HOUR AND recorded_at <= $as_of
ORDER BY week, region_code, card, billing_mode;
