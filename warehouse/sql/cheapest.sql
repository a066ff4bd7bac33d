-- The question of `suanjia cheapest`, in the order of rank; the rules of a purchase are in the macro `purchases`.
-- {place} is one of PLACES in warehouse/cheapest.py.
WITH aged AS (
    SELECT p.* EXCLUDE (age_hours),
           round(greatest(epoch_us($now::TIMESTAMPTZ) - epoch_us(p.observed_at), 0) / 3.6e9, 2) AS age_hours
    FROM purchases($count::INTEGER) AS p
),
fitting AS (
    SELECT a.*,
           CASE WHEN $count::INTEGER IS NULL THEN a.price_cny_per_card_hour_gross
                ELSE a.total_per_hour_cny END AS cost
    FROM aged AS a
    WHERE a.price_kind IN ('list', 'public_discount')
      AND NOT a.is_floor
      AND ($mode::VARCHAR IS NULL OR a.billing_mode = $mode::VARCHAR)
      AND ($card::VARCHAR IS NULL OR a.card = $card::VARCHAR)
      AND ($form::VARCHAR IS NULL OR a.form = $form::VARCHAR)
      -- Part of a card never ranks beside whole ones; a virtual card shows when it is asked for by name.
      AND a.share = 1
      AND ($card::VARCHAR IS NOT NULL OR NOT is_slice(a.card, a.share))
      AND ($min_vram::DECIMAL(18,6) IS NULL OR a.vram_gb >= $min_vram::DECIMAL(18,6))
      AND ($max_price::DECIMAL(18,6) IS NULL OR a.price_cny_per_card_hour_gross <= $max_price::DECIMAL(18,6))
      AND {place}
      AND coalesce(a.valid_until >= $now::TIMESTAMPTZ, true)
      AND CASE WHEN $max_age::DECIMAL(18,6) IS NOT NULL THEN a.age_hours <= $max_age::DECIMAL(18,6)
               ELSE a.valid_until IS NOT NULL OR a.age_hours <= $rank_hours END
)
SELECT f.total_per_hour_cny, f.purchase_cards, f.price_cny_per_card_hour, f.price_cny_per_card_hour_gross, f.provider,
       f.provider_class, f.region_code, f.region, f.region_label, f.zone, f.card, f.vram_gb, f.form,
       f.gpu_count, f.basis, f.min_cards, f.max_cards, f.sku, f.billing_mode, f.term_hours, f.price_kind, f.tier,
       f.price, f.currency, f.per_hours, f.tax, f.stock_idle, f.in_stock, f.state, f.observed_at, f.age_hours,
       f.age_hours > $old_hours AS old, f.review, f.valid_until, f.offer_id, f.source_url
FROM fitting AS f
ORDER BY f.cost, f.age_hours, f.provider, f.offer_id
LIMIT $limit;
