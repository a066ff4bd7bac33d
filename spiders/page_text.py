"""The visible text of a page once, with the place of every element in it, so that a question about every
element costs no more than the page is long, however deeply it is nested. This module imports no Scrapy.

The text is what `textio.visible_lines` gives, its lines joined by blanks.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from itertools import pairwise
from typing import Any

from spiders.textio import BLOCKS, is_hidden, parts, stands_apart

MOST_LINES = 2000
"""Lines of one element: boxes in boxes must not each repeat the whole page."""
_RUN = re.compile(r"[^ \t\r\f\v\n\u00a0\u2002-\u200b\u3000\ufeff]+")
_NONE = (0, 0)


_LONGEST = 300  # characters of a match


class Hits:
    """Where a pattern matches in a text. What it matches must be short (_LONGEST characters)."""

    def __init__(self, pattern: re.Pattern[str], text: str) -> None:
        self._pattern, self._text = pattern, text
        found = [match.span() for match in pattern.finditer(text)]
        self._starts, self._ends = [start for start, _ in found], [end for _, end in found]

    def within(self, start: int, end: int) -> bool:
        """Is there a match between the two places, seen alone?"""
        first = bisect_left(self._starts, start)
        if first < len(self._starts) and self._ends[first] <= end:
            return True
        # A match that an edge cuts may be one without what lies beyond the edge.
        cut = self._text[start : min(end, self._ends[first - 1] + _LONGEST)] if first else ""
        if cut and self._pattern.search(cut):
            return True
        over = first < len(self._starts) and self._starts[first] < end
        return over and self._pattern.search(self._text[self._starts[first] : end]) is not None

    def count(self, start: int, end: int) -> int:
        """How many matches lie between the two places."""
        return max(0, bisect_right(self._ends, end) - bisect_left(self._starts, start))


class Page:
    """Elements that a reader sees, in the order of the document, and their text."""

    def __init__(self, body: Any) -> None:
        self.shown: list[Any] = []
        self._pieces: list[str] = []
        self._size = 0
        self._all: list[str] = []  # hidden text too
        self._all_size = 0
        self._raw: dict[Any, tuple[int, int]] = {}
        self._subtree: dict[Any, tuple[int, int]] = {}
        self._struck: list[tuple[int, int, int]] = []
        self._count = 0
        self._edge, self._tail = False, ""  # the text since a box of its own began or ended
        self._walk(body, shown=True)
        self._join()

    def _walk(self, element: Any, shown: bool) -> None:
        number, start, start_all = self._count, self._size, self._all_size
        self._count += 1
        if shown:
            self.shown.append(element)
        block, apart = shown and element.tag in BLOCKS, shown and stands_apart(element)
        if block:
            self._put("\n", shown)
        self._edge |= apart
        if element.text and isinstance(element.tag, str):
            self._put(element.text, shown)
        for child in element:
            self._walk(child, shown and not is_hidden(child))
            if child.tail:
                self._put(child.tail, shown)
        if block:
            self._put("\n", shown)
        self._edge |= apart
        if shown:
            self._raw[element] = (start, self._size)
            self._subtree[element] = (number, self._count)
        if _is_struck(element):
            self._struck.append((number, start_all, self._all_size))

    def _put(self, text: str, shown: bool) -> None:
        if shown:
            piece = text if text == "\n" else text.replace("\n", " ")
            if self._edge and piece:
                blank = " " if parts(self._tail, piece) else ""
                self._pieces.append(blank)
                self._size += len(blank)
                self._edge, self._tail = False, ""
            self._tail = (self._tail + piece)[-2:]
            self._pieces.append(piece)
            self._size += len(piece)
        self._all.append(text)
        self._all_size += len(text)

    def _join(self) -> None:
        """Runs of ink with one blank between them are the text; note where each begins, and the lines."""
        raw = "".join(self._pieces)
        self._raw_starts: list[int] = []
        self._raw_ends: list[int] = []
        self._starts: list[int] = []
        self._line_starts: list[int] = []
        runs: list[str] = []
        place = before = 0
        for match in _RUN.finditer(raw):
            self._raw_starts.append(match.start())
            self._raw_ends.append(match.end())
            self._starts.append(place)
            if not runs or "\n" in raw[before : match.start()]:
                self._line_starts.append(place)
            runs.append(match.group())
            place += len(runs[-1]) + 1
            before = match.end()
        self._text = " ".join(runs)

    def span(self, element: Any) -> tuple[int, int]:
        """Where the element's text begins and ends; the same place twice for one without text."""
        start, end = self._raw.get(element, _NONE)
        first = bisect_right(self._raw_ends, start)
        last = bisect_left(self._raw_starts, end) - 1
        if first > last:
            return _NONE
        begin = self._starts[first] + max(0, start - self._raw_starts[first])
        stop = self._starts[last] + min(end, self._raw_ends[last]) - self._raw_starts[last]
        return begin, stop

    def text(self, element: Any, most: int | None = None) -> str:
        """The text of an element, or its beginning."""
        start, end = self.span(element)
        return self._text[start : end if most is None else min(end, start + most)]

    def lines(self, element: Any) -> list[str]:
        """The lines of an element, MOST_LINES at most."""
        start, end = self.span(element)
        first, last = bisect_right(self._line_starts, start), bisect_left(self._line_starts, end)
        edges = [start, *self._line_starts[first : min(last, first + MOST_LINES)]]
        if last - first < MOST_LINES:
            edges.append(end)
        cut = (self._text[a:b].strip() for a, b in pairwise(edges))
        return [line for line in cut if line]

    def is_shown(self, element: Any) -> bool:
        """Is it seen by a reader?"""
        return element in self._raw

    def number(self, element: Any) -> int:
        """Its place in the order of the document."""
        return self._subtree[element][0]

    def hits(self, pattern: re.Pattern[str]) -> Hits:
        """Where a pattern matches in the text."""
        return Hits(pattern, self._text)

    def struck(self, pattern: re.Pattern[str]) -> list[int]:
        """Numbers of the struck-out elements, hidden or not, whose text matches, in order."""
        hits = Hits(pattern, "".join(self._all))
        return sorted(number for number, start, end in self._struck if hits.within(start, end))

    def holds(self, element: Any, numbers: list[int]) -> bool:
        """Does it hold one of these elements, or is it one?"""
        first, end = self._subtree[element]
        at = bisect_left(numbers, first)
        return at < len(numbers) and numbers[at] < end


def _is_struck(element: Any) -> bool:
    """Is the element crossed out, by its tag, its style, or as the browser found it?"""
    tag, style = element.tag, element.get("style") or "" if isinstance(element.tag, str) else ""
    return tag in ("del", "s", "strike") or "line-through" in style or "data-suanjia-struck" in element.attrib
