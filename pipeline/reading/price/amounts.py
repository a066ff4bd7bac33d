"""Amounts of money in a token list, with the unit written behind each of them.

An amount is a number with evidence that it is money: a currency word, `/月` and the like, or 万. A bare
number is kept apart: it is a price only where a header gives the unit.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from decimal import Decimal
from typing import Final

from pipeline.reading.numerals import DIGITS, MULTIPLIERS, multiplier
from pipeline.reading.price.bare import may_be_bare, odd_unit, open_end, rate
from pipeline.reading.price.between import and_between
from pipeline.reading.price.ends import End, foreign_first, scaled
from pipeline.reading.price.lexer import CARD, MULTIPLIER, NUMBER, WORD, Token
from pipeline.reading.price.unit import Cursor, Unit

_SUFFIX_ONLY: Final = frozenset(("元", "块钱", "元钱"))
_SYMBOLS: Final = frozenset("¥$€£₩") | {"us$", "hk$", "nt$", "s$"}
_MYRIAD: Final = Decimal(10_000)
_TENTH: Final = Decimal("0.1")
_SUFFIXES: Final = ("floor", "approx", "ceil")


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

    refused: list[tuple[int, int]]  # numbers that are no amounts: first token, and the one behind

    def amounts(self, *, bare: bool = True) -> list[Amount]:
        """All amounts in order, bare numbers included where asked for."""
        found = []
        self.refused = []
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
        if i > first and (rate(self, first) or not (self.near(i) or self.sign(i - 1, ":"))):
            return None
        left = self._end(i)
        if left is None or (currency is None and self._is_count(i, left)):
            return None
        i = left.last
        unit, flags = Unit(), [False, left.more, False]
        right = self._range_end(i, currency or left.currency)
        if right is None and i < self.n:
            i = self._tail(i, unit, flags, bool(currency or left.currency))
            if unit.given():
                right = self._range_end(i, currency or left.currency)
        if right is not None:
            i = self._tail(right.last, unit, flags, bool(currency or left.currency or right.currency))
        currency = foreign_first(currency, left.currency, right.currency if right else None)
        if currency is not None and not unit.given() and odd_unit(self, i):
            unit.other = "thing"
        low, high, scale = scaled(left, right)
        if right is not None and low < high and (numeral := self._numeral_scale(first, left, right)):
            low *= numeral  # 三到四万元
        evidence = currency is not None or unit.given() or (scale is not None and scale >= _MYRIAD)
        if (
            evidence
            and currency is None
            and not unit.given()
            and (self.has(i, "basis") or self.kind(i) == CARD)
        ):
            return None  # 1万张卡
        told = currency is not None or unit.given()
        if not told and not (evidence or bare):
            return None
        if not told and not may_be_bare(self, first, i):  # 1.2万平方米, 点赞 3.2万
            self.refused.append((first, i))
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

    def _end(self, i: int) -> End | None:
        """One number with its multiplier and the currency behind it."""
        if self.kind(i) != NUMBER or self.tokens[i].value is None:
            return None
        at, start = i, self.tokens[i].start
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
            if not self.text[start].isascii():
                return None  # 一千多元 is as vague as 千元级
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
            if currency == "CNY" and self._smaller(i + 1, Decimal(1)) == _TENTH and self.near(i, 0):
                more_value, i = self._spoken(Decimal(1), i - 1)  # 1元3角
                value += more_value - 1
        return End(value, scale, currency, more, i, at)

    def _numeral_scale(self, first: int, left: End, right: End) -> Decimal | None:
        """The multiplier inside the numeral of the upper end, where the lower one is a mere digit."""
        if left.scale is not None or right.scale is not None or left.value >= 10:
            return None
        token = next((t for t in reversed(self.tokens[first : right.last]) if t.kind == NUMBER), None)
        run = self.text[token.start : token.end] if token is not None else ""
        digit = self.text[self.tokens[left.first].start : self.tokens[left.first].end]
        if digit not in DIGITS or run[-1:] not in MULTIPLIERS:
            return None
        return multiplier(run[-1])

    def _digit(self, i: int) -> bool:
        if self.kind(i) != NUMBER or self.tokens[i].value is None:
            return False
        token = self.tokens[i]
        return token.end - token.start == 1 and not (self.has(i + 1, "per") or self.has(i + 1, "basis"))

    def _spoken(self, value: Decimal, i: int) -> tuple[Decimal, int]:
        """`2块2`, `1块35`, `两块二`, `8毛`, `9毛5`, `一块三毛五`: value and the next token."""
        step = Decimal(self.tokens[i].tags.get("spoken", 1))
        value *= step
        i += 1
        while self.near(i, 0) and self.kind(i) == NUMBER and self.tokens[i].value is not None:
            token = self.tokens[i]
            digits = token.end - token.start
            smaller = self._smaller(i + 1, step)
            if token.value == 1 and self.has(i + 1, "per"):
                break  # 一块三一小时
            if smaller is not None and smaller >= step:
                break
            if token.value != int(token.value) or digits > (1 if step < 1 or smaller else 2):
                break
            step = smaller or step * (_TENTH**digits)
            value += token.value * step
            i += 1 if smaller is None else 2
            if smaller is None:
                break
        return value, i

    def _smaller(self, i: int, step: Decimal) -> Decimal | None:
        """What the word at `i` counts in spoken money: tenths (角), and hundredths behind them (分)."""
        if self.has(i, "spoken"):
            return Decimal(self.tokens[i].tags["spoken"])
        return step * _TENTH if step == _TENTH and i < self.n and self.tokens[i].value == "分" else None

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

    def _range_end(self, i: int, currency: str | None) -> End | None:
        """The upper end after a range sign at `i`, if what follows is one."""
        if i >= self.n:
            return None
        j, token = i, self.tokens[i]
        if self.sign(j, "-~"):
            j += 1
            if self.sign(j, "-~") and self.near(j, 0):
                j += 1
        elif "range" in token.tags:
            j += 1
        elif not ((token.kind == NUMBER or "cur" in token.tags) and and_between(self, j)):
            return None
        if i and j > i and not self.near(i):
            return None
        prefix = None
        if self.has(j, "cur") and self.tokens[j].value not in _SUFFIX_ONLY:
            prefix = self.tokens[j].tags["cur"]
            if currency is not None and prefix != currency:
                return None
            j += 1
        if j > i and not self.near(j):
            return None
        right = self._end(j)
        if right is None or (prefix is None and self._is_count(j, right)):
            return None
        right.currency = prefix or right.currency
        return right

    def _tail(self, i: int, unit: Unit, flags: list[bool], money: bool) -> int:
        """Suffixes and unit behind an amount; returns the next token. `flags`: floor, approx, ceil."""
        while i < self.n and self.near(i):
            token = self.tokens[i]
            if token.kind == WORD and self._suffix(i, token, flags, money):
                i += 1
            elif money and self.sign(i, "(") and self.has(i + 1, "per") and self.sign(i + 2, ")"):
                unit.per = unit.per or self.tokens[i + 1].tags["per"]  # 1480元(月)
                i += 3
            elif self.sign(i, "+") and self.near(i, 0) and open_end(self, i):
                flags[0] = True
                i += 1
            else:
                j = self.unit(i, unit, money=money)
                if j == i:
                    break
                i = j
        return i

    def _suffix(self, i: int, token: Token, flags: list[bool], money: bool) -> bool:
        """`起`, `左右`, `以内` behind an amount."""
        tags = token.tags
        for place, tag in enumerate(_SUFFIXES):
            if tag in tags and tags[tag] == "after":
                flags[place] = True
                return True
        if "minimum" in tags and money and self.kind(i + 1) != NUMBER:  # 起租3个月 opens no end
            flags[0] = True
            return True
        return False
