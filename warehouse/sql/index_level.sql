-- Price levels: median of provider medians, quartiles, minimum. In: ix_kept (key_no, week, micro: weekly price
-- · 10⁶), ix_place (key_no, region_code, level), ix_key, ix_good. Out: ix_level, ix_parity_price.

CREATE OR REPLACE TEMP MACRO ix_cny(micro) AS
    (floor(micro + 0.5)::BIGINT::DECIMAL(24,0) * 0.000001::DECIMAL(7,6))::DECIMAL(18,6);

CREATE OR REPLACE TEMP TABLE ix_key_class AS
SELECT key_no, min(provider_class) AS provider_class
FROM ix_good
WHERE key_no IS NOT NULL
GROUP BY key_no;

-- Numbers for the groups: millions of rows are then grouped by two integers, not by seven words.
CREATE OR REPLACE TEMP TABLE ix_member AS
SELECT p.key_no, p.region_code, p.level, k.card, k.billing_mode, k.price_kind, c.provider_class, k.provider,
       dense_rank() OVER (ORDER BY p.region_code, p.level, k.card, k.billing_mode, k.price_kind, c.provider_class,
                                   k.provider)::INTEGER AS vote_no,
       dense_rank() OVER (ORDER BY p.region_code, k.card, k.billing_mode, k.price_kind,
                                   c.provider_class)::INTEGER AS level_no
FROM ix_place AS p
JOIN ix_key AS k ON k.key_no = p.key_no
JOIN ix_key_class AS c ON c.key_no = p.key_no;

CREATE OR REPLACE TEMP TABLE ix_voter AS
SELECT DISTINCT * EXCLUDE (key_no) FROM ix_member;

-- One vote a provider, however many keys it has.
CREATE OR REPLACE TEMP TABLE ix_vote AS
SELECT m.vote_no, x.week, median(x.micro) AS middle, min(x.micro) AS least, count(*)::INTEGER AS keys,
       bit_xor(hash(x.key_no + 1)) AS who
FROM ix_kept AS x
JOIN (SELECT key_no, vote_no FROM ix_member) AS m ON m.key_no = x.key_no
GROUP BY m.vote_no, x.week;

CREATE OR REPLACE TEMP TABLE ix_level AS
SELECT l.level_no, n.region_code, n.card, n.billing_mode, n.price_kind, n.provider_class, l.week,
       ix_cny(l.least) AS min, ix_cny(l.quartiles[1]) AS p25, ix_cny(l.quartiles[2]) AS median,
       ix_cny(l.quartiles[3]) AS p75, l.n_offers, l.n_providers,
       coalesce(l.who <> lag(l.who) OVER (PARTITION BY l.level_no ORDER BY l.week), false) AS composition_changed
FROM (SELECT m.level_no, v.week, min(v.least) AS least, quantile_cont(v.middle, [0.25, 0.5, 0.75]) AS quartiles,
             sum(v.keys)::INTEGER AS n_offers, count(*)::INTEGER AS n_providers, bit_xor(v.who) AS who
      FROM ix_vote AS v
      JOIN (SELECT vote_no, level_no FROM ix_voter) AS m ON m.vote_no = v.vote_no
      GROUP BY m.level_no, v.week) AS l
JOIN (SELECT DISTINCT level_no, region_code, card, billing_mode, price_kind, provider_class FROM ix_voter) AS n
  ON n.level_no = l.level_no;

-- Provinces side by side: one price a province, card and week, all classes.
CREATE OR REPLACE TEMP TABLE ix_parity_price AS
SELECT v.week, m.billing_mode, m.region_code, m.card, median(v.middle) AS micro
FROM ix_vote AS v
JOIN ix_voter AS m ON m.vote_no = v.vote_no
WHERE m.level = 'province' AND m.price_kind = 'list'
  AND list_contains(getvariable('ix_parity_modes'), m.billing_mode)
GROUP BY v.week, m.billing_mode, m.region_code, m.card
ORDER BY v.week, m.billing_mode, m.region_code, m.card;
