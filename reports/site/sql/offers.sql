-- Every offer that was live at the issue's freeze, cheapest first. In: temp table issue_live, $as_of.
SELECT card, form, gpu_count, share, provider, region_code, scope, coalesce(zone, region_label) AS label,
       billing_mode, price_kind, is_floor, tier, price_cny_per_card_hour_gross AS gross, stock_idle, in_stock,
       round((epoch_us($as_of) - epoch_us(observed_at)) / 3.6e9)::INTEGER AS age_hours, review, state, source_url,
       offer_id
FROM issue_live
WHERE price_cny_per_card_hour_gross IS NOT NULL
ORDER BY price_cny_per_card_hour_gross, age_hours, provider, offer_id;
