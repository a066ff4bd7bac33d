"""One pass over a text: its amounts with their roles, and everything else the decision needs to know."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from pipeline.reading.price.amounts import Reader
from pipeline.reading.price.bare import unread_beside
from pipeline.reading.price.facts import Facts
from pipeline.reading.price.found import Scan
from pipeline.reading.price.lexer import MOST_TOKENS, NUMBER, SIGN, Token
from pipeline.reading.price.roles import assign

if TYPE_CHECKING:
    from pipeline.reading.card import CardHit


def scan(text: str, tokens: Sequence[Token], hits: Sequence[CardHit], *, context: bool = False) -> Scan:
    """Read a normalised text that was lexed into `tokens`.

    Of a `context` only what it says of its cell is read: bare numbers and roles are the cell's own.
    """
    found = Scan(text, tokens, hits, page=len(tokens) >= MOST_TOKENS)
    reader = Reader(tokens, text)
    amounts = reader.amounts(bare=not context)
    found.amounts = [a for a in amounts if not a.bare]
    if not context:
        found.bare = [a for a in amounts if a.bare]
        if found.bare and not found.amounts:
            found.loose = any(unread_beside(reader, *number) for number in reader.refused)
    Facts(found, reader, context=context).collect(amounts)
    found.formula = not context and _formula(reader)
    if context:
        return found.slim()
    assign(found, reader, amounts)
    return found


def _formula(reader: Reader) -> bool:
    """`1.49×8×24=`: two numbers multiplied and a sign of equality behind them."""
    times = equal = False
    for i, token in enumerate(reader.tokens):
        if token.kind != SIGN:
            continue
        if token.value in "×*" and reader.kind(i - 1) == NUMBER and reader.kind(i + 1) == NUMBER:
            times = True
        elif token.value in "=≈" and times:
            equal = True
    return times and equal
