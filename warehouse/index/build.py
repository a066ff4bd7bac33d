"""From a store to everything the index publishes, in one call."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import fields, replace
from datetime import datetime

import duckdb
import numpy as np
import pyarrow as pa

from warehouse.index import emit, outputs
from warehouse.index.calendar import DAY_US, micros, monday_of, week_of
from warehouse.index.chain import Chain, CompleteRuns
from warehouse.index.fixed import Ints
from warehouse.index.holding import hold
from warehouse.index.method import Method, lineage
from warehouse.index.outputs import IndexResult
from warehouse.index.panel import Shape, shape_of
from warehouse.index.places import NATION
from warehouse.index.prepare import Decision, columns, decide, read_goods, script
from warehouse.index.release import Quarantine, Source, Told
from warehouse.index.revise import Previous, revise
from warehouse.index.transition import passed_on
from warehouse.index.watch import alarms, watch
from warehouse.index.weeks import coverage, weekly_prices, weeks_of


def compute(
    con: duckdb.DuckDBPyConnection,
    *,
    now: datetime,
    method: Method,
    providers: Mapping[str, str] | None = None,
    regions: Mapping[str, str] | None = None,
    decisions: Sequence[Decision] = (),
    previous: Previous | None = None,
) -> IndexResult:
    """The whole index as of `now`. `con` sees store.fact, store.good, store.run (`warehouse/sql/store.sql`).

    `method` is the version in force; weeks before it keep those of its `lineage`. Works in temp tables and
    macros named ix_…; the tables are gone when it returns.
    """
    names = {NATION: "全国", **(regions or {})}
    whole: IndexResult | None = None
    for version in lineage(method):
        part = _version(con, now, version, providers or {}, names, decisions)
        if whole is not None:
            part = passed_on(con, whole, part, version.valid_from)
        whole = part
    if whole is None:
        raise ValueError("a lineage without a version")
    revised, revisions = revise(con, whole.price_index, previous, decisions, method)
    _clear(con)
    return replace(whole, price_index=revised, index_revisions=revisions)


def _version(
    con: duckdb.DuckDBPyConnection,
    now: datetime,
    method: Method,
    providers: Mapping[str, str],
    names: Mapping[str, str],
    decisions: Sequence[Decision],
) -> IndexResult:
    """The index by one version of the method over the whole history, without vintages and revisions."""
    clock = micros(now)
    rows = read_goods(con, method, now)
    shape = shape_of(rows)
    decide(con, decisions)
    held = hold(con, method, clock)
    script(con, "index_daily")
    script(con, "index_weekly")
    span = _span(con, clock)
    quarantine = Quarantine(_sightings(con), shape.key_no, _units(con), method)
    chain = Chain(shape, _complete_runs(con, shape), _may_start(con, shape, method), quarantine, method)
    chain.run(weeks_of(con, shape, weekly_prices(con), span, clock))
    if span and clock < monday_of(span.stop):
        chain.forgive_silence()
    covered, _ = coverage(con, providers, span)
    by_week = dict(zip(span, covered.tolist(), strict=True))
    keys, cells = emit.by_key(shape, emit.joined(chain.key_rows)), emit.joined(chain.cell_rows)
    # The check series is numbers alone: it is made while the database works on the rest.
    with ThreadPoolExecutor(max_workers=1) as beside:
        watching = beside.submit(watch, shape, keys, cells, method)
        levels = outputs.levels(con, shape, rows, keys, names, method)
        parity = outputs.parity(con, names, method)
        administered = outputs.administered(con, method)
        key_weeks = emit.key_weeks(shape, keys)
        seen = watching.result()
    return IndexResult(
        price_index=emit.price_index(shape, cells, seen.check, by_week, names, method, clock),
        price_level=levels,
        held=outputs.held_table(held, quarantine.held()),
        index_keys=outputs.key_table(rows),
        index_key_offers=_key_offers(con),
        index_key_weeks=key_weeks,
        price_parity=parity,
        administered_prices=administered,
        index_revisions=pa.table({}),
        index_alarms=alarms(shape, cells, seen, method),
    )


def store(con: duckdb.DuckDBPyConnection, result: IndexResult) -> None:
    """Create and fill the published tables (`index_schema.sql`) in the current schema, in key order."""
    script(con, "index_schema")
    for field in fields(result):
        table = getattr(result, field.name)
        if field.name == "held" or not table.num_rows:
            continue
        con.register("ix_arrow", table)
        con.execute(f"INSERT INTO {field.name} BY NAME SELECT * FROM ix_arrow")
        con.unregister("ix_arrow")


def _clear(con: duckdb.DuckDBPyConnection) -> None:
    """Drop what the set steps left."""
    views = "SELECT view_name FROM duckdb_views() WHERE temporary AND starts_with(view_name, 'ix_')"
    tables = "SELECT table_name FROM duckdb_tables() WHERE temporary AND starts_with(table_name, 'ix_')"
    for kind, query in (("VIEW", views), ("TABLE", tables)):
        for (name,) in con.execute(query).fetchall():
            con.execute(f"DROP {kind} {name}")


def _sightings(con: duckdb.DuckDBPyConnection) -> Source:
    """What the quarantine asks for, from ix_told; observations are stored by time, so a stretch is cheap."""

    def told(unit: int, since: int, until: int) -> Told:
        days = (since // DAY_US - 1, until // DAY_US + 1)
        rows = columns(
            con,
            f"""
            SELECT t.t, coalesce(t.key_no, -1)::BIGINT AS key_no, t.provider_no, t.true_run::BIGINT AS run,
                   t.micro, t.obs, (v.obs IS NOT NULL)::TINYINT AS freed
            FROM ix_told AS t
            LEFT JOIN ix_verdict AS v ON v.obs = t.obs AND v.action = 'release'
            WHERE t.unit_no = {unit} AND t.day BETWEEN {days[0]} AND {days[1]}
              AND t.t >= {since} AND t.t < {until}
            ORDER BY t.t, t.obs
            """,
        )
        time, key, provider, run, price, obs = (
            rows[name].astype(np.int64) for name in ("t", "key_no", "provider_no", "run", "micro", "obs")
        )
        return Told(time, key, provider, run, price, obs, rows["freed"] > 0)

    return told


def _units(con: duckdb.DuckDBPyConnection) -> Ints:
    """Unit of each key."""
    query = "SELECT key_no, min(unit_no) AS unit_no FROM ix_good WHERE key_no IS NOT NULL GROUP BY key_no"
    rows = columns(con, f"SELECT * FROM ({query}) ORDER BY key_no")
    units: Ints = rows["unit_no"].astype(np.int64)
    return units


def _span(con: duckdb.DuckDBPyConnection, clock: int) -> range:
    """Weeks from the first observation to the clock; the running week only when something was seen in it."""
    first, last = con.execute("SELECT min(week), max(week) FROM ix_seen").fetchall()[0]
    if first is None:
        return range(0)
    running = week_of(clock)
    return range(first, max(last, running - 1) + 1)


def _complete_runs(con: duckdb.DuckDBPyConnection, shape: Shape) -> CompleteRuns:
    number = {name: i for i, name in enumerate(shape.providers)}
    rows = con.execute("SELECT provider, t FROM ix_complete").fetchall()
    rows = [(number[provider], t) for provider, t in rows if provider in number]
    runs = np.array(rows, dtype=np.int64).reshape(-1, 2)
    return CompleteRuns(runs[:, 0], runs[:, 1])


def _may_start(con: duckdb.DuckDBPyConnection, shape: Shape, method: Method) -> Ints:
    """Per cell the first week in which it may have its base: a card new to this store waits."""
    rows = con.execute(
        "SELECT k.card, min(s.week) FROM ix_seen AS s JOIN ix_key AS k ON k.key_no = s.key_no GROUP BY k.card"
    ).fetchall()
    first: dict[str, int] = dict(rows)
    beginning = con.execute("SELECT min((day + 3) // 7) FROM ix_fact").fetchall()[0][0]
    wait = method.new_card.candidate_weeks
    return np.array(
        [(week if (week := first.get(cell.card, 0)) == beginning else week + wait) for cell in shape.cells],
        dtype=np.int64,
    )


def _key_offers(con: duckdb.DuckDBPyConnection) -> pa.Table:
    return con.sql(
        """
        SELECT DISTINCT key_no::INTEGER AS key_no, offer_id
        FROM ix_good
        WHERE key_no IS NOT NULL
        ORDER BY ALL
        """
    ).to_arrow_table()
