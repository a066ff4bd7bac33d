"""One pass over a text: its amounts with their roles, and everything else the decision needs to know."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import TYPE_CHECKING, Final

from pipeline.reading.price.amounts import Amount, Reader, Unit
from pipeline.reading.price.lexer import (
    CARD, FRACTION, MULTIPLIER, NOISE, NUMBER, RATIO, SIGN, SIZE, WORD, Token,
)  # fmt: skip

if TYPE_CHECKING:
    from pipeline.reading.card import CardHit

_BREAKS: Final = frozenset(",;|(。、!?·")
_ROLES: Final = (
    "original", "current", "member", "teaser", "renewal", "stat", "saving", "deposit", "onetime", "conv",
)  # fmt: skip
_FLAGS: Final = frozenset((
    "gpu", "table", "machine", "hgx", "server", "node", "single", "pair", "rent", "foreign", "saving",
    "run", "image", "off", "noun", "edition", "column", "stock",
))  # fmt: skip
_WHERE: Final = {f"reject.{where}": where for where in ("text", "context", "any", "strong", "weak", "decides")}
_BRANDS: Final = frozenset(("gt", "gtx", "rtx", "quadro", "radeon", "rx", "tesla", "geforce"))
_COMMITMENT: Final = 3  # months from which a least term is a commitment
_TIMES: Final = re.compile(r"[0-9] ?[×*xX]|[×*xX] ?[0-9]")
_MOST_CARDS: Final = 64  # a larger number of cards is a cluster, not a purchase
_IN_HIT: Final = {
    "整机": "machine", "裸金属": "machine", "服务器": "server", "节点": "node", "HGX": "hgx", "DGX": "hgx",
    "hgx": "hgx", "dgx": "hgx", "单卡": "single", "单张": "single", "整卡": "whole_card",
}  # fmt: skip


@dataclass(slots=True)
class UnitWord:
    """A unit that belongs to no amount: of a header or heading. `scale` for `万元/月`."""

    currency: str | None
    scale: Decimal | None
    unit: Unit
    at: int


@dataclass(slots=True)
class Mode:
    """A billing word: `per`/`count` where it names a period."""

    mode: str
    per: str | None
    count: int
    at: int


@dataclass(slots=True)
class Count:
    """Cards counted in the text. `style`: cards (8卡), times (8×), column (显卡数 8), minimum, single, hgx."""

    n: int
    style: str
    at: int


@dataclass(slots=True)
class Size:
    """Gigabytes that may be card memory: behind 显存 (`labelled`), right behind a card, or of an edition (64GB 版)."""

    gb: Decimal
    labelled: bool
    edition: bool


@dataclass(slots=True)
class Scan:
    """What one text says. Places are token numbers, `flags` those of the first word with the flag."""

    text: str
    tokens: Sequence[Token]
    hits: Sequence[CardHit]
    amounts: list[Amount] = field(default_factory=list)
    bare: list[Amount] = field(default_factory=list)
    units: list[UnitWord] = field(default_factory=list)
    modes: list[Mode] = field(default_factory=list)
    counts: list[Count] = field(default_factory=list)
    sizes: list[Size] = field(default_factory=list)
    spans: list[tuple[int, str]] = field(default_factory=list)  # (3, "year"): lengths of time
    flags: dict[str, int] = field(default_factory=dict)
    rejects: dict[str, list[str]] = field(default_factory=dict)  # where → reasons in order
    ratios: list[tuple[str, Decimal | None]] = field(default_factory=list)
    skus: list[str] = field(default_factory=list)
    tax: str | None = None
    term: bool = False
    vague: bool = False
    formula: bool = False
    slice: bool = False
    paths: bool = False  # 双路 behind a card: cards or CPUs?
    etc: bool = False  # A100等: that card and others
    models: int = 0  # names of cards that the catalog does not know


def scan(text: str, tokens: Sequence[Token], hits: Sequence[CardHit]) -> Scan:
    """Read a normalised text that was lexed into `tokens`."""
    found = Scan(text, tokens, hits)
    reader = Reader(tokens, text)
    amounts = reader.amounts()
    found.amounts = [a for a in amounts if not a.bare]
    found.bare = [a for a in amounts if a.bare]
    _Facts(found, reader).collect(amounts)
    for i, amount in enumerate(amounts):
        if _negative(reader, amount.first):
            amount.role = "negative"
            continue
        _lead(found, reader, amount, amounts[i - 1] if i else None)
        _trail(found, reader, amount, amounts[i + 1] if i + 1 < len(amounts) else None)
    return found


class _Facts:
    """Words outside of amounts: flags, counts, modes, units, reasons."""

    def __init__(self, found: Scan, reader: Reader) -> None:
        self.found = found
        self.reader = reader
        self.tokens = found.tokens

    def collect(self, amounts: Sequence[Amount]) -> None:
        inside = {a.first: a for a in amounts if not a.bare}
        i = 0
        while i < len(self.tokens):
            amount = inside.get(i)
            if amount is not None:
                i = amount.last
                continue
            i = self._token(i, self.tokens[i])
        self.found.formula = self._formula()

    def _token(self, i: int, token: Token) -> int:
        if token.kind == WORD:
            return self._word(i, token)
        if token.kind == NUMBER:
            self._number(i, token)
        elif token.kind == CARD:
            self._card(i, token)
        elif token.kind == SIZE:
            self._size(i, token)
        elif token.kind == RATIO:
            self.found.ratios.append(token.value)
        elif token.kind == FRACTION:
            self._fraction(i, token)
        elif token.kind == MULTIPLIER:
            return self._multiplier(i)
        elif token.kind == SIGN:
            if token.value == "/" and self.reader.has(i + 1, "per") and (i == 0 or self.tokens[i - 1].kind != NUMBER):
                return self._unit_word(i, None, None, i)
        elif token.value in _BRANDS:
            self.found.flags.setdefault("gpu", i)
            if i + 1 < len(self.tokens):
                self._model(i + 1)
        elif "large" in token.value or "small" in token.value or "medium" in token.value:
            self.found.skus.append(self.found.text[token.start : token.end])
        return i + 1

    def _model(self, i: int) -> None:
        """`GT 710/730`: a card that the catalog does not know, or several."""
        token = self.tokens[i]
        if token.kind == FRACTION:
            self.found.models += 2
        elif token.kind == NUMBER:
            self.found.models += 1
            if self.reader.sign(i + 1, "/、") and self.tokens_kind(i + 2) == NUMBER:
                self.found.models += 1

    def _word(self, i: int, token: Token) -> int:
        tags, found = token.tags, self.found
        for tag in tags:
            if tag in _FLAGS:
                found.flags.setdefault(tag, i)
            elif tag in _WHERE:
                found.rejects.setdefault(_WHERE[tag], []).append(tags[tag])
        if "mode" in tags:
            self._mode(i, tags["mode"])
        if "single" in tags:
            found.counts.append(Count(1, "single", i))
        elif "pair" in tags:
            found.counts.append(Count(2, "cards", i))
        elif "hgx" in tags:
            found.counts.append(Count(8, "hgx", i))
        if "vague" in tags:
            found.vague = True
        if "etc" in tags and self.tokens_kind(i - 1) == CARD and self.reader.near(i):
            found.etc = True
        if "paths" in tags and self.tokens_kind(i - 1) == CARD and self.tokens_kind(i + 1) != NOISE:
            found.paths = True
        if "tax" in tags:
            found.tax = tags["tax"]
        if "term" in tags:
            found.term = found.term or bool(found.spans) or self._span_follows(i)
        if "cur" in tags and not (i and self.tokens[i - 1].kind == NUMBER):
            return self._unit_word(i, tags["cur"], None, i + 1)
        if "each" in tags:
            return self._unit_word(i, None, None, i)
        if "lead" in tags:
            found.units.append(UnitWord(None, None, Unit(per=tags["lead"]), i))
        if "per" in tags and self.reader.has(i + 1, "noun") and self.reader.near(i + 1):
            found.units.append(UnitWord(None, None, Unit(per=tags["per"]), i))
        return i + 1

    def _mode(self, i: int, value: str) -> None:
        mode, _, period = value.partition(":")
        per, _, count = period.partition("*")
        if mode == "pack" and self.tokens[i].value == "包":
            if not (self.found.spans and self.reader.near(i)):
                return
            mode, per = "pack", ""
        n = int(count or 1)
        if per and i and self.tokens[i - 1].kind == NUMBER and self.reader.near(i, 0):
            n = _periods(self.tokens[i - 1], n)  # 2年付
        self.found.modes.append(Mode(mode, per or None, n, i))

    def _unit_word(self, i: int, currency: str | None, scale: Decimal | None, start: int) -> int:
        """A unit with no amount: `元/小时`, `(美元)`, `/hr`, `per_hour`. Returns the token behind it."""
        unit = Unit()
        end = start
        while (following := self.reader.unit(end, unit, money=False)) > end:
            end = following
        if currency is not None or unit.given():
            self.found.units.append(UnitWord(currency, scale, unit, i))
        return max(end, i + 1)

    def _multiplier(self, i: int) -> int:
        scale = self.tokens[i].value
        if self.reader.has(i + 1, "cur") and self.reader.near(i + 1, 0):
            if i and self.tokens[i - 1].kind == NUMBER and self.tokens[i - 1].value is None:
                self.found.vague = True
                return i + 2
            behind = self.found.text[self.tokens[i + 1].end : self.tokens[i + 1].end + 1]
            before = self.found.text[self.tokens[i].start - 1 : self.tokens[i].start]
            around = {**self._tags(i - 1), **self._tags(i + 2)}
            if behind == "级" or before in {"上", "近", "过", "成", "逾"} or {"approx", "ceil", "floor"} & set(around):
                self.found.vague = True
                return i + 2
            return self._unit_word(i, self.tokens[i + 1].tags["cur"], scale, i + 2)
        return i + 1

    def _number(self, i: int, token: Token) -> None:
        """Counts of cards, lengths of time, vague numbers."""
        reader, found = self.reader, self.found
        if token.value is None:
            self._vague(i, token)
            return
        if not reader.near(i + 1):
            if i and reader.has(i - 1, "countcol"):
                self._count(int(token.value), "column", i)
            return
        tags = self.tokens[i + 1].tags
        if "per" in tags and not reader.sign(i - 1, "/"):
            if token.value == int(token.value) and 0 < token.value <= 400 and not self._calendar(i):
                found.spans.append((int(token.value), tags["per"]))
                if i and "term" in self.tokens[i - 1].tags:
                    found.term = True
                elif "minimum" in self._tags(i + 2) or "minimum" in self._tags(i - 1):
                    long = {"month": 1, "quarter": 3, "half_year": 6, "year": 12}.get(tags["per"], 0)
                    found.term = found.term or long * token.value >= _COMMITMENT
        elif tags.get("basis") == "card" or "spoken" in tags:
            if reader.sign(i - 1, "/") or token.value != int(token.value):
                return
            if "stock" in self._tags(i + 2) or "stock" in self._tags(i - 1):
                return
            style = "minimum" if "minimum" in self._tags(i - 1) or "minimum" in self._tags(i + 2) else "cards"
            if style == "cards" and self.tokens[i + 1].value == "颗":
                style = "chips"
            self._count(int(token.value), style, i)
        elif i and "countcol" in self.tokens[i - 1].tags:
            self._count(int(token.value), "column", i)
        elif "countcol" in self._tags(i - 2) and reader.sign(i - 1, ":|"):
            self._count(int(token.value), "column", i)

    def _calendar(self, i: int) -> bool:
        """`8月报价`: a month's name, not eight months."""
        return self.found.text[self.tokens[i + 1].start] == "月" and self.tokens[i].value > 1

    def _tags(self, i: int) -> dict[str, str]:
        return dict(self.tokens[i].tags) if 0 <= i < len(self.tokens) else {}

    def _count(self, n: int, style: str, at: int) -> None:
        if 0 < n <= _MOST_CARDS:
            self.found.counts.append(Count(n, style, at))

    def _vague(self, i: int, token: Token) -> None:
        text = self.found.text[token.start : token.end]
        scaled = any(c in "百千万亿十" for c in text)
        if scaled or self.reader.has(i + 1, "cur") or self.reader.has(i + 1, "spoken") or self.tokens_kind(i + 1) == MULTIPLIER:
            self.found.vague = True

    def tokens_kind(self, i: int) -> str | None:
        """Kind of token `i`, None outside."""
        return self.tokens[i].kind if 0 <= i < len(self.tokens) else None

    def _span_follows(self, i: int) -> bool:
        return (
            self.tokens_kind(i + 1) == NUMBER
            and self.reader.has(i + 2, "per")
            and self.tokens[i + 2].tags["per"] in {"month", "quarter", "half_year", "year"}
        )

    def _card(self, i: int, token: Token) -> None:
        hit = token.value
        if hit.kind == "slice":
            self.found.slice = True
        inner = self.found.text[token.start : token.end]
        for word, flag in _IN_HIT.items():
            if word in inner:
                self.found.flags.setdefault(flag, i)
                if flag == "hgx":
                    self.found.counts.append(Count(8, "hgx", i))
        if hit.count is not None and hit.kind == "whole" and hit.count == int(hit.count):
            style = "single" if "单" in inner else "times" if _TIMES.search(inner) else "cards"
            if style == "cards" and "颗" in inner:
                style = "chips"
            if style == "times" and self.reader.sign(i - 1, "("):
                style = "cards"  # GN7（1×T4）: a family, not a machine
            self._count(int(hit.count), style, i)
        self.found.flags.setdefault("gpu", i)

    def _size(self, i: int, token: Token) -> None:
        value, unit = token.value
        if unit != "gb" or value is None:
            return
        edition = self.reader.has(i + 1, "edition")
        before = i - 1
        while before >= 0 and self.tokens[before].kind == SIGN and self.tokens[before].value in "|:()/":
            before -= 1
        labelled = before >= 0 and ("vram" in self.tokens[before].tags or "vram" in self._tags(i + 1))
        beside = before >= 0 and self.tokens[before].kind == CARD
        if edition or labelled or beside:
            self.found.sizes.append(Size(value, labelled, edition))

    def _fraction(self, i: int, token: Token) -> None:
        """`1/4 颗`: a slice; `可租7/16`, `16/16 售罄`, `1 / 8`: stock."""
        low, high = token.value
        if not 0 < low < high <= 64:
            return
        near = [self._tags(j) for j in (i - 2, i - 1, i + 1)]
        if any("stock" in tags for tags in near):
            return
        following = self._tags(i + 1)
        if following.get("basis") == "card" or self.tokens_kind(i + 1) == CARD:
            self.found.slice = True

    def _formula(self) -> bool:
        """`1.49×8×24=`: two numbers multiplied and a sign of equality behind them."""
        times = equal = False
        for i, token in enumerate(self.tokens):
            if token.kind != SIGN:
                continue
            if token.value in "×*" and self.tokens_kind(i - 1) == NUMBER and self.tokens_kind(i + 1) == NUMBER:
                times = True
            elif token.value in "=≈" and times:
                equal = True
        return times and equal


def _negative(reader: Reader, first: int) -> bool:
    """`-1.98元`, `¥-1.98`: a minus, not a separator (which has a word before it) nor a bullet (a space behind)."""
    if not (first and reader.sign(first - 1, "-") and reader.near(first, 0)):
        return False
    return first == 1 or reader.sign(first - 2, "|:(") or reader.has(first - 2, "cur")


def _periods(token: Token, default: int) -> int:
    value = token.value
    return int(value) if value is not None and value == int(value) and 0 < value <= 36 else default


def _lead(found: Scan, reader: Reader, amount: Amount, before: Amount | None) -> None:
    """What the words before an amount, in its own clause, say about it."""
    low = before.last if before is not None else 0
    start = amount.first
    while start > low:
        token = found.tokens[start - 1]
        if token.kind == SIGN and token.value in _BREAKS:
            break
        start -= 1
    at, amount.lead_from = amount.start, start
    amount.bracketed = reader.sign(start - 1, "(") if start else False
    for i in range(start, amount.first):
        token = found.tokens[i]
        if token.kind == WORD:
            _lead_word(found, reader, amount, i, token, adjacent=at - token.end <= 1)
        elif token.kind == RATIO and token.value[0] == "discount":
            amount.discount, amount.floor = token.value[1], False
        elif token.kind == NUMBER and reader.has(i + 1, "per") and i + 1 < amount.first and token.value is not None:
            _lead_span(found, reader, amount, i, token)
        elif token.kind == SIGN and at - token.end <= 1:
            _lead_sign(found, amount, i, token, before)
    _other_mode(found, reader, amount, start, before)


def _other_mode(found: Scan, reader: Reader, amount: Amount, start: int, before: Amount | None) -> None:
    """`1.98（抢占 1.19）`: in a bracket behind a price, the price of another mode in the same unit."""
    if before is None or amount.lead_mode is None or amount.unit.per is not None or amount.role not in {"", "conv"}:
        return
    if start and reader.sign(start - 1, "("):
        amount.role = "other"
        amount.lead = Unit()


def _lead_word(found: Scan, reader: Reader, amount: Amount, i: int, token: Token, *, adjacent: bool) -> None:
    tags = token.tags
    if len(token.value) > 1 or adjacent:
        for role in _ROLES:
            if role in tags:
                amount.role = role
    if tags.get("floor") == "before":
        amount.floor = True
    if tags.get("ceil") == "before":
        amount.ceil = True
    if tags.get("approx") == "before":
        amount.approx = True
    if "lead" in tags:
        amount.lead.per, amount.lead.count = tags["lead"], 1
    if "mode" in tags:
        mode, _, period = tags["mode"].partition(":")
        per, _, count = period.partition("*")
        amount.lead_mode = mode
        if per and "term" not in tags:
            n = int(count or 1)
            if i and found.tokens[i - 1].kind == NUMBER and reader.near(i, 0):
                n = _periods(found.tokens[i - 1], n)
            amount.lead.per, amount.lead.count = per, n
    if "past" in tags and i and any("from" in found.tokens[j].tags for j in range(max(0, i - 2), i)):
        amount.role = "past"
    if "each" in tags or (token.kind == WORD and "per" in tags and reader.sign(i - 1, "/")):
        j = i + 1 if "each" in tags else i
        if reader.has(j, "per"):
            amount.lead.per, amount.lead.count = found.tokens[j].tags["per"], 1


def _lead_span(found: Scan, reader: Reader, amount: Amount, i: int, token: Token) -> None:
    """`1年380元`, `租用1个月：2000元`: the period; `五年租期`: a commitment."""
    per = found.tokens[i + 1].tags["per"]
    following = found.tokens[i + 2].tags if i + 2 < len(found.tokens) else {}
    if "term" in following or (i and "term" in found.tokens[i - 1].tags) or "minimum" in following:
        return
    if token.value != int(token.value) or not 0 < token.value <= 400:
        return
    if found.text[found.tokens[i + 1].start] == "月" and token.value > 1:
        return
    if per in {"hour", "minute", "second"} and token.value > 1:
        amount.role = "run"
        return
    amount.lead.per, amount.lead.count = per, int(token.value)


def _lead_sign(found: Scan, amount: Amount, i: int, token: Token, before: Amount | None) -> None:
    value = token.value
    if value in ">≥":
        amount.floor = True
    elif value in "<≤":
        amount.ceil = True
    elif value in "~≈":
        if before is None or (value == "~" and amount.currency == before.currency):
            amount.approx = True
        else:
            amount.role = "conv"
    elif value in "→=" and before is not None:
        amount.role = "conv"


def _trail(found: Scan, reader: Reader, amount: Amount, after: Amount | None) -> None:
    """Words glued behind an amount (`¥1.88/时会员价`) or in a bracket of their own (`2997元(原价)`)."""
    limit = after.first if after is not None else len(found.tokens)
    i = amount.last
    bracket = reader.sign(i, "(")
    if bracket:
        i += 1
    end = amount.end + (2 if bracket else 0)
    while i < limit and i < amount.last + 6:
        token = found.tokens[i]
        if token.kind == SIGN and token.value in _BREAKS | {")"}:
            break
        if bracket and after is not None and i + 1 == limit:
            break
        if token.kind == WORD and (bracket or token.start - end <= 1 and (after is None or token.start == amount.end)):
            for role in ("original", "current", "member", "stat"):
                if role in token.tags and len(token.value) > 1 and not amount.role:
                    amount.role = role
        elif token.kind == RATIO and token.value[0] == "discount" and bracket:
            amount.discount = token.value[1]
        i += 1
