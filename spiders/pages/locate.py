"""Where a fact stands in a document: by label, by CSS in a box or nearest on the page."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from typing import Any

from catalog.source_model import attribute_of
from spiders.pages.document import picture
from spiders.tables import select
from spiders.textio import visible_lines

_BESIDE = ":*?▲△▴▼▽▾↑↓↕⇅⇵ⓘℹ\ufe0f"
_BRACKETS = re.compile(r"\([^()]*\)$")
# Where the next label begins: a word with a colon, or the next way of paying.
_PAID_BY = r"(?:小?时|日|天|周|月|季度?|半年|[一二两三]?年)(?:付|租)|[包按](?:小?时|日|天|周|月|季|年)"
_VALUE_END = re.compile(rf"\s+(?=[^\s:：]{{1,8}}[:：])|[\s,，;；|｜/、]+(?=(?:{_PAID_BY})(?![^\s:：￥¥$\d]))")
_AFTER_LABEL = re.compile(r"^\s*(?:\([^()]*\)|（[^（）]*）)?\s*[:：]\s*")


def folded(text: str) -> str:
    """A header or label for comparison: width, white space, a colon or the signs of sorting and help at its
    end do not matter."""
    return re.sub(r"\s+", "", unicodedata.normalize("NFKC", text)).rstrip(_BESIDE).casefold()


def bare(text: str) -> str:
    """A folded header without the unit in brackets behind it: `价格(元/月)` is 价格."""
    short = text
    while (cut := _BRACKETS.sub("", short)) != short and cut:
        short = cut
    return short


def names(text: str, wanted: str) -> bool:
    """Does a header or label say `wanted`, apart from a unit in brackets behind it?"""
    mine, other = folded(text), folded(wanted)
    return bool(mine) and (mine == other or bare(mine) == other)


def column_of(headers: Sequence[Sequence[str]], wanted: str) -> int | None:
    """The column that `wanted` names; `headers` are the header cells above each column.

    The whole header goes before one of its cells, and both before a header with a unit in brackets; where
    only the latter fits, it must fit one column alone.
    """
    joined = [folded("".join(parts)) for parts in headers]
    aim = folded(wanted)
    if aim in joined:
        return joined.index(aim)
    for number, parts in enumerate(headers):
        if any(folded(part) == aim for part in parts):
            return number
    loose = [n for n, parts in enumerate(headers) if any(names(part, wanted) for part in parts)]
    return loose[0] if len(loose) == 1 else None


def cell_text(element: Any) -> str:
    """The text of an element, a line a block; a picture alone as its tag."""
    text = "\n".join(visible_lines(element))
    if text:
        return text
    image = element if element.tag == "img" else next(element.iter("img"), None)
    return "" if image is None else picture((image.get("alt") or "").strip())


def said_by(element: Any, css: str) -> str:
    """What an element that `css` gave says: its text, or the attribute that the CSS names."""
    _, attribute = attribute_of(css)
    return " ".join((element.get(attribute) or "").split()) if attribute else cell_text(element)


@dataclass
class Page:
    """A document with its row boxes; what is asked of it again and again is kept."""

    root: Any
    boxes: frozenset[Any] = frozenset()
    _found: dict[str, list[Any]] = field(default_factory=dict)

    @cached_property
    def order(self) -> dict[Any, int]:
        """Element → its place in the document."""
        return {element: number for number, element in enumerate(self.root.iter())}

    def found(self, css: str) -> list[Any]:
        """All elements of the page that match."""
        if css not in self._found:
            self._found[css] = select(self.root, css)
        return self._found[css]

    def by_css(self, css: str, box: Any = None) -> list[Any]:
        """Elements of the box that match; else the one outside of all boxes that stands nearest before it,
        else the first behind it. An attribute that the CSS names is left to `said_by`."""
        css, _ = attribute_of(css)
        if box is not None:
            inside = select(box, css) or [e for e in self.found(css) if box in e.iterancestors()]
            if inside:
                return inside
        outside = [e for e in self.found(css) if not self.boxes.intersection((e, *e.iterancestors()))]
        if not outside:
            return []
        here = self.order[box] if box is not None else 0
        before = [e for e in outside if self.order[e] < here and box not in e.iter()]
        return [before[-1] if before else outside[0]]


def by_label(label: str, scope: Any) -> tuple[str, Any, str] | None:
    """(value, element, label as printed) of the first label that says `label`; None if there is none.

    A label is the left cell of a row, a `dt`, or the word before `：` or a value in a text.
    """
    for element in scope.iter():
        if element.tag == "tr":
            cells = [cell for cell in element if cell.tag in ("td", "th")]
            for left, right in pairwise(cells):
                if names(_flat(left), label):
                    return cell_text(right), right, _flat(left)
        elif element.tag == "dt" and names(_flat(element), label):
            right = element.getnext()
            if right is not None and right.tag == "dd":
                return cell_text(right), right, _flat(element)
    return _in_text(label, scope)


def _flat(element: Any) -> str:
    return " ".join(visible_lines(element))


def _in_text(label: str, scope: Any) -> tuple[str, Any, str] | None:
    aim = re.escape(label.strip().rstrip(":："))
    starts = re.compile(rf"{aim}(?=\s*(?:[（(][^（）()]*[)）])?\s*[:：]|\s|[￥¥$\d]|$)")
    found: list[tuple[int, str, Any]] = []
    for element in scope.iter():
        if not isinstance(element.tag, str) or element.tag in ("script", "style", "head", "title"):
            continue
        for line in visible_lines(element):
            if starts.match(line):
                found.append((len(line), line, element))
    for _, line, element in sorted(found, key=lambda one: one[0]):
        rest = line[starts.match(line).end() :]  # type: ignore[union-attr]
        after = _AFTER_LABEL.sub("", rest).strip()
        if after:
            return _VALUE_END.split(after)[0].strip(), element, label
    for _, _, element in sorted(found, key=lambda one: one[0]):
        beside = element.getnext()
        if beside is not None and isinstance(beside.tag, str) and (text := cell_text(beside)):
            return text, beside, label
    return _inline(aim, label, scope)


def _inline(aim: str, label: str, scope: Any) -> tuple[str, Any, str] | None:
    """`RTX 4090 显存：24G 数量：8`, `年付 ￥86000 月付 ￥7800`: a label in the middle of a line."""
    inside = re.compile(rf"(?:^|[\s,，;；|｜/、]){aim}\s*(?:[:：]\s*|(?=[￥¥$\d]))(\S.*)")
    for line in visible_lines(scope):
        if found := inside.search(line):
            value = _VALUE_END.split(found[1])[0]
            return re.split(r"\s{2,}|[;；|｜，、]|,(?!\d)", value)[0].strip(), scope, label
    return None
