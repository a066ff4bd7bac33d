"""The index: chained matched Jevons by region × card × billing mode, graded, with what was held back.

The method is docs/method.md; its parameters are `methods/<id>.toml` beside this file, one file a version,
never changed once used. This package decides and computes; it opens no file of the data directory. The
builder hands in a connection and stores what comes back:

    from warehouse.index import compute, store
    from warehouse.index.method import in_force

    result = compute(
        con,                              # DuckDB connection that sees the tables below
        now=now,                          # aware; nothing observed later takes part
        method=in_force(day),             # the version that counts; weeks before it keep the older ones
        providers={"autodl": "active"},   # slug -> status; a provider not named here counts as active
        regions={"110000": "北京"},        # code -> name; codes without a name keep the code
        decisions=[Decision(...)],        # what `suanjia review` decided: see below
        previous=previous_of(old_con),    # None for the first generation: vintages, revisions
    )
    store(con, result)                    # creates and fills warehouse/sql/index_schema.sql

Input: the tables store.fact, store.good and store.run of `warehouse/sql/store.sql`. Observations count
when their run is usable, they are in CNY and not later than `now`.

`Decision(obs, action, decided_at, by, reason, word)`: action `release` or `refuse`. A release frees the
observation in its own week and later ones of the same good within 1 %; a refusal keeps it, and its
repetitions, out for good.

`IndexResult` holds Arrow tables: `price_index`, `price_level`, `held` (obs, quarantine word or NULL,
`level_review` or NULL; every other observation has neither), `index_keys`, `index_key_offers`,
`index_key_weeks` (what `suanjia explain cell:…` shows), `price_parity`, `administered_prices`,
`index_revisions`, `index_alarms`. Nothing in them depends on the order of the input, on the number of
threads or on the clock but for `published_at`; sums are integer sums of fixed-point logarithms
(`fixed.py`).
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from warehouse.index.build import compute, store
    from warehouse.index.outputs import IndexResult
    from warehouse.index.prepare import Decision
    from warehouse.index.revise import Previous, previous_of

__all__ = ["Decision", "IndexResult", "Previous", "compute", "previous_of", "store"]

# Query commands import this package for its questions alone; NumPy and Arrow come with the first use.
_HOMES = {
    "IndexResult": "outputs",
    "compute": "build",
    "store": "build",
    "Decision": "prepare",
    "Previous": "revise",
    "previous_of": "revise",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"{__name__}.{_HOMES[name]}"), name)
