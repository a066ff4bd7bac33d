"""The level rule over a store: a few million observations at a time, so that memory does not grow with it.

Groups of one pool belong together, because a second provider, or the only level there is, may stand in
another class; pools know nothing of each other and are measured in batches.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter

import duckdb
import numpy as np
import pyarrow as pa

from warehouse.index.bands import Bands
from warehouse.index.calendar import freezes_of
from warehouse.index.fixed import Bools, Ints
from warehouse.index.level_hold import NEVER, Observations, Verdicts, hold_levels
from warehouse.index.method import LevelHold, Method
from warehouse.index.prepare import columns, temp

BATCH_ROWS = 1_000_000


@dataclass(frozen=True, slots=True)
class Held:
    """Observations that the level rule or a reviewer holds or marks, in no order; columns of equal length."""

    obs: Ints
    word: list[str | None]  # quarantine as of now
    review: Bools


@dataclass(frozen=True, slots=True)
class _Batch:
    """Verdicts of one batch that are not a plain pass."""

    obs: Ints
    time: Ints
    held: Bools
    review: Bools
    released_at: Ints
    refused: Bools
    conflict: Bools


def hold(con: duckdb.DuckDBPyConnection, method: Method, now: int) -> Held:
    """Run the rule; leaves ix_held (obs, in_time) for the set steps that follow.

    `in_time`: released before the freeze of its week, so it enters the weekly price.
    """
    parts = [_batch(con, pools, method) for pools in _batches(con, method.level_hold)]
    one = {
        name: np.concatenate([getattr(part, name) for part in parts])
        if parts
        else np.empty(0, dtype=np.int64 if name in ("obs", "time", "released_at") else np.bool_)
        for name in ("obs", "time", "held", "review", "released_at", "refused", "conflict")
    }
    out = one["held"] | one["refused"] | one["conflict"]
    in_time = one["held"] & ~one["refused"] & ~one["conflict"]
    in_time &= one["released_at"] < freezes_of(one["time"], method)
    temp(con, "ix_held", pa.table({"obs": one["obs"][out], "in_time": in_time[out]}))
    return Held(one["obs"], _words(con, one["obs"], one, now), one["review"])


def _words(
    con: duckdb.DuckDBPyConnection, obs: Ints, one: dict[str, Ints | Bools], now: int
) -> list[str | None]:
    refused = dict(con.execute("SELECT obs, word FROM ix_verdict WHERE action = 'refuse'").fetchall())
    held = one["held"] & (one["released_at"] > now)
    words: list[str | None] = []
    for number, is_held, is_refused, is_conflict in zip(
        obs.tolist(), held.tolist(), one["refused"].tolist(), one["conflict"].tolist(), strict=True
    ):
        if is_conflict:
            words.append("conflict")
        elif is_refused:
            words.append(refused[number])
        else:
            words.append("level_hold" if is_held else None)
    return words


def _batches(con: duckdb.DuckDBPyConnection, rule: LevelHold) -> Iterator[list[int]]:
    """Pools that must be measured, ascending, by about a batch of observations."""
    batch: list[int] = []
    size = 0
    for pool, n in _loud(con, rule):
        if size and size + n > BATCH_ROWS:
            yield batch
            batch, size = [], 0
        batch.append(pool)
        size += n
    if batch:
        yield batch


def _loud(con: duckdb.DuckDBPyConnection, rule: LevelHold) -> Iterator[tuple[int, int]]:
    """Pools and how many observations they have, without those of which there is nothing to tell.

    No median lies outside the lowest and the highest price that a group ever had: where these two pass
    beside each other, every price passes.
    """
    bands = Bands(rule)
    barred = con.execute(
        """
        SELECT DISTINCT g.pool_no
        FROM store.fact AS f
        JOIN ix_good AS g ON g.good = f.good
        WHERE f.obs IN (SELECT obs FROM ix_conflict
                        UNION ALL SELECT obs FROM ix_verdict WHERE action = 'refuse')
        """
    ).fetchall()
    told = {pool for (pool,) in barred}
    groups = con.execute(
        """
        SELECT g.pool_no, count(*), min(f.micro), max(f.micro)
        FROM ix_fact AS f
        JOIN ix_good AS g ON g.good = f.good
        GROUP BY g.pool_no, g.group_no
        ORDER BY g.pool_no
        """
    ).fetchall()
    for pool, rows in groupby(groups, key=itemgetter(0)):
        parts = list(rows)
        if pool in told or not bands.quiet([(low, high) for _, _, low, high in parts]):
            yield pool, sum(n for _, n, _, _ in parts)


def _among(obs: Ints, few: Ints) -> Bools:
    """Whether each is one of a few; mostly there are none."""
    return np.isin(obs, few) if len(few) else np.zeros(len(obs), dtype=bool)


def _batch(con: duckdb.DuckDBPyConnection, pools: Sequence[int], method: Method) -> _Batch:
    rows = columns(
        con,
        f"""
        SELECT f.obs, f.t, f.micro, g.group_no, g.provider_no
        FROM ix_fact AS f
        JOIN ix_good AS g ON g.good = f.good AND g.pool_no IN ({", ".join(map(str, pools))})
        """,
    )
    time, obs = rows["t"].astype(np.int64), rows["obs"].astype(np.int64)
    if np.any((np.diff(time) < 0) | ((np.diff(time) == 0) & (np.diff(obs) < 0))):
        order = np.lexsort((obs, time))
        rows = {name: column[order] for name, column in rows.items()}
        time, obs = time[order], obs[order]
    units = columns(
        con,
        f"""
        SELECT DISTINCT group_no, unit_no, coalesce(min(unit_no) FILTER (WHERE no_seller = '')
                                                        OVER (PARTITION BY pool_no), -1) AS pool
        FROM ix_good
        WHERE pool_no BETWEEN {pools[0]} AND {pools[-1]}
        ORDER BY group_no
        """,
    )
    unit, pool = units["unit_no"].astype(np.int64), units["pool"].astype(np.int64)
    conflict = _among(obs, columns(con, "SELECT obs FROM ix_conflict")["obs"])
    freed = _among(obs, columns(con, "SELECT obs FROM ix_verdict WHERE action = 'release'")["obs"])
    refused = _among(obs, columns(con, "SELECT obs FROM ix_verdict WHERE action = 'refuse'")["obs"])
    # A reviewer may settle a conflict: then the one that was released counts.
    conflict &= ~freed
    verdicts: Verdicts = hold_levels(
        Observations(
            time=time,
            group=rows["group_no"].astype(np.int64) - int(units["group_no"][0]),
            provider=rows["provider_no"].astype(np.int64),
            price=rows["micro"].astype(np.int64),
            barred=conflict | refused,
            freed=freed,
            unit_of_group=unit - unit[0],
            pool_of_group=np.where(pool < 0, -1, pool - unit[0]),
        ),
        method.level_hold,
    )
    told = verdicts.held | verdicts.review | conflict | refused
    return _Batch(
        obs=obs[told],
        time=time[told],
        held=verdicts.held[told],
        review=verdicts.review[told],
        released_at=np.where(verdicts.held, verdicts.released_at, NEVER)[told],
        refused=refused[told],
        conflict=conflict[told],
    )
