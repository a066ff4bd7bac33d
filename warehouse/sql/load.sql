-- One batch of segments into the store; runs inside the loader's transaction.
-- In: temp table batch_run (rows of store.run), variables offer_files and rejection_files.
INSERT INTO store.run SELECT * FROM batch_run ORDER BY run;

-- A view: each step reads the few columns it needs of the files, which is five times quicker than a copy of all.
CREATE OR REPLACE TEMP VIEW batch AS
SELECT b.run,
       b.kind,
       o.*
FROM read_parquet(getvariable('offer_files'), hive_partitioning = false) AS o
JOIN batch_run AS b ON b.run_id = o.run_id AND b.provider = o.provider;

-- Goods not seen before. EXCEPT treats two unknowns as equal, which a join on = would not.
INSERT INTO store.good
SELECT (SELECT coalesce(max(good), 0) FROM store.good) + row_number() OVER (),
       fresh.*
FROM (
    SELECT offer_id, provider, provider_class, site, region_code, region_label, zone, "precision", sku, card,
           vram_gb, form, interconnect, gpu_count, share, min_cards, max_cards, basis, vcpu, ram_gb, billing_mode,
           term_hours, price_kind, tier, currency, per_hours, is_floor, tax, scope, evidence_kind, os,
           date_precision, trust
    FROM batch
    EXCEPT
    SELECT * EXCLUDE (good) FROM store.good
    ORDER BY offer_id, provider_class, "precision", vram_gb, interconnect, min_cards, max_cards, basis, per_hours,
             is_floor, tax, scope, evidence_kind, date_precision, trust
) AS fresh;

INSERT INTO store.source
SELECT (SELECT coalesce(max(source), 0) FROM store.source) + row_number() OVER (ORDER BY run, evidence, source_url),
       run,
       evidence,
       source_url
FROM (SELECT DISTINCT run, evidence, source_url FROM batch);

-- The same good seen more than once at one moment of its run: the builder looks at those alone.
CREATE OR REPLACE TEMP TABLE batch_twin AS
SELECT run, offer_id, CASE WHEN kind = 'import' THEN observed_at END AS moment
FROM batch
GROUP BY ALL
HAVING count(*) > 1;

INSERT INTO store.fact
SELECT (SELECT coalesce(max(obs), 0) FROM store.fact) + row_number() OVER (),
       told.* EXCLUDE (offer_id, evidence)
FROM (
    SELECT b.observed_at,
           g.good,
           b.run,
           s.source,
           b.locator,
           b.price,
           b.price_high,
           b.upfront,
           b.price_cny_per_card_hour,
           b.price_cny_per_card_hour_gross,
           b.listings,
           b.price_min,
           b.price_max,
           b.stock_idle,
           b.stock_total,
           b.in_stock,
           b.valid_until,
           b.quarantine IS NOT NULL AS conflict,
           t.run IS NOT NULL AS twin,
           b.offer_id,
           b.evidence
    FROM batch AS b
    JOIN store.good AS g
      ON g.offer_id = b.offer_id
     AND g.provider_class = b.provider_class
     AND g.precision = b.precision
     AND g.vram_gb IS NOT DISTINCT FROM b.vram_gb
     AND g.interconnect IS NOT DISTINCT FROM b.interconnect
     AND g.min_cards IS NOT DISTINCT FROM b.min_cards
     AND g.max_cards IS NOT DISTINCT FROM b.max_cards
     AND g.basis = b.basis
     AND g.per_hours = b.per_hours
     AND g.is_floor = b.is_floor
     AND g.tax = b.tax
     AND g.scope = b.scope
     AND g.evidence_kind = b.evidence_kind
     AND g.date_precision = b.date_precision
     AND g.trust = b.trust
     -- the rest is the identity that offer_id stands for
    JOIN store.source AS s ON s.run = b.run AND s.evidence = b.evidence AND s.source_url = b.source_url
    LEFT JOIN batch_twin AS t
      ON t.run = b.run
     AND t.offer_id = b.offer_id
     AND t.moment IS NOT DISTINCT FROM CASE WHEN b.kind = 'import' THEN b.observed_at END
    ORDER BY b.observed_at, b.offer_id, b.price, b.run, b.evidence, b.locator
) AS told;

INSERT INTO store.rejection
SELECT b.run,
       'rej:' || left(md5(concat_ws(chr(31), r.provider, r.reason, coalesce(r.card_text, chr(30)),
                                    coalesce(r.region_text, chr(30)), coalesce(r.price_text, chr(30)),
                                    epoch_us(r.observed_at))), 16),
       r.reason,
       r.rule_version,
       r.card_text,
       r.region_text,
       r.price_text,
       r.observed_at,
       r.evidence,
       r.locator,
       r.source_url
FROM read_parquet(getvariable('rejection_files'), hive_partitioning = false) AS r
JOIN batch_run AS b ON b.run_id = r.run_id AND b.provider = r.provider
ORDER BY r.observed_at, b.run, r.reason, r.evidence, r.locator;

UPDATE store.run AS target
SET seen_until = latest.seen_until
FROM (SELECT run, max(observed_at) AS seen_until FROM batch GROUP BY run) AS latest
WHERE target.run = latest.run;

DROP VIEW batch;
DROP TABLE batch_twin;
DROP TABLE batch_run;
