"""From a week's basket of prices to the rows of its cells: link, level, grade, spread, flags."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from warehouse.index.fixed import MISSING, Bools, Ints
from warehouse.index.grades import NONE, raw_grades, shown_grades
from warehouse.index.groups import any_of, count, two_stage
from warehouse.index.method import Method
from warehouse.index.panel import Shape, Week
from warehouse.index.state import BASE, GRADED, OUTAGE, CellMemory, CellRows, MemberMemory
from warehouse.index.uncertainty import interval, link_spread

_NO_TIME = np.int64(2**62)


@dataclass(frozen=True, slots=True)
class Basket:
    """What every series key has this week, and which cells have an accepted price."""

    price: Ints  # observed or imputed; MISSING
    accepted: Bools
    quarantined: Bools
    used: Ints  # µs of the observation that the price rests on
    active: Bools  # per cell
    provider_seen: Bools  # per provider: any observation at all


def advance(
    shape: Shape,
    cells: CellMemory,
    members: MemberMemory,
    basket: Basket,
    week: Week,
    may_start: Ints,
    method: Method,
) -> CellRows:
    """The rows of this week; `cells` moves on, `members` is still last week's."""
    size = len(shape.cells)
    mk, mc = shape.member_key, shape.member_cell
    now, prev = basket.price[mk], members.price
    accepted = basket.accepted[mk]
    active = basket.active
    # A cell that was silent while its nation was not: what was imputed meanwhile came from above.
    gap = cells.active != cells.active[shape.cell_top]
    linked = active[mc] & (now != MISSING) & (prev != MISSING) & (~gap[mc] | accepted)
    relative = np.where(linked, now - prev, 0)
    link, n, providers = _two_stage(shape, linked, relative)
    both = linked & accepted & members.observed
    sd, se, n_both = link_spread(shape.member_pair[both], shape.pair_cell, relative[both], size)
    rule = method.uncertainty
    low, high = interval(link, se, n_both, rule.confidence, rule.interval_from_keys)
    with np.errstate(invalid="ignore"):
        moved = count(mc[both & (relative != 0)], size) / np.where(n_both > 0, n_both, np.nan)

    starting = active & ~cells.started & (week.number >= may_start)
    broken = active & cells.started & (n == 0)
    normal = active & cells.started & (n > 0)
    quiet = cells.started & ~active & (cells.silent < method.outage.rows)
    fresh = starting | broken
    counted = linked | (fresh[mc] & (now != MISSING))
    imputed = count(mc[counted & ~accepted], size)
    n = count(mc[counted], size)
    if fresh.any():
        providers = np.where(fresh, _two_stage(shape, counted, relative)[2], providers)

    switch, composition = _changes(shape, cells, now, prev, accepted, linked)
    unseen = ~basket.provider_seen[shape.provider[mk]]
    down = any_of(mc, (prev != MISSING) & ~accepted & unseen, size)
    oldest = np.full(size, _NO_TIME)
    np.minimum.at(oldest, mc[counted], basket.used[mk[counted]])
    shown_now = np.zeros(shape.size, dtype=bool)
    shown_now[week.stock_shown] = True
    in_stock = np.zeros(shape.size, dtype=bool)
    in_stock[week.stock_shown[week.in_stock]] = True

    raw = np.full(size, NONE, dtype=np.int8)
    raw[normal] = raw_grades(n[normal], providers[normal], imputed[normal], method.gate)
    cells.shown[fresh] = NONE
    cells.shown[normal] = shown_grades(raw[normal], cells.raw[normal], cells.shown[normal])
    cells.raw = raw
    cells.log = np.where(fresh, 0, np.where(normal, cells.log + link, cells.log))
    cells.started = cells.started | starting
    cells.active = np.where(active, week.number, cells.active)
    cells.silent = np.where(active, 0, cells.silent + 1)

    rows = np.flatnonzero(fresh | normal | quiet)
    state = np.where(fresh, BASE, np.where(normal, GRADED, OUTAGE)).astype(np.int8)
    return CellRows(
        week=week.number,
        cell=rows,
        log=np.where(quiet, MISSING, cells.log)[rows],
        link=np.where(normal, link, MISSING)[rows],
        state=state[rows],
        grade=np.where(normal, cells.shown, NONE)[rows].astype(np.int8),
        keys=np.where(quiet, 0, n)[rows],
        providers=np.where(quiet, 0, providers)[rows],
        imputed=np.where(quiet, 0, imputed)[rows],
        quarantined=count(mc[basket.quarantined[mk]], size)[rows],
        stock_shown=count(mc[shown_now[mk]], size)[rows],
        in_stock=count(mc[in_stock[mk]], size)[rows],
        sd=np.where(normal, sd, np.nan)[rows],
        low=np.where(normal, low, np.nan)[rows],
        high=np.where(normal, high, np.nan)[rows],
        moved=np.where(normal, moved, np.nan)[rows],
        oldest=np.where(oldest == _NO_TIME, -1, oldest)[rows],
        provider_outage=(down & (normal | broken | quiet))[rows],
        composition=(composition & (normal | broken))[rows],
        source_switch=(switch & (normal | broken))[rows],
    )


def _two_stage(shape: Shape, which: Bools, relative: Ints) -> tuple[Ints, Ints, Ints]:
    return two_stage(shape.member_pair[which], shape.pair_cell, relative[which], len(shape.cells))


def _changes(
    shape: Shape, cells: CellMemory, now: Ints, prev: Ints, accepted: Bools, linked: Bools
) -> tuple[Bools, Bools]:
    """(source switch, change of composition) of every cell.

    A source switch: none of the providers that had prices before has one now, and somebody else has.
    """
    size, mc = len(shape.cells), shape.member_cell
    pairs = len(shape.pair_cell)
    had = any_of(shape.member_pair, prev != MISSING, pairs)
    has = any_of(shape.member_pair, accepted, pairs)
    stays = any_of(shape.pair_cell, had & has, size)
    switch = any_of(shape.pair_cell, had, size) & any_of(shape.pair_cell, has, size) & ~stays
    return switch & cells.started, any_of(mc, (now != MISSING) != (prev != MISSING), size)
