"""TOML that a user wrote, with one kind of refusal for everything that it cannot be."""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from decimal import Decimal
from typing import Any


def loads(text: str, number: Callable[[str], Any] = Decimal) -> dict[str, Any]:
    """The document; `number` makes what has a point. TOMLDecodeError (a ValueError) also for what the library
    lets through: numbers that Python or Decimal refuses to hold, and nesting without end."""
    try:
        return tomllib.loads(text, parse_float=number)
    except tomllib.TOMLDecodeError:
        raise
    except RecursionError:
        raise tomllib.TOMLDecodeError("nested too deeply") from None
    except (ValueError, ArithmeticError, OverflowError):
        raise tomllib.TOMLDecodeError("a number or date that cannot be held") from None
