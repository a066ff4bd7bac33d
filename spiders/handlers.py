"""Scrapy's download handler over `spiders.fetch`: plain requests, and bulk files straight into the evidence
store."""

from __future__ import annotations

from time import monotonic
from typing import Any

from scrapy import Request
from scrapy.core.downloader.handlers.base import BaseDownloadHandler
from scrapy.crawler import Crawler
from scrapy.exceptions import (
    CannotResolveHostError,
    DownloadCancelledError,
    DownloadConnectionRefusedError,
    DownloadFailedError,
    DownloadTimeoutError,
    ResponseDataLossError,
)
from scrapy.http import Headers, Response
from scrapy.responsetypes import responsetypes

from spiders.evidence import SecretFound
from spiders.fetch import Fetched, Fetcher, FetchError
from spiders.run import Run

ERRORS: dict[str, type[Exception]] = {
    "timeout": DownloadTimeoutError,
    "dns": CannotResolveHostError,
    "refused": DownloadConnectionRefusedError,
    "cut": ResponseDataLossError,
    "too_large": DownloadCancelledError,
    "tls": DownloadCancelledError,  # a second try would not make a certificate valid
    "failed": DownloadFailedError,
}


def run_of(crawler: Crawler) -> Run:
    """The state of the crawl that a component works in."""
    run = getattr(crawler.spider, "run", None)
    if not isinstance(run, Run):
        raise TypeError(f"{crawler.spider!r} is no source spider")
    return run


class HttpHandler(BaseDownloadHandler):
    """`http` and `https`. A request with `meta["spool"]` gets its body written to the evidence store as it
    arrives: the response is empty, `meta["evidence"]` names the file and `meta["spooled"]` says its size."""

    lazy = True

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self._fetcher: Fetcher | None = None

    @property
    def fetcher(self) -> Fetcher:
        """Made on first use, inside the running loop."""
        if self._fetcher is None:
            self._fetcher = Fetcher(
                run_of(self.crawler).egress, user_agent=self.crawler.settings["USER_AGENT"]
            )
        return self._fetcher

    async def download_request(self, request: Request) -> Response:
        """One answer. Errors are Scrapy's own, and EgressRefused as it is."""
        started = monotonic()
        try:
            if request.meta.get("spool"):
                fetched = await self._spool(request)
            else:
                fetched = await self._fetch(request)
        except FetchError as error:
            raise ERRORS[error.kind](str(error)) from None
        request.meta["download_latency"] = monotonic() - started
        return self._response(request, fetched)

    async def _fetch(self, request: Request, **more: Any) -> Fetched:
        settings = self.crawler.settings
        arguments: dict[str, Any] = {
            "method": request.method,
            "headers": _pairs(request),
            "body": request.body,
            "timeout": request.meta.get("download_timeout") or settings.getfloat("DOWNLOAD_TIMEOUT"),
            "max_size": settings.getint("DOWNLOAD_MAXSIZE"),
        }
        return await self.fetcher.fetch(request.url, **(arguments | more))

    async def _spool(self, request: Request) -> Fetched:
        run = run_of(self.crawler)
        limit = min(run.config.max_file_mb, request.meta.get("max_file_mb", run.config.max_file_mb)) << 20
        with run.evidence.writer() as writer:
            try:
                fetched = await self._fetch(request, sink=writer, max_size=limit)
            except SecretFound as error:
                raise FetchError("too_large", str(error)) from None
            if writer.size or 200 <= fetched.status < 300:
                request.meta["evidence"] = writer.commit()
                request.meta["spooled"] = writer.size
        return fetched

    def _response(self, request: Request, fetched: Fetched) -> Response:
        spooled = "spooled" in request.meta
        headers = Headers()
        for name, value in fetched.headers:
            if spooled and name.lower() == "content-encoding":
                continue  # already undone
            if name.lower() == "location":
                value = run_of(self.crawler).egress.unmap(value)
            headers.appendlist(name, value)
        kind = responsetypes.from_args(headers=headers, url=request.url, body=fetched.body)
        return kind(
            url=request.url, status=fetched.status, headers=headers, body=fetched.body, request=request
        )

    async def close(self) -> None:
        """Close the connections."""
        if self._fetcher is not None:
            await self._fetcher.close()


def _pairs(request: Request) -> list[tuple[str, str]]:
    """Request headers as text; a bulk file is asked for without compression of its own."""
    pairs = [(k.decode(), v.decode("latin-1")) for k, values in request.headers.items() for v in values]
    if request.meta.get("spool"):
        pairs = [(k, v) for k, v in pairs if k.lower() != "accept-encoding"]
        pairs.append(("Accept-Encoding", "identity"))
    return pairs
