"""Texts without an amount: which reason they get."""

from __future__ import annotations

from decimal import Decimal
from typing import Final

from pipeline.reading.price.found import Scan
from pipeline.reading.price.model import Money, PriceReject

_STATES: Final = ("login_required", "js_calculator", "quote_required")


def no_amount(text: Scan, context: Scan, *, image: bool) -> PriceReject:
    """A reason for a text that holds no price."""
    own = (*text.rejects.get("any", ()), *text.rejects.get("strong", ()))
    for reason in _STATES:
        if reason in own:
            return PriceReject(reason)
    if text.vague:
        return PriceReject("vague_number")
    if text.ratios or _paid_months(text):
        return PriceReject(_ratio(text))
    if "free_trial" in own:
        return PriceReject("free_trial", Money(Decimal(0), Decimal(0), "CNY", None))
    if "no_number" in own:
        return PriceReject("no_number")
    if "js_calculator" in context.rejects.get("any", ()):
        return PriceReject("js_calculator")
    if image or "image" in text.flags:
        return PriceReject("price_in_image")
    if text.bare and not any(amount.high == 0 for amount in text.bare):
        return PriceReject("missing_unit")
    return PriceReject("no_number")


def _ratio(text: Scan) -> str:
    """A discount where a price is named or tenths are printed (折); else a comparison."""
    kinds = {kind for kind, _ in text.ratios}
    if "discount" in kinds or not kinds:
        return "discount_only"
    compared = "ratio_not_price" in text.rejects.get("text", ())
    if kinds == {"percent"} and not compared and ("noun" in text.flags or "off" in text.flags):
        return "discount_only"
    return "ratio_not_price"


def _paid_months(text: Scan) -> bool:
    """`包年付10个月`, `年付享10个月价`, `买10个月送2个月`: what is paid is told in months, not in money."""
    yearly = any(mode.per == "year" for mode in text.modes)
    if not text.spans or ("noun" in text.flags and not yearly):
        return False
    several = any(count > 1 for count, _ in text.spans)
    return several and ("saving" in text.flags or any(mode.per is not None for mode in text.modes))
