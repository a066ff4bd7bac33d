-- What was held back or refused, by reason: in the week, and since this data directory began.
-- Sheets are read by hand and speak of the past, so their rows count in all whatever their date.
-- In: $start, $until, $as_of.
SELECT 'held' AS kind, quarantine AS reason,
       count(*) FILTER (WHERE observed_at >= $start AND observed_at < $until) AS week, count(*) AS total
FROM observations
WHERE quarantine IS NOT NULL AND observed_at <= $as_of
GROUP BY quarantine
UNION ALL
SELECT 'refused', j.reason,
       count(*) FILTER (WHERE j.observed_at >= $start AND j.observed_at < $until AND r.kind <> 'import'), count(*)
FROM rejections AS j
JOIN runs AS r ON r.run_id = j.run_id AND r.provider = j.provider
WHERE r.kind = 'import' OR j.observed_at <= $as_of
GROUP BY j.reason
ORDER BY 1, 4 DESC, 2;
