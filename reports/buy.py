"""Rent or buy: from how many hours a month a card of one's own is cheaper than a rented one.

`H* = (C(1-r)/m + C(1+r)/2 · w/12 + hosting + kW · PUE · tariff · 730 · u + staff) / (cards · rent)`

C price of the server, r residual share after m months, w yearly cost of capital on the mean value, u load
factor. Every input is a range; the answer is the range that they span, never one number.
Default ranges: two buyer's guides (Guangdong, Beijing), with the PUE and cost of capital they leave out.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from decimal import Decimal
from typing import Any

from catalog.periods import HOURS
from reports.numbers import half_up

HOURS_PER_MONTH = Decimal(HOURS["month"])
RULE_HOURS = (Decimal(300), Decimal(350))  # "buy from 300 (or 350) hours a month on", as the guides say


class BuyError(ValueError):
    """Inputs that cannot be; the message names the one."""


@dataclass(frozen=True, slots=True)
class Range:
    """From `low` to `high`, both included."""

    low: Decimal
    high: Decimal

    @classmethod
    def parse(cls, text: str) -> Range:
        """`600000..800000`, `600000-800000` or one number. BuyError for anything else."""
        parts = text.replace("..", "-").replace("~", "-").replace("，", "").replace(",", "").split("-")
        try:
            numbers = [Decimal(part.strip()) for part in parts]
        except ArithmeticError:
            raise BuyError(f"{text!r} is not a number or a range such as 8..12") from None
        if len(numbers) not in {1, 2} or not all(number.is_finite() for number in numbers):
            raise BuyError(f"{text!r} is not a number or a range such as 8..12")
        if numbers[0] > numbers[-1]:
            raise BuyError(f"{text!r}: the first number must not be above the second")
        return cls(numbers[0], numbers[-1])

    def per_hour_of_month(self) -> Range:
        """A monthly amount as an amount per hour of the month."""
        return Range(self.low / HOURS_PER_MONTH, self.high / HOURS_PER_MONTH)

    def words(self) -> str:
        """`8` or `8..12`."""
        low, high = (f"{value.normalize():f}" for value in (self.low, self.high))
        return low if self.low == self.high else f"{low}..{high}"


def _range(low: str, high: str | None = None) -> Range:
    return Range(Decimal(low), Decimal(high or low))


@dataclass(frozen=True, slots=True)
class Inputs:
    """One server. Money in CNY; hosting and staff per month and server; `load` is the share of peak power."""

    price: Range
    cards: Range
    residual: Range
    months: Range
    capital: Range
    hosting: Range
    kw: Range
    pue: Range
    tariff: Range
    load: Range
    staff: Range

    def check(self) -> None:
        """BuyError for an input outside what it can be."""
        for field in fields(self):
            value: Range = getattr(self, field.name)
            lowest = Decimal(1) if field.name in {"cards", "months", "pue"} else Decimal(0)
            if value.low < lowest:
                raise BuyError(f"{field.name} must be at least {lowest}")
            if field.name in {"residual", "load"} and value.high > 1:
                raise BuyError(f"{field.name} is a share: at most 1")

    def own(self) -> Range:
        """CNY per card and month of a server of one's own, cheapest to dearest reading of the inputs."""
        low = (
            _monthly(self.price.low, self.residual.high, self.months.high, self.capital.low, self, dear=False)
            / self.cards.high
        )
        high = (
            _monthly(self.price.high, self.residual.low, self.months.low, self.capital.high, self, dear=True)
            / self.cards.low
        )
        return Range(low, high)


GUIDE_CARD = "A100-80G"
GUIDE_SERVER = Inputs(
    price=_range("600000", "800000"),
    cards=_range("8"),
    residual=_range("0.10", "0.15"),
    months=_range("36"),
    capital=_range("0.06"),
    hosting=_range("2500", "5000"),
    kw=_range("5", "6.5"),
    pue=_range("1.5"),
    tariff=_range("0.8", "1.0"),
    load=_range("0.5"),
    staff=_range("3000", "8000"),
)
"""The eight-card A100-80G server of the guides, their ranges."""


def _monthly(
    price: Decimal, residual: Decimal, months: Decimal, capital: Decimal, inputs: Inputs, *, dear: bool
) -> Decimal:
    def side(value: Range) -> Decimal:
        return value.high if dear else value.low

    power = side(inputs.kw) * side(inputs.pue) * side(inputs.tariff) * HOURS_PER_MONTH * side(inputs.load)
    written_off = price * (1 - residual) / months
    tied_up = price * (1 + residual) / 2 * capital / 12
    return written_off + tied_up + side(inputs.hosting) + power + side(inputs.staff)


def break_even(own: Range, rent_per_card_hour: Range) -> Range:
    """Hours a month from which owning is cheaper; above 730 it never is."""
    if rent_per_card_hour.low <= 0:
        raise BuyError("rent must be above 0")
    return Range(own.low / rent_per_card_hour.high, own.high / rent_per_card_hour.low)


def report(inputs: Inputs, rents: Mapping[str, Range], sources: Mapping[str, str]) -> dict[str, Any]:
    """The whole answer. `rents` by billing mode (`on_demand`, `monthly`) in CNY per card-hour.

    `sources` says where each rent comes from. BuyError for impossible inputs.
    """
    inputs.check()
    own = inputs.own()
    return {
        "own_cny_per_card_month": _both(own),
        "own_cny_per_card_hour_round_the_clock": _both(own.per_hour_of_month(), 4),
        "rent": [_against(own, mode, rent, sources.get(mode, "given")) for mode, rent in rents.items()],
        "rule_300_350": _rule(own),
        "inputs": {field.name: getattr(inputs, field.name).words() for field in fields(inputs)},
        "not_counted": [
            "idle months",
            "lead time",
            "resale limits of export-controlled cards",
            "storage",
            "egress",
        ],
    }


def _both(value: Range, places: int = 2) -> list[Decimal]:
    return [half_up(value.low, places), half_up(value.high, places)]


def _against(own: Range, mode: str, rent: Range, source: str) -> dict[str, Any]:
    hours = break_even(own, rent)
    answer: dict[str, Any] = {
        "mode": mode,
        "cny_per_card_hour": _both(rent, 4),
        "source": source,
        "break_even_hours_per_month": _both(hours, 0),
        "verdict": _verdict(hours),
    }
    if mode == "monthly":
        month = Range(rent.low * HOURS_PER_MONTH, rent.high * HOURS_PER_MONTH)
        answer["cny_per_card_month"] = _both(month)
        # A rented month is paid whole, so hours do not matter: the two monthly sums are compared.
        answer["verdict"] = (
            "own_cheaper"
            if own.high < month.low
            else "rent_cheaper"
            if own.low > month.high
            else "depends_on_inputs"
        )
        del answer["break_even_hours_per_month"]
    return answer


def _verdict(hours: Range) -> str:
    if hours.low > HOURS_PER_MONTH:
        return "never"
    return "sometimes_never" if hours.high > HOURS_PER_MONTH else "above_hours"


def _rule(own: Range) -> dict[str, Any]:
    """The guides' rule holds only for rents between own cost ÷ 350 and own cost ÷ 300."""
    return {
        "holds_for_cny_per_card_hour": _both(Range(own.low / RULE_HOURS[1], own.high / RULE_HOURS[0])),
        "condition_zh": "“每月 300–350 小时以上就自购”只在按量价落在此区间、且按量（而非包月）租用时成立",
        "condition_en": "'buy above 300-350 h' holds for hourly rents in this range, never for monthly ones",
    }
