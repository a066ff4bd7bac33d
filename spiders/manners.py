"""Pace: one request at a time per host, the asked-for seconds between them, more where a site is slow or
says so."""

from __future__ import annotations

from scrapy import Request, signals
from scrapy.crawler import Crawler
from scrapy.http import Response

from spiders.egress import origin_of
from spiders.handlers import run_of

SPREAD = 0.3
"""A gap lies between the delay and 1.3 times the delay: never under what was asked for."""

MAX_DELAY = 60.0
LATENCY_FACTOR = 2.0
"""A host that takes t seconds for an answer is left alone for at least 2 t."""


class Manners:
    """Sets the delay of a host's slot as each request reaches it."""

    def __init__(self, crawler: Crawler) -> None:
        self.crawler = crawler
        self._latency: dict[str, float] = {}
        crawler.signals.connect(self.pace, signal=signals.request_reached_downloader)
        crawler.signals.connect(self.measure, signal=signals.response_downloaded)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Manners:
        """Scrapy's constructor."""
        return cls(crawler)

    def seconds(self, request: Request) -> float:
        """Least number of seconds between two requests to the host of `request`."""
        run = run_of(self.crawler)
        delay = run.delay_for(request.url)
        if not run.obeys_crawl_delay(request.url):
            return delay
        record = run.robots.get(origin_of(request.url))
        asked = (record.crawl_delay if record else None) or 0.0
        if run.egress.is_loopback(request.url):
            return max(delay, min(asked, MAX_DELAY))
        slow = self._latency.get(origin_of(request.url), 0.0) * LATENCY_FACTOR
        return max(delay, min(max(asked, slow), MAX_DELAY))

    def pace(self, request: Request) -> None:
        """Before a request waits in its host's queue."""
        engine = self.crawler.engine
        slot = engine.downloader.slots.get(request.meta.get("download_slot", "")) if engine else None
        if slot is not None:
            # Scrapy's jitter goes both ways; centring it keeps the lower end at the delay.
            slot.delay = self.seconds(request) * (1 + SPREAD / 2)
            slot.jitter = (SPREAD / 2) / (1 + SPREAD / 2)

    def measure(self, request: Request, response: Response) -> None:
        """Remember how long the host took."""
        took = float(request.meta.get("download_latency") or 0.0)
        origin = origin_of(response.url)
        self._latency[origin] = took if origin not in self._latency else (self._latency[origin] + took) / 2
