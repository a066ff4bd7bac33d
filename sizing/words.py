"""Reading the words of a task: many spellings, one meaning (`words.toml`); an unknown spelling is None,
never a guess."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable
from functools import lru_cache
from importlib.resources import files
from typing import Any, Final

UNKNOWN: Final = object()
ALL_LINEAR: Final = frozenset("q k v o gate up down".split())
_FILLER = re.compile(r"\((?:default|trainable)\)|\btrainable\b|\bdefault\b", re.IGNORECASE)


@lru_cache(maxsize=1)
def _tables() -> dict[str, dict[str, str]]:
    raw = tomllib.loads(files("sizing").joinpath("words.toml").read_text(encoding="utf-8"))
    return {field: {s: word for word, spelt in table.items() for s in spelt} for field, table in raw.items()}


def squash(text: str) -> str:
    """Lower case, blanks and underscores as single hyphens: `Full_Shard ` → `full-shard`."""
    return re.sub(r"[\s_]+", "-", text.strip().lower())


@lru_cache(maxsize=4096)
def _look(field: str, text: str) -> str | None:
    return _tables()[field].get(squash(text))


def word(field: str, value: Any) -> str | None:
    """The word of `field` that `value` spells, or None when no spelling matches (or the value is None).

    Booleans and whole numbers are read as their text: `True` → "true", 3 → "3".
    """
    if value is None:
        return None
    if isinstance(value, bool):
        return _look(field, "true" if value else "false")
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, (str, int)):
        return _look(field, str(value))
    return None


def spellings(field: str) -> list[str]:
    """The canonical words of a field, for error sentences."""
    return list(dict.fromkeys(_tables()[field].values()))


@lru_cache(maxsize=1024)
def _targets(text: str) -> tuple[frozenset[str], tuple[str, ...]]:
    found: set[str] = set()
    strange: list[str] = []
    for piece in re.split(r"[,+;|]", _FILLER.sub("", text)):
        key = squash(piece).strip("-.")
        if not key:
            continue
        meaning = _tables()["targets"].get(key)
        if meaning is None:
            strange.append(piece.strip())
        else:
            found.update(meaning.split())
    return frozenset(found), tuple(strange)


def targets(value: Any) -> tuple[frozenset[str] | None, tuple[str, ...]]:
    """LoRA targets as parts of a layer, and the spellings that were not understood.

    `"c_attn,c_proj,w1,w2 + wte,lm_head trainable"` → all seven matrices, embed and head.
    """
    if isinstance(value, str):
        text = value
    elif isinstance(value, Iterable) and not isinstance(value, (bytes, dict)):
        text = ",".join(str(v) for v in value)
    else:
        return None, ()
    found, strange = _targets(text)
    return (found or None), strange
