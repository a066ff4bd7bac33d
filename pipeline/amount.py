"""A bare amount from a structured field: a number or the reason why it is none.

Free text goes to `pipeline.reading.price`; this is for fields that hold one number and nothing else.
"""

from __future__ import annotations

import re
import unicodedata
from decimal import Decimal

_NUMBER = re.compile(r"[+-]?(?:(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?|\.\d+)(?:[eE][+-]?\d{1,3})?")
_INFINITE = frozenset(("inf", "+inf", "-inf", "infinity", "+infinity", "-infinity", "∞"))
_BOUNDS = (Decimal("1e-9"), Decimal("1e12"))  # beyond them no money column holds a number, in any unit
_MISSING = frozenset(("", "-", "--", "—", "null", "none", "na", "n/a", "/"))


def read_amount(text: str | None) -> Decimal | str:
    """Positive finite Decimal, or a reason code: price_missing, price_not_a_number, price_infinite,
    price_zero, price_negative, implausible. Thousands separators are read (`1,234.5`), full-width digits too.
    """
    value = unicodedata.normalize("NFKC", text or "").strip()
    if value.casefold() in _MISSING:
        return "price_missing"
    if value.casefold() in _INFINITE:
        return "price_infinite"
    if len(value) > 64 or not _NUMBER.fullmatch(value):
        return "price_not_a_number"
    number = Decimal(value.replace(",", ""))
    if number == 0:
        return "price_zero"
    if number < 0:
        return "price_negative"
    return number if _BOUNDS[0] <= number < _BOUNDS[1] else "implausible"
