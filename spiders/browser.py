"""The browser: started without a network of its own, and fed by `spiders.fetch`.

Every request that a page makes is answered by this process: allow-list, addresses, robots.txt,
SUANJIA_ORIGINS and the evidence are the same as for plain requests (in the browser itself a request cannot
be sent to another scheme). What does not pass here (a WebSocket, a prefetch) finds no name server:
`--host-resolver-rules` knows none.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from typing import Any
from urllib.parse import urljoin

from playwright.async_api import Error as PlaywrightError
from playwright.async_api import Request as PageRequest
from playwright.async_api import Route
from playwright.async_api import TimeoutError as PlaywrightTimeout
from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.exceptions import DownloadFailedError, DownloadTimeoutError
from scrapy.http import Response, TextResponse
from scrapy_playwright.handler import ScrapyPlaywrightDownloadHandler
from scrapy_playwright.page import PageMethod

from spiders.browser_states import States
from spiders.egress import EgressRefused, origin_of
from spiders.evidence import clean_url
from spiders.fetch import Fetched, FetchError, unpacked
from spiders.handlers import ERRORS, HttpHandler, run_of
from spiders.robots import RobotsDisallowed, RobotsMiddleware

_ABORTED = frozenset(("image", "font", "media"))
_MAX_HOPS = 5
_MAX_SUBREQUESTS = 300
_STATE_SECONDS = 10.0


class BrowserHandler(ScrapyPlaywrightDownloadHandler):  # type: ignore[misc]
    """scrapy-playwright's handler with our client underneath.

    Plain requests go to `HttpHandler`. Rendered ones come back as a JSON document of the page's states
    (`BrowserSpider`).
    """

    lazy = True

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self._plain = HttpHandler(crawler)
        self._robots: RobotsMiddleware | None = None
        self._subrequests = 0
        self._failures: dict[str, Exception] = {}  # address of a page → why the page itself did not come
        self._states: dict[str, States] = {}
        self._starting = asyncio.Lock()

    async def download_request(self, request: Request) -> Response:
        """A rendered page or a plain answer."""
        if not request.meta.get("playwright"):
            return await self._plain.download_request(request)
        async with self._starting:
            if not hasattr(self, "browser_provider"):
                await self._launch()  # this handler is made after the signal that would have done it
        states = self._states[request.url] = States(min(_STATE_SECONDS, run_of(self._crawler).config.timeout))
        request.meta["playwright_page_methods"] = [
            PageMethod(states.into, state) for state in request.meta["states"]
        ]
        try:
            response: Response = await super().download_request(request)
        except PlaywrightTimeout as error:
            raise self._failure(request) or DownloadTimeoutError(_first_line(error)) from None
        except PlaywrightError as error:
            raise self._failure(request) or DownloadFailedError(_first_line(error)) from None
        finally:
            request.meta.pop("playwright_page_methods", None)
            request.meta.pop("playwright_page", None)
            self._states.pop(request.url, None)
        if failure := self._failure(request):
            raise failure
        if response.status >= 300:
            return response
        document = {"url": clean_url(response.url), "states": states.read}
        return TextResponse(
            request.url,
            status=response.status,
            headers={"Content-Type": "application/json; charset=utf-8"},
            body=json.dumps(document, ensure_ascii=False, indent=1).encode(),
            request=request,
            flags=["playwright"],
        )

    async def close(self) -> None:
        """Close browser and connections."""
        await super().close()
        await self._plain.close()

    def _failure(self, request: Request) -> Exception | None:
        error = self._failures.pop(request.url, None)
        if isinstance(error, FetchError):
            return ERRORS[error.kind](str(error))
        if isinstance(error, EgressRefused) and origin_of(error.url) != origin_of(request.url):
            request.meta["redirect_urls"] = [request.url]
        return error

    def _make_request_handler(self, **known: Any) -> Callable[[Route, PageRequest], Any]:
        """Answers for one page. Playwright calls it for every request that the page makes."""

        async def answer(route: Route, asked: PageRequest) -> None:
            main = asked.is_navigation_request() and asked.frame.parent_frame is None
            if asked.resource_type in _ABORTED:
                self.stats.inc_value("playwright/request_count/aborted")
                await _quietly(route.abort("blockedbyclient"))
                return
            try:
                fetched = await self._answer(asked)
            except (EgressRefused, FetchError, RobotsDisallowed) as error:
                self._note(error, asked, known["url"] if main else "")
                await _quietly(route.abort("blockedbyclient"))
                return
            if main and known["url"] in self._states:
                self._states[known["url"]].status = fetched.status
            headers = {k: v for k, v in fetched.headers if k.lower() not in _NOT_PASSED_ON}
            await _quietly(route.fulfill(status=fetched.status, headers=headers, body=fetched.body))

        return answer

    async def _answer(self, asked: PageRequest) -> Fetched:
        """What the real origin, or the one it is mapped to, says. Redirects are followed here, hop by hop."""
        run = run_of(self._crawler)
        self._subrequests += 1
        if self._subrequests > _MAX_SUBREQUESTS:
            raise FetchError("failed", f"more than {_MAX_SUBREQUESTS} requests by pages")
        url, method = asked.url, asked.method
        body = asked.post_data_buffer or b""
        sent = [(k, v) for k, v in (await asked.all_headers()).items() if k.lower() not in _NOT_SENT_ON]
        sent.append(("Accept-Encoding", "identity"))
        for _ in range(_MAX_HOPS):
            run.egress.check(url)
            if not await self._allowed(url):
                raise RobotsDisallowed(f"robots.txt of {origin_of(url)} forbids {url}")
            run.requests += 1
            fetched = unpacked(
                await self._plain.fetcher.fetch(
                    url,
                    method=method,
                    headers=sent,
                    body=body,
                    timeout=run.config.timeout,
                    max_size=self._crawler.settings.getint("DOWNLOAD_MAXSIZE"),
                )
            )
            self._keep(url, method, body, fetched)
            if fetched.status not in (301, 302, 303, 307, 308) or not fetched.header("location"):
                return fetched
            url = run.egress.unmap(urljoin(url, fetched.header("location")))
            if fetched.status < 307:
                method, body = "GET", b""
        raise FetchError("failed", f"{asked.url}: more than {_MAX_HOPS} redirects")

    async def _allowed(self, url: str) -> bool:
        if self._robots is None:
            found = self._crawler.get_downloader_middleware(RobotsMiddleware)
            if found is None:
                raise RuntimeError("no robots middleware")
            self._robots = found
        return await self._robots.allows(url)

    def _keep(self, url: str, method: str, sent: bytes, fetched: Fetched) -> None:
        """Evidence and exchange of a sub-request."""
        run = run_of(self._crawler)
        run.responses += 1
        run.statuses[str(fetched.status)] += 1
        digest, redacted = run.store(fetched.body)
        headers = {k.lower(): v for k, v in fetched.headers}
        run.exchange(
            method=method, url=url, sent=sent, status=fetched.status, headers=headers,
            evidence=digest, redacted=redacted,
        )  # fmt: skip

    def _note(self, error: Exception, asked: PageRequest, page: str) -> None:
        """A refused or failed request of a page. If it is the page itself (`page` is its address), the
        crawl fails with it; a script of the site that is missing is a problem; a tracker that is not on the
        list is none."""
        run = run_of(self._crawler)
        self.stats.inc_value("playwright/request_count/refused")
        if page:
            self._failures[page] = error
        elif not run.egress.allowed(asked.url):
            run.skipped["request of a page to another host"] += 1
        elif isinstance(error, RobotsDisallowed):
            run.problem("robots", f"part of the page: {error}", asked.url)
        else:
            run.problem("failed", f"part of the page: {error}", asked.url)


_NOT_PASSED_ON = frozenset(
    "content-length transfer-encoding connection keep-alive content-encoding content-security-policy".split()
)
_NOT_SENT_ON = frozenset("user-agent accept-encoding".split())


async def _quietly(action: Any) -> None:
    """A page may be gone before its answer is there."""
    try:
        await action
    except PlaywrightError as error:
        if "closed" not in str(error) and "already handled" not in str(error):
            raise


def _first_line(error: Exception) -> str:
    return str(error).splitlines()[0][:200] if str(error) else type(error).__name__
