"""Words of a text outside of its amounts: counts, billing words, units of headers, reasons."""

from __future__ import annotations

import re
from collections.abc import Sequence
from decimal import Decimal
from typing import Final

from pipeline.reading.price import sizes
from pipeline.reading.price.amounts import Amount, Reader
from pipeline.reading.price.found import Count, Mode, Scan, UnitWord
from pipeline.reading.price.label import included, of_a_machine
from pipeline.reading.price.lexer import (
    CARD,
    FRACTION,
    MULTIPLIER,
    NOISE,
    NUMBER,
    RATIO,
    SIGN,
    SIZE,
    WORD,
    Token,
)  # fmt: skip
from pipeline.reading.price.names import unknown_name
from pipeline.reading.price.tax import percent_of_tax
from pipeline.reading.price.unit import LONG, Unit, periods_of
from pipeline.reading.price.words import NO_TAGS, Tags

_FLAGS: Final = frozenset((
    "gpu", "table", "machine", "hgx", "server", "node", "single", "pair", "rent", "foreign", "saving",
    "run", "image", "off", "noun", "edition", "column", "stock", "teaser",
))  # fmt: skip
_WHERE: Final = {
    f"reject.{where}": where
    for where in ("text", "context", "any", "strong", "weak", "decides", "hosting", "sold")
}
_MENTIONS: Final = frozenset(("reject.strong", "reject.hosting"))
_COMMITMENT: Final = 3  # months from which a least term is a commitment
_TIMES: Final = re.compile(r"[0-9] ?[×*xX]|[×*xX] ?[0-9]")
_MYRIAD: Final = 10_000
_MOST_CARDS: Final = 64  # a larger number of cards is a cluster, not a purchase
_IN_HIT: Final = {
    "整机": "machine", "裸金属": "machine", "服务器": "server", "节点": "node", "HGX": "hgx", "DGX": "hgx",
    "hgx": "hgx", "dgx": "hgx", "单卡": "single", "单张": "single", "整卡": "whole_card",
}  # fmt: skip


class Facts:
    """Words outside of amounts: flags, counts, modes, units, reasons."""

    def __init__(self, found: Scan, reader: Reader, *, context: bool = False) -> None:
        self.found = found
        self.context = context
        self.reader = reader
        self.tokens = found.tokens
        self.priced = 0  # the token behind the first amount
        self.header: int | None = None  # a column of card counts whose number does not follow it

    def collect(self, amounts: Sequence[Amount]) -> None:
        inside = {a.first: a for a in amounts if not a.bare}
        self.priced = min((a.last for a in amounts), default=len(self.tokens))
        i = 0
        while i < len(self.tokens):
            amount = inside.get(i)
            if amount is not None:
                i = amount.last
                continue
            i = self._token(i, self.tokens[i])
        if self.header is not None and not self.found.counts:
            self._cell_of_column(self.header)

    def _token(self, i: int, token: Token) -> int:
        if token.kind == WORD:
            return self._word(i, token)
        if token.kind == NUMBER:
            self._number(i, token)
        elif token.kind == CARD:
            self._card(i, token)
        elif token.kind == SIZE:
            sizes.size(self.found, self.reader, i)
        elif token.kind == RATIO:
            if token.value[0] == "percent" and (tax := percent_of_tax(self.found.text, token)) is not None:
                self.found.tax = tax
            else:
                self.found.ratios.append(token.value)
        elif token.kind == FRACTION:
            sizes.fraction(self.found, self.reader, i)
        elif token.kind == MULTIPLIER:
            return self._multiplier(i)
        elif token.kind == SIGN:
            if (
                token.value == "/"
                and self.reader.has(i + 1, "per")
                and (i == 0 or self.tokens[i - 1].kind != NUMBER)
            ):
                return self._unit_word(i, None, None, i)
        else:
            unknown_name(self.found, self.reader, i)
        return i + 1

    def _word(self, i: int, token: Token) -> int:
        tags, found = token.tags, self.found
        for tag in tags:
            if tag in _FLAGS:
                found.flags.setdefault(tag, i)
            elif tag in _WHERE and not (
                (tag in _MENTIONS or tags[tag] == "not_rental")
                and (included(found, i) or of_a_machine(found, i))
            ):
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
        if tags.get("countcol") == "":
            self.header = i
        if "etc" in tags and self.reader.kind(i - 1) == CARD and self.reader.near(i):
            found.etc = True
        if "paths" in tags and self.reader.kind(i - 1) == CARD and self.reader.kind(i + 1) != NOISE:
            found.uncounted = True
        if "tax" in tags:
            found.tax = tags["tax"]
        if "term" in tags:
            found.term = found.term or bool(found.spans) or self._span_follows(i)
        if "cur" in tags and not (i and self.tokens[i - 1].kind == NUMBER):
            return self._unit_word(i, tags["cur"], None, i + 1)
        if "each" in tags:
            return self._unit_word(i, None, None, i)
        if "lead" in tags:
            found.units.append(
                UnitWord(None, None, Unit(tags["lead"], self._times(i) if token.value[0] == "年" else 1), i)
            )
        if ("per" in tags or "unit" in tags) and self.reader.has(i + 1, "noun") and self.reader.near(i + 1):
            per = tags.get("per", "hour")  # 卡时单价: of a card, by the hour
            found.units.append(UnitWord(None, None, Unit(per=per, card="unit" in tags), i))
        return i + 1

    def _mode(self, i: int, value: str) -> None:
        following = self.tokens[i + 1] if i + 1 < len(self.tokens) else None
        if i >= self.priced and following is not None and following.kind == RATIO:
            return  # 6800元/月（季付95折）: the discount of another mode
        mode, _, period = value.partition(":")
        per, _, count = period.partition("*")
        if mode == "pack" and self.tokens[i].value == "包":
            if not (self.found.spans and self.reader.near(i)):
                return
            mode, per = "pack", ""
        n = int(count or 1)
        self.found.modes.append(Mode(mode, per or None, self._times(i, n) if per else n, i))

    def _times(self, i: int, default: int = 1) -> int:
        """Periods that the number glued before token `i` counts: `2年付`, `3年价`."""
        if i and self.tokens[i - 1].kind == NUMBER and self.reader.near(i, 0):
            return periods_of(self.tokens[i - 1], default)
        return default

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
            if (
                behind == "级"
                or before in {"上", "近", "过", "成", "逾"}
                or {"approx", "ceil", "floor"} & set(around)
            ):
                self.found.vague = True
                return i + 2
            return self._unit_word(i, self.tokens[i + 1].tags["cur"], scale, i + 2)
        if scale == _MYRIAD and self.reader.sign(i - 1, "(") and self.reader.sign(i + 1, ")/"):
            self.found.units.append(UnitWord(None, scale, Unit(), i))  # 月租（万）
        return i + 1

    def _number(self, i: int, token: Token) -> None:
        """Counts of cards, lengths of time, vague numbers."""
        reader, found = self.reader, self.found
        if token.value is None:
            found.vague |= sizes.vague(reader, i)
            return
        if reader.has(i + 1, "more") and not found.text[token.start].isascii():
            found.vague = True  # 一千多元
        if not reader.near(i + 1):
            if i and reader.has(i - 1, "countcol"):
                self._column(i - 1, i)
            return
        tags = self.tokens[i + 1].tags
        if reader.sign(i + 1, "×*") and reader.kind(i - 1) == CARD and token.value == int(token.value):
            self._count(int(token.value), "times", i)  # H100 8x
        elif "per" in tags and not reader.sign(i - 1, "/"):
            if token.value == int(token.value) and 0 < token.value <= 400 and not self._calendar(i):
                found.spans.append((int(token.value), tags["per"]))
                if i and "term" in self.tokens[i - 1].tags and tags["per"] in LONG:
                    found.term = True
                elif "minimum" in self._tags(i + 2) or "minimum" in self._tags(i - 1):
                    long = {"month": 1, "quarter": 3, "half_year": 6, "year": 12}.get(tags["per"], 0)
                    found.term = found.term or long * token.value >= _COMMITMENT
        elif tags.get("basis") == "card" or "spoken" in tags:
            if reader.sign(i - 1, "/") or token.value != int(token.value):
                return
            if "run" in self._tags(i + 2) and "run" in self._tags(i + 3):
                return  # 32 卡训练估算: the size of a job
            if "stock" in self._tags(i + 2) or "stock" in self._tags(i - 1):
                return
            least = "minimum" in self._tags(i - 1) or "minimum" in self._tags(i + 2)
            least = least or self._tags(i + 2).get("floor") == "after"  # 2卡起
            style = "minimum" if least else "cards"
            if style == "cards" and self.tokens[i + 1].value == "颗":
                style = "chips"
            self._count(int(token.value), style, i)
        elif tags.get("basis") in {"server", "instance"} and token.value > 1:
            found.machines |= sizes.together(reader, i, context=self.context)
        elif "countcol" in self._tags(i - 1):
            self._column(i - 1, i)
        elif "countcol" in self._tags(i - 2) and reader.sign(i - 1, ":|"):
            self._column(i - 2, i)

    def _column(self, name: int, i: int) -> None:
        """A number behind 显卡数, or behind 数量, which may count machines."""
        style = "quantity" if self.tokens[name].tags["countcol"] else "column"
        if style == "quantity" and self._tags(i + 1).get("basis") in {"server", "instance"}:
            return  # 数量 20台
        self._count(int(self.tokens[i].value), style, i)

    def _cell_of_column(self, header: int) -> None:
        """`型号 | 卡数 | 时价 | A6000 | 2`: the only cell behind the headers that is a number and no more."""
        cells = sizes.number_cells(self.reader, header)
        value = self.tokens[cells[0]].value if len(cells) == 1 else None
        if value is not None and value == int(value):
            self._count(int(value), "column", cells[0])
        self.found.uncounted |= len(cells) > 1

    def _calendar(self, i: int) -> bool:
        """`8月报价`: a month's name, not eight months."""
        return self.found.text[self.tokens[i + 1].start] == "月" and self.tokens[i].value > 1

    def _tags(self, i: int) -> Tags:
        return self.tokens[i].tags if 0 <= i < len(self.tokens) else NO_TAGS

    def _count(self, n: int, style: str, at: int) -> None:
        if 0 < n <= _MOST_CARDS:
            self.found.counts.append(Count(n, style, at))

    def _span_follows(self, i: int) -> bool:
        return (
            self.reader.kind(i + 1) == NUMBER
            and self.reader.has(i + 2, "per")
            and self.tokens[i + 2].tags["per"] in LONG
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
