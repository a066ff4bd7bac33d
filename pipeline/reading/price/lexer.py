"""Text → tokens: numbers, words of the vocabulary, cards, and digits that are no price (dates, stock, sizes).

One pass from left to right; every pattern is anchored and bounded, so the time is linear in the text.
"""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from pipeline.reading import numerals
from pipeline.reading.price.patterns import (
    BANK_AMOUNT,
    BANK_FREE,
    DIGITS,
    GIGABYTES,
    GLUED,
    GOES_ON,
    LETTERS,
    NAME_REST,
    NUMERAL_RUN,
    ON,
    ONE_PERIOD,
    PLAIN,
    RATIO_BEHIND,
    RATIO_STARTS,
    SPACED_UNIT,
    UNITS,
    is_discount,
    is_myriads,
)
from pipeline.reading.price.words import NO_TAGS, Firsts, Tags, ascii_tails, ascii_words, by_first

if TYPE_CHECKING:
    from pipeline.reading.card import CardHit

NUMBER: Final = "number"  # value: Decimal, or None for `几十` and `七八千`
MULTIPLIER: Final = "multiplier"  # value: Decimal
WORD: Final = "word"
CARD: Final = "card"  # value: CardHit
SIZE: Final = "size"  # value: (Decimal, unit): 80 GB, 16 核, 876 机: a quantity that is no money
NOISE: Final = "noise"  # dates, times, phone numbers, unknown names; value: the text
FRACTION: Final = "fraction"  # value: (numerator, denominator): stock 7/16 or 1/4 of a card
RATIO: Final = "ratio"  # value: ("discount" | "percent" | "times", Decimal | None)
SIGN: Final = "sign"  # one of SIGNS, value: the character

SIGNS: Final = frozenset("/()[]{}【】「」《》,;|:!?。、·≈→=~-+<>≤≥*×\"'#")
_ODD: Final = frozenset(("counted", "mult", "qty", "skip"))  # tags of words that are no plain word token
_make: Final = tuple.__new__  # the constructor of a named tuple without its keyword handling
_BRACKETS: Final = {"[": "(", "【": "(", "{": "(", "]": ")", "】": ")", "}": ")"}


class Token(NamedTuple):
    """`start` and `end` are places in the text; `tags` are those of a vocabulary word."""

    kind: str
    start: int
    end: int
    value: Any
    tags: Tags = NO_TAGS


_SHORT: Final = 3  # letters: a word so short with a digit glued on is a part of a name
_CHECKED: Final = 1024  # characters between two looks at the number of tokens
MOST_TOKENS: Final = 50_000  # a text with more is a whole page, not a cell: the rest is not read
_LONGEST_NUMBER: Final = 18  # digits; a longer run is an identifier
_BIG: Final = 8  # digits without a separator from which a number with no sign is an identifier


def lex(text: str, hits: Sequence[CardHit] = ()) -> list[Token]:
    """Tokens of a normalised text. `hits`: the cards found in it; nothing inside a hit becomes a number."""
    low = text.lower()
    if "元" in low and not BANK_FREE.isdisjoint(low):
        low = BANK_AMOUNT.sub(lambda m: m.group().translate(numerals.BANK), low)  # 柒仟元
    if len(low) != len(text):
        low = "".join(c.lower() if len(c.lower()) == 1 else c for c in text)
    return _Lexer(low, hits).run()


class _Lexer:
    def __init__(self, low: str, hits: Sequence[CardHit]) -> None:
        self.low = low
        self.hits = hits
        self.out: list[Token] = []
        self.limit = len(low)  # where the next card starts

    def run(self) -> list[Token]:
        i = 0
        for hit in self.hits:
            if hit.start < i:
                continue
            if len(self.out) >= MOST_TOKENS:
                return self.out
            self.limit = hit.start
            i = self._to(i)
            self.out.append(Token(CARD, hit.start, hit.end, hit))
            i = hit.end
        self.limit = len(self.low)
        self._to(i)
        return self.out

    def _to(self, i: int) -> int:
        low, limit, firsts, out = self.low, self.limit, by_first(), self.out
        check = i
        while i < limit:
            if i >= check:  # not at every character: this loop is the hottest of all
                check = i + _CHECKED
                if len(out) >= MOST_TOKENS:
                    return i
            c = low[i]
            if c == " ":
                i += 1
            elif "0" <= c <= "9" or (c == "." and low[i + 1 : i + 2].isdecimal() and low[i + 1].isascii()):
                i = self._digits(i)
            elif "a" <= c <= "z":
                i = self._letters(i)
            elif c in SIGNS:
                i += 1
                out.append(_make(Token, (SIGN, i - 1, i, _BRACKETS.get(c, c), NO_TAGS)))
            elif c in firsts or c in numerals.NUMERALS:
                i = self._other(i, c, firsts)
            else:
                i += 1
        return limit

    def _other(self, i: int, c: str, firsts: Firsts) -> int:
        low, limit = self.low, self.limit
        for length, words in firsts.get(c, ()):
            word = low[i : i + length]
            tags = words.get(word)
            if tags is None or i + length > limit:
                continue
            if _ODD.isdisjoint(tags):
                self.out.append(_make(Token, (WORD, i, i + length, word, tags)))
                return i + length
            if "counted" in tags and not (self.out and self.out[-1].kind == NUMBER and self.out[-1].end == i):
                continue
            if "mult" in tags and length == 1 and low[i + 1 : i + 2] in numerals.NUMERALS and c != "百":
                continue
            return self._word(i, i + length, tags)
        return self._numeral(i) if c in numerals.NUMERALS else i + 1

    def _word(self, start: int, end: int, tags: Tags) -> int:
        if "mult" in tags:
            self.out.append(Token(MULTIPLIER, start, end, Decimal(tags["mult"])))
        elif "qty" in tags and len(tags) == 1:
            self._quantity(start, end)
        elif "skip" not in tags or len(tags) > 1:
            self.out.append(Token(WORD, start, end, self.low[start:end], tags))
        return end

    def _quantity(self, start: int, end: int) -> None:
        """`5 个`, `876机`: the number before it counts something that is no card."""
        if self.out and self.out[-1].kind == NUMBER and start - self.out[-1].end <= 1:
            last = self.out[-1]
            self.out[-1] = Token(SIZE, last.start, end, (last.value, self.low[start:end]))
        else:
            self.out.append(Token(WORD, start, end, self.low[start:end], NO_TAGS))

    def _numeral(self, i: int) -> int:
        m = NUMERAL_RUN.match(self.low, i, self.limit)
        assert m is not None
        run, end = m.group(), m.end()
        last = self.out[-1] if self.out else None
        if (
            last is not None
            and last.kind == WORD
            and "spoken" in last.tags
            and last.end == i
            and len(run) > 1
        ):
            run, end = run[0], i + 1  # 两块二一小时: the second digit is of the next word
        if last is not None and last.kind == NUMBER and i - last.end <= 1 and run[0] in numerals.MULTIPLIERS:
            scale = run[: len(run) - len(run.lstrip("百千万亿"))]
            run, end = scale, i + len(scale)  # 1.2万一年: 一 is of the next word
        if len(run) > 1 and run[-1] == "一" and run[-2] not in "十零" and ONE_PERIOD.match(self.low, end):
            run, end = run[:-1], end - 1  # 两千一个月: 一 is of the next word
        if is_discount(self.low, end) and len(run) <= 2 and all(c in numerals.DIGITS for c in run):
            digits = [numerals.DIGITS[c] for c in run]
            self.out.append(
                Token(RATIO, i, end + 1, ("discount", Decimal(digits[0]) + Decimal(sum(digits[1:])) / 10))
            )
            return end + 1  # 九五折
        if run in {"数", "几"} and self.low[end : end + 1] not in {"元", "块", "个", "毛", "角"}:
            return end
        product = numerals.multiplier(run)
        if product is not None:
            self.out.append(Token(MULTIPLIER, i, end, product))
        else:
            self.out.append(Token(NUMBER, i, end, numerals.value(run)))
        return end

    def _letters(self, i: int) -> int:
        low, limit = self.low, self.limit
        m = LETTERS.match(low, i, limit)
        assert m is not None
        run, end = m.group(), m.end()
        for tail in ascii_tails().get(run, ()):
            if (
                low.startswith(tail, i)
                and i + len(tail) <= limit
                and not low[i + len(tail) : i + len(tail) + 1].islower()
            ):
                return self._word(i, i + len(tail), ascii_words()[tail])
        if run == "x" and (end >= limit or not low[end].isascii() or low[end] in " 0123456789"):
            self.out.append(Token(SIGN, i, end, "×"))
            return end
        tags = ascii_words().get(run)
        glued = GLUED.match(low, end, limit) if low[end : end + 1].isdecimal() else None
        if glued is not None and len(glued[1]) <= len(run) + 1:
            return self._word(i, end, tags or NO_TAGS)
        if tags is not None and len(run) <= _SHORT and "cur" not in tags and low[end : end + 1].isdecimal():
            tags = None  # p3.2xlarge
        if (
            tags is not None
            and "mult" not in tags
            and not (end < limit and low[end] == "_" and "per" in tags)
        ):
            return self._word(i, end, tags)
        rest = NAME_REST.match(low, end, limit)
        end = rest.end() if rest is not None else end
        self.out.append(Token(NOISE, i, end, low[i:end]))
        return end

    def _digits(self, i: int) -> int:
        low, limit = self.low, self.limit
        plain = PLAIN.match(low, i, limit)
        if plain is not None and plain.end() - i < _BIG:
            end = plain.end()
            following = low[end : end + 2]
            if not following or not (
                following[0] in GOES_ON or (following[0] == " " and following[1:] in ON)
            ):
                return self._after_number(i, end, Decimal(plain.group()))
        m = DIGITS.match(low, i, limit)
        if m is None:
            return i + 1
        if m["noise"]:
            self.out.append(Token(NOISE, i, m.end(), m["noise"]))
            return m.end()
        last = self.out[-1] if self.out else None
        if m["fraction"] and not (last is not None and "cur" in last.tags and last.end >= i - 1):
            numerator, _, denominator = m["fraction"].partition("/")
            self.out.append(Token(FRACTION, i, m.end(), (int(numerator), int(denominator))))
            return m.end()
        if m["number"] is None:
            assert plain is not None
            digits, end = plain.group(), plain.end()
        else:
            digits, end = m["number"], m.end()
        if len(digits) > _LONGEST_NUMBER or (
            len(digits) >= _BIG and digits.isdecimal() and not _signed(last, low, end)
        ):
            self.out.append(Token(NOISE, i, end, digits))
            return end
        return self._after_number(i, end, Decimal(digits.replace(",", "")))

    def _after_number(self, start: int, end: int, value: Decimal) -> int:
        low, limit = self.low, self.limit
        ratio = RATIO_BEHIND.match(low, end, limit) if low[end : end + 1] in RATIO_STARTS else None
        if ratio is not None:
            kind = "percent" if ratio[1] else "discount" if ratio[2] else "times"
            if kind == "discount" and value > 10:
                value /= 10  # 95折
            self.out.append(Token(RATIO, start, ratio.end(), (kind, value)))
            return ratio.end()
        m = LETTERS.match(low, end, limit)
        if m is None:
            m = SPACED_UNIT.match(low, end, limit)
        if m is not None:
            run = m.group().strip()
            following = low[m.end() : m.end() + 1]
            if run in GIGABYTES and not (following.isascii() and following.isalnum()):
                self.out.append(Token(SIZE, start, m.end(), (value, "gb")))
                return m.end()
            if run in UNITS or (run == "w" and not is_myriads(value, low[m.end() : m.end() + 2])):
                self.out.append(Token(SIZE, start, m.end(), (value, run)))
                return m.end()
            if run in {"k", "w"}:
                self.out.append(Token(NUMBER, start, end, value))
                self.out.append(Token(MULTIPLIER, end, m.end(), Decimal(1000 if run == "k" else 10000)))
                return m.end()
            if (
                run not in ascii_words()
                and run != "x"
                and m.end() < limit
                and low[m.end()].isascii()
                and low[m.end()].isalnum()
            ):
                rest = NAME_REST.match(low, m.end(), limit)
                stop = rest.end() if rest is not None else m.end()
                self.out.append(Token(NOISE, start, stop, low[start:stop]))
                return stop
        self.out.append(_make(Token, (NUMBER, start, end, value, NO_TAGS)))
        return end


def _signed(last: Token | None, low: str, end: int) -> bool:
    return (last is not None and "cur" in last.tags) or low[end : end + 1] in {"元", "块", "万"}
