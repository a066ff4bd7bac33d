"""Amounts of money in a token list, with the unit written behind each of them.

An amount is a number with evidence that it is money: a currency word, `/月` and the like, or 万. A bare
number is kept apart: it is a price only where a header gives the unit.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from decimal import Decimal
from typing import Final

from pipeline.reading.price.ends import End, foreign_first, scaled
from pipeline.reading.price.lexer import CARD, FRACTION, MULTIPLIER, NUMBER, RATIO, SIZE, WORD, Token
from pipeline.reading.price.unit import Cursor, Unit

_SUFFIX_ONLY: Final = frozenset(("元", "块钱", "元钱"))
_SYMBOLS: Final = frozenset("¥$€£₩") | {"us$", "hk$", "nt$", "s$"}
_MYRIAD: Final = Decimal(10_000)
_TENTH: Final = Decimal("0.1")
_SUFFIXES: Final = ("floor", "approx", "ceil")


_NO_PRICE_BEFORE: Final = ("stock", "id", "minimum", "countcol", "vram", "ram")
_NO_PRICE_AFTER: Final = ("per", "basis", "term", "mult")


@dataclass(slots=True)
class Amount:
    """Tokens `first`..`last` (exclusive), characters `start`..`end`. `low`/`high` as written."""

    first: int
    last: int
    start: int
    end: int
    low: Decimal
    high: Decimal
    currency: str | None
    myriads: bool
    ranged: bool
    approx: bool = False
    floor: bool = False
    ceil: bool = False
    bare: bool = False
    unit: Unit = field(default_factory=Unit)
    lead_per: str | None = None
    lead_count: int = 1
    role: str = ""
    discount: Decimal | None = None  # `9.5折` written before it
    lead_mode: str | None = None
    bracketed: bool = False  # it stands in a bracket
    lead_from: int = 0  # the words before it, in its own clause, start at this token

    @property
    def broken(self) -> bool:
        """A range whose ends are equal or inverted: digits were lost."""
        return self.ranged and self.low >= self.high


class Reader(Cursor):
    """Reads amounts at token positions of one text."""

    def amounts(self, *, bare: bool = True) -> list[Amount]:
        """All amounts in order, bare numbers included where asked for."""
        found = []
        i = 0
        while i < self.n:
            token = self.tokens[i]
            amount = None
            if token.kind == NUMBER or "cur" in token.tags:
                amount = self._amount(i, bare=bare)
            if amount is None:
                i += 1
            else:
                found.append(amount)
                i = amount.last
        return found

    def _amount(self, i: int, *, bare: bool) -> Amount | None:
        first, currency = i, None
        while self.has(i, "cur") and self.tokens[i].value not in _SUFFIX_ONLY and i < first + 2:
            currency = currency or self.tokens[i].tags["cur"]
            i += 1
            if self.sign(i, ":"):
                i += 1
        if i > first and not (self.near(i) or self.sign(i - 1, ":")):
            return None
        left = self._end(i)
        if left is None or (currency is None and self._is_count(i, left)):
            return None
        i = left.last
        unit, flags = Unit(), [False, left.more, False]
        right, stop = self._range_end(i, currency or left.currency)
        if right is None:
            i = self._tail(i, unit, flags, bool(currency or left.currency))
            if unit.given():
                right, stop = self._range_end(i, currency or left.currency)
        if right is not None:
            i = self._tail(right.last, unit, flags, bool(currency or left.currency or right.currency))
        del stop
        currency = foreign_first(currency, left.currency, right.currency if right else None)
        low, high, scale = scaled(left, right)
        evidence = currency is not None or unit.given() or (scale is not None and scale >= _MYRIAD)
        if (
            evidence
            and currency is None
            and not unit.given()
            and (self.has(i, "basis") or self.kind(i) == CARD)
        ):
            return None  # 1万张卡
        if not evidence and not (bare and self._may_be_bare(first, i)):
            return None
        return Amount(
            first=first,
            last=i,
            start=self.tokens[first].start,
            end=self.tokens[i - 1].end,
            low=low,
            high=high,
            currency=currency,
            myriads=scale is not None and scale >= _MYRIAD,
            ranged=right is not None,
            floor=flags[0],
            approx=flags[1],
            ceil=flags[2],
            bare=not evidence,
            unit=unit,
        )

    def _may_be_bare(self, first: int, last: int) -> bool:
        """Whether a number without any unit may be the price of a cell whose header has the unit."""
        if (
            first > 1
            and self.sign(first - 1, ":")
            and any(t in self.tokens[first - 2].tags for t in _NO_PRICE_BEFORE)
        ):
            return False  # 库存：12
        if first and (
            self.sign(first - 1, "×*#") or any(t in self.tokens[first - 1].tags for t in _NO_PRICE_BEFORE)
        ):
            return False
        if last >= self.n:
            return True
        tags = self.tokens[last].tags
        return not (
            self.sign(last, "×*")
            or (self.near(last) and any(t in tags for t in _NO_PRICE_AFTER))
            or (
                self.near(last) and "stock" in tags and self.kind(last + 1) not in {NUMBER, FRACTION}
            )  # 12可租
            or (self.sign(last, "-~") and self.kind(last + 1) in {NUMBER, RATIO, SIZE})
        )

    def _end(self, i: int) -> End | None:
        """One number with its multiplier and the currency behind it."""
        if self.kind(i) != NUMBER or self.tokens[i].value is None:
            return None
        value, scale, currency, more = self.tokens[i].value, None, None, False
        i += 1
        while self.kind(i) == MULTIPLIER and self.near(i):
            scale = (scale or Decimal(1)) * self.tokens[i].value
            i += 1
        if scale is not None:
            value *= scale
            if self._digit(i) and self.near(i, 0):
                if self.kind(i + 1) == MULTIPLIER and self.near(i + 1, 0):  # 1万2千
                    value += self.tokens[i].value * self.tokens[i + 1].value
                    i += 2
                else:  # 1万2
                    value += self.tokens[i].value * scale / 10
                    i += 1
        if self.has(i, "more") and self.near(i):
            more, i = True, i + 1
        if self.has(i, "spoken") and self.near(i):
            if self.tokens[i].value == "块" and (self.kind(i + 1) == CARD or self.has(i + 1, "basis")):
                return None
            value, i = self._spoken(value, i)
            currency = "CNY"
            if self.has(i, "more") and self.near(i):  # 2块多
                more, i = True, i + 1
        else:
            while self.has(i, "cur") and self.near(i):
                symbol = self.tokens[i].value in _SYMBOLS
                if symbol and (not self.near(i, 0) or self.kind(i + 1) == NUMBER):
                    break
                currency = currency or self.tokens[i].tags["cur"]
                i += 1
        return End(value, scale, currency, more, i)

    def _digit(self, i: int) -> bool:
        if self.kind(i) != NUMBER or self.tokens[i].value is None:
            return False
        token = self.tokens[i]
        return token.end - token.start == 1 and not (self.has(i + 1, "per") or self.has(i + 1, "basis"))

    def _spoken(self, value: Decimal, i: int) -> tuple[Decimal, int]:
        """`2块2`, `两块二`, `8毛`, `一块两毛`: value and the next token."""
        step = Decimal(self.tokens[i].tags["spoken"])
        value *= step
        i += 1
        if step == 1 and self.kind(i) == NUMBER and self.near(i, 0) and self.tokens[i].value is not None:
            token = self.tokens[i]
            period = self.has(i + 1, "per") and token.value == 1
            if token.end - token.start == 1 and not period:
                value += token.value * _TENTH
                i += 1
                if self.has(i, "spoken"):
                    i += 1
        return value, i

    def _is_count(self, i: int, left: End) -> bool:
        """`×8`, `8×`, `8卡`, `3个月`, `2小时`: a number that counts and is no amount."""
        if left.currency is not None:
            return False
        if self.sign(left.last, "×*") or (i and self.sign(i - 1, "×*")):
            return True
        if left.scale is not None and left.scale >= _MYRIAD:
            return False
        following = left.last
        if following < self.n and self.near(following):
            tags = self.tokens[following].tags
            if "per" in tags or "basis" in tags or "term" in tags or self.kind(following) == CARD:
                return True
        return False

    def _range_end(self, i: int, currency: str | None) -> tuple[End | None, int]:
        """The upper end after a range sign at `i`, if what follows is one."""
        j = i
        if self.sign(j, "-~"):
            j += 1
            if self.sign(j, "-~") and self.near(j, 0):
                j += 1
        elif self.has(j, "range"):
            j += 1
        else:
            return None, i
        if i and not (self.near(i)):
            return None, i
        prefix = None
        if self.has(j, "cur") and self.tokens[j].value not in _SUFFIX_ONLY:
            prefix = self.tokens[j].tags["cur"]
            if currency is not None and prefix != currency:
                return None, i
            j += 1
        if not self.near(j):
            return None, i
        right = self._end(j)
        if right is None or (prefix is None and self._is_count(j, right)):
            return None, i
        right.currency = prefix or right.currency
        return right, right.last

    def _tail(self, i: int, unit: Unit, flags: list[bool], money: bool) -> int:
        """Suffixes and unit behind an amount; returns the next token. `flags`: floor, approx, ceil."""
        while i < self.n and self.near(i):
            token = self.tokens[i]
            if token.kind == WORD and self._suffix(token, flags, money):
                i += 1
            elif self.sign(i, "+") and self.near(i, 0) and self.kind(i + 1) != NUMBER:
                flags[0] = True
                i += 1
            else:
                j = self.unit(i, unit, money=money)
                if j == i:
                    break
                i = j
        return i

    def _suffix(self, token: Token, flags: list[bool], money: bool) -> bool:
        """`起`, `左右`, `以内` behind an amount."""
        tags = token.tags
        for place, tag in enumerate(_SUFFIXES):
            if tag in tags and tags[tag] == "after":
                flags[place] = True
                return True
        if "minimum" in tags and money:
            flags[0] = True
            return True
        return False
