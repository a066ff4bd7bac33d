"""From the store to what the recursion eats: set steps in SQL (`warehouse/sql/index_*.sql`), arrays out."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

import duckdb
import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from warehouse.database import sql_text
from warehouse.index.calendar import HOUR_US
from warehouse.index.fixed import Bools, Ints
from warehouse.index.level_hold import NEVER, Observations, Verdicts, hold_levels
from warehouse.index.method import Method
from warehouse.index.panel import KeyRow
from warehouse.index.release import Told

Columns = dict[str, NDArray[Any]]


@dataclass(frozen=True, slots=True)
class Decision:
    """What a person decided about one held observation (`suanjia review`)."""

    obs: int
    action: Literal["release", "refuse"]
    decided_at: datetime
    by: str
    reason: str
    word: str = "level_hold"  # the quarantine word that a refusal keeps


@dataclass(frozen=True, slots=True)
class Facts:
    """Observations in time order with what is known of their goods; columns of equal length."""

    obs: Ints
    time: Ints
    good: Ints
    run: Ints
    price: Ints  # CNY · 10⁶ per card-hour
    conflict: Bools
    key: Ints  # key row, -1 where the index leaves the good out
    group: Ints
    provider: Ints
    freed: Bools
    refused: Bools
    unit_of_group: Ints


def columns(con: duckdb.DuckDBPyConnection, query: str) -> Columns:
    """A query as NumPy columns; numbers without NULL, text as objects. Booleans must be cast to a number."""
    table = con.sql(query).to_arrow_table()
    return {name: _column(table.column(name)) for name in table.column_names}


def _column(column: pa.ChunkedArray) -> NDArray[Any]:
    """Straight from the buffers: the ready-made conversion would load pandas."""
    if pa.types.is_string(column.type):
        return np.array(column.to_pylist(), dtype=object)
    if column.null_count or column.type.bit_width < 8:
        raise ValueError(f"a column of {column.type} with {column.null_count} NULLs")
    kind = np.dtype(f"{'f' if pa.types.is_floating(column.type) else 'i'}{column.type.bit_width // 8}")
    parts = [
        np.frombuffer(chunk.buffers()[1], dtype=kind, count=len(chunk), offset=chunk.offset * kind.itemsize)
        for chunk in column.chunks
        if len(chunk)
    ]
    return np.concatenate(parts) if parts else np.empty(0, dtype=kind)


def script(con: duckdb.DuckDBPyConnection, name: str) -> None:
    """Run one of the SQL files."""
    con.execute(sql_text(name))


def set_variables(con: duckdb.DuckDBPyConnection, method: Method, now: datetime) -> None:
    """What the SQL files read."""
    scope = method.scope
    values: dict[str, Any] = {
        "ix_currency": scope.currency,
        "ix_classes": list(scope.classes),
        "ix_trusts": list(scope.trusts),
        "ix_kinds": list(scope.price_kinds),
        "ix_precision": scope.date_precision,
        "ix_sites": list(scope.sites),
        "ix_abroad": list(scope.abroad_labels),
        "ix_min": scope.min_cny,
        "ix_max": scope.max_cny,
        "ix_as_of": now,
        "ix_freeze_us": method.week.freeze_hours * HOUR_US,
    }
    for name, value in values.items():
        con.execute(f"SET VARIABLE {name} = $1", [value])


def read_goods(con: duckdb.DuckDBPyConnection, method: Method, now: datetime) -> list[KeyRow]:
    """Run the first set steps; the keys, sorted by name."""
    set_variables(con, method, now)
    script(con, "index_goods")
    rows = con.execute(
        "SELECT key_name, provider, card, billing_mode, price_kind, region_code, scope FROM ix_key"
        " ORDER BY key_no"
    ).fetchall()
    return [KeyRow(*row) for row in rows]


def read_facts(con: duckdb.DuckDBPyConnection, decisions: Sequence[Decision]) -> Facts:
    """All observations that can be measured, in time order."""
    goods = con.execute(
        """
        SELECT good, coalesce(key_no, -1), unit_name, provider_class, provider, offer_id
        FROM ix_good
        ORDER BY good
        """
    ).fetchall()
    size = (goods[-1][0] if goods else 0) + 1
    key, group, provider, offer = (np.full(size, -1, dtype=np.int64) for _ in range(4))
    units = _numbers(row[2] for row in goods)
    groups = _numbers((row[2], row[3]) for row in goods)
    providers = _numbers(row[4] for row in goods)
    offers = _numbers(row[5] for row in goods)
    for good, key_no, unit, kind, seller, offer_id in goods:
        key[good], group[good] = key_no, groups[unit, kind]
        provider[good], offer[good] = providers[seller], offers[offer_id]
    fact = columns(con, "SELECT obs, t, good, run, micro FROM ix_fact")
    order = np.lexsort((fact["obs"], fact["t"]))
    obs, time, good, run, micro = (
        fact[name][order].astype(np.int64) for name in ("obs", "t", "good", "run", "micro")
    )
    conflicts = columns(con, "SELECT obs FROM ix_conflict ORDER BY obs")["obs"]
    freed, refused = _decided(decisions, obs, time, offer[good], micro)
    return Facts(
        obs=obs,
        time=time,
        good=good,
        run=run,
        price=micro,
        conflict=np.isin(obs, conflicts),
        key=key[good],
        group=group[good],
        provider=provider[good],
        freed=freed,
        refused=refused,
        unit_of_group=np.array([units[unit] for unit, _ in groups], dtype=np.int64),
    )


def _numbers(names: Iterable[Any]) -> dict[Any, int]:
    return {name: i for i, name in enumerate(sorted(set(names)))}


def _decided(
    decisions: Sequence[Decision], obs: Ints, time: Ints, offer: Ints, price: Ints
) -> tuple[Bools, Bools]:
    """(freed, refused): the observation itself, and later ones of the same good within one per cent.

    The latest decision about an observation counts.
    """
    freed, refused = np.zeros(len(obs), dtype=bool), np.zeros(len(obs), dtype=bool)
    for decision in sorted(decisions, key=lambda d: (d.decided_at, d.obs)):
        for row in np.flatnonzero(obs == decision.obs).tolist():
            same = (offer == offer[row]) & (time >= time[row])
            same &= np.abs(price - price[row]) * 100 <= price[row]
            freed[same] = decision.action == "release"
            refused[same] = decision.action == "refuse"
    return freed, refused


def hold(con: duckdb.DuckDBPyConnection, facts: Facts, method: Method) -> Verdicts:
    """The level rule; leaves the temp table ix_held (obs, released_at) for the set steps that follow."""
    verdicts = hold_levels(
        Observations(
            time=facts.time,
            group=facts.group,
            provider=facts.provider,
            price=facts.price,
            barred=facts.conflict | facts.refused,
            freed=facts.freed,
            unit_of_group=facts.unit_of_group,
        ),
        method.level_hold,
    )
    held = verdicts.held | facts.conflict | facts.refused
    released = np.where(verdicts.held & ~facts.refused, verdicts.released_at, NEVER)[held]
    table = pa.table(
        {"obs": facts.obs[held], "released_at": pa.array(released, mask=released == NEVER, type=pa.int64())}
    )
    con.register("ix_held_rows", table)
    con.execute("CREATE OR REPLACE TEMP TABLE ix_held AS SELECT * FROM ix_held_rows")
    con.unregister("ix_held_rows")
    return verdicts


def told(facts: Facts, verdicts: Verdicts, release_by: Ints) -> Told:
    """What may enter a weekly price: not held, or released before `release_by` (the freeze of its week)."""
    out = facts.conflict | facts.refused | (verdicts.held & (verdicts.released_at >= release_by))
    keep = ~out
    return Told(
        time=facts.time[keep],
        key=facts.key[keep],
        unit=facts.unit_of_group[facts.group[keep]],
        provider=facts.provider[keep],
        run=facts.run[keep],
        price=facts.price[keep],
        obs=facts.obs[keep],
        freed=facts.freed[keep],
    )
