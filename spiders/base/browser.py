"""Pages that need JavaScript, rendered by a real browser and quoted as a reader sees them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

from scrapy import Request
from scrapy.http import Response

from spiders.base.source import Place, SourceSpider
from spiders.listing import Listing
from spiders.textio import parse_html


@dataclass(frozen=True, slots=True)
class State:
    """A state of a page: what to click to get there (texts, tried in order; none = as loaded) and a regular
    expression that the visible text must contain before it is quoted."""

    name: str
    click: tuple[str, ...] = ()
    ready: str = ""


@dataclass(frozen=True)
class Rendered:
    """One state as rendered. `text` is the visible text (the browser's innerText), `html` the document, in
    which elements that are not displayed carry `data-suanjia-hidden`. `reached` is False where a click
    found nothing."""

    name: str
    text: str
    html: str
    reached: bool
    ready: bool

    @cached_property
    def lines(self) -> list[str]:
        """Visible lines, trimmed; empty ones left out."""
        return [line for raw in self.text.splitlines() if (line := " ".join(raw.split()))]

    @cached_property
    def root(self) -> Any:
        """The document as an element tree, for `spiders.tables`."""
        return parse_html(self.html)


class BrowserSpider(SourceSpider):
    """One page or a few, rendered, brought into each of `states` and quoted.

    What is kept as evidence is a JSON document `{"url", "states": [{"name", "text", "html", …}]}`: the page
    as shown.
    """

    needs_browser = True
    pages: ClassVar[tuple[str, ...]] = ()
    states: ClassVar[tuple[State, ...]] = (State("page"),)

    def read(self, state: Rendered, at: Place) -> Iterator[Listing]:
        """Listings of one state."""
        raise NotImplementedError

    def begin(self, route: str) -> Iterator[Request]:
        """One rendered request a page."""
        for url in self.pages:
            yield self.render(url, route)
            if self.probing:
                return

    def render(self, url: str, route: str) -> Request:
        """A request answered by the browser."""
        return self.ask(url, self.rendered, route=route, meta={"playwright": True, "states": self.states})

    def rendered(self, response: Response) -> Iterator[Any]:
        """The page's states, one after the other."""
        document = json.loads(response.body)
        place = self.place(response)
        found = False
        for number, raw in enumerate(document["states"]):
            state = Rendered(raw["name"], raw["text"], raw["html"], raw["reached"], raw["ready"])
            wanted = self.states[number]
            if not state.reached:
                self.run.changed(f"state {state.name}", " or ".join(wanted.click), "nothing to click")
                self.run.problem(
                    "layout_changed", f"no “{wanted.click[0]}” to click", response.url, place.route
                )
                continue
            if not state.ready:
                self.run.changed(
                    f"state {state.name}", f"text like {wanted.ready}", " ".join(state.lines[:8])[:160]
                )
                self.no_data(response, state.text + state.html[:20_000], f"text like {wanted.ready}")
                continue
            for listing in self.read(state, place.at(f"states/{number}/text")):
                found = True
                yield listing
        if not found and not self.run.problems:
            self.no_data(response, document["states"][0]["text"] if document["states"] else "", "prices")
