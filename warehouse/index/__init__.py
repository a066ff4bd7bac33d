"""The index: chained matched Jevons by region × card × billing mode, graded, with what was held back.

The method is docs/method.md; its parameters are `methods/<id>.toml` beside this file, one file a version, never
changed once used. This package decides and computes; it opens no file of the data directory. The builder hands
in a connection and stores what comes back:

    from warehouse.index import compute, store
    from warehouse.index.method import load_method

    result = compute(
        con,                                  # DuckDB connection that sees the three relations below
        now=now,                              # aware; nothing observed later takes part
        method=load_method(),                 # the newest version; load_method("1.0.0") for a given one
        providers={"autodl": "active", …},    # slug -> status; a provider not named here counts as active
        regions={"110000": "北京市", …},       # code -> name for the `region` columns; codes without a name keep the code
        decisions=[Decision(…), …],           # `suanjia review`: see below
        previous=previous_of(old_con),        # None for the first generation: vintages, revisions
        facts="store.fact", goods="store.good", runs="store.run",
    )
    store(con, result)                        # creates and fills the tables of warehouse/sql/index_schema.sql

Input relations (tables or views; other columns are ignored):

- facts: `obs` BIGINT (unique, stable), `observed_at` TIMESTAMPTZ, `good` INTEGER, `run` INTEGER,
  `cny` DECIMAL(18,6) (CNY per full card-hour as printed; NULL where not CNY), `in_stock` BOOLEAN (NULL = not
  shown), `conflict` BOOLEAN (the pipeline's verdict), `twin` BOOLEAN (the same good more than once in that run).
- goods: `good`, `offer_id, provider, provider_class, site, region_code, region_label, zone, card, form, gpu_count,
  share, vcpu, ram_gb, billing_mode, term_hours, price_kind, tier, currency, is_floor, scope, date_precision,
  trust`.
- runs: `run`, `run_id`, `provider`, `kind` ('crawl' | 'import'), `started_at`, `complete` BOOLEAN.

`Decision(obs, action, decided_at, by, reason)`: action `release` or `refuse`. A release frees the observation in
its own week and later ones of the same good within 1 %; a refusal keeps it, and its repetitions, out for good.

`IndexResult` holds Arrow tables: `price_index`, `price_level`, `held` (obs, quarantine word or NULL, `level_review`
or NULL; every other observation has neither), `index_keys`, `index_offer_keys`, `index_key_weeks` (what
`suanjia explain cell:…` shows), `price_parity`, `administered_prices`, `index_revisions`, `index_alarms`.
Nothing in them depends on the order of the input, on the number of threads or on the clock but for
`published_at`; sums are integer sums of fixed-point logarithms (`fixed.py`).
"""

from __future__ import annotations
