"""Billing modes as `suanjia cost` names them: how long one unit is and how it is used up."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

from catalog.periods import HOURS
from reports.numbers import decimal_or_none

METER = "meter"  # billed for the time used, by granularity and minimum
UNIT_HOUR = "unit_hour"  # prepaid by the whole hour
CALENDAR = "calendar"  # prepaid, covers a stretch of the calendar, used or not
CREDIT = "credit"  # a pack of card-hours, used up by the work alone

_NAMED: dict[str, tuple[str, int]] = {
    "hour": (METER, 0),
    "prepaid_hour": (UNIT_HOUR, HOURS["hour"]),
    **{word: (CALENDAR, HOURS[word]) for word in ("day", "week", "month", "year")},
}
_NUMBERED: dict[str, tuple[str, int]] = {"pack": (CALENDAR, HOURS["day"]), "credit": (CREDIT, 1)}


class CostError(ValueError):
    """A question that cannot be answered; the message says what is wrong with it."""


@dataclass(frozen=True, slots=True)
class Mode:
    """One way to buy: `key` as given, `hours` of a unit (0 for the meter), `price` of one per card.

    `valid`: calendar hours in which a pack of card-hours must be used up; None: no end.
    """

    key: str
    kind: str
    hours: Fraction
    price: Fraction
    valid: Fraction | None = None

    def usable(self, share: Fraction) -> Fraction:
        """Whole hours that work of this density (1: without a break) can draw from a unit."""
        if self.valid is None:
            return self.hours
        return min(self.hours, Fraction(self.valid * share // 1))


def parse_rates(rates: Mapping[str, object]) -> tuple[Mode, ...]:
    """Modes from `{"hour": 2.00, "pack:7": 200, "credit:100:30": 150}`; a null price is a mode not sold.

    Raises CostError for an unknown key, a price that is not a positive number, or no price at all.
    Sorted by length of a unit, then key, so the order of the input never matters.
    """
    modes = []
    for key, raw in rates.items():
        if raw is None:
            continue
        kind, hours, valid = _length(key)
        modes.append(Mode(key, kind, hours, _positive(key, raw), valid))
    if not modes:
        raise CostError("no rate given")
    return tuple(sorted(modes, key=lambda mode: (mode.hours, mode.kind, mode.key)))


def _length(key: str) -> tuple[str, Fraction, Fraction | None]:
    """(kind, hours of a unit, calendar hours it stays valid)."""
    if key in _NAMED:
        kind, hours = _NAMED[key]
        return kind, Fraction(hours), None
    word, *numbers = key.split(":")
    whole = [int(text) for text in numbers if text.isascii() and text.isdigit() and int(text) > 0]
    if (
        word in _NUMBERED
        and len(whole) == len(numbers)
        and len(whole) in ((1, 2) if word == CREDIT else (1,))
    ):
        kind, hours = _NUMBERED[word]
        valid = Fraction(whole[1] * HOURS["day"]) if len(whole) == 2 else None
        return kind, Fraction(hours * whole[0]), valid
    known = ", ".join([*_NAMED, "pack:N", "credit:N", "credit:N:DAYS"])
    raise CostError(f"unknown billing mode {key!r}; known: {known}")


def _positive(key: str, raw: object) -> Fraction:
    try:
        price = decimal_or_none(raw)
    except ValueError as error:
        raise CostError(f"rate of {key}: {error}") from None
    if price is None or price <= Decimal(0):
        raise CostError(f"rate of {key} must be above 0, not {raw!r}")
    return Fraction(price)
