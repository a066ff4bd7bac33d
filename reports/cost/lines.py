"""`suanjia cost`: one question per line in, one answer per line out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any

from reports.cost.modes import METER, CostError, Mode, parse_rates
from reports.cost.optimum import Solution, cheapest
from reports.numbers import decimal_or_none, half_up

FIELDS = frozenset(
    {"id", "hours", "contiguous", "span_hours", "cards", "rates", "granularity_s", "min_hours"}
)
_PLACES = 6  # of hours; money is rounded to the cent


def answer(question: Mapping[str, Any]) -> dict[str, Any]:
    """The answer to one question, or `{"id", "error"}`; never raises for what stands in the question."""
    ident = question.get("id")
    try:
        return {"id": ident, **_answer(question)}
    except CostError as error:
        return {"id": ident, "error": str(error)}


def _answer(question: Mapping[str, Any]) -> dict[str, Any]:
    rates = question.get("rates")
    if not isinstance(rates, Mapping):
        raise CostError("rates must be an object of billing mode to price")
    modes = parse_rates(rates)
    cards = _cards(question)
    solution = cheapest(
        _number(question, "hours"),
        modes,
        span_hours=_span(question),
        granularity_s=_number(question, "granularity_s", Decimal(1)),
        min_hours=_number(question, "min_hours", Decimal(0)),
    )
    return {
        "total": half_up(solution.total * cards),
        "plan": _plan(solution, cards),
        **_break_even(modes),
    }


def _cards(question: Mapping[str, Any]) -> int:
    cards = _number(question, "cards", Decimal(1))
    if cards != cards.to_integral_value() or cards < 1:
        raise CostError("cards must be a whole number of 1 or more")
    return int(cards)


def _span(question: Mapping[str, Any]) -> Decimal | None:
    contiguous, span = question.get("contiguous"), question.get("span_hours")
    if not isinstance(contiguous, bool | None):
        raise CostError("contiguous must be true or false")
    if contiguous or (contiguous is None and span is None):
        return None
    if span is None:
        raise CostError("work that is not contiguous needs span_hours")
    return _number(question, "span_hours")


def _number(question: Mapping[str, Any], name: str, default: Decimal | None = None) -> Decimal:
    try:
        value = decimal_or_none(question.get(name))
    except ValueError as error:
        raise CostError(f"{name}: {error}") from None
    if value is None:
        value = default
    if value is None:
        raise CostError(f"{name} is missing")
    return value


def _plan(solution: Solution, cards: int) -> list[dict[str, Any]]:
    return [
        {"mode": line.key, "units": half_up(line.units, _PLACES), "cost": half_up(line.cost * cards)}
        for line in solution.purchases
    ]


def _break_even(modes: Sequence[Mode]) -> dict[str, Any]:
    """Hours at the hourly rate that one unit costs; `never_pays` names units that do not last that long."""
    meter = next((mode for mode in modes if mode.kind == METER), None)
    if meter is None:
        return {"break_even": {}, "never_pays": []}
    hours: dict[str, Fraction] = {mode.key: mode.price / meter.price for mode in modes if mode is not meter}
    return {
        "break_even": {key: half_up(value, _PLACES) for key, value in hours.items()},
        "never_pays": [mode.key for mode in modes if mode is not meter and hours[mode.key] >= mode.hours],
    }
