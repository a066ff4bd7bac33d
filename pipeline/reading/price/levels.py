"""Price levels seen per card and provider class (`catalog/price_levels.csv`), CNY per card-hour.

They guard against readings that cannot be; they are no prices and enter no index.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from typing import Final

from catalog.table import rows

LOW_FACTOR: Final = Decimal("0.25")
HIGH_FACTOR: Final = Decimal(6)
# Without a level of its own a card is held to what any rented card has ever cost.
ABSOLUTE: Final = (Decimal("0.02"), Decimal(100))
# One card or a machine? Above these multiples of the levels the amount is hardly one card's.
ABOVE_ALL: Final = Decimal("1.5")
ABOVE_CLOUDS: Final = Decimal(2)
ABOVE_SMALL_SELLERS: Final = Decimal(3)
UNKNOWN_SINGLE: Final = Decimal(15)
_MACHINE: Final = 8
_NEAR_LOW, _NEAR_HIGH = Decimal("0.7"), Decimal("1.3")
_CLOUD: Final = "cloud"


@dataclass(frozen=True, slots=True)
class Level:
    """Lowest and highest level of a card over some provider classes."""

    low: Decimal
    high: Decimal


@cache
def levels() -> Mapping[tuple[str, str], Level]:
    """Level per (card, provider class)."""
    return {
        (row["card"], row["provider_class"]): Level(Decimal(row["low"]), Decimal(row["high"]))
        for row in rows("price_levels.csv")
    }


@cache
def level(card: str, *, clouds: bool = True) -> Level | None:
    """Level of a card over all provider classes (without the clouds if `clouds` is False); None if unseen."""
    known = [
        found for (name, provider_class), found in levels().items()
        if name == card and (clouds or provider_class != _CLOUD)
    ]  # fmt: skip
    if not known:
        return None
    return Level(min(one.low for one in known), max(one.high for one in known))


def plausible(card: str | None, low: Decimal | None, high: Decimal | None) -> bool:
    """Whether the ends of a price (CNY per card-hour, None = open) are levels a card can have."""
    least, most = _bounds(card) if card else ABSOLUTE
    return all(value is None or least <= value <= most for value in (low, high))


@cache
def _bounds(card: str) -> tuple[Decimal, Decimal]:
    """Least and most a card can cost whoever sells it; clouds' lists are the top of the market already."""
    every, small = level(card), level(card, clouds=False)
    if every is None:
        return ABSOLUTE
    tops = [every.high * ABOVE_CLOUDS] + ([small.high * HIGH_FACTOR] if small is not None else [])
    return every.low * LOW_FACTOR, max(tops)


def single_card(card: str | None, value: Decimal) -> bool:
    """Whether `value` (CNY per hour) can be one card's rent, where nothing says that it is a machine's.

    A month's rent that is high for a card and, divided by eight, just what small sellers ask for one card of
    a machine (2.5万 for an A100-80G) is taken for neither.
    """
    every = level(card) if card else None
    if card is None or every is None:
        return value <= UNKNOWN_SINGLE
    if value > every.high * ABOVE_ALL:
        return False
    small, idc = level(card, clouds=False), levels().get((card, "idc"))
    if small is None:
        return True
    if value > small.high * ABOVE_SMALL_SELLERS:
        return False
    eighth = value / _MACHINE
    machine = idc is not None and idc.low * _NEAR_LOW <= eighth <= idc.high * _NEAR_HIGH
    return not (machine and value > small.high * ABOVE_ALL)


def machine(card: str | None, value: Decimal) -> bool:
    """Whether `value` (CNY per hour) can be the rent of a machine of up to sixteen cards."""
    return any(plausible(card, value / cards, None) for cards in (2, 4, 8, 16))


def monthly_rent(card: str | None, value: Decimal) -> bool:
    """Whether an amount without a period, read as a month's rent per card-hour, is at the card's level."""
    return (
        card is not None
        and level(card) is not None
        and plausible(card, value, None)
        and single_card(card, value)
    )
