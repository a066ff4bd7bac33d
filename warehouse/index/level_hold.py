"""Holding back what lies far from the 30-day median of its kind (rule 6).

The kind is card × mode × price kind × provider class.

Every observation is measured against the unheld ones of the window strictly before it, so the rule runs
forward in time. Day by day the median of each group is bounded from a histogram of its prices: from below
by what a window of that day can hold at most, from above likewise. The bounds are a few ranks apart and
decide all but a handful of prices; those are measured one by one. The verdicts are the exact ones, for
every observation.

A class with too few observations has no level of its own. Its prices are measured against the sellers of
the good of all classes, with a band as wide as classes honestly differ, which stops slips of a unit.

A held observation is confirmed by an unheld price of a second provider, at most one window old when it is
held or seen later; repetition by the same provider confirms nothing. A confirmed one joins the medians
from the next day.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from warehouse.index.bands import HOLD, PASS, REVIEW, UNSURE, Bands, States
from warehouse.index.confirm import PRICE_BITS, PRICE_MASK, PROVIDER_BITS, Confirmations
from warehouse.index.fixed import Bools, Ints
from warehouse.index.method import LevelHold

NEVER = np.int64(2**62)  # a release that has not come
HOUR_US = 3_600_000_000
DAY_US = 24 * HOUR_US


@dataclass(frozen=True, slots=True)
class Observations:
    """Columns of equal length, sorted by time: µs since the epoch, numbers, CNY · 10⁶ per card-hour.

    A group is a card × mode × price kind × provider class; `unit_of_group` numbers the same without the
    class, where a second provider may confirm (who is no seller is a unit of his own). `pool_of_group`: the
    unit of the sellers of the same good, -1 for none. Groups of one unit are neighbours.
    """

    time: Ints
    group: Ints
    provider: Ints
    price: Ints
    barred: Bools  # held for another reason: never measured, in no median
    freed: Bools  # a reviewer let it pass
    unit_of_group: Ints
    pool_of_group: Ints


@dataclass(frozen=True, slots=True)
class Verdicts:
    """Per observation: `held` at its own time, `review`, and when a second provider released it (or
    NEVER).
    """

    held: Bools
    review: Bools
    released_at: Ints


def hold_levels(obs: Observations, rule: LevelHold) -> Verdicts:
    """The rule over all observations, oldest first."""
    run = _Run(obs, rule)
    day = obs.time // DAY_US
    ends = np.flatnonzero(np.r_[day[1:] != day[:-1], len(day) > 0]) + 1
    start = 0
    for end in ends.tolist():
        run.day(int(day[start]), np.arange(start, end))
        start = end
    return Verdicts(run.held, run.review, run.released_at)


class _Run:
    """State of one pass. `histogram` counts, per slot, the unheld observations of the last window and
    today's.

    A slot is a (group, price); the slots of a group are neighbours, ordered by price.
    """

    def __init__(self, obs: Observations, rule: LevelHold) -> None:
        self.obs, self.rule, self.bands = obs, rule, Bands(rule)
        n = len(obs.time)
        self.window = rule.window_hours * HOUR_US
        self.reach = -(-self.window // DAY_US)
        self.held = np.zeros(n, dtype=bool)
        self.review = np.zeros(n, dtype=bool)
        self.released_at = np.full(n, NEVER, dtype=np.int64)
        self.groups = len(obs.unit_of_group)
        combos, where = np.unique(
            (obs.group << PRICE_BITS | obs.price) << PROVIDER_BITS | obs.provider, return_inverse=True
        )
        slots, slot_of_combo = np.unique(combos >> PROVIDER_BITS, return_inverse=True)
        self.slot = slot_of_combo[where]
        self.slot_price = slots & PRICE_MASK
        self.first_slot = np.searchsorted(slots >> PRICE_BITS, np.arange(self.groups + 1))
        self.histogram = np.zeros(len(self.slot_price), dtype=np.int64)
        self.kept: deque[tuple[int, list[Ints]]] = deque()  # (day, unheld rows), inside the reach
        self.kept_count = np.zeros(self.groups, dtype=np.int64)
        self.by_group = np.argsort(
            obs.group.astype(np.uint16 if self.groups < 2**16 else np.int64), kind="stable"
        )
        self.time_by_group = obs.time[self.by_group]
        self.first_row = np.searchsorted(obs.group[self.by_group], np.arange(self.groups + 1))
        units = np.arange(int(obs.unit_of_group.max(initial=-1)) + 2)
        self.first_group = np.searchsorted(obs.unit_of_group, units)
        self.confirmations = Confirmations(
            obs.unit_of_group[combos >> (PROVIDER_BITS + PRICE_BITS)],
            combos,
            where,
            Fraction(rule.release_within),
        )

    def day(self, day: int, rows: Ints) -> None:
        """All observations of one UTC day."""
        self._forget(day)
        rows = rows[~self.obs.barred[rows]]
        if not len(rows):
            return
        np.add.at(self.histogram, self.slot[rows], 1)
        state = self._bounded(day, rows)
        sure = rows[state <= REVIEW]
        self.confirmations.open_day(sure, self.obs.time)
        state[state >= HOLD] = self._in_turn(day, rows[state >= HOLD], state[state >= HOLD])
        self.review[rows[state == REVIEW]] = True
        unheld = rows[~self.held[rows]]
        np.subtract.at(self.histogram, self.slot[rows[self.held[rows]]], 1)
        self.kept.append((day, [unheld]))
        np.add.at(self.kept_count, self.obs.group[unheld], 1)
        self._release(day, unheld)

    def _forget(self, day: int) -> None:
        while self.kept and self.kept[0][0] < day - self.reach:
            for rows in self.kept.popleft()[1]:
                np.subtract.at(self.histogram, self.slot[rows], 1)
                np.subtract.at(self.kept_count, self.obs.group[rows], 1)

    def _bounded(self, day: int, rows: Ints) -> States:
        """Verdicts that hold for every window a moment of this day can have."""
        group = self.obs.group[rows]
        inside = self.kept_count
        if self.kept and self.kept[0][0] == day - self.reach:  # only partly inside the window
            inside = inside.copy()
            for part in self.kept[0][1]:
                np.subtract.at(inside, self.obs.group[part], 1)
        running = np.r_[0, np.cumsum(self.histogram)]
        here = np.unique(group)
        base = running[self.first_slot[here]]
        most = running[self.first_slot[here + 1]] - base
        rank = (inside[here] + 1) // 2
        known = rank > 0
        low = np.zeros(self.groups, dtype=np.int64)
        high = np.full(self.groups, 2**52, dtype=np.int64)
        low[here[known]] = self.slot_price[np.searchsorted(running, (base + rank)[known]) - 1]
        high[here[known]] = self.slot_price[np.searchsorted(running, (base + most - rank + 1)[known]) - 1]
        state = self.bands.states(self.obs.price[rows], low[group], high[group])
        fewest = np.zeros(self.groups, dtype=np.int64)
        fewest[here] = most - 1
        few = self.rule.min_observations
        state[inside[group] < few] = UNSURE
        state[(fewest[group] < few) & (self.obs.pool_of_group[group] < 0)] = PASS
        return state

    def _in_turn(self, day: int, rows: Ints, state: States) -> States:
        """Verdicts that the bounds left open, and holds that a second provider may already have confirmed.

        Rows of one moment do not know each other's holds: their order in the table must not matter.
        """
        out = state.copy()
        times = self.obs.time[rows]
        ends = np.flatnonzero(np.r_[times[1:] != times[:-1], len(rows) > 0]) + 1
        start = 0
        for end in ends.tolist():
            moment = int(times[start])
            batch = range(start, end)
            for i in batch:
                if out[i] == UNSURE:
                    out[i] = self._exact(day, int(rows[i]), moment)
            self.confirmations.note([int(rows[i]) for i in batch if out[i] < HOLD], moment)
            holds = [i for i in batch if out[i] == HOLD]
            freed = [i for i in holds if self._freed(int(rows[i]), moment)]
            out[freed] = PASS
            self.confirmations.note([int(rows[i]) for i in freed], moment)
            for i in holds:
                if out[i] == HOLD:
                    self.held[rows[i]] = True
                    self.confirmations.wait(int(rows[i]))
            start = end
        return out

    def _freed(self, row: int, time: int) -> bool:
        return bool(self.obs.freed[row]) or self.confirmations.seen(row, time - self.window, time)

    def _exact(self, day: int, row: int, time: int) -> int:
        group = int(self.obs.group[row])
        price = 2 * int(self.obs.price[row])
        twice = self._twice_median([self._before(group, day, time)])
        if twice is not None:
            return self.bands.state(price, twice)
        pool = int(self.obs.pool_of_group[group])
        others = range(self.first_group[pool], self.first_group[pool + 1]) if pool >= 0 else ()
        twice = self._twice_median([self._before(other, day, time) for other in others])
        return PASS if twice is None else self.bands.across(price, twice)

    def _before(self, group: int, day: int, time: int) -> Ints:
        """Prices of the window that the median of a group is taken of."""
        first, last = self.first_row[group], self.first_row[group + 1]
        low, high = first + np.searchsorted(self.time_by_group[first:last], (time - self.window, time))
        before = self.by_group[low:high]
        usable = ~self.held[before] | (self.released_at[before] // DAY_US < day)
        prices: Ints = self.obs.price[before[usable & ~self.obs.barred[before]]]
        return prices

    def _twice_median(self, parts: list[Ints]) -> int | None:
        """2 · median, or None of too few."""
        n = sum(len(part) for part in parts)
        if n < self.rule.min_observations:
            return None
        prices = np.concatenate(parts)
        lower, upper = (n - 1) // 2, n // 2
        prices.partition((lower, upper))
        return int(prices[lower]) + int(prices[upper])

    def _release(self, day: int, unheld: Ints) -> None:
        """Held ones that today's prices of other providers confirm."""
        for rows, time in self.confirmations.close_day(unheld, self.obs.time):
            self.released_at[rows] = time
            for row in rows.tolist():
                own = int(self.obs.time[row]) // DAY_US
                for past, parts in self.kept:
                    if past == own:
                        parts.append(np.array([row]))
                        self.histogram[self.slot[row]] += 1
                        self.kept_count[self.obs.group[row]] += 1
