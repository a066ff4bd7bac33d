"""Numbers of one cell against each other: conversions, discounts, siblings, currency. Never a repair."""

from __future__ import annotations

from decimal import Decimal
from typing import Final

from catalog.periods import per_hour
from pipeline.reading.price.amounts import Amount
from pipeline.reading.price.found import Scan

CONVERSION_TOLERANCE: Final = Decimal("0.1")  # 720 or 730 hours a month, 22 or 24 hours a day
DISCOUNT_TOLERANCE: Final = Decimal("0.03")
SIBLING_TOLERANCE: Final = Decimal("0.25")
_ONE: Final = Decimal(1)


def hourly(value: Decimal, per: str, count: int) -> Decimal:
    """`value` per hour; half a year counts as a period of its own."""
    return per_hour(value, per, count)


def conversions_agree(
    main: Amount, per: str, count: int, cards: int, conversions: list[Amount], currency: str
) -> bool:
    """Whether what stands behind ≈ or → is the same price in another unit (per card or per machine)."""
    base = hourly(main.low, per, count)
    for one in conversions:
        if (one.currency or currency) != currency or one.unit.per is None:
            continue
        other = hourly(one.low, one.unit.per, one.unit.count)
        factors = (_ONE, Decimal(cards), _ONE / cards)
        if not any(abs(other / (base * factor) - 1) <= CONVERSION_TOLERANCE for factor in factors):
            return False
    return True


def discount_agrees(price: Decimal, full: Decimal, discount: Decimal) -> bool:
    """Whether `price` is `full` at `discount` tenths (9.5折)."""
    expected = full * discount / 10
    return expected > 0 and abs(price - expected) / expected <= DISCOUNT_TOLERANCE


def ends_agree(
    machine: tuple[Decimal | None, Decimal | None], single: tuple[Decimal | None, Decimal | None]
) -> bool:
    """Whether a machine's price per card and a single card's differ by at most a quarter at each end."""
    for mine, other in zip(machine, single, strict=True):
        if (
            mine is not None
            and other is not None
            and other > 0
            and abs(mine - other) / other > SIBLING_TOLERANCE
        ):
            return False
    return True


def column_currency(siblings: Scan) -> str | None:
    """The currency that a note on the column names (`同列前两行单位为美元/小时`)."""
    if "column" not in siblings.flags:
        return None
    named = [word.currency for word in siblings.units if word.currency is not None]
    return named[-1] if named else None
