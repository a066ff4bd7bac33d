"""The one builder's work: a copy of the store becomes a generation that explains itself.

The store is copied as a file and never changed by the builder; everything else is computed in the copy by the
`.sql` files in the order of `build`, by the index, and from the tables that other rooms hand in.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from datetime import UTC, date, datetime
from pathlib import Path

import duckdb
import pyarrow as pa

from catalog.provider_model import Provider
from warehouse import catalog_tables
from warehouse.comments import add_comments
from warehouse.database import sql_text, writing
from warehouse.errors import NothingToDo
from warehouse.index import Decision, Previous, compute, store
from warehouse.index.method import Method
from warehouse.layout import Layout, wal_of
from warehouse.locks import WAIT_SECONDS, held
from warehouse.reviews import Review

# Tables of other rooms: name → rows, or a function that reads the half-built generation and returns them.
ExtraTables = Mapping[str, pa.Table] | Callable[[duckdb.DuckDBPyConnection], Mapping[str, pa.Table]]
NOTHING_LOADED = "nothing is loaded; run `suanjia crawl` or `suanjia import`, then `suanjia load`"
EXTRA = ("cheapest_fit", "workloads")


@dataclass(frozen=True, slots=True, kw_only=True)
class Inputs:
    """All that a generation is made from besides the store."""

    now: datetime
    name: str
    week: date
    vintage: int
    code_version: str
    method: Method
    input_hash: str
    providers: Mapping[str, Provider]
    fx_rates: list[catalog_tables.Row] = field(default_factory=list)
    reviews: list[Review] = field(default_factory=list)
    previous: Previous | None = None  # the generation before, for vintages and revisions


@dataclass(frozen=True, slots=True)
class Built:
    """Counts of the generation, for the command's answer and for the checks."""

    offers: int
    cells: int
    held: int
    counts: dict[str, int]


def copy_store(layout: Layout, target: Path, wait: float = WAIT_SECONDS) -> None:
    """A consistent copy of the store, taken while no loader runs.

    NothingToDo where nothing was ever loaded. A write-ahead log that a killed loader left is folded in first:
    copying the file alone would lose what it had acknowledged.
    """
    with held(layout.load_lock, "a load", wait):
        if not layout.work.exists():
            raise NothingToDo(NOTHING_LOADED)
        if wal_of(layout.work).exists():
            with writing(layout.work, layout.spill) as con:
                con.execute("CHECKPOINT")
        shutil.copyfile(layout.work, target)


def build(
    path: Path,
    spill: Path,
    inputs: Inputs,
    extra_tables: ExtraTables | None = None,
    threads: int | None = None,
) -> Built:
    """Turn the copy of the store at `path` into a generation, and close it with everything in the file."""
    with writing(path, spill, threads=threads) as con:
        con.execute("SET VARIABLE as_of = ?::TIMESTAMPTZ", [inputs.now.astimezone(UTC)])
        # One transaction: hundreds of small statements, each synced on its own, would take seconds.
        con.execute("BEGIN")
        con.execute(sql_text("catalog"))
        _fill_catalog(con, inputs)
        con.execute(sql_text("views"))
        _index(con, inputs)
        con.execute(sql_text("notes"))
        con.execute(sql_text("offers"))
        con.execute(sql_text("providers"))
        con.execute(sql_text("macros"))
        con.execute(sql_text("series"))
        _fill_extra(con, extra_tables)
        con.execute("DROP TABLE held")
        add_comments(con)
        con.execute("COMMIT")
        counts = table_counts(con)
        held_back = con.execute("SELECT count(*) FROM store.note WHERE quarantine IS NOT NULL").fetchall()[0][
            0
        ]
        built = Built(counts["main.offers"], counts["main.price_index"], held_back, counts)
        con.execute("CHECKPOINT")
    return built


def _index(con: duckdb.DuckDBPyConnection, inputs: Inputs) -> None:
    """Let the index be computed and stored; what it holds back stays in the temp table `held`."""
    result = compute(
        con,
        now=inputs.now,
        method=inputs.method,
        providers={slug: provider.status for slug, provider in inputs.providers.items()},
        regions={str(place["code"]): str(place["short"]) for place in catalog_tables.regions()},
        decisions=_decisions(con, inputs.reviews),
        previous=inputs.previous,
    )
    store(con, result)
    con.register("held_rows", result.held)
    con.execute("CREATE TEMP TABLE held AS SELECT obs, quarantine, review FROM held_rows")
    con.unregister("held_rows")


def _decisions(con: duckdb.DuckDBPyConnection, reviews: list[Review]) -> list[Decision]:
    """Reviews by the store's own numbers; one of an observation that this store does not have is left out."""
    named = [review.id.removeprefix("obs:").split("/") for review in reviews]
    rows = con.execute(
        """
        SELECT d.place, f.obs
        FROM (SELECT unnest($1::BIGINT[]) AS place, 'offer:' || unnest($2::VARCHAR[]) AS offer_id,
                     try_strptime(unnest($3::VARCHAR[]), '%Y%m%dT%H%M%S.%fZ') AT TIME ZONE 'UTC' AS at,
                     try_cast(unnest($4::VARCHAR[]) AS DECIMAL(18,6)) AS price) AS d
        JOIN store.good AS g ON g.offer_id = d.offer_id
        JOIN store.fact AS f ON f.good = g.good AND f.observed_at = d.at AND f.price = d.price
        ORDER BY d.place, f.obs
        """,
        [list(range(len(named))), *([name[part] for name in named] for part in range(3))],
    ).fetchall()
    return [_decision(obs, reviews[place]) for place, obs in rows]


def _decision(obs: int, review: Review) -> Decision:
    return Decision(obs, review.action, review.decided_at, review.by, review.reason, review.held)


def table_counts(con: duckdb.DuckDBPyConnection) -> dict[str, int]:
    """`schema.table` → rows, of every table in the file."""
    tables = con.execute(
        "SELECT schema_name, table_name FROM duckdb_tables()"
        " WHERE NOT temporary AND NOT internal ORDER BY 1, 2"
    ).fetchall()
    return {
        f"{schema}.{table}": con.execute(f'SELECT count(*) FROM "{schema}"."{table}"').fetchall()[0][0]
        for schema, table in tables
    }


def _fill_catalog(con: duckdb.DuckDBPyConnection, inputs: Inputs) -> None:
    catalog_tables.insert(con, "cards", catalog_tables.cards())
    catalog_tables.insert(con, "card_aliases", catalog_tables.card_aliases())
    catalog_tables.insert(con, "regions", catalog_tables.regions())
    catalog_tables.insert(con, "region_aliases", catalog_tables.region_aliases())
    catalog_tables.insert(con, "providers", catalog_tables.providers(inputs.providers))
    catalog_tables.insert(con, "fx_rates", inputs.fx_rates)
    catalog_tables.insert(
        con,
        "reviews",
        [
            {**asdict(review), "reviewer": review.by, "decided_at": review.decided_at.isoformat()}
            for review in inputs.reviews
        ],
    )
    catalog_tables.insert(
        con,
        "generation",
        [
            {
                "name": inputs.name,
                "week": inputs.week.isoformat(),
                "vintage": inputs.vintage,
                "built_at": inputs.now.isoformat(),
                "code_version": inputs.code_version,
                "method_version": inputs.method.id,
                "input_hash": inputs.input_hash,
                "duckdb_version": duckdb.__version__,
            }
        ],
    )


def _fill_extra(con: duckdb.DuckDBPyConnection, extra: ExtraTables | None) -> None:
    tables = extra(con) if callable(extra) else (extra or {})
    for name, rows in tables.items():
        if name not in EXTRA:
            raise ValueError(f"{name} is no table that is handed in; one of {', '.join(EXTRA)}")
        con.register("extra_rows", rows)
        con.execute(f"INSERT INTO {name} BY NAME SELECT * FROM extra_rows")
        con.unregister("extra_rows")
