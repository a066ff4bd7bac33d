"""How a stand-in site is told to misbehave: the table of kinds, and what each does to an answer.

A fault is set for one site, may be narrowed to paths (`path`, a regular expression searched in the path and
query) and counted (`skip` requests pass first, then `times` fail; 0 = all).
"""

from __future__ import annotations

import random
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from market.site import Answer, Site, html_answer

KINDS: dict[str, str] = {
    "login_page": "every page and API answers a login page with HTTP 200",
    "captcha": "every page and API answers a captcha page with HTTP 200",
    "rate_limited": "429 with Retry-After: 30",
    "server_error": "503 with a short HTML body",
    "bad_gateway": "502 with a short HTML body",
    "hang": "the request is accepted and never answered",
    "slow": "the answer comes after five seconds",
    "half_body": "Content-Length of the whole body, half of it, then the connection closes",
    "half_text": "a complete answer whose text stops in the middle",
    "empty_body": "200 with no body at all",
    "garbage": "200, right content type, random bytes",
    "changed_field": "the price field (or the price element) has another name",
    "changed_header": "a table or CSV header has another name",
    "changed_unit": "the unit of the prices has changed",
    "empty_list": "the lists of the site are empty",
    "truncated_list": "the lists stop half way, declared totals stay",
    "robots_disallow": "robots.txt forbids everything",
    "robots_error": "robots.txt answers 503",
    "robots_missing": "robots.txt answers 404",
    "robots_delay": "robots.txt asks for a Crawl-delay of 7 seconds",
    "tracker": "pages call a host outside the site: an image, a script and a fetch",
    "redirect_host": "302 to another host",
    "redirect_loop": "302 to the same address, for ever",
    "gone": "404 for everything",
    "refused": "the connection is closed without an answer",
}

ROBOTS_KINDS = frozenset(k for k in KINDS if k.startswith("robots_"))
LIST_KINDS = frozenset({"empty_list", "truncated_list"})
SWAP_KINDS = frozenset({"changed_field", "changed_header", "changed_unit"})
OTHER_HOST = "https://login.elsewhere.example/sso"
TRACKER = "https://tracker.elsewhere.example"

_LOGIN = (
    '<!DOCTYPE html><html><head><meta charset="utf-8"><title>登录</title></head><body>'
    '<form action="/login" method="post"><h1>请先登录</h1><input name="phone" placeholder="手机号">'
    '<input name="password" type="password" placeholder="密码"><button>登录</button></form></body></html>'
)
_TRACKER = (
    f'<img src="{TRACKER}/pixel.gif" width="1" height="1"><script src="{TRACKER}/t.js"></script>'
    f"<script>fetch('{TRACKER}/collect?u=' + location.pathname).catch(() => {{}});</script></body>"
)
_CAPTCHA = (
    '<!DOCTYPE html><html><head><meta charset="utf-8"><title>安全验证</title></head><body>'
    '<div id="nc_1_wrapper" class="captcha">访问过于频繁，请完成滑块验证后继续访问</div></body></html>'
)


class FaultError(ValueError):
    """A fault that cannot be set: unknown site or kind, or a site without such a thing."""


@dataclass(slots=True)
class Fault:
    """One standing order to misbehave; `hits` counts the matching requests so far."""

    kind: str
    path: str = ""
    skip: int = 0
    times: int = 0
    hits: int = 0

    def strikes(self, path: str) -> bool:
        """Whether this request is to fail; counts it when it matches."""
        if self.path and not re.search(self.path, path):
            return False
        self.hits += 1
        return self.hits > self.skip and (not self.times or self.hits <= self.skip + self.times)


def make(site: Site, order: str | Mapping[str, Any]) -> Fault:
    """A Fault from its name or `{kind, path?, skip?, times?}`. Raises FaultError saying what is wrong."""
    table = {"kind": order} if isinstance(order, str) else dict(order)
    table.pop("site", None)
    unknown = set(table) - {"kind", "path", "skip", "times"}
    if unknown or table.get("kind") not in KINDS:
        raise FaultError(f"{site.slug}: no such fault {table!r}; kinds are {', '.join(KINDS)}")
    kind = str(table["kind"])
    if kind in SWAP_KINDS and kind not in site.swaps:
        raise FaultError(f"{site.slug} has nothing that {kind} could change")
    return Fault(kind, str(table.get("path", "")), int(table.get("skip", 0)), int(table.get("times", 0)))


def kinds_of(site: Site) -> list[str]:
    """The kinds that mean something at this site."""
    return [k for k in KINDS if k not in SWAP_KINDS or k in site.swaps]


def robots(kind: str | None, text: str) -> Answer:
    """robots.txt under a fault (None: as the site has it)."""
    if kind == "robots_error":
        return html_answer("<h1>503 Service Unavailable</h1>", status=503)
    if kind == "robots_missing":
        return html_answer("<h1>404 Not Found</h1>", status=404)
    if kind == "robots_disallow":
        text = "User-agent: *\nDisallow: /\n"
    elif kind == "robots_delay":
        text += "Crawl-delay: 7\n"
    return Answer(text.encode(), "text/plain; charset=utf-8")


def instead(kind: str, path: str) -> Answer | None:
    """The answer that replaces the site's own, for kinds that need none of it."""
    if kind in {"login_page", "captcha"}:
        return html_answer(_LOGIN if kind == "login_page" else _CAPTCHA)
    if kind == "rate_limited":
        return replace(
            html_answer("<h1>429 Too Many Requests</h1>", status=429), headers={"Retry-After": "30"}
        )
    if kind in {"server_error", "bad_gateway"}:
        status = 503 if kind == "server_error" else 502
        return html_answer(f"<html><body><center><h1>{status}</h1></center></body></html>", status=status)
    if kind in {"redirect_host", "redirect_loop"}:
        target = OTHER_HOST if kind == "redirect_host" else path
        return Answer(b"", "text/html; charset=utf-8", 302, {"Location": target})
    if kind == "gone":
        return html_answer("<h1>404 Not Found</h1>", status=404)
    return None


def bend(kind: str, answer: Answer, site: Site) -> Answer:
    """The site's own answer, changed as the fault says; unchanged for kinds that act elsewhere."""
    if kind in SWAP_KINDS and answer.encoding:
        text = answer.body.decode(answer.encoding)
        for old, new in site.swaps[kind]:
            text = text.replace(old, new)
        return replace(answer, body=text.encode(answer.encoding))
    if kind == "tracker" and answer.content_type.startswith("text/html"):
        return replace(answer, body=answer.body.replace(b"</body>", _TRACKER.encode()))
    if kind == "half_text":
        return replace(answer, body=answer.body[: len(answer.body) // 2])
    if kind == "empty_body":
        return replace(answer, body=b"")
    if kind == "garbage":
        return replace(answer, body=random.Random(len(answer.body)).randbytes(max(64, len(answer.body))))
    return answer
