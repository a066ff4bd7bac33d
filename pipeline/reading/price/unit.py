"""Units in a token list (`/卡/小时`, `每月`, `元/8卡整机/月`), and looking around in one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from pipeline.reading.price.lexer import CARD, NUMBER, SIGN, Token

_MOST_PERIODS: Final = 400
LONG: Final = frozenset(("month", "quarter", "half_year", "year"))
"""Periods of a term."""
_SHORT: Final = frozenset(("hour", "minute", "second"))


@dataclass(slots=True)
class Unit:
    """What an amount is for: `count` periods `per`, one card or a server, or something that is no GPU."""

    per: str | None = None
    count: int = 1
    card: bool = False
    server: bool = False
    cards: int | None = None  # 元/8卡整机/月
    other: str | None = None  # gb, core, ip …
    machines: int = 1  # 12400元/2台/月

    def given(self) -> bool:
        """Whether anything is said at all."""
        return self.per is not None or self.card or self.server or self.other is not None


class Cursor:
    """Looks at token positions of one text; every question is answered for positions outside of it too."""

    def __init__(self, tokens: Sequence[Token], text: str) -> None:
        self.tokens = tokens
        self.text = text
        self.n = len(tokens)

    def near(self, i: int, most: int = 1) -> bool:
        """Whether token `i` follows its predecessor with nothing but a space between."""
        if not 0 < i < self.n:
            return False
        gap = self.tokens[i].start - self.tokens[i - 1].end
        return gap == 0 or (gap == 1 <= most and self.text[self.tokens[i].start - 1] == " ")

    def has(self, i: int, tag: str) -> bool:
        """Whether token `i` is a word with this tag."""
        return i < self.n and tag in self.tokens[i].tags

    def sign(self, i: int, chars: str) -> bool:
        """Whether token `i` is one of these signs."""
        return i < self.n and self.tokens[i].kind == SIGN and self.tokens[i].value in chars

    def kind(self, i: int) -> str | None:
        """Kind of token `i`, None outside."""
        return self.tokens[i].kind if 0 <= i < self.n else None

    def unit(self, i: int, unit: Unit, *, money: bool) -> int:
        """A unit that starts at token `i` (`/卡/小时`, `每月`); returns the token behind it, or `i`."""
        start = i
        slash = self.sign(i, "/") or self.has(i, "each")
        if slash:
            i += 1
            if self.has(i, "each"):
                i += 1
            if self.sign(i, "("):
                i += 1
        elif self.has(i, "single") and self.has(i + 1, "per") and self.near(i + 1, 0) and money:
            self._basis(unit, "card", 1)  # 1.88元每卡时
            return self._per(i + 1, unit, self.tokens[i + 1].tags["per"], 1) or start
        elif self.has(i, "lead") and money and str(self.tokens[i].value).startswith("每"):
            return self._per(i, unit, self.tokens[i].tags["lead"], 1) or start
        elif not (money and (self.kind(i) == NUMBER or (self.has(i, "per") and self.near(i, 0)))):
            return start
        count = 1
        if (
            self.kind(i) == NUMBER
            and self.tokens[i].value is not None
            and self.tokens[i].value == int(self.tokens[i].value)
        ):
            count = int(self.tokens[i].value)
            if not (self.has(i + 1, "per") or self.has(i + 1, "basis")) or not 0 < count <= _MOST_PERIODS:
                return start
            if not slash and count > 1 and self.tokens[i + 1].tags.get("per") in _SHORT:
                return start  # 1.98元 24小时客服
            i += 1
        begin = i
        while i < self.n:
            tags = self.tokens[i].tags
            if "per" in tags and (slash or i == begin):
                j = self._per(i, unit, tags["per"], count)
                if j is None:
                    break
                i = j
            elif slash and "unit" in tags:
                unit.card, unit.per, i = True, "hour", i + 1
            elif slash and "basis" in tags:
                self._basis(unit, tags["basis"], count)
                i += 1
            elif slash and (
                "single" in tags or "machine" in tags or (self.kind(i) == CARD and (money or self.near(i, 0)))
            ):
                self._basis(unit, "server" if "machine" in tags else "card", count)
                i += 1
            else:
                break
            count = 1
            if self.sign(i, ")") or (
                self.sign(i, "·*-")
                and i + 1 < self.n
                and ("per" in self.tokens[i + 1].tags or "basis" in self.tokens[i + 1].tags)
            ):
                i += 1
        return i if i > begin else start

    def _per(self, i: int, unit: Unit, per: str, count: int) -> int | None:
        if unit.per is not None:
            return None
        unit.per, unit.count = per, count
        return i + 1

    def _basis(self, unit: Unit, basis: str, count: int) -> None:
        if basis == "card":
            if count > 1:
                unit.server, unit.cards = True, count
            elif not unit.server:
                unit.card = True
        elif basis == "server":
            unit.server, unit.card = True, unit.card and unit.cards is None
            unit.machines = max(unit.machines, count)
            if unit.card:  # 元/卡/台 says both; the card is the finer unit
                unit.server = False
        elif basis.startswith("other:"):
            unit.other = unit.other or basis[6:]


def periods_of(token: Token, default: int) -> int:
    """`2` of `2年付`; `default` where the number is no count of periods."""
    value = token.value
    return int(value) if value is not None and value == int(value) and 0 < value <= 36 else default
