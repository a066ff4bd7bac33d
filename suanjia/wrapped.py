"""Text that keeps within the terminal, Chinese counted as wide as it is."""

from __future__ import annotations

import re
import shutil

from warehouse.textout import width

NARROW, WIDE = 60, 120
# A word, or one wide character; marks that end something stay with what they end.
_PIECES = re.compile(r"(?:[^\s⺀-鿿＀-￯　-〿]+|.)[、，。；：）”》]*\s*", re.DOTALL)


def wrapped(head: str, text: str) -> list[str]:
    """`head` and `text` in lines of the terminal's width (60 to 120 columns), further ones set in."""
    room = max(NARROW, min(WIDE, shutil.get_terminal_size((80, 24)).columns))
    lines, line = [], head
    for piece in _PIECES.findall(text):
        if width(line) + width(piece.rstrip()) > room and line.strip():
            lines.append(line.rstrip())
            line = "    "
        line += piece
    return [*lines, line.rstrip()]
