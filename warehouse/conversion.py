"""The arithmetic from a printed price to CNY per card-hour, one line a step, in exact Decimals."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from decimal import ROUND_HALF_UP, Decimal, localcontext
from fractions import Fraction
from typing import Any

from warehouse.jsonout import number

VAT = Decimal("1.06")
_STEP = Decimal("0.000001")
_PARTS = 128  # the smallest part of a card that is sold


def six(value: Decimal) -> Decimal:
    """Six decimals, half up."""
    return value.quantize(_STEP, ROUND_HALF_UP)


def conversion(row: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """(step, arithmetic) from the printed price on. `row` is a row of `offers` or `observations`.

    The last lines are what the row holds; where the arithmetic gives something else, it says so.
    """
    price, hours, cards = row["price"], row["per_hours"], row["gpu_count"]
    currency = row["currency"]
    yield "price 标价", f"{number(price)} {currency} for {number(hours)} h and {number(cards)} card(s)"
    with localcontext() as context:
        context.prec = 50
        hourly = price / hours
        yield "per hour 每小时", f"{number(price)} ÷ {number(hours)} = {_shown(hourly)} {currency}"
        if row["upfront"] and row["term_hours"]:
            hourly += row["upfront"] / row["term_hours"]
            yield (
                "with upfront 加预付",
                f"+ {number(row['upfront'])} ÷ {number(row['term_hours'])} = {_shown(hourly)} {currency}",
            )
        share = _share(cards)
        per_card = hourly * share.denominator / share.numerator
        by = number(cards) if share == Fraction(cards) else str(share)
        yield "per card-hour 每卡时", f"÷ {by} = {_shown(per_card)} {currency}"
        if currency != "CNY":
            yield "exchange rate 汇率", str(row["fx"])
    stored = row["price_cny_per_card_hour"]
    if stored is None:
        return
    line = f"{number(stored)} CNY"
    if currency == "CNY" and row["listings"] == 1 and six(per_card) != stored:
        line += f" (the arithmetic gives {number(six(per_card))})"
    yield "price_cny_per_card_hour", line
    if row["tax"] == "excluded":
        gross = row["price_cny_per_card_hour_gross"]
        yield "with tax 含税", f"{number(stored)} × {VAT} = {number(gross)} CNY"


def _share(cards: Decimal) -> Fraction:
    """The count itself, but a sixth where six decimals of a sixth are stored: prices were divided by that."""
    near = Fraction(cards).limit_denominator(_PARTS)
    return near if six(Decimal(near.numerator) / near.denominator) == cards else Fraction(cards)


def _shown(value: Decimal) -> str:
    return number(six(value)) if six(value) == value else f"{number(six(value))}…"
