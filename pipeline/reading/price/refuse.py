"""Reasons that the words of a cell give, or what it leaves open: not an offer, no card, no period."""

from __future__ import annotations

from decimal import Decimal
from typing import Final

from pipeline.reading.price import levels, verify
from pipeline.reading.price.cell import Cell, Quote
from pipeline.reading.price.goods import Basis, Card, basis

_FEW_THOUSAND: Final = Decimal(1000)  # no card was ever sold for less, no card-hour ever cost more
_TEXT_FIRST: Final = ("revenue_not_price", "demand_side", "budget_not_price", "not_gpu", "not_rental")
_PARTS: Final = frozenset(("gb", "core", "ip", "mbps", "rack", "call", "user", "site", "flops", "thing"))
HOURS: Final = frozenset(("hour", "minute", "second"))


def says(cell: Cell, quote: Quote) -> str | None:
    """A reason that the words of the cell or its context give, whatever card they are about."""
    text, context = cell.text.rejects, cell.context.rejects
    own = [*text.get("text", ()), *text.get("strong", ())]
    anywhere = (*text.get("any", ()), *context.get("any", ()))
    if "demand_side" in anywhere:
        return "demand_side"
    if "decides" in text or "decides" in context:
        return "not_gpu"
    if "revenue_not_price" in own:
        return "revenue_not_price"  # 每张4090月收益900元, told on a page about hosting
    hosted = "hosting" in context or ("hosting" in text and "含" not in cell.text.text)
    if hosted and "rent" not in cell.text.flags and "rent" not in cell.context.flags:
        return "not_gpu"
    for reason in _TEXT_FIRST:
        if reason in own:
            return reason
    if quote.unit.other in _PARTS:
        return "not_gpu"
    if "revenue_not_price" in context.get("context", ()):
        return "revenue_not_price"
    if quote.period.per is None:
        return None
    if "sold" in text and not quote.period.own:
        return "purchase_price"  # 二手 8万 in a column of rents
    if "not_rental" in context.get("context", ()):
        return "not_rental"
    spend = "budget_not_price" in context.get("context", ())
    if spend and not quote.period.own and "rent" not in cell.context.flags:
        return "budget_not_price"
    return None


def unnamed(cell: Cell, quote: Quote) -> str:
    """No card is named: another good, or a GPU that the text leaves open."""
    if cell.text.models + cell.context.models > 1:
        return "multiple_cards"
    if any("gpu" in found.flags or found.models or found.counts for found in (cell.text, cell.context)):
        return "ambiguous_card"
    other = "not_gpu" in (*cell.text.rejects.get("any", ()), *cell.context.rejects.get("any", ()))
    # By the hour nothing else is sold: hosting, racks and lines go by the month and year.
    return "ambiguous_card" if quote.period.per in HOURS and not other else "not_gpu"


def unnamed_or_impossible(cell: Cell, quote: Quote, bought: Basis) -> str:
    if quote.currency == "CNY" and quote.unit.card:
        ends = (quote.per_card(quote.low, bought), quote.per_card(quote.high, bought))
        if any(value is not None and value > levels.ABSOLUTE[1] for value in ends):
            return "implausible"
    return unnamed(cell, quote)


def no_period(cell: Cell, quote: Quote, good: Card) -> str:
    """An amount without a period: a run's cost, a sale, another good, or a rent with no period printed."""
    text, context = cell.text, cell.context
    run = any(per in HOURS and n not in (1, 24) for n, per in context.spans)
    spend = {*text.rejects.get("weak", ()), *context.rejects.get("context", ())}
    if run or "budget_not_price" in spend:
        return "budget_not_price"
    sale = "purchase_price" in (*text.rejects.get("text", ()), *context.rejects.get("context", ()))
    if not sale and quote.amount.bare and not text.units and not context.units:
        return "missing_unit"
    if sale or quote.unit.server or quote.unit.card:
        return "purchase_price"
    value = quote.high if quote.high is not None else quote.low
    assert value is not None
    rent = "rent" in text.flags or "rent" in context.flags
    hardware = any(flag in found.flags for found in (text, context) for flag in ("server", "machine", "gpu"))
    if value < _FEW_THOUSAND or rent:
        return "missing_period" if good.named else unnamed(cell, quote)
    if not good.named and not hardware:
        return "not_gpu"
    bought = basis(quote.unit, text, context, good)
    monthly = verify.hourly(value, "month", 1) / (bought.cards if bought.basis == "server" else 1)
    return "missing_period" if levels.monthly_rent(good.name, monthly) else "purchase_price"
