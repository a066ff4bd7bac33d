"""Answers from what was kept instead of from the network: a run's own exchanges, or a fixture folder.

The same requests get the same bytes, so that the same listings come out. A request that was never recorded
fails.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from scrapy import Request
from scrapy.core.downloader.handlers.base import BaseDownloadHandler
from scrapy.crawler import Crawler
from scrapy.exceptions import DownloadFailedError
from scrapy.http import Headers, Response, TextResponse
from scrapy.responsetypes import responsetypes

from spiders.egress import origin_of
from spiders.handlers import run_of
from spiders.replay_rows import Recording


class ReplayHandler(BaseDownloadHandler):
    """Download handler over a Recording; `CrawlConfig.replay` names the folder."""

    lazy = True

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self._recording = Recording(Path(run_of(crawler).config.replay))

    async def download_request(self, request: Request) -> Response:
        """The kept answer. A robots.txt that was never asked for allows."""
        browser = bool(request.meta.get("playwright"))
        row = self._recording.find(request.method, request.url, request.body, browser)
        if row is None:
            if request.url == f"{origin_of(request.url)}/robots.txt":
                return Response(request.url, status=404, request=request)
            raise DownloadFailedError(f"{request.method} {request.url} was never recorded")
        body = self._body(row)
        if request.meta.get("spool"):
            with run_of(self.crawler).evidence.writer() as writer:
                writer.write(body)
                request.meta["evidence"], request.meta["spooled"] = writer.commit(), len(body)
            body = b""
        headers = Headers(row["headers"])
        kind = TextResponse if browser else responsetypes.from_args(headers, request.url, body=body)
        return kind(request.url, status=row["status"], headers=headers, body=body, request=request)

    def _body(self, row: dict[str, Any]) -> bytes:
        if name := row.get("file"):
            return (self._recording.folder / str(name)).read_bytes()
        return run_of(self.crawler).evidence.read(row["evidence"])
