"""What every spider shares: routes, requests, listings with their provenance, and the naming of what went
wrong."""

from __future__ import annotations

import hashlib
import inspect
import json
import os
from collections.abc import AsyncIterator, Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar
from urllib.parse import urlencode

from scrapy import Request, Spider, signals
from scrapy.crawler import Crawler
from scrapy.http import Response

from spiders.base.troubles import Troubles, digest_of
from spiders.config import CrawlConfig
from spiders.egress import origin_of
from spiders.listing import Listing
from spiders.run import Run, package_version
from spiders.shape import Expectation, differences, get, loads
from spiders.signs import classify, is_login_address
from spiders.textio import charset_of, decode


@dataclass(frozen=True, slots=True)
class Route:
    """One way to ask a provider. `needs` are credential names (`AUTODL_TOKEN`), all of which must be set.

    The crawl is judged by its routes that are not `extra`. An extra route that meets a problem costs its own
    listings, never those of the others: they are dropped and the message names it. `by` reads a route that
    serves its prices in another way than the rest: a spider class on another base, run as a part of this one.
    """

    name: str
    needs: tuple[str, ...] = ()
    extra: bool = False
    by: type[SourceSpider] | None = None


@dataclass(frozen=True, slots=True)
class Place:
    """Where in which answer a reader stands: makes listings with their provenance filled in."""

    spider: SourceSpider
    route: str
    url: str
    evidence: str
    locator: str = ""
    key: str = ""  # which of the source's lists (`Walk.key`)

    def at(self, locator: str) -> Place:
        """The same answer, another place in it."""
        return replace(self, locator=locator)

    def listing(self, inner: str = "", *, price_text: str | None, **fields: Any) -> Listing:
        """A listing that stands here. `inner` is the path of the price below this place, `fields` are those
        of `spiders.listing.Listing`; a price that the source does not give is None and becomes ""."""
        spider = self.spider
        values: dict[str, Any] = {
            "evidence_kind": spider.evidence_kind,
            "scope": spider.scope,
            "provider": spider.name,
            "route": self.route,
            "observed_at": spider.config.now,
            "evidence": self.evidence,
            "locator": f"{self.locator}/{inner}" if inner else self.locator,
            "source_url": self.url,
        }
        return Listing(**(values | fields), price_text=price_text or "")


class SourceSpider(Troubles, Spider):
    """Base of all bases. A source overrides class attributes and, at most, the hooks that its base names."""

    name: str = ""
    origins: ClassVar[tuple[str, ...]] = ()
    routes: ClassVar[tuple[Route, ...]] = (Route("public"),)
    evidence_kind: ClassVar[str] = "page"
    scope: ClassVar[str] = "national"
    # Lists without prices (regions, card names): address → fields of each row. Kept as evidence, checked.
    references: ClassVar[Mapping[str, Expectation]] = {}
    needs_browser: ClassVar[bool] = False
    # The periods that are quoted depend on what is sold: only the currency and what it pays for are watched.
    periods_vary: ClassVar[bool] = False
    # Units that may stand for one another, since each number says by itself which it is in.
    known_units: ClassVar[tuple[str, ...]] = ()

    config: CrawlConfig
    run: Run
    _readers: list[SourceSpider]

    @classmethod
    def from_crawler(cls, crawler: Crawler, *args: Any, **kwargs: Any) -> SourceSpider:
        """Scrapy's constructor: takes the crawl's configuration from the settings."""
        spider: SourceSpider = super().from_crawler(crawler, *args, **kwargs)
        spider.config = crawler.settings["SUANJIA_CONFIG"]
        spider.run = Run(spider.config, spider.allow_list(), spider._secrets())
        spider.run.extra_routes = [route.name for route in spider.routes if route.extra]
        spider.run.periods_vary, spider.run.known_units = spider.periods_vary, spider.known_units
        spider._readers = []
        crawler.signals.connect(spider.judge_all, signal=signals.spider_idle)
        return spider

    def judge_all(self) -> None:
        """Every answer has been read: the last word of each reader."""
        for reader in self._readers:
            reader.judge()

    def judge(self) -> None:
        """What only all answers together show; bases override it."""

    # -- what a source may use ---

    def begin(self, route: str) -> Iterable[Request]:
        """First requests of a route. Bases answer this from their own declarations."""
        raise NotImplementedError

    def ask(
        self,
        url: str,
        then: Callable[..., Any],
        *,
        route: str,
        method: str = "GET",
        data: Any = None,
        form: Mapping[str, str] | None = None,
        headers: Mapping[str, str] | None = None,
        meta: Mapping[str, Any] | None = None,
        **carry: Any,
    ) -> Request:
        """A request whose answer goes to `then(response, **carry)`.

        `data` is sent as JSON, with keys in the given order, `form` as a form. Retry, delay, robots and
        evidence are the crawl's.
        """
        sent = dict(headers or {})
        body = b""
        if data is not None:
            body = json.dumps(data, ensure_ascii=False, separators=(",", ":")).encode()
            sent.setdefault("Content-Type", "application/json")
        elif form is not None:
            body = urlencode(form).encode()
            sent.setdefault("Content-Type", "application/x-www-form-urlencoded")
        return Request(
            url,
            callback=then,
            errback=self.failed,
            method=method,
            headers=sent,
            body=body,
            meta={"route": route, **(meta or {})},
            cb_kwargs=carry,
            priority=-10 if route in self.run.extra_routes else 0,  # what must be had is asked first
            dont_filter=True,  # paging and second passes ask the same address on purpose
        )

    def place(self, response: Response, locator: str = "") -> Place:
        """Where `response` can be quoted from."""
        meta = response.meta
        address = self.run.address(response.url)
        return Place(self, meta.get("route", ""), address, meta.get("evidence", ""), locator)

    def text_of(self, response: Response) -> str:
        """The answer as text, whatever encoding it declares (`spiders.textio.decode`)."""
        content_type = (response.headers.get("Content-Type") or b"").decode("latin-1")
        return decode(response.body, charset_of(content_type))[0]

    def credential(self, name: str) -> str | None:
        """A user's own key (`SUANJIA_` + name in the environment), None if it is not set."""
        return os.environ.get("SUANJIA_" + name) or None

    def skip(self, what: str, count: int = 1) -> None:
        """Count rows that are plainly another kind of goods (`cpu`, `windows`); shown in the run's
        statistics."""
        if count:
            self.run.skipped[what] += count

    def compare(self, row: Any, expect: Expectation, where: str = "", *, optional: bool = False) -> int:
        """Note every field of `row` that is not as expected; returns how many there were."""
        found = list(differences(row, expect, optional=optional))
        for path, expected, actual in found:
            self.run.changed(f"{where}{path}", expected, actual)
        return len(found)

    def layout(self, row: Any, expect: Expectation, at: Place) -> bool:
        """Is `row` at `at` as expected? If not, its fields are named, and the run is a layout change."""
        found = list(differences(row, expect))
        for path, expected, actual in found:
            self.run.changed(path, expected, actual)
            self.run.problem("layout_changed", f"{path} is {actual}", at.url, at.route)
        return not found

    def no_data(self, response: Response, text: str, expected: str) -> None:
        """Name what came instead of data: a login page, a captcha, a farewell, or another layout."""
        if response.meta.get("signed_links"):
            text = self.run.evidence.redact(text.encode(), links=True).decode()
        kind, words = classify(text) or ("layout_changed", "")
        if kind == "layout_changed" and response.meta.get("redirect_urls") and is_login_address(response.url):
            kind, words = "auth_needed", f"redirected to {response.url}"
        detail = f"“{words}”" if words else f"expected {expected}"
        self.run.problem(
            kind, f"{detail}, found: {digest_of(text)}", response.url, response.meta.get("route", "")
        )
        if kind == "blocked":
            self.run.stop(f"{origin_of(response.url)} blocks", response.meta.get("route", ""))

    def moved(self, where: str, expected: str, found: str | None, at: Place) -> None:
        """A field does not say what it must: a difference and a problem, so that nothing read here counts."""
        self.run.changed(where, expected, found or "missing")
        self.run.problem(
            "layout_changed", f"{where}: {expected} expected, found {found or 'nothing'}", at.url, at.route
        )

    @property
    def probing(self) -> bool:
        """A probe asks for as little as possible: bases then read one page of one list."""
        return self.config.limit > 0

    # -- the rest ---

    @property
    def parser_version(self) -> str:
        """Version of the package and of the source files, for `runs.parser_version`."""
        readers = dict.fromkeys([type(self), *(route.by for route in self.routes if route.by)])
        files = dict.fromkeys(filter(None, map(inspect.getsourcefile, readers)))
        digest = hashlib.sha256(b"".join(Path(file).read_bytes() for file in files)).hexdigest()[:8]
        return f"{package_version()}+{digest if files else 'none'}"

    def allow_list(self) -> Iterable[str]:
        """Origins that may be asked: its own, and those of the parts whose routes are open."""
        parts = [route.by.origins for route in self.open_routes() if route.by]
        return [*self.origins, *(origin for part in parts for origin in part)]

    def open_routes(self) -> list[Route]:
        """Routes whose credentials are all set."""
        return [route for route in self.routes if all(self.credential(name) for name in route.needs)]

    async def start(self) -> AsyncIterator[Any]:
        """Requests of every open route; none at all is `auth_needed`."""
        routes = self.open_routes()
        self.run.routes = [route.name for route in routes]
        if not routes:
            names = sorted({f"SUANJIA_{name}" for route in self.routes for name in route.needs})
            self.run.problem("auth_needed", f"not asked: set {', '.join(names)}")
        readers = {route.name: self._reader(route) for route in routes}
        self._readers = list(dict.fromkeys(readers.values()))
        for name, reader in readers.items():
            for request in reader.begin(name):
                yield request
        asked: set[str] = set()
        for name, reader in readers.items():
            for url, row in reader.references.items():
                if url not in asked:
                    asked.add(url)
                    yield reader.reference_request(url, name, row)

    def reference_request(self, url: str, route: str, row: Expectation) -> Request:
        """The request of a list without prices."""
        request = self.ask(url, self.reference, route=route, row=row)
        return request.replace(errback=self.reference_failed)

    def _reader(self, route: Route) -> SourceSpider:
        """Who reads a route: this spider, or the part that the route names, on the same run."""
        if route.by is None:
            return self
        part = route.by(name=self.name)
        part.config, part.run = self.config, self.run
        return part

    def reference(self, response: Response, row: Expectation) -> None:
        """A list without prices: `row` gives paths whose first step is where the list stands."""
        body = self.text_of(response)
        try:
            answer = loads(body)
        except ValueError:
            self.run.changed(response.url, "JSON", digest_of(body))
            return
        for path, expected in row.items():
            where, _, field = path.partition("/")
            entries = get(answer, where)
            if not isinstance(entries, list):
                self.run.changed(response.url, f"a list at {where}", digest_of(body))
                return
            for entry in entries[:100]:
                self.compare(entry, {field: expected}, f"{where}/")

    def _secrets(self) -> dict[str, str]:
        names = {name for route in self.routes for name in route.needs}
        return {name: value for name in sorted(names) if (value := self.credential(name))}
