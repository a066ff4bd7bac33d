"""Tax told by its rate: `含6%税`, `不含13%增值税`."""

from __future__ import annotations

from typing import Final

from pipeline.reading.price.lexer import Token

_TAXES: Final = ("税", "增值税", "专票", "发票", "的税", "的增值税")
_REACH: Final = 6  # characters behind the rate


def percent_of_tax(text: str, token: Token) -> str | None:
    """`included` or `excluded` where the percentage `token` is a tax rate, else None."""
    if not text[token.end : token.end + _REACH].lstrip().startswith(_TAXES):
        return None
    before = text[max(0, token.start - _REACH) : token.start].rstrip()
    return "excluded" if before.endswith("不含") else "included" if before.endswith("含") else None
