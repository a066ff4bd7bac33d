"""A JSON file of hundreds of megabytes read section by section, no byte of it parsed twice.

`{"products": {…}, "terms": {"OnDemand": {…}, "Reserved": {…}}}`: `ijson.kvitems` walks one object and would
run through the whole file for each. Here the walk of one section ends where the next begins, and the next one
goes on from there. This module imports no Scrapy.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import IO, Any

import ijson

_CHUNK = 1 << 18
_OVERLAP = 256  # a key, its colon and brace lie inside


class Sections:
    """The sections of one stream, to be read in the order of the file."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream
        self._ready = b""  # read, not yet handed to a parser
        self._held = b""  # the end of what was read: the next key may begin in it
        self._stop: re.Pattern[bytes] | None = None
        self._found = True  # the section begins here (at first: with the file)

    def pairs(self, path: str, until: str = "", head: bytes = b"") -> Iterator[tuple[str, Any]]:
        """(key, value) of the object at `path`, up to where the key `until` opens an object.

        `head` opens what is already behind. Nothing comes where the section before ended with the file.
        IncompleteJSONError for a file that ends early, JSONError for what is no JSON.
        """
        if not self._found:
            return
        self._stop = re.compile(rb'"%s"\s*:\s*\{' % until.encode()) if until else None
        self._ready, self._found = head + self._ready, False
        try:
            yield from ijson.kvitems(self, path, buf_size=_CHUNK)
        except ijson.IncompleteJSONError:
            if not self._found:
                raise

    def read(self, size: int = _CHUNK) -> bytes:
        """The next bytes of the section, b"" at its end (the interface that ijson wants)."""
        if self._found or size == 0:
            return b""
        chunk = self._ready or self._stream.read(size)
        self._ready = b""
        window = self._held + chunk
        self._held = b""
        match = self._stop.search(window) if self._stop else None
        if match:
            self._found, self._ready = True, window[match.end() :]
            return window[: match.start()].rstrip().removesuffix(b",")
        if not chunk or self._stop is None:
            return window
        self._held = window[-_OVERLAP:]
        return window[: -len(self._held)] or self.read(size)
