"""Which amount of a cell is its price, and what the others are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Final

from pipeline.reading.price import terms
from pipeline.reading.price.amounts import Amount
from pipeline.reading.price.found import Scan

_ZERO: Final = Decimal(0)
_OLD_PRICE_FACTOR: Final = 20  # a bare number behind the price, up to this many times it, is the old price


@dataclass(slots=True)
class Choice:
    """`main`: the price. `several`: more than one is offered. `reason`: the amounts are no price at all."""

    main: Amount | None = None
    members: list[Amount] = field(default_factory=list)
    originals: list[Amount] = field(default_factory=list)
    conversions: list[Amount] = field(default_factory=list)
    others: list[Amount] = field(default_factory=list)  # of another billing mode, in the unit of the price
    several: bool = False
    rest: list[Amount] = field(default_factory=list)  # the other prices, where there are several
    teaser: bool = False
    promo: bool = False
    reason: str | None = None


def choose(text: Scan, context: Scan, *, struck: bool) -> Choice:
    """The price among the amounts of a text; of several the one for the period that the context names."""
    if len(text.amounts) == 1 and not text.amounts[0].role and text.amounts[0].high > _ZERO:
        main = text.amounts[0]
        return Choice(main=main, promo=struck or _old_price_behind(text, main))
    by_role: dict[str, list[Amount]] = {}
    for amount in text.amounts:
        by_role.setdefault(amount.role, []).append(amount)
    choice = Choice(
        members=_positive(by_role.get("member", [])),
        originals=by_role.get("original", []),
        conversions=by_role.get("conv", []),
        others=_positive(by_role.get("other", [])),
        teaser="teaser" in by_role or ("renewal" in by_role and "teaser" in text.flags),
    )
    current = _positive(by_role.get("current", []))
    plain = _goods(_positive(by_role.get("", [])))
    if current:
        choice.originals = choice.originals + plain
        plain = current
    renewal = _positive(by_role.get("renewal", []))
    mains = plain or renewal
    if choice.teaser and renewal:
        mains = renewal
    _settle(choice, mains, by_role, context)
    choice.promo = bool(choice.originals or current or struck) or _old_price_behind(text, choice.main)
    return choice


def _settle(choice: Choice, mains: list[Amount], by_role: dict[str, list[Amount]], context: Scan) -> None:
    mains = _distinct(mains)
    if len(mains) > 1 and (wanted := terms.wanted(context)) is not None:
        fitting = [one for one in mains if (one.unit.per or one.lead_per or wanted) == wanted]
        mains = fitting if len(fitting) == 1 else mains
    if mains:
        choice.main, choice.rest, choice.several = mains[0], mains[1:], len(mains) > 1
        return
    if choice.members:
        choice.main, choice.members = choice.members[0], choice.members[1:]
        return
    if choice.teaser:
        choice.main = next(iter(_positive(by_role["teaser"])), None)
        return
    for role in ("stat", "conv", "original"):
        if found := _positive(by_role.get(role, [])):
            choice.main, choice.originals = found[0], []
            return
    for role, reason in (
        ("past", "implausible"),  # a level the text itself dates to the past is none of today
        ("negative", "no_number"),
        ("run", "budget_not_price"),
        ("saving", "discount_only"),
        ("deposit", "no_number"),
        ("onetime", "not_gpu"),
        ("night", "missing_period"),
    ):
        if found := by_role.get(role, []):
            choice.main, choice.reason = found[0], reason
            return


def _positive(amounts: Sequence[Amount]) -> list[Amount]:
    return [one for one in amounts if one.high > _ZERO]


def _goods(amounts: list[Amount]) -> list[Amount]:
    """Without what is per GB or per core, if anything else is left."""
    return [one for one in amounts if one.unit.other is None] or amounts


def _distinct(amounts: list[Amount]) -> list[Amount]:
    found: list[Amount] = []
    for one in amounts:
        if not any(
            (one.low, one.high, one.currency) == (other.low, other.high, other.currency)
            and (one.unit.per or other.unit.per) == (other.unit.per or one.unit.per)
            for other in found
        ):
            found.append(one)
    return found


def _old_price_behind(text: Scan, main: Amount | None) -> bool:
    """`￥222 元 / 月 800`: the bare number is the old price."""
    if main is None or main.bare:
        return False
    return any(
        main.end < one.start
        and main.high < one.low <= main.high * _OLD_PRICE_FACTOR
        and one.lead_per is None  # 时租2元 包天30
        for one in text.bare
    )
