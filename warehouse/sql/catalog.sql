-- Copies of the catalog, so that a generation explains itself.
CREATE TABLE cards (
    card VARCHAR NOT NULL, vendor VARCHAR, arch VARCHAR, compute_capability VARCHAR, launch_year INTEGER,
    family VARCHAR, vram_gb DECIMAL(18,6), visible_gib DOUBLE, forms VARCHAR, nvlink_gb_s DOUBLE,
    mem_bw_gb_s DOUBLE, bf16_tflops DOUBLE, fp16_tflops DOUBLE, fp8_tflops DOUBLE, tdp_w DOUBLE, pcie VARCHAR,
    p2p VARCHAR, modified BOOLEAN, note VARCHAR, source VARCHAR, as_of VARCHAR, confidence VARCHAR
);
CREATE TABLE card_aliases (alias VARCHAR NOT NULL, card VARCHAR NOT NULL);
CREATE TABLE regions (
    code VARCHAR NOT NULL, name VARCHAR NOT NULL, short VARCHAR NOT NULL, level VARCHAR NOT NULL,
    province_code VARCHAR, city_code VARCHAR, macro VARCHAR, macro_code VARCHAR, hub VARCHAR, pinyin VARCHAR,
    english VARCHAR
);
CREATE TABLE region_aliases (alias VARCHAR NOT NULL, code VARCHAR NOT NULL);
CREATE TABLE providers (
    provider VARCHAR NOT NULL, name VARCHAR NOT NULL, class VARCHAR, status VARCHAR, homepage VARCHAR,
    reason VARCHAR, known_as VARCHAR, granularity_s INTEGER, min_charge_s INTEGER, free_disk_gb DECIMAL(18,6),
    disk_cny_per_gb_day DECIMAL(18,6), free_traffic_gb DECIMAL(18,6), traffic_cny_per_gb DECIMAL(18,6),
    deposit_cny DECIMAL(18,6), retention_days INTEGER, robots_verdict VARCHAR, robots_as_of VARCHAR,
    terms_url VARCHAR, last_run_at TIMESTAMPTZ, last_outcome VARCHAR, last_ok_at TIMESTAMPTZ, stale_since TIMESTAMPTZ,
    live_offers BIGINT
);
CREATE TABLE fx_rates (date DATE NOT NULL, pair VARCHAR NOT NULL, rate DECIMAL(18,6) NOT NULL, source VARCHAR);
CREATE TABLE reviews (
    id VARCHAR NOT NULL, action VARCHAR NOT NULL, reviewer VARCHAR NOT NULL, reason VARCHAR NOT NULL,
    decided_at TIMESTAMPTZ NOT NULL
);
CREATE TABLE workloads (name VARCHAR NOT NULL, spec VARCHAR NOT NULL);
CREATE TABLE cheapest_fit (
    week DATE NOT NULL, workload VARCHAR NOT NULL, region_code VARCHAR, region VARCHAR, rank INTEGER NOT NULL,
    offer_id VARCHAR NOT NULL, provider VARCHAR NOT NULL, card VARCHAR NOT NULL, gpu_count DECIMAL(18,6),
    cards_used INTEGER, nodes INTEGER, billing_mode VARCHAR, strategy VARCHAR, hours_p50 DECIMAL(18,6),
    hours_p90 DECIMAL(18,6), total_cny_p50 DECIMAL(18,6), total_cny_p90 DECIMAL(18,6),
    price_cny_per_card_hour DECIMAL(18,6), observed_at TIMESTAMPTZ, age_hours DOUBLE, grade VARCHAR, mark VARCHAR,
    proof VARCHAR, margin_to_next_pct DECIMAL(18,6), source_url VARCHAR
);
CREATE TABLE generation (
    name VARCHAR NOT NULL, week DATE NOT NULL, vintage INTEGER NOT NULL, built_at TIMESTAMPTZ NOT NULL,
    code_version VARCHAR NOT NULL, method_version VARCHAR, input_hash VARCHAR NOT NULL,
    duckdb_version VARCHAR NOT NULL
);
