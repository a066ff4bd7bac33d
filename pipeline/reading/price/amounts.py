"""Amounts of money in a token list, with the unit written behind each of them.

An amount is a number with evidence that it is money: a currency word, `/月` and the like, or 万. A bare number
is kept apart: it is a price only where a header gives the unit.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Final

from pipeline.reading.price.lexer import CARD, FRACTION, MULTIPLIER, NUMBER, RATIO, SIGN, SIZE, Token

_SUFFIX_ONLY: Final = frozenset(("元", "块钱", "元钱"))
_SYMBOLS: Final = frozenset("¥$€£₩") | {"us$", "hk$", "nt$", "s$"}
_MYRIAD: Final = Decimal(10_000)
_TENTH: Final = Decimal("0.1")
_MOST_PERIODS: Final = 400
_SHORT: Final = frozenset(("hour", "minute", "second"))
_OWN_SCALE: Final = 100  # `800-1.2万`: a low end from here on is not counted in 万


_NO_PRICE_BEFORE: Final = ("stock", "id", "minimum", "countcol", "vram", "ram")
_NO_PRICE_AFTER: Final = ("per", "basis", "term", "mult")


@dataclass(slots=True)
class Unit:
    """What an amount is for: `count` periods `per`, one card or a server, or something that is no GPU."""

    per: str | None = None
    count: int = 1
    card: bool = False
    server: bool = False
    cards: int | None = None  # 元/8卡整机/月
    other: str | None = None  # gb, core, ip …

    def given(self) -> bool:
        """Whether anything is said at all."""
        return self.per is not None or self.card or self.server or self.other is not None


@dataclass(slots=True)
class Amount:
    """Tokens `first`..`last` (exclusive), characters `start`..`end`. `low`/`high` as written; ends may be open."""

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
    lead: Unit = field(default_factory=Unit)
    role: str = ""
    discount: Decimal | None = None  # `9.5折` written before it
    lead_mode: str | None = None
    bracketed: bool = False  # it stands in a bracket
    lead_from: int = 0  # the words before it, in its own clause, start at this token

    @property
    def broken(self) -> bool:
        """A range whose ends are equal or inverted: digits were lost."""
        return self.ranged and self.low >= self.high


@dataclass(slots=True)
class _End:
    value: Decimal
    scale: Decimal | None
    currency: str | None
    more: bool
    last: int


class Reader:
    """Reads amounts and units at token positions of one text."""

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

    def amounts(self) -> list[Amount]:
        """All amounts in order, bare numbers included."""
        found = []
        i = 0
        while i < self.n:
            token = self.tokens[i]
            amount = None
            if token.kind == NUMBER or "cur" in token.tags:
                amount = self._amount(i)
            if amount is None:
                i += 1
            else:
                found.append(amount)
                i = amount.last
        return found

    def _amount(self, i: int) -> Amount | None:
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
        currency = _foreign_first(currency, left.currency, right.currency if right else None)
        low, high, scale = _scaled(left, right)
        evidence = currency is not None or unit.given() or (scale is not None and scale >= _MYRIAD)
        if evidence and currency is None and not unit.given() and (self.has(i, "basis") or self._kind(i) == CARD):
            return None  # 1万张卡
        if not evidence and not self._may_be_bare(first, i):
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
        if first > 1 and self.sign(first - 1, ":") and any(t in self.tokens[first - 2].tags for t in _NO_PRICE_BEFORE):
            return False  # 库存：12
        if first and (self.sign(first - 1, "×*#") or any(t in self.tokens[first - 1].tags for t in _NO_PRICE_BEFORE)):
            return False
        if last >= self.n:
            return True
        tags = self.tokens[last].tags
        return not (
            self.sign(last, "×*")
            or (self.near(last) and any(t in tags for t in _NO_PRICE_AFTER))
            or (self.near(last) and "stock" in tags and self._kind(last + 1) not in {NUMBER, FRACTION})  # 12可租
            or (self.sign(last, "-~") and self._kind(last + 1) in {NUMBER, RATIO, SIZE})
        )

    def _kind(self, i: int) -> str | None:
        return self.tokens[i].kind if 0 <= i < self.n else None

    def _end(self, i: int) -> _End | None:
        """One number with its multiplier and the currency behind it."""
        if self._kind(i) != NUMBER or self.tokens[i].value is None:
            return None
        value, scale, currency, more = self.tokens[i].value, None, None, False
        i += 1
        while self._kind(i) == MULTIPLIER and self.near(i):
            scale = (scale or Decimal(1)) * self.tokens[i].value
            i += 1
        if scale is not None:
            value *= scale
            if self._digit(i) and self.near(i, 0):
                if self._kind(i + 1) == MULTIPLIER and self.near(i + 1, 0):  # 1万2千
                    value += self.tokens[i].value * self.tokens[i + 1].value
                    i += 2
                else:  # 1万2
                    value += self.tokens[i].value * scale / 10
                    i += 1
        if self.has(i, "more") and self.near(i):
            more, i = True, i + 1
        if self.has(i, "spoken") and self.near(i):
            if self.tokens[i].value == "块" and (self._kind(i + 1) == CARD or self.has(i + 1, "basis")):
                return None
            value, i = self._spoken(value, i)
            currency = "CNY"
        else:
            while self.has(i, "cur") and self.near(i):
                symbol = self.tokens[i].value in _SYMBOLS
                if symbol and (not self.near(i, 0) or self._kind(i + 1) == NUMBER):
                    break
                currency = currency or self.tokens[i].tags["cur"]
                i += 1
        return _End(value, scale, currency, more, i)

    def _digit(self, i: int) -> bool:
        if self._kind(i) != NUMBER or self.tokens[i].value is None:
            return False
        token = self.tokens[i]
        return token.end - token.start == 1 and not (self.has(i + 1, "per") or self.has(i + 1, "basis"))

    def _spoken(self, value: Decimal, i: int) -> tuple[Decimal, int]:
        """`2块2`, `两块二`, `8毛`, `一块两毛`: value and the next token."""
        step = Decimal(self.tokens[i].tags["spoken"])
        value *= step
        i += 1
        if step == 1 and self._kind(i) == NUMBER and self.near(i, 0) and self.tokens[i].value is not None:
            token = self.tokens[i]
            period = self.has(i + 1, "per") and token.value == 1
            if token.end - token.start == 1 and not period:
                value += token.value * _TENTH
                i += 1
                if self.has(i, "spoken"):
                    i += 1
        return value, i

    def _is_count(self, i: int, left: _End) -> bool:
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
            if "per" in tags or "basis" in tags or "term" in tags or self._kind(following) == CARD:
                return True
        return False

    def _range_end(self, i: int, currency: str | None) -> tuple[_End | None, int]:
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
        """Suffix words and the unit behind an amount; returns the next token. `flags`: floor, approx, ceil."""
        while i < self.n and self.near(i):
            tags = self.tokens[i].tags
            for place, tag in enumerate(("floor", "approx", "ceil")):
                if tags.get(tag) == "after":
                    flags[place] = True
                    break
            else:
                if "minimum" in tags and money:
                    flags[0] = True
                elif self.sign(i, "+") and self.near(i, 0) and self._kind(i + 1) != NUMBER:
                    flags[0] = True
                else:
                    j = self.unit(i, unit, money=money)
                    if j == i:
                        return i
                    i = j
                    continue
            i += 1
        return i

    def unit(self, i: int, unit: Unit, *, money: bool) -> int:
        """A unit that starts at token `i` (`/卡/小时`, `每月`, `一小时`); returns the token behind it, or `i`."""
        start = i
        slash = self.sign(i, "/") or self.has(i, "each")
        if slash:
            i += 1
            if self.has(i, "each"):
                i += 1
            if self.sign(i, "("):
                i += 1
        elif self.has(i, "lead") and money and str(self.tokens[i].value).startswith("每"):
            return self._per(i, unit, self.tokens[i].tags["lead"], 1) or start
        elif not (money and (self._kind(i) == NUMBER or (self.has(i, "per") and self.near(i, 0)))):
            return start
        count = 1
        if self._kind(i) == NUMBER and self.tokens[i].value is not None and self.tokens[i].value == int(self.tokens[i].value):
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
            elif slash and ("single" in tags or "machine" in tags or self._kind(i) == CARD):
                self._basis(unit, "server" if "machine" in tags else "card", count)
                i += 1
            else:
                break
            count = 1
            if self.sign(i, ")"):
                i += 1
            elif self.sign(i, "·*-") and i + 1 < self.n and ("per" in self.tokens[i + 1].tags or "basis" in self.tokens[i + 1].tags):
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
            if unit.card:  # 元/卡/台 says both; the card is the finer unit
                unit.server = False
        elif basis.startswith("other:"):
            unit.other = unit.other or basis[6:]


def _foreign_first(prefix: str | None, left: str | None, right: str | None) -> str | None:
    """`港币2800元`: 元 after another currency's name is that currency."""
    named = [c for c in (prefix, left, right) if c is not None]
    return next((c for c in named if c != "CNY"), named[0] if named else None)


def _scaled(left: _End, right: _End | None) -> tuple[Decimal, Decimal, Decimal | None]:
    """Both ends in whole units; a multiplier written once belongs to both ends."""
    if right is None:
        return left.value, left.value, left.scale
    low, high = left.value, right.value
    scale = right.scale or left.scale
    if right.scale is not None and left.scale is None:
        plain = right.value / right.scale
        if low < _OWN_SCALE or low < plain:
            low *= right.scale
    return low, high, scale
