"""Pages that need JavaScript, rendered by a real browser and quoted as a reader sees them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

from scrapy import Request
from scrapy.http import Response

from spiders.base.source import Place, SourceSpider
from spiders.listing import Listing
from spiders.signs import classify
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


def still_growing(raw: Mapping[str, Any]) -> str:
    """What to say of a state whose list was still growing when its time was up, "" for any other."""
    return "" if raw.get("whole", True) else f"state {raw['name']}: its list had not come to an end"


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
            if not (state.reached and state.ready):
                self._not_there(response, state, wanted)
                return
            if told := still_growing(raw):
                self.run.problem("truncated", told, response.url, response.meta["route"])
            for listing in self.read(state, place.at(f"states/{number}/text")):
                found = True
                yield listing
        if not found:
            self.no_data(response, document["states"][0]["text"] if document["states"] else "", "prices")

    def _not_there(self, response: Response, state: Rendered, wanted: State) -> None:
        """The page did not come into a state: name what it is instead."""
        shown = " ".join(state.lines[:8])[:160] or "an empty page"
        what = f"text like {wanted.ready}" if state.reached else f"“{' or '.join(wanted.click)}” to click"
        if classify(state.text + state.html[:20_000]) is None:
            self.run.changed(f"state {state.name}", what, shown)
        self.no_data(response, f"{state.text}\n{state.html[:20_000]}", what)
