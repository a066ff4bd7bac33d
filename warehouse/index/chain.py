"""The recursion over weeks: one pure function from what each week saw to every row of the index.

Per week: keys that are gone leave; new prices are tested against their cells; what is missing is imputed
or leaves; every cell that has an accepted price is linked to its last active week, the others are in
outage. Where the widest cell of a good has no accepted price at all, its keys wait as they are.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, fields

import numpy as np

from warehouse.index.fixed import MISSING, Bools, Codes, Ints
from warehouse.index.groups import any_of
from warehouse.index.ladder import Ladder, class_movements
from warehouse.index.links import Basket, advance
from warehouse.index.method import Method
from warehouse.index.outliers import Releases, Screen, screen
from warehouse.index.panel import Shape, Week
from warehouse.index.state import (
    ABSENT,
    BUNDLE,
    DROPPED,
    ENTERED,
    GONE,
    HELD,
    IMPUTED,
    KEPT,
    MATCHED,
    NO_CLASS,
    NO_RUNG,
    OUTAGE,
    OUTLIER,
    PROVIDER_DOWN,
    QUARANTINED,
    RELEASED,
    RETURNED,
    SOLD_OUT,
    TOO_LONG,
    CellMemory,
    CellRows,
    KeyMemory,
    KeyRows,
    MemberMemory,
)

_TIME_BITS = 51  # µs since 1970 until the year 2041


class CompleteRuns:
    """How many complete runs a provider has had in a stretch of time."""

    def __init__(self, provider: Ints, started: Ints) -> None:
        self._runs = np.sort(provider << _TIME_BITS | started)

    def between(self, provider: Ints, after: Ints, until: int) -> Ints:
        """Runs that began after `after` and not later than `until` (µs)."""
        base = provider << _TIME_BITS
        first = np.searchsorted(self._runs, base | np.maximum(after, 0), side="right")
        return np.searchsorted(self._runs, base | until, side="right") - first


@dataclass(slots=True)
class _Fate:
    """What becomes of the keys in one week; arrays over series keys."""

    price: Ints
    state: Codes
    reason: Codes
    rung: Codes
    waits: Bools  # in quarantine with nothing to impute from: keeps its last price, has no relative

    @classmethod
    def none(cls, size: int) -> _Fate:
        return cls(
            price=np.full(size, MISSING),
            state=np.full(size, -1, dtype=np.int8),
            reason=np.full(size, -1, dtype=np.int8),
            rung=np.full(size, NO_RUNG, dtype=np.int8),
            waits=np.zeros(size, dtype=bool),
        )

    def set(self, which: Bools, state: int, reason: int) -> None:
        self.state[which] = state
        self.reason[which] = reason


class Chain:
    """The recursion; `step` once a week, in order, no week left out between the first and the last."""

    def __init__(
        self, shape: Shape, runs: CompleteRuns, may_start: Ints, releases: Releases, method: Method
    ) -> None:
        """`may_start` per cell: the first week in which it may have its base (new cards wait)."""
        self.shape, self.runs, self.may_start = shape, runs, may_start
        self.releases, self.method = releases, method
        self.keys = KeyMemory.empty(shape.size)
        self.members = MemberMemory.empty(shape)
        self.cells = CellMemory.empty(len(shape.cells))
        self.key_rows: list[KeyRows] = []
        self.cell_rows: list[CellRows] = []

    def run(self, weeks: Iterable[Week]) -> Chain:
        """All weeks; returns itself, for the rows."""
        for week in weeks:
            self.step(week)
        return self

    def step(self, week: Week) -> None:
        """One week."""
        shape, keys = self.shape, self.keys
        price = np.full(shape.size, MISSING)
        price[week.priced] = week.price
        fate = _Fate.none(shape.size)
        self._leave(week, fate)
        rebundled = self._rebundle(week, price)
        before = keys.price.copy()
        test = self._screen(week, price)
        accepted = (price != MISSING) & ~test.flagged
        listed = self._sold_out_newcomers(week, price, before)
        active = self._active(accepted, listed)
        awake = active[shape.top]
        self._keep(fate, price, before, accepted, test, rebundled)
        ladder = self._classes(price, before, accepted & ~test.released)
        self._fill(week, fate, before, accepted, test.flagged, awake, ladder)
        fate.price[listed != MISSING] = listed[listed != MISSING]
        fate.set(listed != MISSING, IMPUTED, SOLD_OUT)
        self._settle(test, accepted, week.number)
        self._remember(week, fate, accepted, awake | (listed != MISSING))
        basket = Basket(
            price=fate.price,
            accepted=accepted,
            quarantined=_mask(week.held, shape.size) | test.flagged,
            used=keys.used,
            active=active,
            provider_seen=_mask(week.providers, len(shape.providers)),
        )
        self.cell_rows.append(
            advance(shape, self.cells, self.members, basket, week, self.may_start, self.method)
        )
        here = active[shape.member_cell] & ~fate.waits[shape.member_key]
        self.members.price[here] = fate.price[shape.member_key[here]]
        self.members.observed[active[shape.member_cell]] = accepted[
            shape.member_key[active[shape.member_cell]]
        ]
        told = np.flatnonzero(fate.state >= 0)
        self.key_rows.append(
            KeyRows(
                week=week.number,
                key=told,
                state=fate.state[told],
                reason=fate.reason[told],
                rung=fate.rung[told],
                price=fate.price[told],
                before=before[told],
            )
        )

    def forgive_silence(self) -> None:
        """Take back the outage rows of the last week: it is not over yet."""
        last = self.cell_rows[-1]
        kept = last.state != OUTAGE
        columns = {f.name: getattr(last, f.name) for f in fields(last) if f.name != "week"}
        self.cell_rows[-1] = CellRows(week=last.week, **{name: c[kept] for name, c in columns.items()})

    def _leave(self, week: Week, fate: _Fate) -> None:
        """Keys whose provider has had enough complete runs without them leave for good."""
        keys, shape = self.keys, self.shape
        absent = keys.seen >= 0
        absent[week.seen] = False
        which = np.flatnonzero(absent)
        runs = self.runs.between(shape.provider[which], keys.seen[which], week.end)
        gone = _mask(which[runs >= self.method.missing.gone_after_runs], shape.size)
        fate.set(gone & (keys.price != MISSING), DROPPED, GONE)
        self._forget(gone)
        keys.seen[gone] = -1
        keys.seen[week.seen] = week.seen_last

    def _forget(self, which: Bools) -> None:
        self.keys.price[which] = MISSING
        self.keys.observed[which] = False
        self.keys.streak[which] = 0
        gone = which[self.shape.member_key]
        self.members.price[gone] = MISSING
        self.members.observed[gone] = False

    def _rebundle(self, week: Week, price: Ints) -> Bools:
        """Keys that come with other vCPU or RAM than before start anew."""
        keys, k = self.keys, week.priced
        changed = np.zeros(self.shape.size, dtype=bool)
        for had, has in ((keys.vcpu, week.vcpu), (keys.ram, week.ram)):
            with np.errstate(invalid="ignore", divide="ignore"):
                apart = np.abs(has / had[k] - 1.0)
            changed[k] |= apart > self.method.key.bundle_tolerance  # False where unknown
            had[k] = np.where(np.isnan(has), had[k], has)
        changed &= keys.price != MISSING
        self._forget(changed)
        return changed

    def _screen(self, week: Week, price: Ints) -> Screen:
        here, had = price[self.shape.member_key], self.members.price
        both = self.members.observed & (here != MISSING) & (had != MISSING)
        return screen(self.shape, price, had, both, week.number, self.releases, self.method.outlier)

    def _sold_out_newcomers(self, week: Week, price: Ints, before: Ints) -> Ints:
        """Listed prices of keys that are new and sold out: collected, but not counted as observed."""
        listed = np.full(self.shape.size, MISSING)
        listed[week.sold_out] = week.sold_out_price
        listed[(before != MISSING) | (price != MISSING) | (self.shape.twin >= 0)] = MISSING
        return listed

    def _active(self, accepted: Bools, listed: Ints) -> Bools:
        """Cells with an accepted price; a cell may also begin with what is listed but sold out."""
        shape = self.shape
        size = len(shape.cells)
        active = any_of(shape.member_cell, accepted[shape.member_key], size)
        begins = any_of(shape.member_cell, (listed != MISSING)[shape.member_key], size)
        return active | (begins & (self.cells.active < 0))

    def _keep(
        self, fate: _Fate, price: Ints, before: Ints, accepted: Bools, test: Screen, rebundled: Bools
    ) -> None:
        fate.price[accepted] = price[accepted]
        new = before == MISSING
        fate.set(accepted, KEPT, MATCHED)
        fate.set(accepted & ~new & ~self.keys.observed, KEPT, RETURNED)
        fate.set(accepted & new, KEPT, ENTERED)
        fate.set(accepted & rebundled, KEPT, BUNDLE)
        fate.set(accepted & test.released, KEPT, RELEASED)

    def _classes(self, price: Ints, before: Ints, counts: Bools) -> Ladder:
        """Class movements from keys observed and unquarantined in both weeks."""
        counts = counts & self.keys.observed & (before != MISSING)
        relative = np.where(counts, price - before, 0)
        return class_movements(self.shape, relative, counts, self.method.missing)

    def _fill(
        self,
        week: Week,
        fate: _Fate,
        before: Ints,
        accepted: Bools,
        flagged: Bools,
        awake: Bools,
        ladder: Ladder,
    ) -> None:
        """Impute what is missing, or let it go."""
        shape = self.shape
        held = _mask(week.held, shape.size) & ~accepted & ~flagged
        missing = (before != MISSING) & ~accepted & awake
        in_time = self.keys.streak + 1 <= self.method.missing.max_weeks
        filled = missing & in_time & (ladder.rung != NO_RUNG)
        fate.price[filled] = (before + ladder.movement)[filled]
        fate.rung[filled] = ladder.rung[filled]
        fate.waits = missing & in_time & ~filled & (flagged | held)
        down = ~_mask(week.providers, len(shape.providers))[shape.provider]
        fate.set(filled, IMPUTED, ABSENT)
        fate.set(filled & down, IMPUTED, PROVIDER_DOWN)
        fate.set(filled & _mask(week.sold_out, shape.size), IMPUTED, SOLD_OUT)
        fate.set(missing & ~filled & ~fate.waits, DROPPED, NO_CLASS)
        fate.set(missing & ~in_time, DROPPED, TOO_LONG)
        fate.set(held & ~(missing & ~in_time), QUARANTINED, HELD)
        fate.set(flagged & ~(missing & ~in_time), QUARANTINED, OUTLIER)

    def _settle(self, test: Screen, accepted: Bools, week: int) -> None:
        """Tell the quarantine what went in and what came out; rentable keys follow their list keys."""
        lists = self.shape.twin < 0
        for k in np.flatnonzero(test.flagged & lists).tolist():
            self.releases.hold(k, week, int(test.low[k]), int(test.high[k]))
        for k in self.releases.pending():
            if accepted[k]:
                self.releases.settle(k, bool(test.released[k]))

    def _remember(self, week: Week, fate: _Fate, accepted: Bools, touched: Bools) -> None:
        keys = self.keys
        keep = touched & ~fate.waits
        keys.price[keep] = fate.price[keep]
        keys.observed[touched] = accepted[touched]
        longer = touched & ~accepted & ((fate.price != MISSING) | fate.waits)
        keys.streak[longer] += 1
        keys.streak[touched & ~longer] = 0
        used = np.full(self.shape.size, -1, dtype=np.int64)
        used[week.priced] = week.last
        keys.used[accepted] = used[accepted]
        keys.used[keys.used < 0] = np.where(keys.seen < 0, -1, keys.seen)[keys.used < 0]


def _mask(which: Ints, size: int) -> Bools:
    out = np.zeros(size, dtype=bool)
    out[which] = True
    return out
