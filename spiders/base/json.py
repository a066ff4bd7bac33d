"""JSON lists: one or many, paged by number or token, checked against what they declare and what is
expected."""

from __future__ import annotations

import json
from collections.abc import Generator, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

from scrapy import Request
from scrapy.http import Response

from spiders.base.source import Place, SourceSpider
from spiders.listing import Listing
from spiders.price_fields import Moved, knows, quotes
from spiders.shape import Expectation, fits, get, json_is_cut, loads, pointer, steps, text
from spiders.signs import classify

ROUND_NUMBERS = frozenset((50, 100, 200, 250, 500, 1000, 2000, 5000, 10000))
"""A list without a declared total that ends on one of these may have been cut there."""

MAX_PAGES = 500


@dataclass(slots=True)
class Walk:
    """The reading of one list, page after page. `key` tells the lists of one source apart (a region)."""

    route: str
    key: str = ""
    carry: Mapping[str, Any] = field(default_factory=dict)
    page: int = 1
    token: str | None = None
    second: bool = False  # the list was read again because rows were missing
    retried: bool = False  # the present page was asked for again because it came broken
    seen: set[str] = field(default_factory=set)
    declared: int | None = None
    raw: int = 0  # rows read in this pass, repeats included


class JsonSpider(SourceSpider):
    """A list of rows in JSON.

    Declare `rows`, `expect` and what the answer says about its own length: `total` (rows), `page_count` or
    `next_token`. Override `page_request` (the request of `walk.page`), `read` (a row to listings) and,
    where there are several lists, `walks`. Paths are those of `spiders.shape`.
    """

    rows: ClassVar[str] = ""
    total: ClassVar[str] = ""
    page_count: ClassVar[str] = ""
    next_token: ClassVar[str] = ""
    page_size: ClassVar[int] = 0
    first_page: ClassVar[int] = 1
    row_id: ClassVar[str] = ""
    success: ClassVar[Mapping[str, tuple[Any, ...]]] = {}
    expect: ClassVar[Expectation] = {}
    maybe: ClassVar[Expectation] = {}  # fields that may be absent, but have this type where they are
    empty_ok: ClassVar[bool] = False  # an empty list is an answer (a region without GPUs)

    def walks(self, route: str) -> Iterable[Walk]:
        """The lists of a route."""
        yield Walk(route)

    def page_request(self, walk: Walk) -> Request:
        """The request of page `walk.page` (or after `walk.token`); its answer goes to `self.page`,
        `walk=walk`."""
        raise NotImplementedError

    def read(self, row: Any, at: Place) -> Iterator[Listing]:
        """Listings of one row."""
        raise NotImplementedError

    def begin(self, route: str) -> Iterator[Request]:
        """One request a list; a probe reads the first only."""
        for walk in self.walks(route):
            walk.page = self.first_page
            yield self.page_request(walk)
            if self.probing:
                return

    def document(self, response: Response, need: Expectation) -> Any:
        """A preparatory answer (regions, a menu) as JSON in which `need` stands; None once the problem is
        noted."""
        route = response.meta.get("route", "")
        answer = self._answer(response, Walk(route, retried=True))
        if answer is not None and self.compare(answer, need):
            self._refusal_or_layout(response, answer, route, ", ".join(need))
            return None
        return answer

    def listed(self, response: Response, path: str, row: Expectation) -> list[Any]:
        """The rows of a preparatory list (regions), each as `row` says; none once a problem is noted."""
        answer = self.document(response, {path: "list"})
        rows: list[Any] = get(answer, path) or []
        at = self.place(response, pointer(*steps(path)))
        return rows if all(self.layout(entry, row, at) for entry in rows) else []

    def quote(self, at: Place, node: Any, key: str, inner: str = "", **common: Any) -> Iterator[Listing]:
        """Every price of `node` that `spiders/price_fields.csv` knows for the way of paying `key`.

        `inner` is where `node` stands below `at`; `currency` and `count` go to the unit. An unknown way of
        paying is counted, a field that has moved is a layout change.
        """
        if not knows(self.name, key):
            self.skip(f"paid by {key}")
            return
        unit = {name: common.pop(name) for name in ("currency", "count") if name in common}
        try:
            for field, fields in quotes(self.name, key, node, **unit):
                yield at.listing("/".join(filter(None, (inner, field))), **(common | fields))
        except Moved as error:
            self.moved("/".join(filter(None, (inner, error.field))), error.expected, error.found, at)

    def page(self, response: Response, walk: Walk) -> Iterator[Any]:
        """One answer: its rows, then the next request or the final count."""
        answer = self._answer(response, walk)
        if isinstance(answer, Request):
            yield answer
            return
        if answer is None:
            return
        rows = self._rows(response, answer, walk)
        if rows is None:
            return
        fresh = yield from self._listings(response, rows, walk)
        declared = get(answer, self.total) if self.total else None
        walk.declared = int(declared) if isinstance(declared, int) else walk.declared
        yield from self._go_on(answer, walk, len(rows), fresh)

    # -- one answer ---

    def _answer(self, response: Response, walk: Walk) -> Any:
        """The parsed answer; a Request to try once more; None when the problem is noted."""
        body = self.text_of(response)
        try:
            answer = loads(body)
        except ValueError as error:
            cut = json_is_cut(body, error)
            if cut and not walk.retried:
                walk.retried = True
                return self.page_request(walk)
            if cut:
                self.run.problem("cut", f"the JSON ends early: {error}", response.url, walk.route)
            else:
                self.no_data(response, body, "JSON")
            return None
        walk.retried = False
        for path, allowed in self.success.items():
            value = get(answer, path)
            if not fits(value, allowed):
                self.run.changed(path, " or ".join(map(str, allowed)), f"{value} {_message(answer)}".strip())
                self._refusal(response, body, f"{path} is {value!r} {_message(answer)}".strip())
                return None
        return answer

    def _refusal(self, response: Response, body: str, said: str) -> None:
        """An answer that says no: a login that is wanted, or an error of its own."""
        found = classify(body)
        kind = found[0] if found else "failed"
        self.run.problem(kind, said, response.url, response.meta.get("route", ""))
        if kind == "blocked":
            self.run.stop("the source blocks", response.meta.get("route", ""))

    def _rows(self, response: Response, answer: Any, walk: Walk) -> list[Any] | None:
        rows = get(answer, self.rows)
        if isinstance(rows, list):
            return rows
        if rows is None and self.empty_ok and self.rows and _has(answer, self.rows):
            return []
        self.compare(answer, {self.rows: "list"})
        self._refusal_or_layout(response, answer, walk.route, f"list at {self.rows or 'the top'}")
        return None

    def _refusal_or_layout(self, response: Response, answer: Any, route: str, wanted: str) -> None:
        body = self.text_of(response)
        found = classify(body)
        kind, detail = found if found else ("layout_changed", f"no {wanted}")
        self.run.problem(kind, f"{detail} {_message(answer)}".strip(), response.url, route)

    def _listings(self, response: Response, rows: list[Any], walk: Walk) -> Generator[Listing, None, int]:
        """Yields listings of rows not seen before; returns their number. Names fields that have moved."""
        bad = [row for row in rows if self.compare(row, self.expect)]
        for row in rows[:50]:
            self.compare(row, self.maybe, optional=True)
        if rows and len(bad) * 2 > len(rows):
            names = ", ".join(f"{d.field} ({d.found})" for d in self.run.drift[:3])
            self.run.problem("layout_changed", f"not as expected: {names}", response.url, walk.route)
            return 0
        fresh = 0
        place = replace(self.place(response), key=walk.key)
        prefix = pointer(*steps(self.rows))
        for number, row in enumerate(rows):
            key = text(row, self.row_id) if self.row_id else None
            key = key or json.dumps(row, sort_keys=True, default=str)
            if key in walk.seen:
                continue
            walk.seen.add(key)
            fresh += 1
            yield from self.read(row, place.at(f"{prefix}/{number}"))
        walk.raw += len(rows)
        return fresh

    # -- from page to page ---

    def _go_on(self, answer: Any, walk: Walk, count: int, fresh: int) -> Iterator[Any]:
        if self.probing:
            return
        if self._more(answer, walk, count, fresh):
            walk.page += 1
            yield self.page_request(walk)
            return
        missing = walk.declared is not None and len(walk.seen) < walk.declared
        if missing and not walk.second:
            # Lists whose order moves while they are read lose rows: one more pass picks them up.
            walk.second, walk.page, walk.token, walk.raw = True, self.first_page, None, 0
            yield self.page_request(walk)
            return
        self._close(walk, missing)

    def _more(self, answer: Any, walk: Walk, count: int, fresh: int) -> bool:
        """Is there another page to ask for?"""
        if walk.page - self.first_page + 1 >= MAX_PAGES:
            self.run.problem("truncated", f"stopped after {MAX_PAGES} pages", route=walk.route)
            return False
        if self.next_token:
            before, walk.token = walk.token, text(answer, self.next_token)
            circle = walk.token == before or (count > 0 and not fresh and not walk.second)
            if walk.token is not None and circle:
                self.run.problem("truncated", f"page {walk.page} leads to no further rows", route=walk.route)
                return False
            return walk.token is not None
        if self.page_count:
            pages = get(answer, self.page_count)
            if isinstance(pages, int) and not isinstance(pages, bool):
                return walk.page < self.first_page + pages - 1
        if walk.declared is not None and (self.page_size or self.total):
            # A page without anything new is the end, or the last page served again.
            return walk.raw < walk.declared and count > 0 and (fresh > 0 or walk.second) and self._pages()
        if self._pages() and walk.page > self.first_page and count >= self.page_size and not fresh:
            # Clamped to the last page, or deaf to the number of the page: nobody can tell.
            told = f"page {walk.page} repeats what was read, and no total is declared"
            self.run.problem("truncated", told, route=walk.route)
        return self._pages() and fresh > 0 and count >= max(self.page_size, 1)

    def _pages(self) -> bool:
        return self.page_size > 0

    def _close(self, walk: Walk, missing: bool) -> None:
        name = f"{walk.route}:{walk.key}" if walk.key else walk.route
        self.run.read[name] = self.run.read.get(name, 0) + len(walk.seen)
        if walk.declared is not None:
            self.run.declared[name] = self.run.declared.get(name, 0) + walk.declared
        if missing:
            self.run.problem(
                "truncated", f"{name}: {len(walk.seen)} rows of {walk.declared} declared", route=walk.route
            )
        elif (
            walk.declared is None
            and not self.next_token
            and len(walk.seen) in ROUND_NUMBERS
            and not self._pages()
        ):
            self.run.problem(
                "truncated", f"{name}: exactly {len(walk.seen)} rows and no declared total", route=walk.route
            )


def _has(answer: Any, path: str) -> bool:
    *above, last = steps(path)
    node = get(answer, "/".join(s.replace("~", "~0").replace("/", "~1") for s in above)) if above else answer
    return isinstance(node, dict) and last in node


def _message(answer: Any) -> str:
    for name in ("msg", "message", "Message", "errMsg", "error", "errorMessage"):
        if found := text(answer, name):
            return found[:120]
    return ""
