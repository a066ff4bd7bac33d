-- The prices held back in the week, newest first. In: $start, $until.
SELECT obs_id, provider, card, region_code, billing_mode, price_cny_per_card_hour, quarantine AS reason,
       observed_at, source_url
FROM observations
WHERE quarantine IS NOT NULL AND observed_at >= $start AND observed_at < $until
ORDER BY observed_at DESC, provider, obs_id;
