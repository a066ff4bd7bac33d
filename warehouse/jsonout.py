"""Rows of a query as JSON: DECIMAL as exact numbers without float noise, times as ISO 8601 with offset."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import Any


def number(value: Decimal) -> str:
    """The shortest plain notation: 2.180000 → 2.18, 24.000000 → 24. Every digit that counts is kept."""
    text = format(value, "f")
    if "." in text:
        text = text.rstrip("0").rstrip(".")
    return "0" if text in {"-0", ""} else text


def dumps(value: Any) -> str:
    """One JSON document. NaN and infinity, which JSON does not know, become null; bytes become hex."""
    if value is None or (isinstance(value, float) and not math.isfinite(value)):
        return "null"
    if isinstance(value, bool | int | float | str):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, Decimal):
        return number(value) if value.is_finite() else "null"
    if isinstance(value, datetime | date | time):
        return json.dumps(value.isoformat())
    if isinstance(value, timedelta):
        return json.dumps(str(value))
    if isinstance(value, bytes):
        return json.dumps(value.hex())
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{dumps(str(k))}: {dumps(v)}" for k, v in value.items()) + "}"
    if isinstance(value, list | tuple | set):
        return "[" + ", ".join(dumps(item) for item in value) + "]"
    return json.dumps(str(value), ensure_ascii=False)
