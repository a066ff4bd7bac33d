"""Numbers that lost their front: `1 500元`, `2,5元/时`, `1，200元`, `1.9 8元`; and sums: `6800+1500元`.

What stands before such an amount belongs to it, or may: the rest alone would be a price that nobody asks.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from pipeline.reading.price.lexer import CARD, NUMBER, SIGN, Token
from pipeline.reading.price.unit import Cursor

_BEFORE: Final = frozenset((NUMBER, SIGN))
_GLUE: Final = frozenset(",'·。")
_LABELS: Final = ("vram", "ram", "countcol", "stock", "minimum", "id")  # what a number behind them counts
_GROUP: Final = 3  # digits of a group of thousands
_PAIR: Final = 2


def torn(tokens: Sequence[Token], text: str, first: int) -> str | None:
    """Why the amount at token `first` is not the whole number: `missing_unit` (of the number before it),
    `derived_estimate` for a sum, `multiple_offers` behind a stroke, None where nothing is glued to it.
    """
    if not first or tokens[first].kind != NUMBER or tokens[first - 1].kind not in _BEFORE:
        return None
    cursor, i = Cursor(tokens, text), first - 1
    if cursor.kind(i) == SIGN:
        i -= 1
    if i < 0 or cursor.kind(i) != NUMBER or cursor.tokens[i].value is None:
        return None
    before, token = cursor.tokens[i], cursor.tokens[first]
    gap = cursor.text[before.end : token.start]
    if gap == "+":
        return "derived_estimate"
    if gap.strip() == "/":
        return "multiple_offers"  # 1.98/3.96/7.92元/时: only the last has the unit
    if i and (any(tag in cursor.tokens[i - 1].tags for tag in _LABELS) or _counts(cursor, i)):
        return None
    front, rest = (cursor.text[one.start : one.end] for one in (before, token))
    if not (front[0].isascii() and rest[0].isascii()):
        return None
    return "missing_unit" if _one_number(front, gap, rest) else None


def _one_number(front: str, gap: str, rest: str) -> bool:
    whole = rest.partition(".")[0]
    if gap in _GLUE or gap in {".", ". ", " .", " . "} or rest[0] == ".":
        return True
    if gap not in {" ", ", "}:
        return False
    if "." in front:
        return gap == " " and rest.isdecimal() and len(rest) <= _PAIR  # 1.9 8
    if len(whole) == _GROUP:
        return len(front) <= _GROUP  # 1 500.00
    return gap == ", " and rest.isdecimal() and len(rest) <= _PAIR and len(front) <= _PAIR  # 1，98


def _counts(cursor: Cursor, i: int) -> bool:
    """`×8 500元`: the number before is a count."""
    return cursor.sign(i - 1, "×*#") and cursor.kind(i - 2) in {CARD, NUMBER, None}
