"""Downloader middlewares: the guard at the gate and the evidence of every answer."""

from __future__ import annotations

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.exceptions import IgnoreRequest
from scrapy.http import Response

from spiders.egress import EgressRefused
from spiders.handlers import run_of
from spiders.run import Run


class AccountShown(IgnoreRequest):
    """An answer that must not be kept."""


class _Component:
    def __init__(self, crawler: Crawler) -> None:
        self.crawler = crawler

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> _Component:
        """Scrapy's constructor."""
        return cls(crawler)

    @property
    def run(self) -> Run:
        """State of the crawl."""
        return run_of(self.crawler)


class GateMiddleware(_Component):
    """First in the line: nothing goes on that may not leave, or after the source said no.

    Stands where Scrapy's offsite middleware would: that one drops requests without a word to the errback.
    """

    def process_request(self, request: Request) -> None:
        """EgressRefused or IgnoreRequest reach the errback."""
        run = self.run
        if run.stopped and not request.meta.get("dont_obey_robotstxt"):
            raise IgnoreRequest(f"stopped: {run.stopped}")
        try:
            run.egress.check(request.url)
        except EgressRefused:
            self.crawler.stats.inc_value("suanjia/egress_refused")
            raise
        run.requests += 1


class EvidenceMiddleware(_Component):
    """Stores what came, decompressed, for every hop, robots.txt and error pages included."""

    def process_request(self, request: Request) -> None:
        """A retried or redirected request must not carry the evidence of the last try."""
        for key in ("evidence", "spooled", "redacted"):
            request.meta.pop(key, None)

    def process_response(self, request: Request, response: Response) -> Response:
        """Put the digest into `request.meta["evidence"]` and a line into `exchanges.jsonl`.

        An answer that shows a way into a machine is nobody's price list: it is neither kept nor read.
        """
        run = self.run
        run.responses += 1
        if not request.meta.get("playwright") and run.evidence.shows_account(response.body):
            raise AccountShown("the answer shows a password or token: not kept, not read")
        run.statuses[str(response.status)] += 1
        if 200 <= response.status < 300 and (route := request.meta.get("route")):
            run.content_types.setdefault(route, plain_headers(response).get("content-type", ""))
        if "evidence" not in request.meta:
            request.meta["evidence"], redacted = run.store(
                response.body, links=bool(request.meta.get("signed_links"))
            )
            request.meta["redacted"] = redacted
        run.exchange(
            method=request.method,
            url=request.url,
            sent=request.body,
            status=response.status,
            headers=plain_headers(response),
            evidence=request.meta["evidence"],
            redacted=bool(request.meta.get("redacted")),
            browser=bool(request.meta.get("playwright")),
        )
        return response


def plain_headers(response: Response) -> dict[str, str]:
    """Headers as text, first value each."""
    return {
        name.decode().lower(): values[0].decode("latin-1")
        for name, values in response.headers.items()
        if values
    }
