"""Names of cards as a trie over atoms, so that a name is matched whole or not at all.

A text is a run of atoms: letters, digits, and the Chinese product words of the table. An alias `RTX 4090 D`
matches those atoms glued (`RTX4090D`) or with a space, hyphen or underscore between its written parts;
inside a written part (`A100`) nothing may stand between them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from functools import cache, lru_cache
from itertools import product
from types import MappingProxyType

from catalog.table import rows

VENDORS = tuple(row["word"] for row in rows("card_prefixes.csv"))
"""Words that may stand before a card name and belong to it, without deciding which card it is."""

_PRODUCT_WORDS = ("天垓", "智铠")
_CHINESE = sorted((*[v for v in VENDORS if not v.isascii()], *_PRODUCT_WORDS), key=len, reverse=True)
_GLUED_VENDORS = sorted((v for v in VENDORS if v.isascii() and len(v) > 3), key=len, reverse=True)

# `8XH100`: the X between a digit and a letter is a count sign, never the start of a name.
ATOM = re.compile(
    r"(?:(?<=[0-9])|(?<=[0-9] ))X(?=[A-Z])|"
    + "|".join(_GLUED_VENDORS)
    + r"|[A-Z]+|[0-9]+|"
    + "|".join(_CHINESE)
)
GAPS = frozenset({"", " ", "-", "_", "  ", " -", "- ", " - ", "®", "™", "® ", "™ ", "·", "\u00a0", "\t"})


@dataclass(slots=True)
class Entry:
    """What an alias means: a card, or one of several by printed size (`when`). `number`: digits alone."""

    card: str | None = None
    kind: str = "whole"
    number: bool = False
    when: dict[Decimal, str] = field(default_factory=dict)


@dataclass(slots=True)
class Node:
    """A place in the trie. Edge keys are atoms, with a leading space where a gap stands before them."""

    edges: dict[str, Node] = field(default_factory=dict)
    entry: Entry | None = None


def index(provider: str | None = None) -> Node:
    """The trie of all aliases; where `provider` means its own thing, its aliases replace the general ones."""
    return _index(provider if provider in _own_words() else "")


@cache
def _own_words() -> frozenset[str]:
    return frozenset(row["provider"] for row in rows("card_aliases.csv"))


@lru_cache(maxsize=64)  # names come from outside
def _index(provider: str) -> Node:
    root = Node()
    table = rows("card_aliases.csv")
    for scope in ("", provider):
        fresh: set[str] = set()
        for row in table:
            if row["provider"] != scope or "(" in row["alias"]:
                continue
            for path in _paths(row["alias"]):
                _insert(root, path, row, replace=bool(scope) and row["alias"] not in fresh)
            fresh.add(row["alias"])
        if not provider:
            break
    return root


def literals(provider: str) -> Mapping[str, Entry]:
    """A seller's labels that are no row of atoms (`4080(S)-32G`), upper case, for whole texts."""
    return _literals().get(provider, {})


@cache
def _literals() -> Mapping[str, Mapping[str, Entry]]:
    found: dict[str, dict[str, Entry]] = {}
    for row in rows("card_aliases.csv"):
        if row["provider"] and "(" in row["alias"]:
            entry = Entry(card=row["card"], kind=row["kind"] or "whole")
            found.setdefault(row["provider"], {})[row["alias"].upper()] = entry
    return MappingProxyType(found)


def atoms(text: str) -> list[re.Match[str]]:
    """Atoms of an upper-case text, in order."""
    return list(ATOM.finditer(text))


def _paths(alias: str) -> Iterator[list[str]]:
    """All edge paths of an alias: every gap between its written parts closed or open."""
    parts = alias.upper().split(" ")
    seen: set[tuple[str, ...]] = set()
    for gaps in product((" ", ""), repeat=len(parts) - 1):
        text = parts[0] + "".join(gap + part for gap, part in zip(gaps, parts[1:], strict=True))
        found = atoms(text)
        path = tuple(
            (" " if i and found[i - 1].end() < m.start() else "") + m.group() for i, m in enumerate(found)
        )
        # `RTX 4090 48` closed would join two numbers into one: that spelling does not exist.
        joined = any(
            a[-1:].isdigit() and b[:1].isdigit() and not g
            for a, b, g in zip(parts[:-1], parts[1:], gaps, strict=True)
        )
        if path not in seen and not joined:
            seen.add(path)
            yield list(path)


def _insert(root: Node, path: list[str], row: dict[str, str], *, replace: bool) -> None:
    node = root
    for edge in path:
        node = node.edges.setdefault(edge, Node())
    if node.entry is None or replace:
        node.entry = Entry(number=len(path) == 1 and path[0].isdigit())
    if row["kind"]:
        node.entry.kind = row["kind"]
    if row["when_gb"]:
        node.entry.when[Decimal(row["when_gb"])] = row["card"]
    else:
        node.entry.card = row["card"] or None  # "": a name that is known to stand for no known card
