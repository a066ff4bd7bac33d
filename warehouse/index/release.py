"""Quarantine of key-weeks and its way out (rule 8): the same price again, a second provider, a reviewer.

A key-week is confirmed when every price of it that its cells would not let pass is confirmed: by the same
price of the same key in another run at least twelve hours apart — later, before the freeze, or earlier
and itself in quarantine — or by a second provider that came to the same price in that week, or by a
reviewer.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np

from warehouse.index.calendar import DAY_US, HOUR_US, freeze_of, monday_of
from warehouse.index.fixed import Bools, Ints, ln_fixed
from warehouse.index.method import Method

_STANDING_US = 28 * DAY_US


@dataclass(frozen=True, slots=True)
class Told:
    """Observations that may enter a weekly price, sorted by time; columns of equal length."""

    time: Ints
    key: Ints  # key row; -1 for goods that the index leaves out
    unit: Ints
    provider: Ints
    run: Ints
    price: Ints  # CNY · 10⁶
    obs: Ints
    freed: Bools  # a reviewer let it pass


@dataclass(slots=True)
class _Pending:
    """What one key has in quarantine: all rows of its key-weeks, and those that need confirming."""

    rows: list[int] = field(default_factory=list)
    odd: list[int] = field(default_factory=list)


class Quarantine:
    """The `Releases` of the recursion, over one set of observations."""

    def __init__(self, told: Told, key_no: Ints, method: Method) -> None:
        """`key_no`: key row of each series key."""
        self.told, self.key_no, self.method = told, key_no, method
        self.within = Fraction(method.outlier.release_within)
        self.apart = method.outlier.release_hours * HOUR_US
        self._by_key: Ints | None = None
        self._starts: Ints = np.empty(0, dtype=np.int64)
        self._pending: dict[int, _Pending] = {}
        self.held: set[int] = set()

    def confirmed(self, key: int, week: int, low: int, high: int) -> bool:
        """Whether everything odd of the key-week is confirmed by its freeze."""
        odd = self._odd(key, week, low, high)
        return bool(len(odd)) and all(self._one(key, int(row), odd, week) for row in odd)

    def hold(self, key: int, week: int, low: int, high: int) -> None:
        """Every observation of the key-week goes into quarantine."""
        pending = self._pending.setdefault(key, _Pending())
        rows = self._rows(key, monday_of(week), monday_of(week + 1))
        pending.rows.extend(rows.tolist())
        pending.odd.extend(self._odd(key, week, low, high).tolist())
        self.held.update(rows.tolist())

    def pending(self) -> list[int]:
        """Series keys with something in quarantine."""
        return list(self._pending)

    def settle(self, key: int, released: bool) -> None:
        """The key has an accepted price again."""
        pending = self._pending.pop(key)
        if released:
            self.held.difference_update(pending.rows)

    def held_obs(self) -> Ints:
        """Observations that are still in quarantine, by `obs`."""
        return np.sort(self.told.obs[np.array(sorted(self.held), dtype=np.int64)])

    def _rows(self, key: int, since: int, until: int) -> Ints:
        """Rows of a key with since <= time < until, in time order."""
        if self._by_key is None:  # most markets never ask
            self._by_key = np.argsort(self.told.key, kind="stable")
            self._starts = np.searchsorted(
                self.told.key[self._by_key], np.arange(int(self.key_no.max(initial=-1)) + 2)
            )
        number = int(self.key_no[key])
        rows = self._by_key[self._starts[number] : self._starts[number + 1]]
        first, last = np.searchsorted(self.told.time[rows], (since, until))
        return rows[first:last]

    def _odd(self, key: int, week: int, low: int, high: int) -> Ints:
        rows = self._rows(key, monday_of(week), monday_of(week + 1))
        logs = ln_fixed(self.told.price[rows], 1e6)
        return rows[(logs < low) | (logs > high)]

    def _same(self, row: int, rows: Ints) -> Ints:
        """Those of `rows` whose price is the same within the tolerance."""
        price = int(self.told.price[row])
        apart = np.abs(self.told.price[rows] - price)
        return rows[apart * self.within.denominator <= price * self.within.numerator]

    def _one(self, key: int, row: int, odd: Ints, week: int) -> bool:
        told = self.told
        if told.freed[row]:
            return True
        time, freeze = int(told.time[row]), freeze_of(week, self.method)
        later = self._same(row, self._rows(key, time + self.apart, freeze))
        earlier = [r for r in (*self._waiting(key), *odd.tolist()) if told.time[r] <= time - self.apart]
        again = np.concatenate((later, self._same(row, np.array(earlier, dtype=np.int64))))
        if np.any(told.run[again] != told.run[row]):
            return True
        return self._agreed(row, monday_of(week), freeze)

    def _agreed(self, row: int, monday: int, freeze: int) -> bool:
        """Whether a second provider came to the same price this week.

        One that has stood there before the week says nothing about a move that ends there.
        """
        now = set(self.told.provider[self._same(row, self._others(row, monday, freeze))].tolist())
        if not now:
            return False
        before = self._same(row, self._others(row, monday - _STANDING_US, monday))
        return bool(now - set(self.told.provider[before].tolist()))

    def _others(self, row: int, since: int, until: int) -> Ints:
        """Rows of the same good at other providers with since <= time < until."""
        first, last = np.searchsorted(self.told.time, (since, until))
        others = np.arange(first, last)
        others = others[self.told.unit[first:last] == self.told.unit[row]]
        elsewhere: Ints = others[self.told.provider[others] != self.told.provider[row]]
        return elsewhere

    def _waiting(self, key: int) -> list[int]:
        pending = self._pending.get(key)
        return pending.odd if pending else []
