"""What an absent key is imputed from (rule 9): its class's movement, by the first class that is thick
enough.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from warehouse.index.fixed import Bools, Codes, Ints
from warehouse.index.groups import mean, two_stage
from warehouse.index.method import Missing
from warehouse.index.panel import Shape
from warehouse.index.state import BY_NATION, BY_PROVIDER, BY_REGION, NO_RUNG


@dataclass(frozen=True, slots=True)
class Ladder:
    """Per series key: the movement to impute with, and the rung it stands on (NO_RUNG: none)."""

    movement: Ints
    rung: Codes


def class_movements(shape: Shape, relative: Ints, counts: Bools, rule: Missing) -> Ladder:
    """Rungs for every key. `relative` per key; `counts`: observed and unquarantined in both weeks.

    Same provider: pooled mean over its keys of the good, anywhere in the nation. Same region (the key's
    narrowest cell) and nation: two-stage. An absent key never counts, so it is excluded from its own
    class by itself.
    """
    keys = np.flatnonzero(counts)
    pooled, pooled_n = mean(shape.pool[keys], relative[keys], shape.pools)
    members = np.flatnonzero(counts[shape.member_key])
    cell_move, cell_n, _ = two_stage(
        shape.member_pair[members], shape.pair_cell, relative[shape.member_key[members]], len(shape.cells)
    )
    movement = np.zeros(shape.size, dtype=np.int64)
    rung = np.full(shape.size, NO_RUNG, dtype=np.int8)
    for enough, value, name in (
        (cell_n[shape.top] >= rule.nation_keys, cell_move[shape.top], BY_NATION),
        (cell_n[shape.own] >= rule.same_region_keys, cell_move[shape.own], BY_REGION),
        (pooled_n[shape.pool] >= rule.same_provider_keys, pooled[shape.pool], BY_PROVIDER),
    ):
        movement[enough] = value[enough]
        rung[enough] = name
    return Ladder(movement, rung)
