-- Corrections of final values since the issue before was made, large enough to be told. In: $week, $told_until.
SELECT region_code, card, billing_mode, week, old_value::DECIMAL(18,8) AS old_value,
       new_value::DECIMAL(18,8) AS new_value, reason
FROM index_revisions
WHERE series = 'list' AND in_report AND week <= $week AND recorded_at > $told_until
ORDER BY week, region_code, card, billing_mode, old_vintage;
