"""robots.txt, obeyed. Scrapy's own middleware (2.14 to 2.19 at least) is not enough:

* Requests that wait while robots.txt is being loaded are let through although it forbids them: the first
waiter
  consumes the shared result and the others read "no rules". Here every waiter awaits the same task.
* A robots.txt that answers 5xx or 429, or cannot be reached, counts there as "no rules"; RFC 9309 (2.3.1.4)
wants
  complete disallow, and so do we. 4xx is "no rules" in both.
* A redirect of robots.txt is followed (2.3.1.2), five times at most and never past the allow-list: a site
  that has moved its robots.txt to another host has moved.
* Crawl-delay is not applied there; here it raises the delay of the host.
* A page's own sub-requests in the browser never pass through a middleware: `allows` is asked for them too.
"""

from __future__ import annotations

import asyncio
import hashlib
from urllib.parse import urlsplit

from protego import Protego
from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.exceptions import IgnoreRequest
from scrapy.http import Response
from scrapy.http.request import NO_CALLBACK

from spiders.egress import EgressRefused, origin_of
from spiders.handlers import run_of
from spiders.run import RobotsRecord
from spiders.settings import ROBOTS_AGENT
from spiders.textio import decode

MAX_BYTES = 512 * 1024
"""RFC 9309 2.5: at least 500 KiB must be read; what lies beyond is ignored."""


MAX_HOPS = 5
_REDIRECTS = frozenset((301, 302, 303, 307, 308))


def _asked(url: str) -> Request:
    meta = {"dont_obey_robotstxt": True, "handle_httpstatus_all": True}
    return Request(url, priority=1000, meta=meta, callback=NO_CALLBACK, dont_filter=True)


class RobotsDisallowed(IgnoreRequest):
    """robots.txt forbids the address, or could not be read (then everything is forbidden)."""


class RobotsUnreachable(RobotsDisallowed):
    """The site gave no answer at all when asked for robots.txt: forbidden too, but no word of the site."""


class RobotsMiddleware:
    """Asks robots.txt of each origin once, through the same gate, delay and evidence as everything else."""

    def __init__(self, crawler: Crawler) -> None:
        self.crawler = crawler
        self._rules: dict[str, asyncio.Task[Protego | None]] = {}
        self._moved: dict[str, EgressRefused] = {}

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> RobotsMiddleware:
        """Scrapy's constructor."""
        return cls(crawler)

    async def process_request(self, request: Request) -> None:
        """RobotsDisallowed reaches the errback."""
        if request.meta.get("dont_obey_robotstxt"):
            return
        if not await self.allows(request.url):
            record = run_of(self.crawler).robots[origin_of(request.url)]
            self.crawler.stats.inc_value("robotstxt/forbidden")
            if record.origin in self._moved:
                request.meta["redirect_urls"] = [f"{record.origin}/robots.txt"]
                raise self._moved[record.origin]
            if record.verdict == "rules":
                raise RobotsDisallowed(f"robots.txt of {record.origin} forbids")
            if record.status is not None:
                raise RobotsDisallowed(f"robots.txt of {record.origin} could not be read ({record.status})")
            raise RobotsUnreachable(f"no answer from {record.origin}: {record.error}")

    async def allows(self, url: str) -> bool:
        """May `url` be asked for? Loads robots.txt of its origin first if it is not known."""
        origin = origin_of(url)
        if origin not in self._rules:
            self._rules[origin] = asyncio.ensure_future(self._load(origin))
        rules = await asyncio.shield(self._rules[origin])
        verdict = rules is not None and bool(rules.can_fetch(url, ROBOTS_AGENT))
        parts = urlsplit(url)
        run_of(self.crawler).robots[origin].paths[parts.path or "/"] = verdict
        return verdict

    async def _load(self, origin: str) -> Protego | None:
        """The rules; None where everything is forbidden because they could not be read."""
        run = run_of(self.crawler)
        record = RobotsRecord(origin, None, None, "unreadable")
        run.robots[origin] = record
        engine = self.crawler.engine
        if engine is None:
            raise RuntimeError("robots.txt asked for before the crawl began")
        try:
            response = await engine.download_async(_asked(f"{origin}/robots.txt"))
            for _ in range(MAX_HOPS):
                if response.status not in _REDIRECTS or not (there := response.headers.get("Location")):
                    break
                record.error = f"redirected to {there.decode('latin-1')[:120]}"
                response = await engine.download_async(_asked(response.urljoin(there.decode("latin-1"))))
        except Exception as error:  # noqa: BLE001 - whatever kept robots.txt from us, the answer is "disallow"
            if isinstance(error, EgressRefused) and record.error:
                self._moved[origin] = error
            self.crawler.stats.inc_value(f"robotstxt/exception_count/{type(error).__name__}")
            record.error = f"{type(error).__name__}: {error}"
            return None
        rules = self._read(record, response)
        if rules is not None and (delay := rules.crawl_delay(ROBOTS_AGENT)) is not None:
            record.crawl_delay = float(delay)
        return rules

    def _read(self, record: RobotsRecord, response: Response) -> Protego | None:
        record.status = response.status
        record.sha256 = hashlib.sha256(response.body).hexdigest()
        if response.status < 300:
            record.verdict = "rules"
            text, _ = decode(response.body[:MAX_BYTES], "")
            if text.lstrip("\ufeff \t\r\n").startswith("<"):
                record.verdict = "none"  # a page instead of a file: many single-page sites answer every path
                text = ""
            return Protego.parse(text.removeprefix("\ufeff"))
        if 400 <= response.status < 500 and response.status != 429:
            record.verdict = "none"
            return Protego.parse("")
        return None
