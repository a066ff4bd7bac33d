-- Price levels: median of provider medians, quartiles, minimum. In: ix_kept (key_no, week, micro: weekly price
-- · 10⁶), ix_place (key_no, region_code, level), ix_key, ix_good. Out: ix_level, ix_parity_price.

CREATE OR REPLACE TEMP MACRO ix_cny(micro) AS
    (floor(micro + 0.5)::BIGINT::DECIMAL(24,0) * 0.000001::DECIMAL(7,6))::DECIMAL(18,6);

CREATE OR REPLACE TEMP TABLE ix_key_class AS
SELECT key_no, min(provider_class) AS provider_class
FROM ix_good
WHERE key_no IS NOT NULL
GROUP BY key_no;

-- One vote a provider, however many keys it has.
CREATE OR REPLACE TEMP TABLE ix_vote AS
SELECT p.region_code, p.level, k.card, k.billing_mode, k.price_kind, c.provider_class, x.week, k.provider,
       median(x.micro) AS middle, min(x.micro) AS least, count(*) AS keys, bit_xor(hash(x.key_no + 1)) AS who
FROM ix_kept AS x
JOIN ix_key AS k ON k.key_no = x.key_no
JOIN ix_key_class AS c ON c.key_no = x.key_no
JOIN ix_place AS p ON p.key_no = x.key_no
GROUP BY ALL;

CREATE OR REPLACE TEMP TABLE ix_level AS
SELECT region_code, card, billing_mode, price_kind, provider_class, week,
       ix_cny(min(least)) AS min,
       ix_cny(quantile_cont(middle, 0.25)) AS p25,
       ix_cny(quantile_cont(middle, 0.5)) AS median,
       ix_cny(quantile_cont(middle, 0.75)) AS p75,
       sum(keys)::INTEGER AS n_offers,
       count(*)::INTEGER AS n_providers,
       coalesce(bit_xor(who) <> lag(bit_xor(who)) OVER (
           PARTITION BY region_code, card, billing_mode, price_kind, provider_class ORDER BY week), false)
           AS composition_changed
FROM ix_vote
GROUP BY region_code, card, billing_mode, price_kind, provider_class, week;

-- Provinces side by side: one price a province, card and week, all classes.
CREATE OR REPLACE TEMP TABLE ix_parity_price AS
SELECT week, billing_mode, region_code, card, median(middle) AS micro
FROM ix_vote
WHERE level = 'province' AND price_kind = 'list' AND list_contains(getvariable('ix_parity_modes'), billing_mode)
GROUP BY week, billing_mode, region_code, card
ORDER BY week, billing_mode, region_code, card;
