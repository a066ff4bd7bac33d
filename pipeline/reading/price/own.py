"""Does a price text itself say what one amount pays for?"""

from __future__ import annotations

from pipeline.reading.normalise import normalise
from pipeline.reading.price.lexer import lex
from pipeline.reading.price.scan import scan


def states_basis(text: str) -> bool:
    """`元/卡/时` and `元/台/月` say it, `元/月` does not. Never raises."""
    plain = normalise(text)
    found = scan(plain, lex(plain, []), [])
    return any(one.unit.card or one.unit.server for one in found.amounts)
