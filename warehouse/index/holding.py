"""The level rule over a store: a few million observations at a time, so that memory does not grow with it.

Groups of one pool belong together, because a second provider, or the only level there is, may stand in
another class; pools know nothing of each other and are measured in batches.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import duckdb
import numpy as np
import pyarrow as pa

from warehouse.index.calendar import freezes_of
from warehouse.index.fixed import Bools, Ints
from warehouse.index.level_hold import NEVER, Observations, Verdicts, hold_levels
from warehouse.index.method import Method
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
    parts = [_batch(con, first, last, method) for first, last in _batches(con)]
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


def _batches(con: duckdb.DuckDBPyConnection) -> Iterator[tuple[int, int]]:
    """Ranges of pools, each with about a batch of observations."""
    rows = con.execute(
        "SELECT g.pool_no, count(*) FROM ix_fact AS f JOIN ix_good AS g ON g.good = f.good"
        " GROUP BY g.pool_no ORDER BY g.pool_no"
    ).fetchall()
    first, size = 0, 0
    for pool, n in rows:
        if size and size + n > BATCH_ROWS:
            yield first, pool - 1
            first, size = pool, 0
        size += n
    if size:
        yield first, rows[-1][0]


def _among(obs: Ints, few: Ints) -> Bools:
    """Whether each is one of a few; mostly there are none."""
    return np.isin(obs, few) if len(few) else np.zeros(len(obs), dtype=bool)


def _batch(con: duckdb.DuckDBPyConnection, first: int, last: int, method: Method) -> _Batch:
    rows = columns(
        con,
        f"""
        SELECT f.obs, f.t, f.micro, g.group_no, g.provider_no
        FROM ix_fact AS f
        JOIN ix_good AS g ON g.good = f.good AND g.pool_no BETWEEN {first} AND {last}
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
        WHERE pool_no BETWEEN {first} AND {last}
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
