"""Numbers that are no money: memory sizes, fractions, cells of a column of counts, machines."""

from __future__ import annotations

from typing import Final

from pipeline.reading.price.amounts import Reader
from pipeline.reading.price.found import Scan, Size
from pipeline.reading.price.lexer import CARD, MULTIPLIER, NUMBER, SIGN
from pipeline.reading.price.words import NO_TAGS, Tags

_BETWEEN: Final = "|:()/"  # signs between a size and what it is of
_LARGEST_STOCK: Final = 64
_STOCKED: Final = frozenset(("stock", "minimum", "countcol", "floor"))
_IN_STOCK: Final = (
    "现货", "现有", "有", "余", "剩", "仅", "只剩", "供", "可供", "限", "限量", "共有", "存", "到货", "数",
    "在线", "闲", "空", "起",
)  # fmt: skip


def size(found: Scan, reader: Reader, i: int) -> None:
    """Gigabytes at token `i` that may be the card's memory: labelled, behind a card, or of an edition."""
    value, unit = reader.tokens[i].value
    if unit != "gb" or value is None:
        return
    edition = reader.has(i + 1, "edition")
    before = i - 1
    while before >= 0 and reader.tokens[before].kind == SIGN and reader.tokens[before].value in _BETWEEN:
        before -= 1
    behind = _tags(reader, before)
    whole = "single" in behind  # 整卡 64GB
    labelled = before >= 0 and (whole or "vram" in behind or "vram" in _tags(reader, i + 1))
    if edition or labelled or reader.kind(before) == CARD:
        found.sizes.append(Size(value, labelled, edition))


def fraction(found: Scan, reader: Reader, i: int) -> None:
    """`1/4 颗`: a slice; `可租7/16`, `16/16 售罄`, `1 / 8`: stock."""
    low, high = reader.tokens[i].value
    if not 0 < low < high <= _LARGEST_STOCK:
        return
    if any("stock" in _tags(reader, j) for j in (i - 2, i - 1, i + 1)):
        return
    if _tags(reader, i + 1).get("basis") == "card" or reader.kind(i + 1) == CARD:
        found.slice = True


def number_cells(reader: Reader, start: int) -> list[int]:
    """Tokens behind `start` that are a number and the whole of their cell (`| 2 |`)."""
    return [
        i
        for i in range(start + 1, reader.n)
        if reader.kind(i) == NUMBER
        and reader.sign(i - 1, "|")
        and (i + 1 == reader.n or reader.sign(i + 1, "|"))
    ]


def together(reader: Reader, i: int, *, context: bool) -> bool:
    """Whether the machines that token `i` counts are bought together, and are no stock (`现货20台`)."""
    if reader.sign(i - 1, "×*"):
        return True  # 8卡*2节点
    if context or reader.sign(i - 1, "/"):
        return False
    around = {tag for j in (i - 2, i - 1, i + 2) for tag in _tags(reader, j)}
    before = reader.text[: reader.tokens[i].start].rstrip(" :约")
    behind = reader.text[reader.tokens[i + 1].end :].lstrip()
    return not (around & _STOCKED or before.endswith(_IN_STOCK) or behind.startswith(_IN_STOCK))


def vague(reader: Reader, i: int) -> bool:
    """Whether the number without a value at token `i` (`七八`, `几千`) stands for an amount."""
    token = reader.tokens[i]
    scaled = any(c in "百千万亿十" for c in reader.text[token.start : token.end])
    behind = reader.has(i + 1, "cur") or reader.has(i + 1, "spoken") or reader.kind(i + 1) == MULTIPLIER
    return scaled or behind


def _tags(reader: Reader, i: int) -> Tags:
    return reader.tokens[i].tags if 0 <= i < reader.n else NO_TAGS
