"""The vocabulary of the price reader, from `catalog/price_words.csv` and `catalog/reject_words.csv`.

A word may carry several tags; of two words that start at the same place the longer one is meant, so
`整机柜` is a rack and never a whole machine.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from types import MappingProxyType
from typing import Final

from catalog.table import rows

Tags = Mapping[str, str]
"""Tag → value. Reject words have the tags `reject.text`, `reject.context`, `reject.any`, `reject.strong`."""

Firsts = Mapping[str, tuple[tuple[int, Mapping[str, Tags]], ...]]
_THING: Final = "thing"
_APART: Final = frozenset((_THING, "seller", "fee"))  # names, which the lexer does not look for
_WHOLE_NAME: Final = 5  # characters from which a thing is named whole: shorter ones also say what for (游戏)
NO_TAGS: Final[Tags] = MappingProxyType({})


@cache
def vocabulary() -> Mapping[str, Tags]:
    """Every word with its tags, lower case. Raises ValueError where a table gives one word a tag twice."""
    found: dict[str, dict[str, str]] = {}
    for row in rows("price_words.csv"):
        if row["tag"] in _APART:
            continue
        for word in row["words"].split():
            _put(found, word, row["tag"], row["value"])
    for row in rows("reject_words.csv"):
        tag = f"reject.{row['where']}" if row["where"] else row["reason"]
        for word in row["words"].split():
            _put(found, word, tag, row["reason"])
    return {word: MappingProxyType(tags) for word, tags in found.items()}


def _put(found: dict[str, dict[str, str]], word: str, tag: str, value: str) -> None:
    tags = found.setdefault(word, {})
    if tag in tags and tags[tag] != value:
        raise ValueError(f"word {word!r} has {tag} {tags[tag]!r} and {value!r}")
    tags[tag] = value


@cache
def things() -> tuple[str, ...]:
    """Names of other goods; a longer word that ends with one is another good too (`向量数据库`)."""
    return tuple(
        word for row in rows("price_words.csv") if row["tag"] == _THING for word in row["words"].split()
    )


@cache
def own_fees() -> tuple[str, ...]:
    """What may stand before 费 and 服务 where they are the rent itself: `租赁`费, `算力`服务."""
    return tuple(
        word for row in rows("price_words.csv") if row["tag"] == "fee" for word in row["words"].split()
    )


@cache
def things_beside() -> tuple[str, ...]:
    """Other goods whose name before an amount decides even where the text names a card (`4090 光模块`)."""
    return tuple(
        word for row in rows("price_words.csv") if row["value"] == "beside" for word in row["words"].split()
    )


@cache
def other_rows() -> tuple[str, ...]:
    """Names of goods that, as the label of a row, are what its price is for: `系统盘`, `通用型云主机`."""
    words = vocabulary()
    known = [word for word, tags in words.items() if {"reject.strong", "reject.any"} <= tags.keys()]
    return (*known, *(thing for thing in things() if len(thing) >= _WHOLE_NAME))


@cache
def by_first() -> Firsts:
    """Words that start with no ASCII letter, by first character: (length, words), longest first."""
    found: dict[str, dict[int, dict[str, Tags]]] = {}
    for word, tags in vocabulary().items():
        if not ("a" <= word[0] <= "z"):
            found.setdefault(word[0], {}).setdefault(len(word), {})[word] = tags
    return {
        first: tuple((length, lengths[length]) for length in sorted(lengths, reverse=True))
        for first, lengths in found.items()
    }


@cache
def ascii_words() -> Mapping[str, Tags]:
    """Words that start with an ASCII letter; they match whole runs of letters (a Chinese tail may follow)."""
    return {word: tags for word, tags in vocabulary().items() if "a" <= word[0] <= "z"}


@cache
def ascii_tails() -> Mapping[str, tuple[str, ...]]:
    """Run of letters → words that start with it and go on (`gpu服务器`, `us$`), longest first."""
    found: dict[str, list[str]] = {}
    for word in ascii_words():
        head = word[: next((i for i, c in enumerate(word) if not "a" <= c <= "z"), len(word))]
        if head != word:
            found.setdefault(head, []).append(word)
    return {head: tuple(sorted(tails, key=len, reverse=True)) for head, tails in found.items()}
