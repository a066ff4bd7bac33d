"""What a stand-in site is made of: origins, routes, robots.txt, and how an answer is written.

A site module under `market/sites/` declares one `Site`. A handler is a plain function from an `Ask` (the
request and the market's clock) to an `Answer`; it never touches the network layer, so faults can be laid over
any site.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cache
from html import escape
from pathlib import Path
from string import Template
from typing import Any, TypeVar
from urllib.parse import parse_qs, parse_qsl

T = TypeVar("T")

ROBOTS_ALLOW = "User-agent: *\nAllow: /\n"


@dataclass(frozen=True, slots=True)
class Answer:
    """One HTTP answer; `encoding` names the charset of a text body (None: bytes that faults leave alone)."""

    body: bytes
    content_type: str
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    encoding: str | None = "utf-8"


@dataclass(slots=True)
class Ask:
    """A request as a handler sees it. `state` is a dict of this site alone, for what a server remembers."""

    now: datetime
    method: str
    path: str
    match: Mapping[str, str]
    query_string: str
    headers: Mapping[str, str]
    body: bytes
    samples: bool = True
    fault: str | None = None
    state: dict[str, Any] = field(default_factory=dict)

    def query(self, name: str, default: str = "") -> str:
        """First value of a query parameter."""
        return parse_qs(self.query_string, keep_blank_values=True).get(name, [default])[0]

    def form(self) -> dict[str, str]:
        """Query and form body together, as a signed API takes its parameters from either."""
        pairs = parse_qsl(self.query_string, keep_blank_values=True)
        if "json" in self.header("Content-Type"):
            pairs += [(k, str(v)) for k, v in (self.json() or {}).items()]
        else:
            pairs += parse_qsl(self.body.decode("utf-8", "replace"), keep_blank_values=True)
        return dict(pairs)

    def header(self, name: str) -> str:
        """A request header, empty when absent; names are matched without case."""
        return next((v for k, v in self.headers.items() if k.lower() == name.lower()), "")

    def cookie(self, name: str) -> str:
        """A request cookie, empty when absent."""
        pairs = (part.strip().partition("=") for part in self.header("Cookie").split(";"))
        return next((value for key, _, value in pairs if key == name), "")

    def json(self) -> Any:
        """The JSON body, or None when there is none or it does not parse."""
        try:
            return json.loads(self.body or b"null")
        except ValueError:
            return None

    def cut(self, rows: Sequence[T]) -> list[T]:
        """The rows a list answer carries: all, none (`empty_list`) or the first half (`truncated_list`).

        Totals that a site declares are counted on the uncut rows: that is what makes a truncation visible.
        """
        if self.fault == "empty_list":
            return []
        if self.fault == "truncated_list":
            return list(rows[: max(1, len(rows) // 2)])
        return list(rows)


Handler = Callable[[Ask], Answer]


@dataclass(frozen=True, slots=True)
class Route:
    """One path of one origin; `path` as aiohttp writes it (`/a/{id}`), methods as a space-separated list."""

    path: str
    handler: Handler
    methods: str = "GET"


Swap = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Site:
    """One provider's stand-in: its origins with their routes, and what drifts when it is told to misbehave.

    `aliases` maps further origins onto a served one. `swaps` holds the text replacements of the faults
    `changed_field`, `changed_header` and `changed_unit`; a site without such a thing leaves that kind out.
    """

    slug: str
    name: str
    origins: Mapping[str, Sequence[Route]]
    aliases: Mapping[str, str] = field(default_factory=dict)
    robots: str = ROBOTS_ALLOW
    swaps: Mapping[str, Swap] = field(default_factory=dict)


def js_json(value: Any) -> str:
    """JSON as browsers' back ends write it: compact, Chinese unescaped."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def json_answer(value: Any, status: int = 200, headers: Mapping[str, str] | None = None) -> Answer:
    """An `application/json; charset=utf-8` answer."""
    return Answer(js_json(value).encode(), "application/json; charset=utf-8", status, headers or {})


def html_answer(
    text: str, encoding: str = "utf-8", content_type: str | None = None, status: int = 200
) -> Answer:
    """An HTML page in `encoding`; `content_type` overrides the header (a site may omit or misstate its
    charset).

    Raises UnicodeEncodeError when the page has a character that its encoding lacks.
    """
    return Answer(
        text.encode(encoding), content_type or f"text/html; charset={encoding}", status, {}, encoding
    )


def js_answer(text: str) -> Answer:
    """A JavaScript file, cacheable as hashed bundles are."""
    headers = {"Cache-Control": "public, max-age=31536000"}
    return Answer(text.encode(), "application/javascript; charset=utf-8", 200, headers)


def fill(name: str, **parts: str) -> str:
    """A page of `market/pages/` with its `$parts` filled in. Raises KeyError for one that is missing."""
    return Template(page_file(name)).substitute(parts)


@cache
def page_file(name: str) -> str:
    """The text of a page of ours, from `market/pages/`."""
    return (Path(__file__).parent / "pages" / name).read_text(encoding="utf-8")


@cache
def script(name: str) -> str:
    """The text of a page script of ours, from `market/scripts/`."""
    return (Path(__file__).parent / "scripts" / name).read_text(encoding="utf-8")


def not_found(message: str = "404 Not Found") -> Answer:
    """A plain 404 page."""
    return html_answer(page("404", f"<h1>{escape(message)}</h1>"), status=404)


def page(title: str, body: str, head: str = "", lang: str = "zh-CN", charset: str = "utf-8") -> str:
    """An HTML document with a charset declaration; `body` and `head` are markup."""
    return (
        f'<!DOCTYPE html>\n<html lang="{lang}">\n<head>\n<meta charset="{charset}">\n'
        f"<title>{escape(title)}</title>\n{head}</head>\n<body>\n{body}\n</body>\n</html>\n"
    )


def cells(values: Sequence[object], tag: str = "td") -> str:
    """One table row; values are escaped."""
    return "<tr>" + "".join(f"<{tag}>{escape(str(v))}</{tag}>" for v in values) + "</tr>"


def digest(*parts: object, length: int = 10) -> str:
    """A stable made-up identifier (hex) for what a real site would number itself."""
    return hashlib.sha256("\x1f".join(map(str, parts)).encode()).hexdigest()[:length]


def pick(limit: int, *parts: object) -> int:
    """A stable made-up count in 0 … limit-1, for stock and the like."""
    return int(digest(*parts, length=8), 16) % limit
