"""Chinese numerals: `八`, `一万二`, `十六`, and those that are no number (`七八千`, `几十`, `数万`)."""

from __future__ import annotations

from decimal import Decimal
from typing import Final

DIGITS: Final = {
    "零": 0,
    "一": 1,
    "二": 2,
    "两": 2,
    "三": 3,
    "四": 4,
    "五": 5,
    "六": 6,
    "七": 7,
    "八": 8,
    "九": 9,
}
TENS: Final = {"十": 10, "百": 100, "千": 1000}
MYRIADS: Final = {"万": 10_000, "亿": 100_000_000}
VAGUE: Final = frozenset("几数")
NUMERALS: Final = frozenset(DIGITS) | frozenset(TENS) | frozenset(MYRIADS) | VAGUE
BANK: Final = str.maketrans("〇壹贰貳叁參肆伍陆陸柒捌玖拾佰仟萬", "零一二二三三四五六六七八九十百千万")
"""Numerals of contracts and receipts, which no forger can turn into others."""
MULTIPLIERS: Final = frozenset(TENS) - {"十"} | frozenset(MYRIADS)
POINT: Final = "点"
_LONGEST_MULTIPLIER: Final = 4
_LONGEST: Final = 24  # a longer run is no number anyone writes


def value(run: str) -> Decimal | None:
    """The number a run of numeral characters says, None where it says none (`七八千`, `几百`, `千`).

    A last digit behind a multiplier counts in the next lower place: `一万二` is 12000, `两千八`
    2800; `三点八` is 3.8.
    """
    if len(run) > _LONGEST or not run:
        return None
    whole, point, decimals = run.partition(POINT)
    if point:
        units = value(whole)
        digits = "".join(str(DIGITS[char]) for char in decimals if char in DIGITS)
        return None if units is None or not digits else units + Decimal(f"0.{digits}")
    total = section = 0
    digit: int | None = None
    place = 1  # of the last multiplier, for a bare digit behind it
    for i, char in enumerate(run):
        if char in VAGUE:
            return None
        if char in DIGITS:
            if digit is not None and digit != 0:
                return None  # two digits in a row: "seven or eight"
            digit = DIGITS[char]
        elif char in TENS:
            if digit is None and (char != "十" or (i and run[i - 1] in TENS)):
                return None  # 千 alone: thousands of something
            section += (1 if digit is None else digit) * TENS[char]
            digit, place = None, TENS[char]
        else:
            section += digit or 0
            if section == 0 and total == 0:
                return None
            total = (total + section) * MYRIADS[char]
            section, digit, place = 0, None, MYRIADS[char]
    if digit is not None and place > 10 and run[-2:-1] != "零":
        digit *= place // 10
    return Decimal(total + section + (digit or 0))


def multiplier(run: str) -> Decimal | None:
    """`万` → 10000, `百万` → 1000000; None for a run with anything but multipliers."""
    if len(run) > _LONGEST_MULTIPLIER:
        return None
    product = 1
    for char in run:
        if char not in MULTIPLIERS:
            return None
        product *= TENS.get(char) or MYRIADS[char]
    return Decimal(product) if product <= 10**12 else None
