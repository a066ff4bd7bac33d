-- What every good is to the index, and the observations that take part.
-- In: store.good, store.run, store.fact; variables ix_currency, ix_classes, ix_trusts, ix_kinds, ix_precision,
-- ix_sites, ix_abroad, ix_min, ix_max, ix_as_of. Out: ix_good, ix_key, ix_fact.

-- A number without trailing zeros, empty where unknown.
CREATE OR REPLACE TEMP MACRO ix_plain(x) AS
    coalesce(trim(trailing '.' FROM trim(trailing '0' FROM x::DECIMAL(18,6)::VARCHAR)), '');

-- The index key is coarser than the offer: no SKU, no bundle, no listing; cards per purchase by class.
CREATE OR REPLACE TEMP TABLE ix_named AS
SELECT g.good, g.offer_id, g.provider, g.provider_class, g.card, g.billing_mode, g.price_kind, g.scope,
       g.region_code, g.vcpu / g.gpu_count AS vcpu, g.ram_gb / g.gpu_count AS ram_gb,
       concat_ws('|', g.provider, g.site, coalesce(g.region_code, '?' || coalesce(g.region_label, '')),
                 coalesce(g.zone, ''), g.card, coalesce(g.form, ''),
                 CASE WHEN g.gpu_count <= 1 THEN '1' WHEN g.gpu_count < 8 THEN '2-7'
                      WHEN g.gpu_count = 8 THEN '8' ELSE '>8' END,
                 g.billing_mode,
                 ix_plain(coalesce(g.term_hours, CASE WHEN g.billing_mode = 'pack' THEN g.per_hours END)),
                 coalesce(g.tier, ''), g.price_kind) AS key_name,
       concat_ws('|', g.card, g.billing_mode, g.price_kind, CASE WHEN g.share < 1 THEN 'slice' ELSE '' END,
                 CASE WHEN g.is_floor THEN 'floor' ELSE '' END) AS pool_name,
       -- Who is no seller confirms no seller's price.
       CASE WHEN list_contains(getvariable('ix_classes'), g.provider_class) THEN '' ELSE g.provider_class END
           AS no_seller,
       CASE WHEN g.date_precision <> getvariable('ix_precision') THEN 'date_precision'
            WHEN NOT list_contains(getvariable('ix_sites'), g.site) THEN 'site'
            WHEN g.region_code IS NULL
                 AND list_contains(getvariable('ix_abroad'), lower(trim(g.region_label))) THEN 'abroad'
            WHEN g.currency <> getvariable('ix_currency') THEN 'currency'
            WHEN NOT list_contains(getvariable('ix_trusts'), g.trust) THEN 'trust'
            WHEN NOT list_contains(getvariable('ix_classes'), g.provider_class) THEN 'provider_class'
            WHEN g.is_floor OR NOT list_contains(getvariable('ix_kinds'), g.price_kind) THEN 'price_kind'
            WHEN g.share < 1 THEN 'slice' END AS left_out
FROM store.good AS g;

CREATE OR REPLACE TEMP TABLE ix_key AS
SELECT row_number() OVER (ORDER BY key_name) - 1 AS key_no,
       key_name, provider, card, billing_mode, price_kind, region_code, scope
FROM (
    -- A key sold under two scopes counts as the nearer one.
    SELECT key_name, provider, card, billing_mode, price_kind, region_code,
           CASE WHEN bool_and(scope = 'national') THEN 'national' ELSE 'region' END AS scope
    FROM ix_named
    WHERE left_out IS NULL
    GROUP BY ALL
);

-- key_no is NULL where the index leaves the good out. A group is where a price is measured against the median,
-- a unit where a second provider may confirm it, a pool where a class with too few is measured: groups of one
-- unit are neighbours, and units of one pool, the sellers' first.
CREATE OR REPLACE TEMP TABLE ix_good AS
SELECT n.*, k.key_no,
       dense_rank() OVER (ORDER BY n.pool_name) - 1 AS pool_no,
       dense_rank() OVER (ORDER BY n.pool_name, n.no_seller) - 1 AS unit_no,
       dense_rank() OVER (ORDER BY n.pool_name, n.no_seller, n.provider_class) - 1 AS group_no,
       dense_rank() OVER (ORDER BY n.provider) - 1 AS provider_no
FROM ix_named AS n
LEFT JOIN ix_key AS k ON k.key_name = n.key_name AND n.left_out IS NULL
ORDER BY n.good;

-- Of one sheet row told by two imports, the first counts.
CREATE OR REPLACE TEMP TABLE ix_retold AS
SELECT obs
FROM (SELECT x.obs, row_number() OVER (PARTITION BY g.offer_id, x.observed_at, x.price, x.price_high, x.upfront
                                       ORDER BY x.obs) AS nth
      FROM store.fact AS x
      JOIN store.run AS s ON s.run = x.run AND s.kind = 'import'
      JOIN store.good AS g ON g.good = x.good)
WHERE nth > 1;

-- A view: a second copy of every observation would not fit beside the first. What is older than any market for
-- computing is a slip, and its moment would not fit where moments and runs are packed together.
CREATE OR REPLACE TEMP VIEW ix_fact AS
SELECT f.obs, epoch_us(f.observed_at) AS t, f.good, f.run, r.kind = 'import' AS sheet,
       (f.cny * 1000000)::BIGINT AS micro, f.in_stock, f.conflict, f.twin,
       -- China has had no summer time since 1991: Shanghai is UTC+8. Day 0 is 1970-01-01, a Thursday.
       ((epoch_us(f.observed_at) + 28800000000) // 86400000000)::INTEGER AS day
FROM store.fact AS f
JOIN store.run AS r ON r.run = f.run
WHERE r.usable
  AND f.cny BETWEEN getvariable('ix_min') AND getvariable('ix_max')
  AND f.observed_at BETWEEN TIMESTAMPTZ '2000-01-01 00:00:00+00' AND getvariable('ix_as_of')
  AND f.obs NOT IN (SELECT obs FROM ix_retold);

-- The same good twice in one run (a sheet: at one moment), more than 1 % apart, from a source that has one price
-- a good: both are held. The loader marks such pairs as twins; hosts and pools are medians already.
CREATE OR REPLACE TEMP TABLE ix_conflict AS
SELECT unnest(list(f.obs)) AS obs
FROM ix_fact AS f
JOIN store.good AS g ON g.good = f.good AND g.scope NOT IN ('host', 'pool')
WHERE f.twin
GROUP BY g.offer_id, f.run, CASE WHEN f.sheet THEN f.t END
HAVING max(f.micro) * 100 > min(f.micro) * 101
UNION
SELECT obs FROM ix_fact WHERE conflict;
