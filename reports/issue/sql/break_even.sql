-- Sellers that sell one good by the hour and by the month: how many hours a month's price buys, from the amounts
-- as printed. In: temp table issue_live.
WITH pair AS (
    SELECT h.card, h.provider, (m.price * h.per_hours / h.price)::DECIMAL(18,6) AS hours
    FROM issue_live AS h
    JOIN issue_live AS m
      ON m.provider = h.provider AND m.card = h.card AND m.gpu_count = h.gpu_count AND m.share = h.share
     AND m.currency = h.currency AND m.tax = h.tax
     AND m.region_code IS NOT DISTINCT FROM h.region_code AND m.zone IS NOT DISTINCT FROM h.zone
     AND m.form IS NOT DISTINCT FROM h.form AND m.sku IS NOT DISTINCT FROM h.sku
     AND m.tier IS NOT DISTINCT FROM h.tier AND m.vcpu IS NOT DISTINCT FROM h.vcpu
     AND m.ram_gb IS NOT DISTINCT FROM h.ram_gb
    WHERE h.billing_mode = 'on_demand' AND m.billing_mode = 'monthly'
      AND h.price_kind = 'list' AND m.price_kind = 'list' AND NOT h.is_floor AND NOT m.is_floor
      AND h.review IS NULL AND m.review IS NULL
)
SELECT card, provider, min(hours) AS hours
FROM pair
WHERE hours < 730
GROUP BY card, provider
ORDER BY card, hours, provider;
