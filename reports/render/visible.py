"""What a reader sees of a part, and the numbers in it: for checks that all parts say the same."""

from __future__ import annotations

import re
from html.parser import HTMLParser

_NUMBER = re.compile(r"\d[\d,]*(?:\.\d+)?")
_URL = re.compile(r"(?:https?://|mailto:)\S+")
_MONEY = re.compile(r"(?:¥|≤\s*)(\d[\d,]*\.\d{2})")


class _Text(HTMLParser):
    """Text of a page with the words for its pictures; the title is the subject, not the page."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.parts: list[str] = []
        self.links: list[str] = []
        self._skip = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        told = dict(attrs)
        self.links += [value for name in ("href", "src") if (value := told.get(name)) is not None]
        if tag == "nobr":
            return
        self.parts.append(" ")
        if tag == "img":
            self.parts.append(told.get("alt") or "")
        if tag == "title":
            self._skip += 1

    def handle_endtag(self, tag: str) -> None:
        if tag == "title":
            self._skip -= 1
        if tag != "nobr":
            self.parts.append(" ")

    def handle_data(self, data: str) -> None:
        if not self._skip:
            self.parts.append(data)


def html_text(html: str) -> str:
    """The words of a page, pictures by their alternative text."""
    reader = _Text()
    reader.feed(html)
    return " ".join("".join(reader.parts).replace("\u00a0", " ").split())


def html_links(html: str) -> list[str]:
    """Every href and src."""
    reader = _Text()
    reader.feed(html)
    return reader.links


def numbers(text: str) -> frozenset[str]:
    """Every number of a text as printed; addresses are no numbers."""
    return frozenset(_NUMBER.findall(_URL.sub(" ", text)))


def amounts(text: str) -> frozenset[str]:
    """Every amount of money: what follows ¥ or ≤."""
    return frozenset(_MONEY.findall(text.replace("\u00a0", " ")))
