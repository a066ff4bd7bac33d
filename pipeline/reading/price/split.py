"""A cell with several offers cut into parts of one each (`L40S ¥4.98 · L20 ¥4.00`)."""

from __future__ import annotations

from itertools import pairwise
from typing import Final

from pipeline.reading.price.amounts import Amount
from pipeline.reading.price.found import Scan
from pipeline.reading.price.lexer import CARD, SIGN, WORD

_SEPARATORS: Final = frozenset("·、;,|。")
# Amounts that belong to the offer before them: its old price, its conversion, its statistics.
_BESIDE: Final = frozenset(
    ("original", "member", "stat", "saving", "deposit", "onetime", "conv", "other", "teaser")
)
_STARTS: Final = ("mode", "lead", "single", "machine", "noun", "current")


def parts(scan: Scan) -> list[str]:
    """The text of a scan cut between its offers; one part where it holds at most one."""
    prices = [one for one in scan.amounts if one.role not in _BESIDE]
    if len(prices) < 2:
        return [scan.text]
    cuts = [
        0,
        *(_cut(scan, before, after) for before, after in pairwise(prices)),
        len(scan.text),
    ]
    found = [scan.text[start:end].strip(" ·、;,|。") for start, end in pairwise(cuts)]
    return [part for part in found if part]


def _cut(scan: Scan, before: Amount, after: Amount) -> int:
    """Where the later offer starts: behind a separator, else at its card or billing word, else its amount."""
    first_word: int | None = None
    for i in range(before.last, after.first):
        token = scan.tokens[i]
        if token.kind == SIGN and token.value in _SEPARATORS:
            return token.end
        if first_word is None and (
            token.kind == CARD or (token.kind == WORD and any(tag in token.tags for tag in _STARTS))
        ):
            first_word = token.start
    return first_word if first_word is not None else after.start
