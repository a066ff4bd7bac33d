-- The append-only store. The loader alone writes it (warehouse/load.py); the builder copies the file whole.
-- A star: what hardly ever changes of an offer stands once in store.good, so that an observation is a narrow
-- row. `main.observations` (views.sql) joins it again for people. No primary keys: they would make the file
-- four times as large; the loader keeps every segment from entering twice.
CREATE SCHEMA IF NOT EXISTS store;

CREATE TABLE IF NOT EXISTS store.run (
    run             INTEGER NOT NULL,
    run_id          VARCHAR NOT NULL,
    provider        VARCHAR NOT NULL,
    kind            VARCHAR NOT NULL CHECK (kind IN ('crawl', 'import')),
    started_at      TIMESTAMPTZ NOT NULL,
    ended_at        TIMESTAMPTZ NOT NULL,
    outcome         VARCHAR NOT NULL CHECK (outcome IN ('ok', 'partial', 'empty', 'blocked', 'auth_needed', 'robots',
                                                        'layout_changed', 'gone', 'failed')),
    complete        BOOLEAN NOT NULL,
    usable          BOOLEAN NOT NULL,
    parsed          BIGINT NOT NULL,
    kept            BIGINT NOT NULL,
    held            BIGINT NOT NULL,
    offers          BIGINT NOT NULL,
    rejections      BIGINT NOT NULL,
    declared_total  BIGINT,
    distinct_keys   BIGINT,
    requests        BIGINT,
    robots_verdict  VARCHAR,
    parser_version  VARCHAR NOT NULL,
    schema_version  INTEGER NOT NULL,
    segment_hash    VARCHAR NOT NULL,
    failed_gates    VARCHAR,
    message         VARCHAR,
    seen_until      TIMESTAMPTZ,
    loaded_at       TIMESTAMPTZ NOT NULL
);

CREATE TABLE IF NOT EXISTS store.good (
    good            INTEGER NOT NULL,
    offer_id        VARCHAR NOT NULL,
    provider        VARCHAR NOT NULL,
    provider_class  VARCHAR NOT NULL,
    site            VARCHAR NOT NULL,
    region_code     VARCHAR,
    region_label    VARCHAR,
    zone            VARCHAR,
    precision       VARCHAR NOT NULL,
    sku             VARCHAR,
    card            VARCHAR NOT NULL,
    vram_gb         DECIMAL(18,6),
    form            VARCHAR,
    interconnect    VARCHAR,
    gpu_count       DECIMAL(18,6) NOT NULL CHECK (gpu_count > 0),
    share           DECIMAL(18,6) NOT NULL CHECK (share > 0),
    min_cards       BIGINT,
    max_cards       BIGINT,
    basis           VARCHAR NOT NULL,
    vcpu            DECIMAL(18,6),
    ram_gb          DECIMAL(18,6),
    billing_mode    VARCHAR NOT NULL,
    term_hours      DECIMAL(18,6),
    price_kind      VARCHAR NOT NULL,
    tier            VARCHAR,
    currency        VARCHAR NOT NULL,
    per_hours       DECIMAL(18,6) NOT NULL CHECK (per_hours > 0),
    is_floor        BOOLEAN NOT NULL,
    tax             VARCHAR NOT NULL,
    scope           VARCHAR NOT NULL,
    evidence_kind   VARCHAR NOT NULL,
    os              VARCHAR,
    date_precision  VARCHAR NOT NULL,
    trust           VARCHAR NOT NULL
);

CREATE TABLE IF NOT EXISTS store.source (
    source          INTEGER NOT NULL,
    run             INTEGER NOT NULL,
    evidence        VARCHAR NOT NULL,
    source_url      VARCHAR NOT NULL
);

CREATE TABLE IF NOT EXISTS store.fact (
    obs             BIGINT NOT NULL,
    observed_at     TIMESTAMPTZ NOT NULL,
    good            INTEGER NOT NULL,
    run             INTEGER NOT NULL,
    source          INTEGER NOT NULL,
    locator         VARCHAR NOT NULL,
    price           DECIMAL(18,6) NOT NULL CHECK (price > 0),
    price_high      DECIMAL(18,6),
    upfront         DECIMAL(18,6),
    cny             DECIMAL(18,6) CHECK (cny > 0),
    cny_gross       DECIMAL(18,6) CHECK (cny_gross > 0),
    listings        INTEGER NOT NULL,
    price_min       DECIMAL(18,6),
    price_max       DECIMAL(18,6),
    stock_idle      BIGINT,
    stock_total     BIGINT,
    in_stock        BOOLEAN,
    valid_until     TIMESTAMPTZ,
    conflict        BOOLEAN NOT NULL,
    twin            BOOLEAN NOT NULL
);

CREATE TABLE IF NOT EXISTS store.rejection (
    run             INTEGER NOT NULL,
    rejection_id    VARCHAR NOT NULL,
    reason          VARCHAR NOT NULL,
    rule_version    VARCHAR NOT NULL,
    card_text       VARCHAR,
    region_text     VARCHAR,
    price_text      VARCHAR,
    observed_at     TIMESTAMPTZ NOT NULL,
    evidence        VARCHAR NOT NULL,
    locator         VARCHAR NOT NULL,
    source_url      VARCHAR NOT NULL
);
