"""What a request that failed means: the named problems of a run."""

from __future__ import annotations

from urllib.parse import urlsplit

from scrapy import Request
from scrapy.exceptions import (
    CannotResolveHostError,
    DownloadTimeoutError,
    IgnoreRequest,
    ResponseDataLossError,
)
from scrapy.http import Response
from scrapy.spidermiddlewares.httperror import HttpError
from twisted.python.failure import Failure

from spiders.egress import EgressRefused, origin_of
from spiders.middlewares import AccountShown
from spiders.robots import RobotsDisallowed, RobotsUnreachable
from spiders.run import Run
from spiders.signs import classify, is_login_address

_STATUS_KINDS = {401: "auth_needed", 403: "blocked", 404: "gone", 405: "blocked", 410: "gone", 429: "blocked"}
_STOPPING = frozenset((403, 405, 429))


class Troubles:
    """Errbacks of every source."""

    run: Run

    def text_of(self, response: Response) -> str:
        """The answer as text."""
        raise NotImplementedError

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
        elif isinstance(error, RobotsUnreachable):
            self.run.problem("failed", str(error), url, route)
        elif isinstance(error, RobotsDisallowed):
            self.run.problem("robots", str(error), url, route)
        elif isinstance(error, EgressRefused):
            self._refused(request, error, route)
        elif isinstance(error, AccountShown):
            self.run.problem("refused", str(error), url, route)
        elif isinstance(error, IgnoreRequest):
            if not self.run.stopped:
                self.run.problem("failed", str(error), url, route)
            elif route != self.run.stopped_route:  # of the route that was stopped, the reason is noted
                self.run.problem("blocked", f"not asked: {error}", url, route)
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
        self.run.problem(kind, f"HTTP {status}: {digest_of(text)}", response.url, route)
        if status in _STOPPING:
            self.run.stop(f"HTTP {status}", route)

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


def digest_of(text: str) -> str:
    """The first words of a body, for a message."""
    words = " ".join(text[:400].split())
    return words[:120] or "an empty body"
