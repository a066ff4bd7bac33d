"""The exact optimum over billing modes.

Prepaid units are whole, so this is a covering problem: an unbounded knapsack over the hours of the stretch,
with the hourly meter paying for what the units leave. All arithmetic is on integers (money and time are
scaled by the common denominators first), so two plans are equal only when they truly cost the same.

Modes are added by length, shortest first. A plan found with shorter units is kept against an equally dear
one found later, which is the rule "a tie goes to the shorter longest unit"; inside a step the number of
prepaid units breaks ties.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from itertools import groupby
from math import ceil, gcd, lcm

from reports.cost.modes import CREDIT, METER, UNIT_HOUR, CostError, Mode

LONGEST_HOURS = 876_000  # a century; beyond it a question is a slip, and the table would not fit in memory
_COUNT = 1 << 40  # money is kept as `amount * _COUNT + number of units`, so one integer holds both criteria
_Found = tuple[int, int, int]  # value, cell of the stretch, cell of the use


@dataclass(frozen=True, slots=True)
class Purchase:
    """`units` of one mode per card (hours for the meter), `cost` per card."""

    key: str
    units: Fraction
    cost: Fraction


@dataclass(frozen=True, slots=True)
class Solution:
    """The cheapest plan for one card: its exact `total` and what is bought, longest unit first."""

    total: Fraction
    purchases: tuple[Purchase, ...]


def cheapest(
    hours: Decimal | Fraction | int,
    modes: Sequence[Mode],
    *,
    span_hours: Decimal | Fraction | int | None = None,
    granularity_s: Decimal | Fraction | int = 1,
    min_hours: Decimal | Fraction | int = 0,
) -> Solution:
    """Cheapest way to buy `hours` of one card.

    Without `span_hours` the work is one stretch: every prepaid unit covers a part of it. With it the work is
    spread evenly over that span: calendar units cover parts of the span, and meter, prepaid hours and credits
    pay for the share of the work in the time not covered. A pack of card-hours that ends gives as many whole
    hours as the work draws while it lasts: the next is bought when one ends.
    Raises CostError where the question has no answer.
    """
    work, step, least = Fraction(hours), Fraction(granularity_s) / 3600, Fraction(min_hours)
    span = work if span_hours is None else Fraction(span_hours)
    _check(work, span, step, least)
    if work == 0:
        return Solution(Fraction(0), ())
    usable = [replace(mode, hours=mode.usable(work / span), valid=None) for mode in modes]
    modes = [mode for mode in usable if mode.kind == METER or mode.hours]
    search = _Search(modes, _Question(work, span, step, least, spread=span_hours is not None))
    best: _Found | None = None
    bought: dict[str, int] = {}
    for group in ((), *_by_length(modes)):
        search.allow(group)
        found = search.scan(best)
        if found is not None:
            best, bought = found, search.units(found)
    if best is None:
        raise CostError("these modes cannot cover the hours")
    return search.solution(best, bought)


def _check(work: Fraction, span: Fraction, step: Fraction, least: Fraction) -> None:
    if work < 0:
        raise CostError("hours must be 0 or more")
    if span < work:
        raise CostError("span_hours is shorter than the hours of work in it")
    if span > LONGEST_HOURS:
        raise CostError(f"more than {LONGEST_HOURS} hours")
    if step <= 0:
        raise CostError("granularity_s must be above 0")
    if least < 0:
        raise CostError("min_hours must be 0 or more")


def _by_length(modes: Sequence[Mode]) -> Iterator[tuple[Mode, ...]]:
    prepaid = sorted((mode for mode in modes if mode.kind != METER), key=lambda mode: (mode.hours, mode.key))
    for _, group in groupby(prepaid, key=lambda mode: mode.hours):
        yield tuple(group)


class _Cover:
    """Cheapest whole units that cover at least 0, 1, 2 … grid cells; the last cell means "all of it"."""

    def __init__(self, modes: Sequence[Mode], length: Fraction) -> None:
        self.grid = gcd(*(int(mode.hours) for mode in modes)) if modes else 1
        self.last = ceil(length / self.grid) if modes else 0
        self.value: list[int | None] = [0] + [None] * self.last
        self.choice: list[tuple[int, Mode] | None] = [None] * (self.last + 1)

    def add(self, mode: Mode, price: int) -> None:
        """Allow `mode` too, at `price` (scaled money) a unit."""
        cells, paid = int(mode.hours) // self.grid, price * _COUNT + 1
        value, choice, last = self.value, self.choice, self.last
        for start in range(last):
            base = value[start]
            if base is None:
                continue
            end = min(start + cells, last)
            old = value[end]
            if old is None or base + paid < old:
                value[end], choice[end] = base + paid, (start, mode)

    def units(self, cell: int) -> dict[str, int]:
        """How many units of which mode stand behind `cell`."""
        counts: dict[str, int] = {}
        while (step := self.choice[cell]) is not None:
            cell, mode = step
            counts[mode.key] = counts.get(mode.key, 0) + 1
        return counts


@dataclass(frozen=True, slots=True)
class _Question:
    """Hours of work, of the span it lies in, of a metering step and of the least that is billed."""

    work: Fraction
    span: Fraction
    step: Fraction
    least: Fraction
    spread: bool


class _Search:
    """The question in integers: money by `scale`, work left over in `parts` of one metering step."""

    def __init__(self, modes: Sequence[Mode], ask: _Question) -> None:
        self.modes = sorted(modes, key=lambda mode: (mode.hours, mode.key))
        self.spread, self.step = ask.spread, ask.step
        self.meter = next((mode for mode in modes if mode.kind == METER), None)
        rate = self.meter.price if self.meter else Fraction(0)
        amounts = (rate * ask.step, rate * ask.least, *(mode.price for mode in modes))
        self.scale = lcm(*(amount.denominator for amount in amounts))
        self.per_step, self.at_least = (int(amount * self.scale) for amount in amounts[:2])
        prepaid = [mode for mode in self.modes if mode.kind != METER]
        self.stretch = _Cover([mode for mode in prepaid if not self._by_use(mode)], ask.span)
        self.used = _Cover([mode for mode in prepaid if self._by_use(mode)], ask.work)
        # Work left after c cells of the stretch and k cells of use, in metering steps: all - c*out - k*off.
        fractions = (
            ask.work / ask.step,
            ask.work * self.stretch.grid / ask.span / ask.step,
            self.used.grid / ask.step,
        )
        self.parts = lcm(*(f.denominator for f in fractions))
        self.all, self.out, self.off = (int(f * self.parts) for f in fractions)

    def _by_use(self, mode: Mode) -> bool:
        return self.spread and mode.kind in {UNIT_HOUR, CREDIT}

    def allow(self, modes: Iterable[Mode]) -> None:
        """Let the plan use these prepaid modes too."""
        for mode in modes:
            cover = self.used if self._by_use(mode) else self.stretch
            cover.add(mode, int(mode.price * self.scale))

    def scan(self, best: _Found | None) -> _Found | None:
        """The cheapest plan of the modes allowed so far if it costs strictly less than `best`, else None."""
        # Compared with an earlier step, only money counts: its longest unit is shorter, so it keeps a tie.
        limit = None if best is None else best[0] - best[0] % _COUNT
        found: _Found | None = None
        floor = self._least_rate()
        for cell, paid in enumerate(self.stretch.value):
            left = 0 if cell == self.stretch.last and cell else max(0, self.all - cell * self.out)
            if paid is None or (limit is not None and paid + left * floor[0] // floor[1] * _COUNT >= limit):
                continue
            for use, extra in enumerate(self.used.value):
                if extra is None or (limit is not None and paid + extra >= limit):
                    continue
                rest = 0 if use and use == self.used.last else left - use * self.off
                value = self._total(paid, extra, rest)
                if value is not None and (limit is None or value < limit):
                    limit, found = value, (value, cell, use)
        return found

    def _least_rate(self) -> tuple[int, int]:
        """A rate (money, parts) below which no work can be bought by use: prunes, never decides."""
        rates = [Fraction(self.per_step, self.parts)] if self.meter else []
        for mode in filter(self._by_use, self.modes):
            rates.append(mode.price * self.scale * self.step / mode.hours / self.parts)
        rate = min(rates, default=Fraction(0))
        return rate.numerator, rate.denominator

    def _total(self, paid: int, extra: int, left: int) -> int | None:
        if left <= 0:
            return paid + extra
        if self.meter is None:
            return None
        metered = max(self.at_least, -(-left // self.parts) * self.per_step)
        return paid + extra + metered * _COUNT

    def units(self, found: _Found) -> dict[str, int]:
        """Units of each prepaid mode in the plan just found; call before allowing more modes."""
        return self.stretch.units(found[1]) | self.used.units(found[2])

    def solution(self, best: _Found, bought: dict[str, int]) -> Solution:
        """The plan in exact fractions, longest unit first, the meter last."""
        lines = [
            Purchase(mode.key, Fraction(bought[mode.key]), bought[mode.key] * mode.price)
            for mode in reversed(self.modes)
            if mode.key in bought
        ]
        total = Fraction(best[0] // _COUNT, self.scale)
        metered = total - sum((line.cost for line in lines), Fraction(0))
        if metered and self.meter is not None:
            lines.append(Purchase(self.meter.key, metered / self.meter.price, metered))
        return Solution(total, tuple(lines))
