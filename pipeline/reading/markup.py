"""Markup in a cell: what a reader of the page does not see as a price is removed, the rest becomes text."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

_TAG: Final = re.compile(r"<(/?)([a-zA-Z][a-zA-Z0-9]*)([^<>]*)>")
_INLINE: Final = frozenset("a abbr b big em font i label small span strong sub sup u".split())
_STRUCK: Final = frozenset(("del", "s", "strike"))
_UNREAD: Final = frozenset(("script", "style", "template", "noscript"))
_OLD_PRICE: Final = re.compile(r"line-through|(?:original|old|market|del)[-_]?price", re.IGNORECASE)
_HIDDEN: Final = re.compile(r"display\s?:\s?none|\bhidden\b", re.IGNORECASE)
_ALT: Final = re.compile(r"\balt\s?=\s?(?:\"([^\"]*)\"|'([^']*)'|([^\s\"'>]+))", re.IGNORECASE)


class Plain(NamedTuple):
    """Text without markup. `struck`: a crossed-out part was removed; `image`: a picture without words."""

    text: str
    struck: bool = False
    image: bool = False


def strip(text: str) -> Plain:
    """Remove tags, comments, struck and hidden parts; `alt` texts of images stay. Never raises; linear."""
    struck = "~~" in text and _MARKDOWN_STRUCK.search(text) is not None
    if struck:
        text = _MARKDOWN_STRUCK.sub(" ", text)
    if "<" not in text:
        return Plain(text, struck)
    text = _without_comments(text)
    out: list[str] = []
    at = 0
    image = False
    skip: str | None = None  # name of the element whose content is not read
    depth = 0
    for tag in _TAG.finditer(text):
        if skip is None:
            out.append(text[at : tag.start()])
        at = tag.end()
        closing, name, attributes = tag[1] == "/", tag[2].lower(), tag[3]
        if skip is not None:
            if name == skip:
                depth += -1 if closing else 1
                if depth == 0:
                    skip = None
            continue
        if not closing and not attributes.endswith("/"):
            old = name in _STRUCK or bool(_OLD_PRICE.search(attributes))
            if (old or name in _UNREAD or _HIDDEN.search(attributes)) and f"</{name}" in text[
                at : at + _REACH
            ].lower():
                struck = struck or old
                skip, depth = name, 1
                out.append(" ")
                continue
        if name == "img":
            alt = _ALT.search(attributes)
            words = next((part for part in alt.groups() if part), "") if alt else ""
            image = image or not words
            out.append(words)
        elif name not in _INLINE:
            out.append(" ")
    if skip is None:
        out.append(text[at:])
    return Plain("".join(out), struck, image)


_MARKDOWN_STRUCK: Final = re.compile(r"~~(?=[^~\s])[^~\n]{1,40}~~")  # ~~2.38~~ 1.98
_REACH: Final = 2000  # how far the end of a struck or hidden element may be; without an end it is no element


def _without_comments(text: str) -> str:
    if "<!--" not in text:
        return text
    out = []
    at = 0
    while (start := text.find("<!--", at)) >= 0:
        out.append(text[at:start])
        end = text.find("-->", start + 4)
        if end < 0:
            return "".join(out)
        at = end + 3
    out.append(text[at:])
    return "".join(out)
