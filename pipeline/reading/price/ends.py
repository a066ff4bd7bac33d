"""The one or two numbers of an amount, joined: multipliers and currencies written once belong to both."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import Final

_OWN_SCALE: Final = 100  # `800-1.2万`: a low end from here on is not counted in 万


@dataclass(slots=True)
class End:
    """One number with its multiplier and currency; `first` is its token, `last` the token behind it."""

    value: Decimal
    scale: Decimal | None
    currency: str | None
    more: bool
    last: int
    first: int = 0


def foreign_first(prefix: str | None, left: str | None, right: str | None) -> str | None:
    """`港币2800元`: 元 after another currency's name is that currency."""
    if left is None and right is None:
        return prefix
    named = [c for c in (prefix, left, right) if c is not None]
    return next((c for c in named if c != "CNY"), named[0] if named else None)


def scaled(left: End, right: End | None) -> tuple[Decimal, Decimal, Decimal | None]:
    """Both ends in whole units; a multiplier written once belongs to both ends."""
    if right is None:
        return left.value, left.value, left.scale
    low, high = left.value, right.value
    scale = right.scale or left.scale
    if right.scale is not None and left.scale is None:
        plain = right.value / right.scale
        if low < _OWN_SCALE or low < plain:
            low *= right.scale
    return low, high, scale
