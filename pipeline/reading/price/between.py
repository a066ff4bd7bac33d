"""Ranges told in words: `介于1.88和2.08元/时`, `1.88元/时与2.08元/时之间`."""

from __future__ import annotations

import re
from typing import Final

from pipeline.reading.price.lexer import NUMBER
from pipeline.reading.price.unit import Cursor

_AND: Final = frozenset("和与跟同及")
_OPENS: Final = "介于"
_REACH: Final = 24  # characters before the lower end, or behind the upper one, in which the word must stand
# The upper end with its unit, up to the word that closes the range.
_CLOSES: Final = re.compile(r"[^,;|。、!?()]{0,24}?(?:之间|区间|不等|间(?!隔|歇))")
_CLAUSE: Final = re.compile(r"[,;|。、!?()]")


def and_between(cursor: Cursor, i: int) -> bool:
    """Whether only 和 (and the like) stands before token `i`, and its clause tells of a range."""
    if not 0 < i < cursor.n or not (cursor.kind(i) == NUMBER or cursor.has(i, "cur")):
        return False
    text, end, start = cursor.text, cursor.tokens[i - 1].end, cursor.tokens[i].start
    if text[end:start].strip() not in _AND:
        return False
    before = _CLAUSE.split(text[max(0, end - _REACH) : end])[-1]
    # `在1.88和2.08元/时` alone may list two prices; 介于 never does.
    if _OPENS in before:
        return True
    return _CLOSES.match(text, start) is not None
