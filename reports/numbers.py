"""Decimals at the edges: read exactly, rounded half-up once, written to JSON without float noise."""

from __future__ import annotations

import json
import re
from decimal import ROUND_HALF_UP, Decimal
from fractions import Fraction
from typing import Any

_HALF = re.compile("[\ud800-\udfff]")


def half_up(value: Decimal | Fraction, places: int = 2) -> Decimal:
    """`value` rounded half-up to `places` decimals (exact also for fractions that no Decimal can hold)."""
    if isinstance(value, Fraction):
        scaled = value * 10**places
        whole = (abs(scaled) + Fraction(1, 2)).__floor__()
        return Decimal(f"{whole if scaled >= 0 else -whole}E-{places}")  # by its text: no context rounds it
    return value.quantize(Decimal(1).scaleb(-places), rounding=ROUND_HALF_UP)


def decimal_or_none(value: object) -> Decimal | None:
    """A finite Decimal from an int, float, text or Decimal; None for None, ValueError otherwise.

    Floats go through their shortest text, so 2.1 read from JSON is exactly 2.1.
    """
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, (int, float, str, Decimal)):
        raise ValueError(f"{value!r} is not a number")
    try:
        number = value if isinstance(value, Decimal) else Decimal(str(value).strip())
    except ArithmeticError:
        raise ValueError(f"{value!r} is not a number") from None
    if not number.is_finite():
        raise ValueError(f"{value!r} is not a finite number")
    return number


def plain(value: Any) -> Any:
    """`value` with every Decimal as a JSON number (an int where whole), in dicts, lists and tuples too."""
    if isinstance(value, Decimal):
        # A float prints as its shortest text, so up to 15 significant digits come out as they went in.
        return int(value) if value == value.to_integral_value() else float(value)
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    return value


def dumps(value: Any, indent: int | None = None) -> str:
    """JSON with Decimals as exact numbers and Chinese kept readable. Half a character, which no UTF-8 can
    hold, stays the escape that it was."""
    text = json.dumps(plain(value), ensure_ascii=False, indent=indent, allow_nan=False)
    return _HALF.sub(lambda half: f"\\u{ord(half.group()):04x}", text)


def loads(text: str) -> Any:
    """JSON with numbers read as exact Decimals (ints stay ints); ValueError for NaN, Infinity, what no
    Decimal can hold and nesting without end."""
    try:
        return json.loads(text, parse_float=Decimal, parse_constant=_refuse)
    except RecursionError:
        raise ValueError("nested too deeply") from None
    except ArithmeticError:
        raise ValueError("a number that no Decimal can hold") from None


def _refuse(word: str) -> None:
    raise ValueError(f"{word} is not a number")
