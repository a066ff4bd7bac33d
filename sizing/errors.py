"""The one exception of this room: what a user asked for cannot be sized, said in a sentence."""

from __future__ import annotations

import math
from typing import Any, TypeGuard

SHOWN = 60


class SizingError(ValueError):
    """Bad or contradictory input. `str(error)` is one sentence for the user, never a traceback."""


def is_number(value: Any) -> TypeGuard[int | float]:
    """Whether a value from JSON is a finite number that a float can hold."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return False
    return value.bit_length() < 1000 if isinstance(value, int) else math.isfinite(value)


def shown(value: Any) -> str:
    """A value as a sentence quotes it: its repr, cut where it runs on."""
    if isinstance(value, int) and value.bit_length() >= 1000:
        return "an integer of hundreds of digits"
    text = repr(value)
    return text if len(text) <= SHOWN else text[: SHOWN - 1] + "…"
