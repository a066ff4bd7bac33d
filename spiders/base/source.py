"""What every spider shares: routes, requests, listings with their provenance, and the naming of what went
wrong."""

from __future__ import annotations

import hashlib
import inspect
import json
import os
from collections.abc import AsyncIterator, Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar
from urllib.parse import urlsplit

from scrapy import Request, Spider
from scrapy.crawler import Crawler
from scrapy.exceptions import (
    CannotResolveHostError,
    DownloadTimeoutError,
    IgnoreRequest,
    ResponseDataLossError,
)
from scrapy.http import Response
from scrapy.spidermiddlewares.httperror import HttpError
from twisted.python.failure import Failure

from spiders.config import CrawlConfig
from spiders.egress import EgressRefused, origin_of
from spiders.evidence import clean_url
from spiders.listing import Listing
from spiders.robots import RobotsDisallowed
from spiders.run import Run, package_version
from spiders.shape import Expectation, differences, get, loads
from spiders.signs import classify, is_login_address
from spiders.textio import charset_of, decode

_STATUS_KINDS = {401: "auth_needed", 403: "blocked", 404: "gone", 405: "blocked", 410: "gone", 429: "blocked"}
_STOPPING = frozenset((403, 405, 429))


@dataclass(frozen=True, slots=True)
class Route:
    """One way to ask a provider. `needs` are credential names (`AUTODL_TOKEN`), all of which must be set."""

    name: str
    needs: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Place:
    """Where in which answer a reader stands: makes listings with their provenance filled in."""

    spider: SourceSpider
    route: str
    url: str
    evidence: str
    locator: str = ""

    def at(self, locator: str) -> Place:
        """The same answer, another place in it."""
        return Place(self.spider, self.route, self.url, self.evidence, locator)

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


class SourceSpider(Spider):
    """Base of all bases. A source overrides class attributes and, at most, the hooks that its base names."""

    name: str = ""
    origins: ClassVar[tuple[str, ...]] = ()
    routes: ClassVar[tuple[Route, ...]] = (Route("public"),)
    evidence_kind: ClassVar[str] = "page"
    scope: ClassVar[str] = "national"
    # Lists without prices (regions, card names): address → fields of each row. Kept as evidence, checked.
    references: ClassVar[Mapping[str, Expectation]] = {}
    needs_browser: ClassVar[bool] = False

    config: CrawlConfig
    run: Run

    @classmethod
    def from_crawler(cls, crawler: Crawler, *args: Any, **kwargs: Any) -> SourceSpider:
        """Scrapy's constructor: takes the crawl's configuration from the settings."""
        spider: SourceSpider = super().from_crawler(crawler, *args, **kwargs)
        spider.config = crawler.settings["SUANJIA_CONFIG"]
        spider.run = Run(spider.config, spider.allow_list(), spider._secrets())
        return spider

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
        headers: Mapping[str, str] | None = None,
        meta: Mapping[str, Any] | None = None,
        **carry: Any,
    ) -> Request:
        """A request whose answer goes to `then(response, **carry)`.

        `data` is sent as JSON, with keys in the given order. Retry, delay, robots and evidence are the
        crawl's.
        """
        sent = dict(headers or {})
        body = b""
        if data is not None:
            body = json.dumps(data, ensure_ascii=False, separators=(",", ":")).encode()
            sent.setdefault("Content-Type", "application/json")
        return Request(
            url,
            callback=then,
            errback=self.failed,
            method=method,
            headers=sent,
            body=body,
            meta={"route": route, **(meta or {})},
            cb_kwargs=carry,
            dont_filter=True,  # paging and second passes ask the same address on purpose
        )

    def place(self, response: Response, locator: str = "") -> Place:
        """Where `response` can be quoted from."""
        meta = response.meta
        return Place(self, meta.get("route", ""), clean_url(response.url), meta.get("evidence", ""), locator)

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
        self.run.skipped[what] += count

    def compare(self, row: Any, expect: Expectation, where: str = "", *, optional: bool = False) -> int:
        """Note every field of `row` that is not as expected; returns how many there were."""
        found = list(differences(row, expect, optional=optional))
        for path, expected, actual in found:
            self.run.changed(f"{where}{path}", expected, actual)
        return len(found)

    def no_data(self, response: Response, text: str, expected: str) -> None:
        """Name what came instead of data: a login page, a captcha, a farewell, or another layout."""
        kind, words = classify(text) or ("layout_changed", "")
        detail = f"“{words}”" if words else f"expected {expected}"
        self.run.problem(
            kind, f"{detail}, found: {_digest(text)}", response.url, response.meta.get("route", "")
        )
        if kind == "blocked":
            self.run.stop(f"{origin_of(response.url)} blocks")

    @property
    def probing(self) -> bool:
        """A probe asks for as little as possible: bases then read one page of one list."""
        return self.config.limit > 0

    # -- the rest ---

    @property
    def parser_version(self) -> str:
        """Version of the package and of the source file, for `runs.parser_version`."""
        file = inspect.getsourcefile(type(self))
        digest = hashlib.sha256(Path(file).read_bytes()).hexdigest()[:8] if file else "none"
        return f"{package_version()}+{digest}"

    def allow_list(self) -> Iterable[str]:
        """Origins that may be asked."""
        return self.origins

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
        for route in routes:
            for request in self.begin(route.name):
                yield request
        if routes:
            for url, row in self.references.items():
                request = self.ask(url, self.reference, route=routes[0].name, row=row)
                yield request.replace(errback=self.reference_failed)

    def reference(self, response: Response, row: Expectation) -> None:
        """A list without prices: `row` gives paths whose first step is where the list stands."""
        body = self.text_of(response)
        try:
            answer = loads(body)
        except ValueError:
            self.run.changed(response.url, "JSON", _digest(body))
            return
        for path, expected in row.items():
            where, _, field = path.partition("/")
            entries = get(answer, where)
            if not isinstance(entries, list):
                self.run.changed(response.url, f"a list at {where}", _digest(body))
                return
            for entry in entries[:100]:
                self.compare(entry, {field: expected}, f"{where}/")

    def reference_failed(self, failure: Failure) -> None:
        """A list without prices that does not come costs no price: noted as a difference, no problem."""
        request: Request = failure.request  # type: ignore[attr-defined]
        error = failure.value
        status = f"HTTP {error.response.status}" if isinstance(error, HttpError) else str(error)
        self.run.changed(request.url, "an answer", status)

    def failed(self, failure: Failure) -> None:
        """Errback of every request: the failure becomes a named problem."""
        request: Request = failure.request  # type: ignore[attr-defined]
        route = request.meta.get("route", "")
        url = request.url
        error = failure.value
        if isinstance(error, HttpError):
            self._failed_status(error.response, route)
        elif isinstance(error, RobotsDisallowed):
            self.run.problem("robots", str(error), url, route)
        elif isinstance(error, EgressRefused):
            self._refused(request, error, route)
        elif isinstance(error, IgnoreRequest):
            if not self.run.stopped:  # else dropped because the source was stopped: the reason is noted
                self.run.problem("failed", str(error), url, route)
        elif isinstance(error, ResponseDataLossError):
            self.run.problem("cut", str(error), url, route)
        elif isinstance(error, (DownloadTimeoutError, CannotResolveHostError)):
            self.run.problem("failed", str(error), url, route)
        else:
            self.run.problem("failed", f"{type(error).__name__}: {error}", url, route)

    def _failed_status(self, response: Response, route: str) -> None:
        status = response.status
        if location := response.headers.get("Location"):
            where = location.decode("latin-1")[:120]
            self.run.problem("gone", f"redirected to {where}, which is not followed", response.url, route)
            return
        kind = _STATUS_KINDS.get(status, "failed")
        text = self.text_of(response)
        if kind == "blocked" and status != 429 and (found := classify(text)) and found[0] == "auth_needed":
            kind = "auth_needed"
        self.run.problem(kind, f"HTTP {status}: {_digest(text)}", response.url, route)
        if status in _STOPPING:
            self.run.stop(f"HTTP {status}")

    def _refused(self, request: Request, error: EgressRefused, route: str) -> None:
        hops = request.meta.get("redirect_urls")
        if not hops:
            self.run.problem("refused", str(error), error.url, route)
        elif is_login_address(error.url):
            self.run.problem(
                "auth_needed", f"redirected to a login at {origin_of(error.url)}", hops[0], route
            )
        else:
            where = origin_of(error.url) or f"{urlsplit(error.url).scheme}:"
            self.run.problem("gone", f"redirected to another host, {where} ({error})", hops[0], route)

    def _secrets(self) -> dict[str, str]:
        names = {name for route in self.routes for name in route.needs}
        return {name: value for name in sorted(names) if (value := self.credential(name))}


def _digest(text: str) -> str:
    """The first words of a body, for a message."""
    words = " ".join(text[:400].split())
    return words[:120] or "an empty body"
