"""Period, currency and billing mode of an amount: said by itself, by its cell, or by the context."""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from pipeline.reading.price.amounts import Amount
from pipeline.reading.price.found import Mode, Scan, UnitWord
from pipeline.reading.price.unit import Unit

_RANK: Final = {
    "second": 0, "minute": 0, "hour": 0, "day": 1, "week": 2, "month": 3, "quarter": 4, "half_year": 5,
    "year": 6,
}  # fmt: skip
_MODE_RANK: Final = {"daily": 1, "weekly": 2, "monthly": 3, "yearly": 6}
_BY_PERIOD: Final = {
    "second": "on_demand", "minute": "on_demand", "hour": "on_demand", "day": "daily", "week": "weekly",
    "month": "monthly", "quarter": "reserved", "half_year": "reserved", "year": "yearly",
}  # fmt: skip
_HAN: Final = re.compile("[\u4e00-\u9fff]")
_DAY: Final = 24
_GRANULAR: Final = "granular"  # 按秒计费: how a mode is metered, and a mode only where no other is named
_TABS: Final = 3  # as many different billing words in one context are a row of tabs, not this cell's


@dataclass(slots=True)
class Period:
    """`own`: the amount or its cell says it, not the context."""

    per: str | None
    count: int
    own: bool
    word: UnitWord | None = None


def period(amount: Amount, text: Scan, context: Scan) -> Period:
    """The period of an amount; `per` None where nothing says one."""
    if amount.unit.per is not None:
        per, count = amount.unit.per, amount.unit.count
        if per == "hour" and count % _DAY == 0:
            per, count = "day", count // _DAY  # 288元/24小时
        return Period(per, count, True)
    if amount.lead_per is not None:
        return Period(amount.lead_per, amount.lead_count, True, _header(text))
    for other in text.amounts:
        if other.role not in {"conv", "stat", "saving", "deposit"} and other is not amount and other.unit.per:
            return Period(other.unit.per, other.unit.count, True)
    said = _said(text, amount)
    if said is not None:
        return Period(said[0], said[1], True, said[2])
    said = _said(context)
    if said is not None:
        return Period(said[0], said[1], False, said[2])
    return Period(None, 1, False, _header(context))


def wanted(context: Scan) -> str | None:
    """The period that a context names for its cell."""
    said = _said(context)
    return said[0] if said is not None else None


def _header(found: Scan) -> UnitWord | None:
    return found.units[-1] if found.units else None


def _own_modes(found: Scan, amount: Amount | None) -> list[Mode]:
    """The billing words that do not stand before another amount."""
    if amount is None or not found.modes:
        return found.modes
    taken = [range(one.lead_from, one.last) for one in found.amounts if one is not amount]
    return (
        [one for one in found.modes if not any(one.at in place for place in taken)] if taken else found.modes
    )


def _said(found: Scan, amount: Amount | None = None) -> tuple[str, int, UnitWord | None] | None:
    """The last period that a text names outside of its amounts."""
    candidates: list[tuple[int, str, int, UnitWord | None]] = []
    for word in found.units:
        if word.unit.per is not None:
            candidates.append((word.at, word.unit.per, word.unit.count, word))
    for mode in _own_modes(found, amount):
        if mode.per is not None:
            candidates.append((mode.at, mode.per, mode.count, None))
    if candidates:
        _, per, count, said = max(candidates, key=lambda one: one[0])
        header = _header(found)
        bare = said is None or (said.scale is None and said.currency is None)
        return per, count, header if bare and header is not None else said  # 月价(万元)
    spans = [one for one in found.spans if one[1] not in {"hour", "minute", "second"} or one[0] == 1]
    if len(spans) == 1 and not found.term:
        return spans[0][1], spans[0][0], _header(found)
    return None


def currency(amount: Amount, text: Scan, context: Scan, hint: str | None) -> str | None:
    """The currency, by evidence only: a sign or word, the column, the caller's hint, a Chinese unit."""
    if amount.currency is not None:
        return amount.currency
    for other in text.amounts:
        if other.currency is not None and other.role != "conv":
            return other.currency
    for found in (text, context):
        named = [word.currency for word in found.units if word.currency is not None]
        if named:
            return named[-1]
    if hint is not None:
        return hint
    if "foreign" in text.flags or "foreign" in context.flags:
        return None
    return "CNY" if amount.myriads or _chinese(text.text) or _chinese(context.text) else None


def _chinese(text: str) -> bool:
    return _HAN.search(text) is not None


def scale(amount: Amount, word: UnitWord | None) -> Decimal:
    """The multiplier of a header (`万元/月`) for a number that carries none itself."""
    if word is None or word.scale is None or amount.myriads or amount.currency is not None:
        return Decimal(1)
    return word.scale


def basis_of(amount: Amount, word: UnitWord | None) -> Unit:
    """The unit that says card or server: the amount's own, else the header's."""
    own = amount.unit
    if own.card or own.server or word is None:
        return own
    return Unit(
        own.per, own.count, word.unit.card, word.unit.server, word.unit.cards, own.other or word.unit.other
    )


def mode(amount: Amount, per: str, count: int, text: Scan, context: Scan, hint: str | None) -> str:
    """The billing mode: by the words of the cell, else of the context, as far as they fit the period."""
    base = default_mode(per, count)
    if base == "pack":
        return base
    if hint is not None:
        return hint
    if text.term or (context.term and not text.modes):
        return "reserved"
    chosen = _chosen(_own_modes(text, amount)) or _chosen(context.modes)
    if chosen is None:
        return base
    return fitted(chosen, per, count)


def default_mode(per: str, count: int) -> str:
    """The mode that follows from the period alone."""
    if per == "day" and count > 1:
        return "pack"
    months = {"month": 1, "quarter": 3, "half_year": 6, "year": 12}.get(per, 0) * count
    if months == 12:
        return "yearly"
    if months >= 3:
        return "reserved"
    return _BY_PERIOD[per]


def _chosen(modes: list[Mode]) -> str | None:
    """The word that counts: the last one; a term word without a period (长租) only where it stands alone."""
    plain = [one for one in modes if one.mode not in {"prepaid", "pack", _GRANULAR}]
    if not plain and any(one.mode == _GRANULAR for one in modes):
        return "on_demand"
    timed = [one for one in plain if one.mode != "reserved" or one.per is not None] or plain
    if not timed:
        return None
    spot = [one for one in timed if one.mode == "spot"]
    if len({one.mode for one in timed}) >= _TABS:
        return None
    return "spot" if spot and spot[-1] is timed[-1] else timed[-1].mode


def fitted(chosen: str, per: str, count: int) -> str:
    """A billing word against the period: `包月` per hour is monthly, `按天` beside a month's price is not."""
    base = default_mode(per, count)
    if chosen in {"spot", "serverless", "reserved"}:
        return chosen
    if chosen in {"on_demand", "prepaid_hour"}:
        return chosen if _RANK[per] == 0 else base
    if _MODE_RANK[chosen] >= _RANK[per] and not (count > 1 and base == "reserved"):
        return chosen
    return base
