"""What a workbook must not ask of its reader: openpyxl walks over every cell of a merged range and over
everything between the first cell and the last, however little is written there.
"""

from __future__ import annotations

import re
import zipfile
from typing import Any
from xml.parsers import expat

MAX_CELLS = 20_000_000
MAX_MERGED = 2_000_000
MAX_XML_DEPTH = 256
_CHUNK = 1 << 20
_RANGE = re.compile(r"\$?([A-Za-z]{1,3})\$?([0-9]{1,7})(?::\$?([A-Za-z]{1,3})\$?([0-9]{1,7}))?")


class _TooMuch(Exception):
    """The message says of what."""


class _Count:
    """Cells, merged cells and depth of the XML so far."""

    def __init__(self) -> None:
        self.cells = self.merged = self.depth = 0

    def start(self, name: str, given: dict[str, str]) -> None:
        self.depth += 1
        if self.depth > MAX_XML_DEPTH:
            raise _TooMuch("nested too deeply to be a workbook")
        plain = name.rpartition(":")[2]
        if plain == "c":
            self.cells += 1
        elif plain == "mergeCell":
            self.merged += _area(given.get("ref", ""))
        if self.cells > MAX_CELLS:
            raise _TooMuch(f"more than {MAX_CELLS} cells")
        if self.merged > MAX_MERGED:
            raise _TooMuch("merged ranges are too large")

    def end(self, name: str) -> None:
        self.depth -= 1

    def doctype(self, *_: Any) -> None:
        raise _TooMuch("declares a document type of its own")


def bomb(archive: zipfile.ZipFile) -> str | None:
    """Why the workbook is not to be opened, None if nothing speaks against it. Reads it through once, without
    keeping any of it; what is damaged is left to the reader."""
    count = _Count()
    for info in archive.infolist():
        parser = expat.ParserCreate()
        parser.StartElementHandler, parser.EndElementHandler = count.start, count.end
        parser.StartDoctypeDeclHandler = count.doctype
        count.depth = 0
        try:
            with archive.open(info) as member:
                while chunk := member.read(_CHUNK):
                    parser.Parse(chunk, False)
        except _TooMuch as reason:
            return str(reason)
        except expat.ExpatError:
            continue  # a picture, or damaged
    return None


def _area(text: str) -> int:
    """Cells of a range such as `A1:C9`."""
    found = _RANGE.fullmatch(text.strip())
    if found is None or found[3] is None:
        return 1
    wide = abs(_column(found[3]) - _column(found[1])) + 1
    return wide * (abs(int(found[4]) - int(found[2])) + 1)


def _column(letters: str) -> int:
    number = 0
    for letter in letters.upper():
        number = number * 26 + ord(letter) - 64
    return number
