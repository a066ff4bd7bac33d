"""The words of an issue in one language, from `words.toml`; a missing key or filling is an error."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any

LANGS = ("zh", "en")


@cache
def _table() -> Mapping[str, Mapping[str, list[str]]]:
    return tomllib.loads((files("reports.render") / "words.toml").read_text(encoding="utf-8"))


@cache
def choices() -> Mapping[str, Any]:
    """What the issue picks out (`choices.toml`)."""
    return tomllib.loads((files("reports.render") / "choices.toml").read_text(encoding="utf-8"))


class Words:
    """`words("fit.title")`, `words("head.week", year=2026, number=40)`. `lang` is `zh` or `en`."""

    def __init__(self, lang: str) -> None:
        self.lang = lang
        self._place = LANGS.index(lang)

    def __call__(self, key: str, /, **filling: object) -> str:
        section, name = key.split(".")
        return _table()[section][name][self._place].format_map(filling)

    def many(self, key: str, /, **filling: object) -> list[str]:
        """A text of several parts, divided by bars."""
        return self(key, **filling).split("|")

    def has(self, key: str) -> bool:
        """Is there such a text?"""
        section, name = key.split(".")
        return name in _table().get(section, {})

    def listed(self, names: list[str]) -> str:
        """Names one after the other."""
        return self("word.list_and").join(names)
