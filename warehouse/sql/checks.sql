-- Each query returns one row per violation, a sentence in its first column.

SELECT 'generation has ' || count(*) || ' rows' FROM generation HAVING count(*) <> 1;

SELECT table_name || '.' || column_name || ' is ' || data_type || ', not DECIMAL(18,6)'
FROM duckdb_columns()
WHERE NOT internal
  AND regexp_full_match(column_name, '(price|upfront|cny|total|deposit|disk_cny|traffic_cny)(_.*)?')
  AND NOT regexp_matches(column_name, '_(kind|text)$')
  AND data_type <> 'DECIMAL(18,6)';

SELECT table_name || '.' || column_name || ' is ' || data_type || ', not TIMESTAMPTZ'
FROM duckdb_columns()
WHERE NOT internal
  AND (column_name LIKE '%\_at' ESCAPE '\' OR column_name = 'valid_until')
  AND data_type <> 'TIMESTAMP WITH TIME ZONE';

SELECT DISTINCT 'offers: card ' || card || ' is not in cards' FROM offers WHERE card NOT IN (SELECT card FROM cards);

SELECT DISTINCT 'offers: provider ' || provider || ' is not in providers'
FROM offers WHERE provider NOT IN (SELECT provider FROM providers);

SELECT 'store.fact: observation ' || f.obs || ' has no good, run or source'
FROM store.fact AS f
LEFT JOIN store.good AS g ON g.good = f.good
LEFT JOIN store.run AS r ON r.run = f.run
LEFT JOIN store.source AS s ON s.source = f.source AND s.run = f.run
WHERE g.good IS NULL OR r.run IS NULL OR s.source IS NULL
LIMIT 5;

-- An anti join, not NOT IN, which would keep every observation's number in memory.
SELECT 'store.note: no observation ' || n.obs
FROM store.note AS n
ANTI JOIN store.fact AS f ON f.obs = n.obs
LIMIT 5;

SELECT DISTINCT 'offers: billing_mode ' || billing_mode
FROM offers
WHERE billing_mode NOT IN ('on_demand', 'prepaid_hour', 'daily', 'weekly', 'monthly', 'yearly', 'reserved', 'spot',
                           'pack', 'serverless');

SELECT DISTINCT 'offers: price_kind ' || price_kind
FROM offers WHERE price_kind NOT IN ('list', 'member', 'public_discount', 'promo', 'floor');

SELECT DISTINCT 'offers: provider_class ' || provider_class
FROM offers WHERE provider_class NOT IN ('marketplace', 'cloud', 'idc');

SELECT DISTINCT 'offers: evidence_kind ' || evidence_kind
FROM offers WHERE evidence_kind NOT IN ('realtime', 'catalog', 'pricing', 'page', 'sheet');

SELECT 'offers: state ' || state FROM offers WHERE state NOT IN ('active', 'missing') LIMIT 5;

SELECT 'offers: ' || offer_id || ' stands twice' FROM offers GROUP BY offer_id HAVING count(*) > 1 LIMIT 5;

SELECT 'offers: ' || offer_id || ' costs ' || price || ' or ' || price_cny_per_card_hour_gross || ' CNY an hour'
FROM offers WHERE price <= 0 OR price_cny_per_card_hour <= 0 OR price_cny_per_card_hour_gross <= 0 LIMIT 5;

-- kept + rejected + held = parsed, of every run
SELECT 'runs: ' || run_id || '/' || provider || ' does not add up'
FROM store.run WHERE kept + rejections + held <> parsed LIMIT 5;

SELECT 'runs: ' || r.run_id || '/' || r.provider || ' counts ' || r.offers || ' offers, holds ' || count(f.run)
FROM store.run AS r
LEFT JOIN store.fact AS f ON f.run = r.run
GROUP BY r.run, r.run_id, r.provider, r.offers
HAVING count(f.run) <> r.offers
LIMIT 5;

SELECT schema_name || '.' || table_name || '.' || column_name || ' has no comment'
FROM duckdb_columns() WHERE NOT internal AND comment IS NULL LIMIT 20;

SELECT 'table ' || schema_name || '.' || table_name || ' has no comment'
FROM duckdb_tables() WHERE NOT internal AND comment IS NULL;

SELECT 'view ' || view_name || ' has no comment' FROM duckdb_views() WHERE NOT internal AND comment IS NULL;
