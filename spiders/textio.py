"""Bytes to text, and HTML to the text that a reader sees. This module imports no Scrapy."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from typing import Any

import lxml.html
from lxml import etree

_BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_GB = re.compile(r"^(gb[\s_-]?2312.*|gbk|x-gbk|cp936|ms936|gb[\s_-]?18030|euc-cn|chinese|iso-ir-58)$", re.I)
# Charsets that pages have; Python knows more "encodings" (punycode, unicode_escape, undefined …).
_CHARSET = re.compile(
    r"utf[-_]?(?:8|16|32)(?:[-_]?(?:le|be|sig))?|gb18030|big5(?:[-_]?hkscs)?|(?:us[-_]?)?ascii|"
    r"iso[-_]?8859[-_]?\d{1,2}|latin[-_]?\d|(?:windows|cp)[-_]?125\d|shift[-_]?jis|euc[-_](?:jp|kr)",
    re.I,
)
_META = re.compile(rb"<meta[^>]{0,200}?charset\s*=\s*[\"']?\s*([A-Za-z0-9_:.-]{2,40})", re.I)
_THREE_BYTES = re.compile(rb"[\xe0-\xef][\x80-\xbf]{2}")

HIDDEN_TAGS = frozenset(
    "script style template noscript del s strike head title textarea select option".split()
)
BLOCKS = frozenset(
    "address article aside blockquote br caption dd div dl dt fieldset figure footer form h1 h2 h3 h4 h5 h6 "
    "header hr li main nav ol p pre section table tbody td tfoot th thead tr ul".split()
)
_INVISIBLE = re.compile(
    r"display\s*:\s*none|visibility\s*:\s*hidden|text-decoration[^;]*:[^;]*line-through", re.I
)
_OF_A_NUMBER = frozenset("0123456789.,")
APART = "\x1f"  # where a box of its own begins or ends inside a line
_APART = re.compile("\x1f+")
_SPACE = re.compile(r"[ \t\r\f\v\u00a0\u2002-\u200b\u3000\ufeff]+")


def charset_of(content_type: str) -> str:
    """The charset of a Content-Type header, "" if it names none."""
    found = re.search(r"charset\s*=\s*[\"']?([\w.:-]+)", content_type, re.I)
    return found.group(1) if found else ""


def decode(body: bytes, declared: str) -> tuple[str, str]:
    """Text of `body` and the encoding used.

    `declared` is the charset of the header, "" if none. What the bytes prove goes before what is declared:
    valid UTF-8 with Chinese in it is UTF-8 whatever a header says; every GB name means GB18030. Bytes that
    fit nothing come back with U+FFFD in them, never as an error.
    """
    for bom, name in _BOMS:
        if body.startswith(bom):
            return body[len(bom) :].decode(name, "replace"), name
    meta = _META.search(body[:4096])
    candidates = [declared, meta.group(1).decode("ascii") if meta else ""]
    if _THREE_BYTES.search(body):
        # GB bytes that happen to be valid UTF-8 are two-byte sequences only.
        candidates.insert(0, "utf-8")
    for name in [*candidates, "utf-8", "gb18030", "big5"]:
        name = "gb18030" if _GB.match(name.strip()) else name.strip()
        if not _CHARSET.fullmatch(name):
            continue
        try:
            return body.decode(name, "strict"), name
        except (LookupError, UnicodeError):
            continue
    return body.decode("utf-8", "replace"), "utf-8"


def parse_html(text: str) -> Any:
    """The document's root element; an empty document for empty text."""
    # lxml refuses text that carries an encoding declaration of its own.
    clean = re.sub(r"^\s*<\?xml[^>]*\?>", "", text).replace("\x00", "")
    try:
        return lxml.html.document_fromstring(clean or "<html></html>")
    except (etree.ParserError, ValueError):
        return lxml.html.document_fromstring("<html></html>")


def is_hidden(element: Any) -> bool:
    """Is the element itself no text for a reader (script, struck out, display:none, hidden)?"""
    if not isinstance(element.tag, str):
        return True  # a comment or processing instruction
    return (
        element.tag in HIDDEN_TAGS
        or element.get("hidden") is not None
        or element.get("data-suanjia-hidden") is not None
        or bool(_INVISIBLE.search(element.get("style") or ""))
    )


def stands_apart(element: Any) -> bool:
    """Did the browser draw an inline element (`span`) as a box of its own?"""
    return element.tag not in BLOCKS and element.get("data-suanjia-apart") is not None


def parts(before: str, after: str) -> bool:
    """Does a blank belong between the texts of two boxes? Not between the digits of a number, which may each
    have one; `RTX 3090` and `24 GB` are two words."""
    left, right = before[-2:], after[:2]
    if not (left and right) or left[-1].isspace() or right[0].isspace():
        return False
    if not {left[-1], right[0]} <= _OF_A_NUMBER:
        return True
    return len(left) == len(right) == 2 and left.isalnum() and right.isalnum()


def _pieces(element: Any, *, struck: bool) -> Iterator[str]:
    block = element.tag in BLOCKS
    if block or stands_apart(element):
        yield "\n" if block else APART
    if element.text:
        yield element.text.replace("\n", " ")
    for child in element:
        if not is_hidden(child) or (struck and child.tag in ("del", "s", "strike")):
            yield from _pieces(child, struck=struck)
        if child.tail:
            yield child.tail.replace("\n", " ")
    if block or stands_apart(element):
        yield "\n" if block else APART


def apart(text: str) -> str:
    """The text with a blank for each APART that parts words, nothing for the others."""
    if APART not in text:
        return text

    def between(at: re.Match[str]) -> str:
        start, end = at.span()
        return " " if parts(text[max(0, start - 2) : start], text[end : end + 2]) else ""

    return _APART.sub(between, text)


def visible_lines(element: Any, *, struck: bool = False) -> list[str]:
    """Lines of text as a reader sees them, one a block element, white space folded, empty ones left out.

    `struck` keeps struck-out text (old prices), which is otherwise no text. The element itself is taken as
    visible.
    """
    text = apart("".join(_pieces(element, struck=struck)))
    return [line for line in (_SPACE.sub(" ", raw).strip() for raw in text.split("\n")) if line]


def visible_text(element: Any, *, struck: bool = False) -> str:
    """`visible_lines` joined by blanks."""
    return " ".join(visible_lines(element, struck=struck))
