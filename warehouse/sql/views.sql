-- What people read of the store. store.note holds what the builder found about single observations.
CREATE TABLE store.note (
    obs         BIGINT NOT NULL,
    quarantine  VARCHAR CHECK (quarantine IN ('conflict', 'level_hold', 'outlier')),
    review      VARCHAR CHECK (review IN ('level_review', 'spot_ge_ondemand')),
    repeated    BOOLEAN NOT NULL,
    cny         DECIMAL(18,6) CHECK (cny > 0),
    cny_gross   DECIMAL(18,6) CHECK (cny_gross > 0),
    fx          VARCHAR
);

-- With the store's number of each, which `main.observations` leaves out.
CREATE VIEW store.observation AS
SELECT f.obs,
       'obs:' || substr(g.offer_id, 7) || '/' || strftime(f.observed_at AT TIME ZONE 'UTC', '%Y%m%dT%H%M%S.%fZ')
           || '/' || f.price AS obs_id,
       g.offer_id, g.provider, g.provider_class, g.site, g.region_code, g.region_label, g.zone, g.precision, g.sku,
       g.card, g.vram_gb, g.form, g.interconnect, g.gpu_count, g.share, g.min_cards, g.max_cards, g.basis, g.vcpu,
       g.ram_gb, g.billing_mode, g.term_hours, g.price_kind, g.tier, f.price, f.price_high, f.upfront, g.currency,
       g.per_hours, coalesce(f.cny, n.cny) AS price_cny_per_card_hour,
       coalesce(f.cny_gross, n.cny_gross) AS price_cny_per_card_hour_gross, n.fx, g.is_floor, g.tax, f.listings,
       f.price_min, f.price_max, f.stock_idle, f.stock_total, f.in_stock, g.scope, g.evidence_kind, g.os,
       f.valid_until, f.observed_at, r.loaded_at, g.date_precision, g.trust, n.quarantine, n.review, r.usable,
       r.run_id, s.evidence, f.locator, s.source_url
FROM store.fact AS f
JOIN store.good AS g ON g.good = f.good
JOIN store.run AS r ON r.run = f.run
JOIN store.source AS s ON s.source = f.source
LEFT JOIN store.note AS n ON n.obs = f.obs
WHERE NOT coalesce(n.repeated, false);

CREATE VIEW observations AS
SELECT * EXCLUDE (obs)
FROM store.observation;

CREATE VIEW rejections AS
SELECT j.rejection_id, r.run_id, r.provider, j.reason, j.rule_version, j.card_text, j.region_text, j.price_text,
       j.observed_at, j.evidence, j.locator, j.source_url
FROM store.rejection AS j
JOIN store.run AS r ON r.run = j.run;

-- kept + rejections + quarantined = parsed, in listings. What the pipeline held (conflict) and what the builder
-- holds are one to the reader.
CREATE VIEW runs AS
SELECT r.run_id, r.provider, r.kind, r.started_at, r.ended_at, r.outcome, r.complete, r.usable,
       r.offers - coalesce(q.held_offers, 0) AS offers, r.rejections,
       r.held + coalesce(q.held_later, 0) AS quarantined, r.kept - coalesce(q.held_later, 0) AS kept, r.parsed,
       r.declared_total, r.distinct_keys, r.requests, r.robots_verdict, r.parser_version, r.failed_gates, r.message,
       r.loaded_at
FROM store.run AS r
LEFT JOIN (
    SELECT f.run, count(*) AS held_offers,
           coalesce(sum(f.listings) FILTER (WHERE NOT f.conflict), 0)::BIGINT AS held_later
    FROM store.fact AS f
    LEFT JOIN store.note AS n ON n.obs = f.obs
    WHERE n.quarantine IS NOT NULL OR f.conflict
    GROUP BY f.run
) AS q ON q.run = r.run;
