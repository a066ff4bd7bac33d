"""Prices in running text: one line at a time, with the lines above it as context."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, ClassVar

from scrapy import Request
from scrapy.http import Response

from spiders.base.source import Place, SourceSpider
from spiders.listing import Listing
from spiders.signs import is_cut
from spiders.tables import select
from spiders.textio import parse_html, visible_lines


class TextSpider(SourceSpider):
    """Lines of one or more pages. `block` narrows them to the elements of a CSS expression, `price` says
    which lines quote one, `heading` which lines are headings (they go into the context until the next
    one)."""

    pages: ClassVar[tuple[str, ...]] = ()
    block: ClassVar[str] = "body"
    price: ClassVar[str] = r"[元￥¥]\s*/?|/\s*(?:小时|时|天|月|年)"
    heading: ClassVar[str] = r"$^"

    def read(self, line: str, context: str, at: Place) -> Iterator[Listing]:
        """Listings of one line. The default quotes the whole line."""
        yield at.listing(price_text=line, context=context)

    def begin(self, route: str) -> Iterator[Request]:
        """One request a page."""
        for url in self.pages:
            yield self.ask(url, self.page, route=route)
            if self.probing:
                return

    def page(self, response: Response, second: bool = False) -> Iterator[Any]:
        """One page, line by line."""
        text = self.text_of(response)
        if is_cut(text):
            if second:
                self.run.problem("cut", "the page ends early", response.url, response.meta["route"])
            else:
                yield self.ask(response.url, self.page, route=response.meta["route"], second=True)
                return
        root = parse_html(text) if "<" in text else None
        lines = self._lines(root) if root is not None else [part.strip() for part in text.splitlines()]
        found = False
        for listing in self.read_lines(lines, self.place(response)):
            found = True
            yield listing
        if not found:
            self.no_data(response, text, "lines with prices")

    def read_lines(self, lines: list[str], place: Place) -> Iterator[Listing]:
        """Listings of all lines that quote a price."""
        context = ""
        for number, line in enumerate(lines):
            if re.search(self.heading, line):
                context = line
            if line and re.search(self.price, line):
                yield from self.read(line, context, place.at(f"line={number}"))

    def _lines(self, root: Any) -> list[str]:
        return [line for element in select(root, self.block) for line in visible_lines(element)]
