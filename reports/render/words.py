"""The words of an issue in one language, from `words.toml`; a missing key or filling is an error."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any

LANGS = ("zh", "en")
_BEFORE = re.compile(r"([\u4e00-\u9fff])([A-Za-z0-9¥▲▼○])")
_AFTER = re.compile(r"([A-Za-z0-9%])([\u4e00-\u9fff])")


@cache
def _table(package: str = "reports.render") -> Mapping[str, Mapping[str, list[str]]]:
    return tomllib.loads((files(package) / "words.toml").read_text(encoding="utf-8"))


@cache
def choices() -> Mapping[str, Any]:
    """What the issue picks out (`choices.toml`)."""
    return tomllib.loads((files("reports.render") / "choices.toml").read_text(encoding="utf-8"))


def spaced(text: str) -> str:
    """Chinese typography: a space where Han characters meet letters, digits or signs."""
    return _AFTER.sub(r"\1 \2", _BEFORE.sub(r"\1 \2", text))


class Words:
    """`words("fit.title")`, `words("head.week", year=2026, number=40)`. `lang` is `zh` or `en`.

    `package`: whose `words.toml` it is.
    """

    def __init__(self, lang: str, package: str = "reports.render") -> None:
        self.lang = lang
        self._words = _table(package)
        self._place = LANGS.index(lang)

    def __call__(self, key: str, /, **filling: object) -> str:
        section, name = key.split(".")
        text = self._words[section][name][self._place].format_map(filling)
        return spaced(text) if self.lang == "zh" else text

    def many(self, key: str, /, **filling: object) -> list[str]:
        """A text of several parts, divided by bars."""
        return self(key, **filling).split("|")

    def has(self, key: str) -> bool:
        """Is there such a text?"""
        section, name = key.split(".", 1)
        return name in self._words.get(section, {})

    def outcome(self, code: object) -> str:
        """How a crawl ended, in words; a code without words stands as it is."""
        return self(f"outcome.{code}") if self.has(f"outcome.{code}") else str(code or "")

    def listed(self, names: list[str]) -> str:
        """Names one after the other."""
        return self("word.list_and").join(names)
