"""The spider of every seller that is described in a provider file alone (archetypes of `spiders.pages`)."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any, ClassVar
from urllib.parse import urldefrag, urljoin

from scrapy import Request
from scrapy.http import Response

from catalog.provider_model import Provider
from catalog.source_model import Read, Source
from spiders.base.browser import State, still_growing
from spiders.base.source import Place, Route, SourceSpider
from spiders.egress import origin_of
from spiders.listing import Listing
from spiders.pages.document import document
from spiders.pages.quoting import listed, read_page
from spiders.pages.signs import (
    declared_total,
    is_article,
    no_price_words,
    question,
    says_nothing_on_offer,
)
from spiders.signs import classify, is_cut
from spiders.tables import select

# What a rendered page shows before it is read; without it the page is read when its time is up.
_SHOWN = r"[￥¥$]\s*\d|\d[\d,.]*\s*万?\s*元|(?m:^\s*\d{3,7}(?:\.\d+)?\s*$)|面议|电询|登[录陆]后|咨询"
_GB = ("gb2312", "gbk", "cp936", "hz", "gb18030")
_MOST_LINKS = 500
_LISTS = ("table", "div_table", "cards")  # archetypes whose pages may say how many rows there are


class DeclaredSpider(SourceSpider):
    """Pages of `[source]`, in their order and nothing else, read as `[read]` says.

    A page whose list is empty and says so is no trouble; a column, label or CSS of the declaration that is
    on none of the pages is a layout change, and named by its key.
    """

    provider: ClassVar[Provider]
    routes = (Route("page"),)
    scope = "region"
    states: ClassVar[tuple[State, ...]] = (State("page", ready=_SHOWN),)

    def __init_subclass__(cls, **more: Any) -> None:
        """What a spider says of itself, from its provider file."""
        super().__init_subclass__(**more)
        source = cls.provider.source
        cls.origins = tuple(dict.fromkeys(origin_of(page) for page in source.pages))
        cls.needs_browser = source.browser

    def __init__(self, *args: Any, **more: Any) -> None:
        super().__init__(*args, **more)
        self._asked: dict[str, str] = {}
        self._found: set[str] = set()
        self._near = ""
        self._read_pages = self._goods = self._total = 0
        self._followed: set[str] = set()

    @property
    def source(self) -> Source:
        """`[source]` of the provider file."""
        return self.provider.source

    @property
    def declaration(self) -> Read:
        """`[read]` of the provider file, empty where it has none."""
        return self.provider.read or Read()

    def begin(self, route: str) -> Iterator[Request]:
        """One request a page."""
        follow = self.source.archetype == "per_sku_pages"
        for url in self.source.pages:
            yield self.page_request(url, route, self.links if follow else self.page)
            if self.probing:
                return

    def page_request(self, url: str, route: str, then: Callable[..., Any], **carry: Any) -> Request:
        """The request of a page, rendered where the declaration says so."""
        meta = {"playwright": True, "states": self.states} if self.source.browser else {}
        return self.ask(url, then, route=route, meta=meta, **carry)

    def html_of(self, response: Response) -> str:
        """The page's source, or what a browser made of it."""
        if self.source.browser:
            states = json.loads(response.body)["states"]
            if states and (told := still_growing(states[0])):
                self.run.problem("truncated", told, response.url, response.meta["route"])
            return str(states[0]["html"]) if states else ""
        if name := self.source.encoding:
            return response.body.decode("gb18030" if name in _GB else name, "replace").removeprefix("\ufeff")
        return self.text_of(response)

    def links(self, response: Response, second: bool = False) -> Iterator[Request]:
        """A page that lists the pages of the goods."""
        text, route = self.html_of(response), response.meta["route"]
        if self._cut(text):
            yield from self._once_more(response, self.links, second)
            return
        root = document(text)
        base = next((b.get("href") for b in root.iter("base") if b.get("href")), "")
        urls = [
            urljoin(urljoin(response.url, base), e.get("href") or "")
            for e in select(root, self.source.follow)
        ]
        if not urls:
            self.no_data(response, text, f"links like {self.source.follow!r} (source.follow)")
            return
        for url in dict.fromkeys(self.run.egress.unmap(urldefrag(url)[0]) for url in urls):
            if origin_of(url) != origin_of(response.url):
                self.skip("link to another host")
            elif url not in self._followed and len(self._followed) < _MOST_LINKS:
                self._followed.add(url)
                yield self.page_request(url, route, self.page)
                if self.probing:
                    return

    def page(self, response: Response, second: bool = False) -> Iterator[Any]:
        """A page of goods."""
        text = self.html_of(response)
        if self._cut(text):
            yield from self._once_more(response, self.page, second)
            return
        yield from self.read_text(response, text, self.place(response))

    def read_text(self, response: Response, text: str, place: Place) -> Iterator[Listing]:
        """Listings of a page's source."""
        root = document(text)
        reading = read_page(root, self.source, self.declaration)
        self._asked |= reading.asked
        self._found |= reading.found
        self._near = self._near or reading.near
        for what, count in reading.skipped.items():
            self.skip(what, count)
        for where, expected, found in reading.broken:
            self.moved(where, expected, found, place)
        if not reading.goods:
            yield from self._no_goods(response, text, root, place)
            return
        self._read_pages += 1
        self._goods += len(reading.goods)
        self._total = max(self._total, declared_total(root) or 0)
        article = is_article(root, plain_text=self.source.archetype == "text")
        if article:
            self.run.changed("page", "a price list", "an article: its prices are nobody's offer")
        yield from listed(
            reading, self.declaration, lambda at, **fields: place.at(at).listing(**fields), article=article
        )

    def _no_goods(self, response: Response, text: str, root: Any, place: Place) -> Iterator[Listing]:
        """A page without a good: an empty list, a picture, or another page than was declared."""
        pictures = [e for e in root.iter("img") if not (e.get("alt") or "").strip()]
        if says_nothing_on_offer(root) and not self._near:
            self.skip("page with nothing on offer")
            return
        # A row with its status and no price, so that what became of the list is counted.
        if classify(text) is not None:
            pass  # a login or a captcha is the status of the whole run
        elif pictures and not self._near:
            yield place.at("img").listing(price_text='<img alt="">', card_text=None)
        elif words := no_price_words(root):
            yield place.at("body").listing(price_text=words, card_text=None)
        elif title := question(root):
            yield place.at("title").listing(price_text=title, card_text=None, trust="article")
        if self._near:
            wanted = ", ".join(
                f"{key} ({what})" for key, what in self._asked.items() if key not in self._found
            )
            told = f"{wanted} is not there; there are: {self._near}"
            self.run.problem("layout_changed", told, response.url, response.meta["route"])
            return
        self.no_data(response, text, f"what {self._selector()} selects")

    def _selector(self) -> str:
        source = self.source
        for key in ("rows", "lines", "options", "follow"):
            if getattr(source, key) and not (key == "follow" and source.archetype != "per_sku_pages"):
                return f"source.{key} = {getattr(source, key)!r}"
        return "the declaration"

    def _once_more(self, response: Response, then: Callable[..., Any], second: bool) -> Iterator[Request]:
        """A page that stops before its end is asked for again; the second time it is a problem."""
        if second:
            self.run.problem("cut", "the page ends early", response.url, response.meta["route"])
        else:
            yield self.page_request(response.url, response.meta["route"], then, second=True)

    def _cut(self, text: str) -> bool:
        """Hand-written pages leave tables open: a page that closes itself is whole."""
        return not self.source.browser and "</html" not in text.lower() and is_cut(text)

    def judge(self) -> None:
        """When all pages are read: what the declaration asks for and none of them has."""
        if not self._read_pages or self.probing:
            return
        if self.source.archetype in _LISTS and self._goods < self._total:
            told = f"{self._goods} rows read, the page says there are {self._total}"
            self.run.problem("truncated", told, route="page")
        for key, what in sorted(self._asked.items()):
            if key not in self._found:
                self.run.changed(key, what, f"nowhere{'; there are: ' + self._near if self._near else ''}")
                self.run.problem("layout_changed", f"{key}: {what} is on none of the pages", route="page")
