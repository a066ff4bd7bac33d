-- Tables of the index in a published generation. Columns of price_index up to `flags` are a promise to users;
-- those after it came later, and more may come.
CREATE TABLE price_index (
    series              VARCHAR NOT NULL CHECK (series IN ('list', 'member', 'public_discount', 'promo', 'rentable')),
    region_code         VARCHAR NOT NULL,
    region              VARCHAR NOT NULL,
    card                VARCHAR NOT NULL,
    billing_mode        VARCHAR NOT NULL,
    price_kind          VARCHAR NOT NULL,
    week                DATE NOT NULL,
    value               DOUBLE,
    link                DOUBLE,
    state               VARCHAR NOT NULL CHECK (state IN ('base', 'published', 'indicative', 'suppressed', 'outage')),
    grade               VARCHAR CHECK (grade IN ('A', 'B', 'C')),
    n_offers            INTEGER NOT NULL,
    n_providers         INTEGER NOT NULL,
    n_imputed           INTEGER NOT NULL,
    n_quarantined       INTEGER NOT NULL,
    in_stock_share      DOUBLE,
    sd_log              DOUBLE,
    ci_low              DOUBLE,
    ci_high             DOUBLE,
    check_value         DOUBLE,
    coverage            DOUBLE,
    oldest_observation  TIMESTAMPTZ,
    method_version      VARCHAR NOT NULL,
    vintage             INTEGER NOT NULL,
    published_at        TIMESTAMPTZ NOT NULL,
    flags               VARCHAR NOT NULL,
    share_moved         DOUBLE,
    direction           VARCHAR CHECK (direction IN ('up', 'down', 'flat')),
    status              VARCHAR NOT NULL CHECK (status IN ('provisional', 'final')),
    supersedes          INTEGER,
    note                VARCHAR
);
COMMENT ON TABLE price_index IS 'Weekly index of listed prices: chained matched Jevons per region, card and billing mode; base week = 100. Method: docs/method.md';
COMMENT ON COLUMN price_index.series IS 'list, member, public_discount, promo (one per price_kind), or rentable: list offers while in stock';
COMMENT ON COLUMN price_index.region_code IS 'CN (every mainland offer), a GB/T 2260 province or city code; places outside the mainland by their own code';
COMMENT ON COLUMN price_index.region IS 'name of region_code';
COMMENT ON COLUMN price_index.card IS 'canonical card name; slices of a card are not in it';
COMMENT ON COLUMN price_index.billing_mode IS 'billing mode of the offers';
COMMENT ON COLUMN price_index.price_kind IS 'price kind of the offers';
COMMENT ON COLUMN price_index.week IS 'Monday of the ISO week, Asia/Shanghai';
COMMENT ON COLUMN price_index.value IS 'index, base week = 100, eight decimals; NULL in an outage. In a suppressed row it only carries the chain on and is not a published figure';
COMMENT ON COLUMN price_index.link IS 'factor from the last active week of the cell to this one; NULL in base and outage rows';
COMMENT ON COLUMN price_index.state IS 'base: 100 by definition; published: grade A or B; indicative: grade C, never a headline; suppressed: too thin to print; outage: no accepted price this week';
COMMENT ON COLUMN price_index.grade IS 'A, B or C after hysteresis; NULL in base, suppressed and outage rows';
COMMENT ON COLUMN price_index.n_offers IS 'index keys in the link, imputed ones included; in a base row keys with a price';
COMMENT ON COLUMN price_index.n_providers IS 'distinct providers of those keys';
COMMENT ON COLUMN price_index.n_imputed IS 'keys among n_offers without an accepted observation this week';
COMMENT ON COLUMN price_index.n_quarantined IS 'keys of the cell with observations held back this week';
COMMENT ON COLUMN price_index.in_stock_share IS 'share of the keys that show stock which were in stock at least once; NULL where none shows it';
COMMENT ON COLUMN price_index.sd_log IS 'standard deviation of the log relatives observed in both weeks';
COMMENT ON COLUMN price_index.ci_low IS 'low end of the 95 % interval of link; NULL under five relatives';
COMMENT ON COLUMN price_index.ci_high IS 'high end of the 95 % interval of link';
COMMENT ON COLUMN price_index.check_value IS 'GEKS-Jevons check series over 27 weeks, base week = 100';
COMMENT ON COLUMN price_index.coverage IS 'share of the planned sources of the week that answered completely';
COMMENT ON COLUMN price_index.oldest_observation IS 'time of the oldest observation that the value rests on';
COMMENT ON COLUMN price_index.method_version IS 'parameter set, warehouse/index/methods/<id>.toml';
COMMENT ON COLUMN price_index.vintage IS 'revision of this value, from 1; a correction after it was final adds one';
COMMENT ON COLUMN price_index.published_at IS 'when this value was first published so';
COMMENT ON COLUMN price_index.flags IS 'comma list: provider_outage, composition, single_provider, source_switch, method_change; empty when none';
COMMENT ON COLUMN price_index.share_moved IS 'share of the relatives observed in both weeks that are not exactly 1';
COMMENT ON COLUMN price_index.direction IS 'what may be said: up, down, or flat when the interval holds 1 and at most a fifth moved; NULL where nothing may be said';
COMMENT ON COLUMN price_index.status IS 'provisional until the next issue is due, then final';
COMMENT ON COLUMN price_index.supersedes IS 'vintage that this value corrects; the old value stands in index_revisions';
COMMENT ON COLUMN price_index.note IS 'why it was corrected';

CREATE TABLE price_level (
    region_code          VARCHAR NOT NULL,
    region               VARCHAR NOT NULL,
    card                 VARCHAR NOT NULL,
    billing_mode         VARCHAR NOT NULL,
    price_kind           VARCHAR NOT NULL,
    provider_class       VARCHAR NOT NULL,
    week                 DATE NOT NULL,
    min                  DECIMAL(18,6) NOT NULL,
    p25                  DECIMAL(18,6) NOT NULL,
    median               DECIMAL(18,6) NOT NULL,
    p75                  DECIMAL(18,6) NOT NULL,
    n_offers             INTEGER NOT NULL,
    n_providers          INTEGER NOT NULL,
    composition_changed  BOOLEAN NOT NULL
);
COMMENT ON TABLE price_level IS 'What a card-hour is listed at, per week and provider class. Its sellers change: for movements use price_index';
COMMENT ON COLUMN price_level.region_code IS 'as in price_index';
COMMENT ON COLUMN price_level.region IS 'name of region_code';
COMMENT ON COLUMN price_level.card IS 'canonical card name, whole cards only';
COMMENT ON COLUMN price_level.billing_mode IS 'billing mode';
COMMENT ON COLUMN price_level.price_kind IS 'price kind; different kinds never meet';
COMMENT ON COLUMN price_level.provider_class IS 'marketplace, cloud or idc';
COMMENT ON COLUMN price_level.week IS 'Monday of the ISO week, Asia/Shanghai';
COMMENT ON COLUMN price_level.min IS 'lowest weekly key price, CNY per card-hour; never an index';
COMMENT ON COLUMN price_level.p25 IS 'lower quartile of the provider medians';
COMMENT ON COLUMN price_level.median IS 'median of the provider medians';
COMMENT ON COLUMN price_level.p75 IS 'upper quartile of the provider medians';
COMMENT ON COLUMN price_level.n_offers IS 'index keys with an accepted price';
COMMENT ON COLUMN price_level.n_providers IS 'providers of those keys';
COMMENT ON COLUMN price_level.composition_changed IS 'the keys are not those of the row before';

CREATE TABLE index_keys (
    key_no          INTEGER NOT NULL,
    key_name        VARCHAR NOT NULL,
    provider        VARCHAR NOT NULL,
    card            VARCHAR NOT NULL,
    billing_mode    VARCHAR NOT NULL,
    price_kind      VARCHAR NOT NULL,
    region_codes    VARCHAR NOT NULL
);
COMMENT ON TABLE index_keys IS 'Index keys: goods as the index follows them, coarser than offers';
COMMENT ON COLUMN index_keys.key_no IS 'number in this generation only';
COMMENT ON COLUMN index_keys.key_name IS 'provider|site|region|zone|card|form|cards|mode|term hours|tier|kind';
COMMENT ON COLUMN index_keys.provider IS 'provider';
COMMENT ON COLUMN index_keys.card IS 'canonical card name';
COMMENT ON COLUMN index_keys.billing_mode IS 'billing mode';
COMMENT ON COLUMN index_keys.price_kind IS 'price kind';
COMMENT ON COLUMN index_keys.region_codes IS 'cells it counts in, widest first, comma list';

CREATE TABLE index_key_offers (
    key_no    INTEGER NOT NULL,
    offer_id  VARCHAR NOT NULL
);
COMMENT ON TABLE index_key_offers IS 'Which offers an index key is the median of';
COMMENT ON COLUMN index_key_offers.key_no IS 'index_keys.key_no';
COMMENT ON COLUMN index_key_offers.offer_id IS 'observations.offer_id';

CREATE TABLE index_key_weeks (
    series    VARCHAR NOT NULL,
    key_no    INTEGER NOT NULL,
    week      DATE NOT NULL,
    state     VARCHAR NOT NULL CHECK (state IN ('kept', 'imputed', 'quarantined', 'dropped')),
    reason    VARCHAR NOT NULL,
    rung      VARCHAR CHECK (rung IN ('provider', 'region', 'nation')),
    price     DECIMAL(18,6),
    previous  DECIMAL(18,6)
);
COMMENT ON TABLE index_key_weeks IS 'What became of every key in every week: kept, imputed, quarantined or dropped, and why';
COMMENT ON COLUMN index_key_weeks.series IS 'as in price_index';
COMMENT ON COLUMN index_key_weeks.key_no IS 'index_keys.key_no';
COMMENT ON COLUMN index_key_weeks.week IS 'Monday of the ISO week, Asia/Shanghai';
COMMENT ON COLUMN index_key_weeks.state IS 'kept: an accepted observation; imputed and quarantined: price from its class where there is a rung; dropped: out of the basket';
COMMENT ON COLUMN index_key_weeks.reason IS 'matched, entered, returned, released, bundle_changed; absent, provider_outage, sold_out; held, outlier; gone, too_long, no_class';
COMMENT ON COLUMN index_key_weeks.rung IS 'class whose movement the price was imputed with';
COMMENT ON COLUMN index_key_weeks.price IS 'weekly price, CNY per card-hour';
COMMENT ON COLUMN index_key_weeks.previous IS 'price it is compared with, CNY per card-hour';

CREATE TABLE price_parity (
    week          DATE NOT NULL,
    billing_mode  VARCHAR NOT NULL,
    region_code   VARCHAR NOT NULL,
    region        VARCHAR NOT NULL,
    value         DOUBLE NOT NULL,
    n_cards       INTEGER NOT NULL
);
COMMENT ON TABLE price_parity IS 'Which region is dearer, like for like: country-product-dummy regression over list prices, Beijing = 100';
COMMENT ON COLUMN price_parity.week IS 'Monday of the ISO week, Asia/Shanghai';
COMMENT ON COLUMN price_parity.billing_mode IS 'billing mode';
COMMENT ON COLUMN price_parity.region_code IS 'province code';
COMMENT ON COLUMN price_parity.region IS 'name of region_code';
COMMENT ON COLUMN price_parity.value IS 'level against Beijing = 100; regions that share no card with it, even through others, have no row';
COMMENT ON COLUMN price_parity.n_cards IS 'cards of the region in the regression';

CREATE TABLE administered_prices (
    provider      VARCHAR NOT NULL,
    billing_mode  VARCHAR NOT NULL,
    base_mode     VARCHAR NOT NULL,
    n_goods       INTEGER NOT NULL,
    ratio         DOUBLE NOT NULL,
    spread        DOUBLE NOT NULL,
    administered  BOOLEAN NOT NULL
);
COMMENT ON TABLE administered_prices IS 'Whether a seller sets one mode as a constant times another: then its many prices are one decision';
COMMENT ON COLUMN administered_prices.provider IS 'provider';
COMMENT ON COLUMN administered_prices.billing_mode IS 'mode that may follow a rule';
COMMENT ON COLUMN administered_prices.base_mode IS 'mode it would follow';
COMMENT ON COLUMN administered_prices.n_goods IS 'goods with a price in both';
COMMENT ON COLUMN administered_prices.ratio IS 'mean ratio of the prices per card-hour';
COMMENT ON COLUMN administered_prices.spread IS 'coefficient of variation of the ratios';
COMMENT ON COLUMN administered_prices.administered IS 'enough goods and next to no spread';

CREATE TABLE index_revisions (
    series        VARCHAR NOT NULL,
    region_code   VARCHAR NOT NULL,
    card          VARCHAR NOT NULL,
    billing_mode  VARCHAR NOT NULL,
    price_kind    VARCHAR NOT NULL,
    week          DATE NOT NULL,
    old_vintage   INTEGER NOT NULL,
    new_vintage   INTEGER,
    old_value     DOUBLE,
    new_value     DOUBLE,
    old_link      DOUBLE,
    new_link      DOUBLE,
    reason        VARCHAR NOT NULL,
    in_report     BOOLEAN NOT NULL,
    published_at  TIMESTAMPTZ NOT NULL,
    recorded_at   TIMESTAMPTZ NOT NULL
);
COMMENT ON TABLE index_revisions IS 'Corrections of final values: what was published before, and why it changed. No market move is in here';
COMMENT ON COLUMN index_revisions.series IS 'as in price_index';
COMMENT ON COLUMN index_revisions.region_code IS 'as in price_index';
COMMENT ON COLUMN index_revisions.card IS 'as in price_index';
COMMENT ON COLUMN index_revisions.billing_mode IS 'as in price_index';
COMMENT ON COLUMN index_revisions.price_kind IS 'as in price_index';
COMMENT ON COLUMN index_revisions.week IS 'as in price_index';
COMMENT ON COLUMN index_revisions.old_vintage IS 'vintage of the old value';
COMMENT ON COLUMN index_revisions.new_vintage IS 'vintage of the new value; NULL when the row is gone';
COMMENT ON COLUMN index_revisions.old_value IS 'value as it was published';
COMMENT ON COLUMN index_revisions.new_value IS 'value now';
COMMENT ON COLUMN index_revisions.old_link IS 'link as it was published';
COMMENT ON COLUMN index_revisions.new_link IS 'link now; equal to old_link where only an earlier week was corrected';
COMMENT ON COLUMN index_revisions.reason IS 'late_history, review, method, or code';
COMMENT ON COLUMN index_revisions.in_report IS 'at least 0.5 %: the next report names it';
COMMENT ON COLUMN index_revisions.published_at IS 'when the old value was published';
COMMENT ON COLUMN index_revisions.recorded_at IS 'when it was corrected';

CREATE TABLE index_alarms (
    series        VARCHAR NOT NULL,
    region_code   VARCHAR NOT NULL,
    card          VARCHAR NOT NULL,
    billing_mode  VARCHAR NOT NULL,
    price_kind    VARCHAR NOT NULL,
    week          DATE NOT NULL,
    departure     DOUBLE NOT NULL
);
COMMENT ON TABLE index_alarms IS 'Weeks in which the check series has moved away from the chain by more than is allowed: look at keys and clearance exits';
COMMENT ON COLUMN index_alarms.series IS 'as in price_index';
COMMENT ON COLUMN index_alarms.region_code IS 'as in price_index';
COMMENT ON COLUMN index_alarms.card IS 'as in price_index';
COMMENT ON COLUMN index_alarms.billing_mode IS 'as in price_index';
COMMENT ON COLUMN index_alarms.price_kind IS 'as in price_index';
COMMENT ON COLUMN index_alarms.week IS 'as in price_index';
COMMENT ON COLUMN index_alarms.departure IS 'log of check over chain, less the same 13 weeks before';
