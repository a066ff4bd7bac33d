"""From what a cell and its context say to an offer, or to the reason why there is none.

The order of the questions matters: what a text says of itself (a budget, a sale, a ratio) comes before what
it is about, and that before whether its number can be right.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Final

from pipeline.reading.price import levels, terms, verify
from pipeline.reading.price.amounts import Amount, Unit
from pipeline.reading.price.choose import Choice, choose
from pipeline.reading.price.goods import Basis, Card, basis, card
from pipeline.reading.price.lexer import MOST_TOKENS
from pipeline.reading.price.model import Money, PriceReading, PriceReject
from pipeline.reading.price.nothing import no_amount
from pipeline.reading.price.scan import Scan

_FEW_THOUSAND: Final = Decimal(1000)  # no card was ever sold for less, no card-hour ever cost more
_HOURS: Final = frozenset(("hour", "minute", "second"))
_TEXT_FIRST: Final = ("revenue_not_price", "demand_side", "budget_not_price", "not_gpu", "not_rental")
_PARTS: Final = frozenset(("gb", "core", "ip", "mbps", "rack", "call", "user", "site", "flops"))


@dataclass(slots=True)
class Cell:
    """All that one decision knows."""

    text: Scan
    context: Scan
    siblings: Scan
    provider: str | None
    currency_hint: str | None
    mode_hint: str | None
    struck: bool
    image: bool


@dataclass(slots=True)
class Quote:
    """The main amount with its period and currency, before the card is known."""

    low: Decimal | None
    high: Decimal | None
    currency: str | None
    period: terms.Period
    unit: Unit
    amount: Amount

    @property
    def money(self) -> Money:
        """The amount alone, as a reject may carry it."""
        per, count = _printed(self.period.per, self.period.count)
        return Money(self.low, self.high, self.currency or "CNY", per, count)

    def per_card(self, value: Decimal | None, bought: Basis) -> Decimal | None:
        """`value` per card-hour in the quote's currency."""
        if value is None or self.period.per is None:
            return None
        hourly = verify.hourly(value, self.period.per, self.period.count)
        return hourly / bought.cards if bought.basis == "server" else hourly


def decide(cell: Cell) -> PriceReading | PriceReject:
    """The reading of one cell."""
    text = cell.text
    if len(text.tokens) >= MOST_TOKENS or len(cell.context.tokens) >= MOST_TOKENS:
        return PriceReject("multiple_offers")  # a page, to be split into its cells first
    if text.formula and text.amounts:
        return PriceReject("derived_estimate", _quote(cell, text.amounts[-1]).money)
    if not _take_bare(cell):
        return no_amount(cell.text, cell.context, image=cell.image)
    choice = choose(text, terms.wanted(cell.context), struck=cell.struck)
    if choice.main is None:
        return _no_main(cell, choice)
    quote = _quote(cell, choice.main)
    if quote.unit.other == "project":
        return PriceReject("budget_not_price")
    if choice.reason is not None:
        return PriceReject(choice.reason, None if choice.reason == "no_number" else quote.money)
    if choice.several and _all_conversions(cell, choice, quote):
        choice.several, choice.conversions = False, choice.rest
    reason = _says(cell, quote)
    if reason is not None:
        return PriceReject(reason, None if choice.several else quote.money)
    return _offer(cell, choice, quote, card(text, cell.context, cell.provider))


def _all_conversions(cell: Cell, choice: Choice, quote: Quote) -> bool:
    """`¥1.2/小时（¥864/月）`: the bracket is the same price in another unit, and agrees."""
    per = quote.period.per
    if per is None or quote.currency is None or not all(one.bracketed and one.unit.per for one in choice.rest):
        return False
    counted = next((one.n for one in reversed(cell.text.counts or cell.context.counts)), 1)
    return verify.conversions_agree(
        quote.amount, per, quote.period.count, counted, choice.rest, quote.currency
    )


def _no_main(cell: Cell, choice: Choice) -> PriceReject:
    """Amounts, but none that is a price: zeros, or a free first month beside an old price."""
    if not choice.teaser:
        return no_amount(cell.text, cell.context, image=cell.image)
    good = card(cell.text, cell.context, cell.provider)
    if good.named:
        return PriceReject("teaser_price")
    gpu = "gpu" in cell.text.flags or "gpu" in cell.context.flags
    return PriceReject("ambiguous_card" if gpu else "not_gpu")


def _take_bare(cell: Cell) -> bool:
    """Whether the text has an amount; a bare number becomes one where nothing else in the text is a number."""
    text = cell.text
    plain = [one for one in text.bare if not one.role]
    if text.amounts:
        first = text.amounts[0]
        told = terms.wanted(cell.context) or terms.wanted(text)
        # `1.92 起（包月折 ¥1.60）`: the number in front is the price, the signed one is another mode's.
        if told and len(plain) == 1 and plain[0].start < first.start and all(one.role for one in text.amounts):
            text.amounts = [plain[0], *text.amounts]
        return True
    loose = len(text.ratios) > sum(one.discount is not None for one in text.bare)
    if not text.bare or loose or text.vague or any(text.rejects.get("any", ())):
        return False
    bare = text.bare
    if len(plain) > 1:
        last = bare[-1]
        alone = last.first == 0 or text.tokens[last.first - 1].value == "|"
        if not (alone and last.last == len(text.tokens)):
            return False
        bare = [last]
    text.amounts = bare
    return True


def _quote(cell: Cell, amount: Amount) -> Quote:
    period = terms.period(amount, cell.text, cell.context)
    factor = terms.scale(amount, period.word)
    low, high = amount.low * factor, amount.high * factor
    ends = amount.ranged or (amount.floor and amount.ceil)  # both words: neither end is open
    return Quote(
        low=None if amount.ceil and not ends else low,
        high=None if amount.floor and not ends else high,
        currency=terms.currency(amount, cell.text, cell.context, cell.currency_hint),
        period=period,
        unit=terms.basis_of(amount, period.word),
        amount=amount,
    )


def _says(cell: Cell, quote: Quote) -> str | None:
    """A reason that the words of the cell or its context give, whatever card they are about."""
    text, context = cell.text.rejects, cell.context.rejects
    own = [*text.get("text", ()), *text.get("strong", ())]
    anywhere = (*text.get("any", ()), *context.get("any", ()))
    if "demand_side" in anywhere:
        return "demand_side"
    if "decides" in text or "decides" in context:
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
    if "not_rental" in context.get("context", ()):
        return "not_rental"
    spend = "budget_not_price" in context.get("context", ())
    if spend and not quote.period.own and "rent" not in cell.context.flags:
        return "budget_not_price"
    return None


def _offer(cell: Cell, choice: Choice, quote: Quote, good: Card) -> PriceReading | PriceReject:
    money = quote.money
    if choice.several:
        named = good.named or good.problem is not None
        return PriceReject("multiple_offers" if named else _unnamed(cell, quote))
    if choice.teaser and good.named:
        return PriceReject("teaser_price", money)
    if quote.period.per is None:
        return PriceReject(_no_period(cell, quote, good), money)
    bought = basis(quote.unit, cell.text, cell.context, good)
    if not good.named:
        return PriceReject(_unnamed_or_impossible(cell, quote, bought), money)
    if good.problem is not None:
        return PriceReject(good.problem, money)
    if quote.amount.broken:
        return PriceReject("truncated_range")
    if quote.currency is None:
        return PriceReject("currency_unknown", money)
    reason = _against_others(cell, choice, quote, bought)
    if reason is not None:
        return PriceReject(reason, money)
    bought = _one_or_machine(cell, quote, good, bought)
    if bought.problem is not None:
        return PriceReject(bought.problem, money)
    return _finish(cell, choice, quote, good, bought)


def _finish(cell: Cell, choice: Choice, quote: Quote, good: Card, bought: Basis) -> PriceReading | PriceReject:
    low, high = quote.per_card(quote.low, bought), quote.per_card(quote.high, bought)
    assert good.name is not None and quote.period.per is not None and quote.currency is not None
    if quote.currency == "CNY" and not levels.plausible(good.name, low, high):
        return PriceReject("implausible", quote.money)
    per, count = _printed(quote.period.per, quote.period.count)
    assert per is not None
    mode = terms.mode(
        quote.amount, quote.period.per, quote.period.count, cell.text, cell.context, cell.mode_hint
    )
    return PriceReading(
        cards=bought.cards,
        card=good.name,
        vram_gb=good.vram_gb,
        price_low=quote.low,
        price_high=quote.high,
        currency=quote.currency,
        per=per,
        per_count=count,
        basis=bought.basis,
        mode=mode,
        price_kind=_kind(choice, quote, mode),
        approx=quote.amount.approx,
        tax=cell.text.tax or cell.context.tax or "unknown",
        native_low=low,
        native_high=high,
        also=_also(cell, choice, quote, good, bought),
    )


def _also(cell: Cell, choice: Choice, quote: Quote, good: Card, bought: Basis) -> tuple[PriceReading, ...]:
    """Further prices of the same good beside the main one: a member's, or another billing mode's."""
    found = []
    for amount in (*choice.members, *choice.others):
        other = _quote(cell, amount)
        if amount.unit.per is None:
            other.period = quote.period
        if other.currency != quote.currency or amount.broken:
            continue
        reading = _finish(cell, Choice(main=amount), other, good, bought)
        if not isinstance(reading, PriceReading):
            continue
        assert other.period.per is not None
        if amount.role == "other" and amount.lead_mode is not None:
            mode = terms.fitted(amount.lead_mode, other.period.per, other.period.count)
            reading = replace(reading, mode=mode, price_kind="list")
        found.append(reading)
    return tuple(found)


def _kind(choice: Choice, quote: Quote, mode: str) -> str:
    if quote.amount.role == "member":
        return "member"
    if choice.promo:
        return "promo"
    if quote.high is None:
        return "floor"
    # The discount of spot goods is what makes them spot: their price is a list price.
    return "public_discount" if quote.amount.discount is not None and mode != "spot" else "list"


def _printed(per: str | None, count: int) -> tuple[str | None, int]:
    """Half a year is six months."""
    return ("month", count * 6) if per == "half_year" else (per, count)


def _unnamed(cell: Cell, quote: Quote) -> str:
    """No card is named: another good, or a GPU that the text leaves open."""
    if cell.text.models + cell.context.models > 1:
        return "multiple_cards"
    if any("gpu" in found.flags or found.models or found.counts for found in (cell.text, cell.context)):
        return "ambiguous_card"
    other = "not_gpu" in (*cell.text.rejects.get("any", ()), *cell.context.rejects.get("any", ()))
    # By the hour nothing else is sold: hosting, racks and lines go by the month and year.
    return "ambiguous_card" if quote.period.per in _HOURS and not other else "not_gpu"


def _unnamed_or_impossible(cell: Cell, quote: Quote, bought: Basis) -> str:
    if quote.currency == "CNY" and quote.unit.card:
        ends = (quote.per_card(quote.low, bought), quote.per_card(quote.high, bought))
        if any(value is not None and value > levels.ABSOLUTE[1] for value in ends):
            return "implausible"
    return _unnamed(cell, quote)


def _no_period(cell: Cell, quote: Quote, good: Card) -> str:
    """An amount without a period: a run's cost, a sale, another good, or a rent whose period is not printed."""
    text, context = cell.text, cell.context
    run = any(per in _HOURS and n > 1 for n, per in context.spans) and "run" in context.flags
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
        return "missing_period" if good.named else _unnamed(cell, quote)
    if not good.named and not hardware:
        return "not_gpu"
    bought = basis(quote.unit, text, context, good)
    monthly = verify.hourly(value, "month", 1) / (bought.cards if bought.basis == "server" else 1)
    return "missing_period" if levels.monthly_rent(good.name, monthly) else "purchase_price"


def _against_others(cell: Cell, choice: Choice, quote: Quote, bought: Basis) -> str | None:
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
        if member.discount is not None and not verify.discount_agrees(member.low, amount.low, member.discount):
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


def _one_or_machine(cell: Cell, quote: Quote, good: Card, bought: Basis) -> Basis:
    """Where nothing counts the cards: is the amount one card's, or a machine's of unknown size?"""
    if bought.problem is not None or bought.certain:
        return bought
    value = quote.per_card(quote.low if quote.low is not None else quote.high, bought)
    assert value is not None
    possible = quote.currency != "CNY" or levels.single_card(good.name, value)
    hourly = quote.period.per in _HOURS
    if "server" in cell.text.flags:
        if hourly:
            return Basis(1, "card", "ambiguous_basis")
        return bought if possible else Basis(1, "card", "ambiguous_card_count")
    if hourly:
        return Basis(1, "server") if "server" in cell.context.flags else bought
    if not possible:
        return Basis(1, "card", "ambiguous_card_count")
    machine = "server" in cell.context.flags or "node" in cell.context.flags
    return Basis(1, "server") if machine else bought
