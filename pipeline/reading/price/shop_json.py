"""Prices in a JSON object, as pages keep them for their scripts, written as a cell would say them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, Final

_CYCLES: Final = {"1": "月", "3": "季", "6": "半年", "12": "年", "24": "2年", "36": "3年"}
_STARTS: Final = ("{", '"')
_LONGEST: Final = 2_000  # characters; a longer object is a page's, not a cell's
_PRICE: Final = re.compile(
    r"(?:unit|sale|list|final|real|cur|current|pay|gpu|card)?(?:price|amount)(?:cny|rmb)?"
)
_TIMED: Final = re.compile(
    r"(?:gpu)?(?:price)?(?:per)?(hour|day|week|month|year)(?:ly)?(?:price|rent)?|(daily)price"
)
_UNIT: Final = re.compile(
    r"(?:price|billing|charge|pay|bill)?(?:unit|period|cycle|duration|per|type|mode|method)"
)
_COUNT: Final = re.compile(r"(?:gpu|card)s?(?:count|num|number|amount)")
_PERIODS: Final = re.compile(
    r"(?:per|by)?_?(hour|day|week|month|year|daily|小时|时|天|日|周|月|年)(?:ly)?", re.IGNORECASE
)
_NUMBER: Final = re.compile(r"[0-9]{1,9}(?:\.[0-9]{1,6})?")


def shop_json(text: str) -> str:
    """The text itself where it holds no object with prices that this module knows."""
    start = text.lstrip()[:1]
    if start not in _STARTS or len(text) > _LONGEST or ":" not in text:
        return text
    try:
        data = json.loads(text if start == "{" else "{" + text.strip().rstrip(",") + "}")
    except (ValueError, RecursionError):
        return text
    if not isinstance(data, dict):
        return text
    if "cprice" in data:
        return _cycled(data) or text
    flat = {re.sub(r"[^a-z]", "", key.lower()): value for key, value in data.items()}
    prices = [*_timed(flat), *_plain(flat)]
    if not prices:
        return text
    said = [value for value in data.values() if isinstance(value, str) and not _NUMBER.fullmatch(value)]
    kept = [value for value in said if not _PERIODS.fullmatch(value) and value != data.get("currency")]
    counts = [f"{value}卡" for key, value in flat.items() if _COUNT.fullmatch(key) and _number(value)]
    return " | ".join([*kept, *counts, ";".join(prices)])


def _cycled(data: dict[str, Any]) -> str:
    """Arguments of a shop's inline script (`{"cprice":"299","cycle":"1"}`): cycles count months."""
    prices, cycles = str(data["cprice"]).split(","), str(data.get("cycle", "")).split(",")
    pairs = [(p.strip(), c.strip()) for p, c in zip(prices, cycles, strict=False)]
    return ";".join(
        f"{price}元/{_CYCLES.get(cycle, cycle + '个月')}" for price, cycle in pairs if price not in {"", "0"}
    )


def _timed(flat: dict[str, Any]) -> Iterator[str]:
    """`{"monthPrice": 1050}`: the key says the period."""
    for key, value in flat.items():
        found = _TIMED.fullmatch(key)
        if found is not None and "p" in key and (number := _number(value)):
            yield f"{number}{_currency(flat)}/{'day' if found[2] else found[1]}"


def _plain(flat: dict[str, Any]) -> Iterator[str]:
    """`{"price": "1.98", "unit": "hour"}`: another key says it."""
    units = [value for key, value in flat.items() if _UNIT.fullmatch(key) and isinstance(value, str)]
    period = next((found[1] for value in units if (found := _PERIODS.fullmatch(value))), None)
    for key, value in flat.items():
        if (
            period is not None
            and _PRICE.fullmatch(key)
            and not _COUNT.fullmatch(key)
            and (number := _number(value))
        ):
            yield f"{number}{_currency(flat)}/{period.lower()}"


def _number(value: object) -> str | None:
    """Digits of a price; None for what is no plain number, and for zero."""
    text = str(value) if isinstance(value, (int, float, str)) and not isinstance(value, bool) else ""
    return text if _NUMBER.fullmatch(text) and float(text) > 0 else None


def _currency(flat: dict[str, Any]) -> str:
    named = flat.get("currency")
    return f" {named}" if isinstance(named, str) and len(named) <= 4 else ""
