"""The main amount against the other numbers of its cell, row and column, and against the card's level."""

from __future__ import annotations

from decimal import Decimal
from typing import Final

from pipeline.reading.price import levels, terms, verify
from pipeline.reading.price.cell import Cell, Quote
from pipeline.reading.price.choose import Choice
from pipeline.reading.price.goods import Basis, Card
from pipeline.reading.price.refuse import HOURS

_MACHINES: Final = (2, 4, 8, 16)  # cards of a machine that nobody counts
_SAME: Final = Decimal("0.005")  # a price per card is rounded to the cent


def all_conversions(cell: Cell, choice: Choice, quote: Quote) -> bool:
    """`¥1.2/小时（¥864/月）`: the bracket is the same price in another unit, and agrees."""
    per = quote.period.per
    if (
        per is None
        or quote.currency is None
        or not all(one.bracketed and one.unit.per for one in choice.rest)
    ):
        return False
    counted = next((one.n for one in reversed(cell.text.counts or cell.context.counts)), 1)
    return verify.conversions_agree(
        quote.amount, per, quote.period.count, counted, choice.rest, quote.currency
    )


def told_twice(cell: Cell, choice: Choice, quote: Quote) -> bool:
    """`5.8元/卡/时，整机46.4元/时`: one card's price and the whole machine's are the same offer."""
    if len(choice.rest) != 1:
        return False
    one, other = quote.amount, choice.rest[0]
    if one.unit.card == other.unit.card or one.unit.per is None:
        return False
    if (one.currency or quote.currency) != (other.currency or quote.currency):
        return False
    if (one.unit.per, one.unit.count) != (other.unit.per, other.unit.count) or one.broken or other.broken:
        return False
    card, machine = (one, other) if one.unit.card else (other, one)
    counted = [count.n for count in (cell.text.counts or cell.context.counts) if count.n > 1]
    sizes = counted[-1:] or _MACHINES
    return any(
        abs(machine.low - card.low * n) <= card.low * n * _SAME
        and abs(machine.high - card.high * n) <= card.high * n * _SAME
        for n in sizes
    )


def against_others(cell: Cell, choice: Choice, quote: Quote, bought: Basis) -> str | None:
    """Verdicts from the other numbers of the cell and of its row or column."""
    amount, period = quote.amount, quote.period
    assert period.per is not None and quote.currency is not None
    column = verify.column_currency(cell.siblings)
    if column is not None and column != quote.currency:
        return "currency_suspect_by_sibling"
    if not verify.conversions_agree(
        amount, period.per, period.count, bought.cards, choice.conversions, quote.currency
    ):
        return "inconsistent"
    if amount.discount is not None:
        full = [one.low for one in choice.originals] or [one.low for one in cell.siblings.amounts]
        if full and not any(verify.discount_agrees(amount.low, one, amount.discount) for one in full):
            return "inconsistent"
    for member in choice.members:
        if member.discount is not None and not verify.discount_agrees(
            member.low, amount.low, member.discount
        ):
            return "inconsistent"
    if bought.basis == "server" and bought.cards > 1 and not _fits_single(cell, quote, bought):
        return "truncated_range_by_sibling"
    return None


def _fits_single(cell: Cell, quote: Quote, bought: Basis) -> bool:
    """A machine's price against the single-card price that its row gives (a broken one spoils both)."""
    siblings = cell.siblings
    if not any(one.style == "single" for one in siblings.counts):
        return True
    for other in siblings.amounts:
        if other.broken:
            return False
        said = terms.period(other, siblings, cell.context)
        per, count = (said.per, said.count) if said.per else (quote.period.per, quote.period.count)
        assert per is not None
        single = (verify.hourly(other.low, per, count), verify.hourly(other.high, per, count))
        machine = (quote.per_card(quote.low, bought), quote.per_card(quote.high, bought))
        if not verify.ends_agree(machine, single):
            return False
    return True


def one_or_machine(cell: Cell, quote: Quote, good: Card, bought: Basis) -> Basis:
    """Where nothing counts the cards: is the amount one card's, or a machine's of unknown size?"""
    if bought.problem is not None or bought.certain:
        return bought
    value = quote.per_card(quote.low if quote.low is not None else quote.high, bought)
    assert value is not None
    possible = quote.currency != "CNY" or levels.single_card(good.name, value)
    open_count = "ambiguous_card_count" if possible or levels.machine(good.name, value) else "implausible"
    if bought.cards > 1:  # 8卡起租
        return bought if possible else Basis(1, "card", open_count)
    hourly = quote.period.per in HOURS
    if "server" in cell.text.flags:
        if hourly:
            return Basis(1, "card", "ambiguous_basis")
        return bought if possible else Basis(1, "card", open_count)
    if hourly:
        return Basis(1, "server") if "server" in cell.context.flags else bought
    if not possible:
        return Basis(1, "card", open_count)
    machine = "server" in cell.context.flags or "node" in cell.context.flags
    return Basis(1, "server") if machine else bought
