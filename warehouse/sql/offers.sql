-- The latest unheld observation of every good, its state, and what is live of it at build time.
-- In: variable as_of; store.*, store.note, regions.

-- What takes part: runs that passed their gates, sellers' own prices, of a known day, not held, not repeated.
CREATE TEMP TABLE newest AS
WITH counted AS (
    SELECT f.obs, f.good, f.run, f.observed_at
    FROM store.fact AS f
    JOIN store.run AS r ON r.run = f.run
    WHERE r.usable AND f.observed_at <= getvariable('as_of')
),
-- When the good was seen at all, held or not: being seen is what keeps an offer from being missing.
seen AS (
    SELECT g.offer_id, max(c.last_at) AS last_at, arg_max(c.last_run, c.last_at) AS last_run
    FROM (SELECT good, max(observed_at) AS last_at, arg_max(run, observed_at) AS last_run
          FROM counted GROUP BY good) AS c
    JOIN store.good AS g ON g.good = c.good
    GROUP BY g.offer_id
),
unheld AS (
    SELECT good, max(observed_at) AS at
    FROM counted
    WHERE obs NOT IN (SELECT obs FROM store.note WHERE quarantine IS NOT NULL OR repeated)
    GROUP BY good
),
last_of AS (
    SELECT g.offer_id, max(u.at) AS at
    FROM unheld AS u
    JOIN store.good AS g ON g.good = u.good
    WHERE g.date_precision = 'day'
      AND g.trust IN ('seller', 'seller_via_third_party')
      AND g.provider_class IN ('marketplace', 'cloud', 'idc')
    GROUP BY g.offer_id
)
SELECT c.obs, c.good, c.run, g.offer_id, s.last_at, s.last_run
FROM last_of AS l
JOIN store.good AS g ON g.offer_id = l.offer_id AND g.date_precision = 'day'
JOIN counted AS c ON c.good = g.good AND c.observed_at = l.at
JOIN store.fact AS f ON f.obs = c.obs
JOIN store.run AS r ON r.run = c.run
JOIN seen AS s ON s.offer_id = l.offer_id
WHERE c.obs NOT IN (SELECT obs FROM store.note WHERE quarantine IS NOT NULL OR repeated)
QUALIFY row_number() OVER (PARTITION BY l.offer_id ORDER BY r.started_at DESC, f.price, f.locator, c.obs) = 1;

-- How many complete runs of its provider have come since, without it.
CREATE TEMP TABLE absent AS
SELECT n.offer_id, count(r.run) AS runs
FROM newest AS n
JOIN store.good AS g ON g.good = n.good
LEFT JOIN store.run AS r
  ON r.provider = g.provider
 AND r.complete
 AND r.run <> n.last_run
 AND coalesce(r.seen_until, r.ended_at) > n.last_at
 AND coalesce(r.seen_until, r.ended_at) <= getvariable('as_of')
GROUP BY n.offer_id;

CREATE TEMP TABLE every_offer AS
SELECT g.offer_id, g.provider, g.provider_class, g.site, g.region_code,
       coalesce(place.short, g.region_code) AS region, province.short AS province, city.short AS city,
       g.zone, g.region_label, g.precision, g.sku, g.card, g.vram_gb, g.form, g.interconnect, g.gpu_count, g.share,
       g.min_cards, g.max_cards, g.basis, g.vcpu, g.ram_gb, g.billing_mode, g.term_hours, g.price_kind, g.tier,
       f.price, f.price_high, f.upfront, g.currency, g.per_hours,
       coalesce(f.cny, x.cny) AS price_cny_per_card_hour,
       coalesce(f.cny_gross, x.cny_gross) AS price_cny_per_card_hour_gross,
       x.fx, g.is_floor, g.tax, f.listings, f.price_min, f.price_max, f.stock_idle, f.stock_total, f.in_stock,
       g.scope, g.evidence_kind, g.os, f.valid_until,
       CASE a.runs WHEN 0 THEN 'active' WHEN 1 THEN 'missing' ELSE 'delisted' END AS state,
       f.observed_at,
       round((epoch_us(getvariable('as_of')) - epoch_us(f.observed_at)) / 3.6e9, 2) AS age_hours,
       x.review, r.run_id, s.evidence, f.locator, s.source_url
FROM newest AS n
JOIN absent AS a ON a.offer_id = n.offer_id
JOIN store.fact AS f ON f.obs = n.obs
JOIN store.good AS g ON g.good = n.good
JOIN store.run AS r ON r.run = n.run
JOIN store.source AS s ON s.source = f.source
LEFT JOIN store.note AS x ON x.obs = n.obs
LEFT JOIN regions AS place ON place.code = g.region_code
LEFT JOIN regions AS province ON province.code = left(g.region_code, 2) || '0000'
-- A municipality is its own city.
LEFT JOIN regions AS city
  ON city.code = CASE WHEN left(g.region_code, 2) IN ('11', '12', '31', '50') THEN left(g.region_code, 2) || '0000'
                      WHEN substr(g.region_code, 3, 2) <> '00' THEN left(g.region_code, 4) || '00' END;

CREATE TABLE offers AS
SELECT *
FROM every_offer
WHERE state <> 'delisted'
  AND coalesce(valid_until >= getvariable('as_of'), observed_at >= getvariable('as_of') - INTERVAL 720 HOUR)
ORDER BY provider, offer_id;

CREATE TABLE offers_past AS
SELECT * FROM every_offer WHERE offer_id NOT IN (SELECT offer_id FROM offers) ORDER BY provider, offer_id;

DROP TABLE newest;
DROP TABLE absent;
DROP TABLE every_offer;
