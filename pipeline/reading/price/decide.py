"""From what a cell and its context say to an offer, or to the reason why there is none.

The order of the questions matters: what a text says of itself (a budget, a sale, a ratio) comes before what
it is about, and that before whether its number can be right.
"""

from __future__ import annotations

from pipeline.reading.price import levels, terms
from pipeline.reading.price.amounts import Amount
from pipeline.reading.price.cell import Cell, Quote, printed
from pipeline.reading.price.choose import Choice, choose
from pipeline.reading.price.compare import against_others, all_conversions, one_or_machine, told_twice
from pipeline.reading.price.goods import Basis, Card, basis, card
from pipeline.reading.price.label import named_apart, other_row
from pipeline.reading.price.model import PriceReading, PriceReject
from pipeline.reading.price.nothing import no_amount
from pipeline.reading.price.refuse import no_period, says, unnamed, unnamed_or_impossible
from pipeline.reading.price.torn import torn


def decide(cell: Cell) -> PriceReading | PriceReject:
    """The reading of one cell."""
    text = cell.text
    if text.page or cell.context.page:
        return PriceReject("multiple_offers")  # a page, to be split into its cells first
    if text.formula and text.amounts:
        return PriceReject("derived_estimate", _quote(cell, text.amounts[-1]).money)
    if not _take_bare(cell):
        return no_amount(cell.text, cell.context, image=cell.image)
    choice = choose(text, cell.context, struck=cell.struck)
    if choice.main is None:
        return _no_main(cell, choice)
    quote = _quote(cell, choice.main)
    if quote.unit.other == "project":
        return PriceReject("budget_not_price")
    if (reason := torn(text.tokens, text.text, choice.main.first)) is not None:
        return PriceReject(reason)
    if choice.reason is not None:
        return PriceReject(choice.reason, None if choice.reason == "no_number" else quote.money)
    if choice.several and all_conversions(cell, choice, quote):
        choice.several, choice.conversions = False, choice.rest
    elif choice.several and told_twice(cell, choice, quote):
        choice.several = False
    reason = says(cell, quote)
    if reason is not None:
        return PriceReject(reason, None if choice.several else quote.money)
    return _offer(cell, choice, quote, card(text, cell.context, cell.provider))


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
    """Whether the text has an amount; a bare number becomes one where no other number stands beside it."""
    text = cell.text
    plain = [one for one in text.bare if not one.role]
    if text.amounts:
        # `1.92 起（包月折 ¥1.60）`: the number in front is the price, the signed one is another mode's.
        if (
            len(plain) == 1
            and plain[0].start < text.amounts[0].start
            and all(one.role for one in text.amounts)
            and (terms.wanted(cell.context) or terms.wanted(text))
        ):
            text.amounts = [plain[0], *text.amounts]
        return True
    loose = len(text.ratios) > sum(one.discount is not None for one in text.bare)
    if not text.bare or loose or text.loose or text.vague or any(text.rejects.get("any", ())):
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


def _offer(cell: Cell, choice: Choice, quote: Quote, good: Card) -> PriceReading | PriceReject:
    money = quote.money
    if choice.several:
        named = good.named or good.problem is not None
        return PriceReject("multiple_offers" if named else unnamed(cell, quote))
    if choice.teaser and good.named:
        return PriceReject("teaser_price", money)
    if quote.period.per is None:
        other = good.named and named_apart(cell.text, quote.amount, own_period=False) == "not_gpu"
        return PriceReject("not_gpu" if other else no_period(cell, quote, good), money)
    bought = basis(quote.unit, cell.text, cell.context, good)
    if not good.named:
        return PriceReject(unnamed_or_impossible(cell, quote, bought), money)
    if good.problem is not None:
        return PriceReject(good.problem, money)
    apart = named_apart(cell.text, quote.amount, own_period=quote.period.own)
    if apart is None and not cell.text.hits and other_row(cell.context):
        apart = "not_gpu"
    if apart is not None:
        return PriceReject(apart, money)
    if quote.amount.broken:
        return PriceReject("truncated_range")
    if quote.currency is None:
        return PriceReject("currency_unknown", money)
    reason = against_others(cell, choice, quote, bought)
    if reason is not None:
        return PriceReject(reason, money)
    bought = one_or_machine(cell, quote, good, bought)
    if bought.problem is not None:
        return PriceReject(bought.problem, money)
    return _finish(cell, choice, quote, good, bought)


def _finish(
    cell: Cell, choice: Choice, quote: Quote, good: Card, bought: Basis
) -> PriceReading | PriceReject:
    low, high = quote.per_card(quote.low, bought), quote.per_card(quote.high, bought)
    assert good.name is not None and quote.period.per is not None and quote.currency is not None
    if quote.currency == "CNY" and not levels.plausible(good.name, low, high):
        return PriceReject("implausible", quote.money)
    per, count = printed(quote.period.per, quote.period.count)
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
            reading = reading._replace(mode=mode, price_kind="list")
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
