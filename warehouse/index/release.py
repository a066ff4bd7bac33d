"""Quarantine of key-weeks and its way out (rule 8): the same price again, a second provider, a reviewer.

A key-week is confirmed when every price of it that its cells would not let pass is confirmed: by the same
price of the same key in another run at least twelve hours apart — later, before the freeze, or earlier and
itself in quarantine — or by a second provider that came to the same price in that week, or by a reviewer.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, fields
from fractions import Fraction

import numpy as np

from warehouse.index.calendar import DAY_US, HOUR_US, freeze_of, monday_of
from warehouse.index.fixed import Bools, Ints, ln_fixed
from warehouse.index.method import Method

# One that has stood at a price for so long before a week says nothing about a move that ends there.
STANDING_US = 28 * DAY_US


@dataclass(frozen=True, slots=True)
class Told:
    """Observations that may enter a weekly price, sorted by time; columns of equal length."""

    time: Ints
    key: Ints  # key row; -1 for goods that the index leaves out
    provider: Ints
    run: Ints
    price: Ints  # CNY · 10⁶
    obs: Ints
    freed: Bools  # a reviewer let it pass

    def where(self, which: Bools) -> Told:
        """Some of them."""
        return Told(*(getattr(self, f.name)[which] for f in fields(self)))

    def between(self, since: int, until: int) -> Told:
        """Those with since <= time < until."""
        return self.where((self.time >= since) & (self.time < until))


# Unit and a stretch of time (µs, end excluded) → what was told of that good, all providers.
Source = Callable[[int, int, int], Told]


@dataclass(slots=True)
class _Pending:
    """What one key has in quarantine: observations of its key-weeks, and those that need confirming."""

    obs: list[int] = field(default_factory=list)
    odd: list[Told] = field(default_factory=list)


class Quarantine:
    """The `Releases` of the recursion over a store."""

    def __init__(self, source: Source, key_no: Ints, unit_of_key: Ints, method: Method) -> None:
        """`key_no`: key row of each series key; `unit_of_key`: unit of each key row."""
        self.source, self.key_no, self.unit_of_key, self.method = source, key_no, unit_of_key, method
        self.within = Fraction(method.outlier.release_within)
        self.apart = method.outlier.release_hours * HOUR_US
        self._pending: dict[int, _Pending] = {}
        self._seen: dict[int, Told] = {}  # by unit, for one week
        self._week = -1
        self._held: set[int] = set()

    def confirmed(self, key: int, week: int, low: int, high: int) -> bool:
        """Whether everything odd of the key-week is confirmed by its freeze."""
        seen = self._of(key, week)
        odd = self._odd(key, week, low, high)
        return len(odd.obs) > 0 and all(self._one(key, week, seen, odd, i) for i in range(len(odd.obs)))

    def hold(self, key: int, week: int, low: int, high: int) -> None:
        """Every observation of the key-week goes into quarantine."""
        pending = self._pending.setdefault(key, _Pending())
        rows = self._own(key, week).obs.tolist()
        pending.obs.extend(rows)
        pending.odd.append(self._odd(key, week, low, high))
        self._held.update(rows)

    def pending(self) -> list[int]:
        """Series keys with something in quarantine."""
        return list(self._pending)

    def settle(self, key: int, released: bool) -> None:
        """The key has an accepted price again."""
        pending = self._pending.pop(key)
        if released:
            self._held.difference_update(pending.obs)

    def held(self) -> list[int]:
        """Observations that are still in quarantine."""
        return sorted(self._held)

    def _of(self, key: int, week: int) -> Told:
        """What was told of the key's good in the weeks before and up to the freeze."""
        if week != self._week:
            self._week, self._seen = week, {}
        unit = int(self.unit_of_key[self.key_no[key]])
        if unit not in self._seen:
            self._seen[unit] = self.source(unit, monday_of(week) - STANDING_US, freeze_of(week, self.method))
        return self._seen[unit]

    def _own(self, key: int, week: int) -> Told:
        seen = self._of(key, week)
        return seen.where(seen.key == self.key_no[key]).between(monday_of(week), monday_of(week + 1))

    def _odd(self, key: int, week: int, low: int, high: int) -> Told:
        own = self._own(key, week)
        logs = ln_fixed(own.price, 1e6)
        return own.where((logs < low) | (logs > high))

    def _one(self, key: int, week: int, seen: Told, odd: Told, i: int) -> bool:
        if odd.freed[i]:
            return True
        time, price = int(odd.time[i]), int(odd.price[i])
        own = seen.where(seen.key == self.key_no[key])
        waiting = self._pending[key].odd if key in self._pending else []
        again = [own.between(time + self.apart, freeze_of(week, self.method))]
        again += [part.where(part.time <= time - self.apart) for part in (*waiting, odd)]
        if any(np.any(self._same(part, price) & (part.run != odd.run[i])) for part in again):
            return True
        others = seen.where(seen.provider != odd.provider[i])
        others = others.where(self._same(others, price))
        monday = monday_of(week)
        now, before = others.time >= monday, others.time < monday
        return bool(set(others.provider[now].tolist()) - set(others.provider[before].tolist()))

    def _same(self, told: Told, price: int) -> Bools:
        """Whose price is the same within the tolerance."""
        apart = np.abs(told.price - price)
        out: Bools = apart * self.within.denominator <= price * self.within.numerator
        return out
