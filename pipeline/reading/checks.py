"""Checks over the readings of one page: numbers against their neighbours and against the card's level.

Every check gives verdicts with reasons and nothing is repaired: a row with a verdict of `check` contradicts
its page and is refused, one with a verdict of `level_guard` wants a person's look (`pipeline.page` makes the
rows and acts). What sellers have been seen to do is no contradiction: machines with a rebate or more memory
per card, a month that is dearer by the hour than a day.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from statistics import median
from typing import Final

from catalog.periods import period_hours
from pipeline.reading.price.levels import HIGH_FACTOR, LOW_FACTOR, levels
from pipeline.reading.price.model import PriceReading, PriceReject
from pipeline.reading.price.verify import SIBLING_TOLERANCE

FLAT_TOLERANCE: Final = Decimal("0.05")  # 1, 2, 4 and 8 cards that cost the same in all
_FLAT_COUNTS: Final = 3  # as many sizes at one price are no rebate
# What a column is off by when its unit is read wrongly: minutes, hours a day, cents, hours a month,
# thousandths, 万. Eight cards are no such slip: classes differ by as much; the sibling check finds machines.
UNIT_SLIPS: Final = {
    Decimal(60): "minute/hour", Decimal(24): "hour/day", Decimal(100): "分/元", Decimal(1000): "0.001 元/元",
    Decimal(730): "hour/month", Decimal(8760): "hour/year", Decimal(10_000): "元/万元",
}  # fmt: skip
_SLIP_TOLERANCE: Final = Decimal("0.35")
_SLIP_CARDS: Final = 3  # one card may be special; three that are off alike are a unit
_HOURLY_LENGTHS: Final = frozenset(("minute", "second", "hour"))


@dataclass(frozen=True, slots=True)
class Row:
    """One cell of a page. `key` says where; rows of one `heading` are about one card at one place, cells of
    one `column` share a header, those of one `good` are one good however it is paid for. `provider_class`:
    marketplace, cloud or idc.
    """

    key: str
    reading: PriceReading | PriceReject
    heading: str = ""
    column: str = ""
    good: str = ""
    provider_class: str | None = None


@dataclass(frozen=True, slots=True)
class Verdict:
    """Why the row at `key` must not be taken as it is; `detail` says which numbers disagree."""

    key: str
    reason: str
    detail: str


Medians = Mapping[tuple[str, str], Decimal]
"""(card, provider class) → rolling median, CNY per card-hour."""


def check(rows: Sequence[Row]) -> list[Verdict]:
    """The contradictions, in the order of the rows and then of the checks."""
    found: dict[str, list[Verdict]] = defaultdict(list)
    checks: tuple[Callable[[Sequence[Row]], list[Verdict]], ...] = (
        siblings,
        currencies,
        columns,
        units,
        periods,
    )
    for verdict in (v for one in checks for v in one(rows)):
        found[verdict.key].append(verdict)
    return [verdict for key in dict.fromkeys(row.key for row in rows) for verdict in found.get(key, ())]


def siblings(rows: Sequence[Row]) -> list[Verdict]:
    """Single-card range × count against the whole machine's, per heading; a broken single row spoils both."""
    verdicts = []
    for group in _by(rows, lambda row: row.heading):
        broken = any(
            isinstance(row.reading, PriceReject) and row.reading.reject == "truncated_range" for row in group
        )
        read = _readings(group)
        singles = [r for _, r in read if (r.basis == "card" or r.cards == 1) and _ranged(r)]
        for row, machine in read:
            if machine.basis != "server" or machine.cards < 2 or not _ranged(machine):
                continue
            mine = [one for one in singles if _same(one, machine)]
            if broken and not mine:
                verdicts.append(
                    Verdict(row.key, "truncated_range_by_sibling", "the single-card row has lost digits")
                )
            elif mine and not any(_near(machine, one) for one in mine):
                detail = f"{_ends(machine)} per card of the machine, {_ends(mine[0])} for one card"
                verdicts.append(Verdict(row.key, "truncated_range_by_sibling", detail))
    return verdicts


def currencies(rows: Sequence[Row]) -> list[Verdict]:
    """A cell in another currency than all its neighbours in the column (at least two of them)."""
    verdicts = []
    for group in _by(rows, lambda row: row.column):
        read = _readings(group)
        counts: dict[str, int] = defaultdict(int)
        for _, reading in read:
            counts[reading.currency] += 1
        if len(counts) < 2:
            continue
        usual = max(counts, key=lambda currency: counts[currency])
        for row, reading in read:
            if reading.currency != usual and counts[reading.currency] == 1 and counts[usual] >= 2:
                detail = f"{reading.currency} in a column of {usual}"
                verdicts.append(Verdict(row.key, "currency_suspect_by_sibling", detail))
    return verdicts


def columns(rows: Sequence[Row]) -> list[Verdict]:
    """Prices of a column that do not grow with the count: 1, 2, 4 and 8 cards at one price in all. Nobody
    knows then what the price is for."""
    verdicts = []
    for group in _by(rows, lambda row: row.column):
        for same in _by_good(group, with_cards=False):
            whole = [(row, r) for row, r in same if (r.basis == "server" or r.cards == 1) and r.native_low]
            one_by_cards = {r.cards: r for _, r in reversed(whole)}
            if len(one_by_cards) < _FLAT_COUNTS:
                continue
            base = one_by_cards[min(one_by_cards)]
            if any(_total(r) / _total(base) - 1 > FLAT_TOLERANCE for r in one_by_cards.values()):
                continue
            for row, reading in whole:
                if reading.cards != base.cards:
                    detail = f"{reading.cards} cards cost what {base.cards} costs"
                    verdicts.append(Verdict(row.key, "column_inconsistent", detail))
    return verdicts


def units(rows: Sequence[Row]) -> list[Verdict]:
    """A column whose prices are all off the cards' levels by one and the same factor of a unit."""
    verdicts = []
    for group in _by(rows, lambda row: row.column):
        ratios: dict[str, Decimal] = {}
        for row, reading in _readings(group):
            level = _level(reading.card, row.provider_class)
            value = reading.price_cny_per_card_hour_low
            if level is not None and value:
                ratios[reading.card] = value / level
        if len(ratios) < _SLIP_CARDS:
            continue
        slip = _slip(median(ratios.values()))
        if slip is None or any(_slip(ratio) != slip for ratio in ratios.values()):
            continue
        for row, _ in _readings(group):
            verdicts.append(Verdict(row.key, "unit_suspect", f"the column is off by {slip}"))
    return verdicts


def periods(rows: Sequence[Row]) -> list[Verdict]:
    """A longer period that costs less than a shorter one as a whole, as a year below a month."""
    verdicts = []
    for group in _by(rows, lambda row: row.good):
        for same in _by_good(group, with_cards=True):
            dated = sorted(
                ((_hours(r), row, r) for row, r in same if r.mode != "spot" and r.native_low is not None),
                key=lambda one: one[0],
            )
            for i, (hours, row, reading) in enumerate(dated):
                if any(
                    shorter < hours and _per_card(reading) * hours < _per_card(other) * shorter
                    for shorter, _, other in dated[:i]
                ):
                    verdicts.append(
                        Verdict(row.key, "period_order", f"{hours} h cost less than a shorter period")
                    )
    return verdicts


def level_guard(rows: Sequence[Row], medians: Medians | None = None) -> list[Verdict]:
    """Outside 0.25 to 6 times the median of the card within its provider class: `implausible`.

    `medians`: rolling medians of the caller; a card and class without one is held to the catalog's levels,
    one that has neither gets no verdict. Classes differ by a factor of 5 to 15 and are never pooled.
    """
    verdicts = []
    for row, reading in _readings(rows):
        provider_class = row.provider_class
        if provider_class is None or reading.currency != "CNY":
            continue
        middle = (medians or {}).get((reading.card, provider_class)) or _level(reading.card, provider_class)
        if middle is None:
            continue
        for value in (reading.native_low, reading.native_high):
            if value is not None and not middle * LOW_FACTOR <= value <= middle * HIGH_FACTOR:
                detail = f"{_four(value)} against a median of {_four(middle)} ({provider_class})"
                verdicts.append(Verdict(row.key, "implausible", detail))
                break
    return verdicts


def _readings(rows: Iterable[Row]) -> list[tuple[Row, PriceReading]]:
    return [(row, row.reading) for row in rows if isinstance(row.reading, PriceReading)]


def _by(rows: Sequence[Row], key: Callable[[Row], str]) -> list[list[Row]]:
    """Groups of at least two rows that share a heading or column."""
    groups: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        if key(row):
            groups[key(row)].append(row)
    return [group for group in groups.values() if len(group) > 1]


def _by_good(group: Sequence[Row], *, with_cards: bool) -> list[list[tuple[Row, PriceReading]]]:
    goods: dict[object, list[tuple[Row, PriceReading]]] = defaultdict(list)
    for row, r in _readings(group):
        cards = (r.cards, r.basis) if with_cards else ()
        term = () if with_cards else (r.mode, r.per, r.per_count)
        goods[(r.card, r.vram_gb, r.currency, r.price_kind, cards, term)].append((row, r))
    return list(goods.values())


def _same(single: PriceReading, machine: PriceReading) -> bool:
    return (single.card, single.currency, single.mode) == (machine.card, machine.currency, machine.mode)


def _near(machine: PriceReading, single: PriceReading) -> bool:
    pairs = ((machine.native_low, single.native_low), (machine.native_high, single.native_high))
    return all(not b or a is None or abs(a - b) / b <= SIBLING_TOLERANCE for a, b in pairs)


def _ranged(reading: PriceReading) -> bool:
    return reading.price_low is not None and reading.price_high not in {None, reading.price_low}


def _per_card(reading: PriceReading) -> Decimal:
    assert reading.native_low is not None
    return reading.native_low


def _total(reading: PriceReading) -> Decimal:
    return _per_card(reading) * reading.cards


def _level(card: str, provider_class: str | None) -> Decimal | None:
    level = levels().get((card, provider_class or ""))
    return (level.low + level.high) / 2 if level is not None else None


def _slip(ratio: Decimal) -> str | None:
    """The unit slip that a ratio to the level looks like, either way round."""
    for factor, words in UNIT_SLIPS.items():
        for off in (factor, 1 / factor):
            if abs(ratio / off - 1) <= _SLIP_TOLERANCE:
                return words
    return None


def _hours(reading: PriceReading) -> int:
    return 1 if reading.per in _HOURLY_LENGTHS else period_hours(reading.per, reading.per_count)


def _ends(reading: PriceReading) -> str:
    return f"{_four(reading.native_low)}–{_four(reading.native_high)}"


def _four(value: Decimal | None) -> str:
    return "" if value is None else format(round(value, 4).normalize(), "f")
