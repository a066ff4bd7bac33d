"""Whether a number without any unit may be the price of a cell whose header has the unit.

Only a number that stands alone, or beside words that the vocabulary knows, is what its header says.
"""

from __future__ import annotations

from functools import cache
from typing import Final

from pipeline.reading import region
from pipeline.reading.price.lexer import FRACTION, MULTIPLIER, NOISE, NUMBER, RATIO, SIZE, WORD
from pipeline.reading.price.unit import Cursor
from pipeline.reading.price.words import vocabulary

_BEFORE: Final = ("stock", "id", "minimum", "countcol", "vram", "ram")
_AFTER: Final = ("per", "basis", "term", "mult")
_LONGEST_SKIPPED: Final = 6  # characters of the longest word that is read over
_SCALES: Final = frozenset("十百千万亿")


def may_be_bare(cursor: Cursor, first: int, last: int) -> bool:
    """Whether tokens `first`..`last` (exclusive), a number or range without a unit, may be a price.

    A word of no tag before it counts (楼层 12), as do the words of `_BEFORE`.
    """
    if first > 1 and cursor.sign(first - 1, ":"):
        label = cursor.tokens[first - 2]
        if label.kind == NOISE or any(tag in label.tags for tag in _BEFORE):
            return False  # 库存：12, 127.0.0.1:8080
    if first and (
        cursor.sign(first - 1, "×*#=")
        or (cursor.sign(first - 1, "-~/") and cursor.kind(first - 2) == NUMBER)  # 图3-2, 1.88 / 1050
        or any(tag in cursor.tokens[first - 1].tags for tag in _BEFORE)
        or rate(cursor, first - 1)
        or (
            cursor.kind(first - 1) == WORD and not cursor.tokens[first - 1].tags and cursor.near(first)
        )  # 楼层 12
    ):
        return False
    if cursor.kind(last) == SIZE and cursor.kind(last - 1) == MULTIPLIER and cursor.near(last):
        return False  # 2K 144Hz
    if unread_beside(cursor, first, last):
        return False
    if last >= cursor.n:
        return True
    tags, near = cursor.tokens[last].tags, cursor.near(last)
    stock = near and "stock" in tags and cursor.kind(last + 1) not in {NUMBER, FRACTION}  # 12可租
    return not (
        stock
        or cursor.sign(last, "×*")
        or (near and any(tag in tags for tag in _AFTER))
        or (cursor.sign(last, "-~") and cursor.kind(last + 1) in {NUMBER, RATIO, SIZE, FRACTION})
        or (cursor.sign(last, "/") and cursor.kind(last + 1) == NUMBER)  # 1-10 / 128
    )


def odd_unit(cursor: Cursor, i: int) -> bool:
    """Whether `/` and a thing that no table knows stand at `i`: 元/度, 元/kWh, ¥4/1M tokens."""
    if not (cursor.sign(i, "/") and cursor.near(i)):
        return False
    at = cursor.tokens[i].end
    gap = cursor.text[at : cursor.tokens[i + 1].start if i + 1 < cursor.n else None]
    if gap.strip():
        return not _read(gap.lstrip(), 0)
    return not gap and cursor.kind(i + 1) in {NOISE, SIZE, MULTIPLIER}


def rate(cursor: Cursor, i: int) -> bool:
    """Whether the currency at token `i` is counted in another one: USD/CNY 7.12."""
    return i > 1 and cursor.has(i, "cur") and cursor.sign(i - 1, "/") and cursor.has(i - 2, "cur")


def open_end(cursor: Cursor, i: int) -> bool:
    """Whether the plus at token `i` opens the upper end (`2000+`, `2000+元`), and adds nothing (`+电费`)."""
    following = cursor.text[cursor.tokens[i].end : cursor.tokens[i].end + 1]
    return not following.isalnum() or cursor.has(i + 1, "cur") or cursor.has(i + 1, "mult")


def unread_beside(cursor: Cursor, first: int, last: int) -> bool:
    """`评分 4.9`, `海拔1980米`, `5.5km`: words that no table knows; the number counts something else."""
    tokens, text = cursor.tokens, cursor.text
    before = text[tokens[first - 1].end if first else 0 : tokens[first].start]
    if first and not before.strip() and tokens[first - 1].kind == WORD and len(tokens[first - 1].value) == 1:
        before = text[tokens[first - 2].end if first > 1 else 0 : tokens[first - 1].start]  # 分 of 评分
        before = before if before[-1:].isalnum() else ""
    after = text[tokens[last - 1].end : tokens[last].start if last < cursor.n else None]
    if after[:1] == "." and last < cursor.n:
        return True  # 1. of a list
    if (_named(cursor, first - 1) and cursor.near(first)) or (_named(cursor, last) and cursor.near(last)):
        return True
    if text[tokens[first].start] == "." and text[max(0, tokens[first].start - 1)].isalnum():
        return True  # H.264
    if not (_read(after.lstrip(), 0) or _led(cursor, first, after)):
        return True
    return not (_read(before.rstrip(), -1) or (before[-1:] == " " and _place(before)))


def _place(label: str) -> bool:
    """`成都 1100` in a column of rents."""
    return region.read(label).precision != "none"


def _led(cursor: Cursor, first: int, after: str) -> bool:
    """`月租12500 河北机房`: a word of price before the number, and what follows it stands apart."""
    i = first - 1 if cursor.sign(first - 1, ":") else first
    return i > 0 and cursor.has(i - 1, "bare") and after[:1] == " "


def known_tail(label: str) -> int:
    """Characters of the longest word at the end of `label` that is read over (`天翼云`, `仅需`), or 0."""
    return _known(label, -1)


def _named(cursor: Cursor, i: int) -> bool:
    """Whether token `i` is an unknown name (`km`, `IOPS`), not a date or a phone number."""
    return cursor.kind(i) == NOISE and not cursor.tokens[i].value[0].isdigit()


def _read(gap: str, edge: int) -> bool:
    """Whether nothing stands at this edge of the unread text but signs, or a word that is read over."""
    if not gap[edge:][:1].isalnum() and gap[edge:][:1] != ".":
        return True
    if edge == 0 and gap[0] == ".":
        return True
    return _known(gap, edge) > 0


def _known(gap: str, edge: int) -> int:
    if not gap or gap[edge] not in _edges()[edge]:
        return 0
    words = vocabulary()
    for length in range(min(_LONGEST_SKIPPED, len(gap)), 0, -1):
        word = (gap[:length] if edge == 0 else gap[-length:]).lower()
        if "skip" in words.get(word, ()) and word[0] not in _SCALES:
            return length
    return 0


@cache
def _edges() -> dict[int, frozenset[str]]:
    """First (0) and last (-1) characters of the words that are read over."""
    words = [word for word, tags in vocabulary().items() if "skip" in tags]
    return {
        edge: frozenset(char for word in words for char in (word[edge], word[edge].upper()))
        for edge in (0, -1)
    }
