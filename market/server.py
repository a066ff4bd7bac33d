"""The market's server: every origin of every site on its own loopback port, in one thread with its own loop.

`running(now)` yields the origins table that `SUANJIA_ORIGINS` takes. Every port also answers
`/__market__/fault`, `/__market__/now` and `/__market__/log`, so that another process can steer the market.
"""

from __future__ import annotations

import asyncio
import threading
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any

from aiohttp import web

from market import DEMO_SITES
from market import faults as faulty
from market.facts import market_day
from market.site import Answer, Ask, Route, Site, js_json, not_found
from market.sites import all_sites

HOST = "127.0.0.1"
LABEL = "X-Stand-In-Market"
LOG_MAX = 20_000  # the newest requests; a soak makes more


class Origins(dict[str, str]):
    """Real origin → loopback origin, as `SUANJIA_ORIGINS` wants it, with the market it belongs to."""

    market: Market

    def fault(self, site: str, order: str | Mapping[str, Any] | None) -> None:
        """Set (or with None clear) the fault of a site; see `market.faults`."""
        self.market.set_fault(site, order)

    def clock(self, now: datetime) -> None:
        """Move the market's clock."""
        self.market.set_now(now)

    @property
    def log(self) -> list[dict[str, Any]]:
        """The newest requests: `at` (UTC), `site`, `origin`, `method`, `path`, `status`, `agent`."""
        return list(self.market.log)


class Market:
    """The sites, their clock, faults and log; served by `start` inside a running event loop."""

    def __init__(self, now: datetime, sites: Sequence[Site], samples: bool | None = True) -> None:
        market_day(now)
        self.now = now
        self.samples = samples
        self.sites = {site.slug: site for site in sites}
        self.faults: dict[str, faulty.Fault] = {}
        self.state: dict[str, dict[str, Any]] = {site.slug: {} for site in sites}
        self.log: deque[dict[str, Any]] = deque(maxlen=LOG_MAX)
        self._runners: list[web.AppRunner] = []

    def set_now(self, now: datetime) -> None:
        """Move the clock. Raises ValueError for a naive time."""
        market_day(now)
        self.now = now

    def set_fault(self, slug: str, order: str | Mapping[str, Any] | None) -> None:
        """Set or clear a fault. Raises FaultError for an unknown site or kind."""
        if slug not in self.sites:
            raise faulty.FaultError(f"no site {slug!r} here; sites are {', '.join(self.sites)}")
        if order is None:
            self.faults.pop(slug, None)
        else:
            self.faults[slug] = faulty.make(self.sites[slug], order)

    async def start(self, port: int = 0) -> dict[str, str]:
        """Listen: one port an origin (from `port` upwards, or any free one when 0). Returns the origins
        table.
        """
        table: dict[str, str] = {}
        for site in self.sites.values():
            for origin, routes in site.origins.items():
                runner = web.AppRunner(
                    self._app(site, origin, routes),
                    access_log=None,
                    handle_signals=False,
                    shutdown_timeout=0.2,
                )
                await runner.setup()
                self._runners.append(runner)
                await web.TCPSite(runner, HOST, port).start()
                bound = runner.addresses[0][1]
                table[origin] = f"http://{HOST}:{bound}"
                port = port and port + 1
            for alias, origin in site.aliases.items():
                table[alias] = table[origin]
        return table

    async def stop(self) -> None:
        """Close every port; requests that hang are dropped."""
        await asyncio.gather(*(runner.cleanup() for runner in self._runners))
        self._runners.clear()

    def _app(self, site: Site, origin: str, routes: Sequence[Route]) -> web.Application:
        app = web.Application(client_max_size=4 << 20)
        app.router.add_route("*", "/__market__/{what}", self._control)

        async def robots(request: web.Request) -> web.StreamResponse:
            return await self._serve(request, site, origin, None)

        app.router.add_get("/robots.txt", robots)
        for route in routes:
            for method in route.methods.split():
                app.router.add_route(method, route.path, self._bind(site, origin, route))
        app.router.add_route("*", "/{tail:.*}", self._bind(site, origin, Route("", lambda ask: not_found())))
        return app

    def _bind(self, site: Site, origin: str, route: Route) -> Any:
        async def handle(request: web.Request) -> web.StreamResponse:
            return await self._serve(request, site, origin, route)

        return handle

    async def _serve(
        self, request: web.Request, site: Site, origin: str, route: Route | None
    ) -> web.StreamResponse:
        """`route` None is robots.txt, which only the robots faults and dead hosts touch."""
        kind = self._fault_kind(site, request.path_qs, route is None)
        entry = {
            "at": datetime.now(UTC).isoformat(),
            "site": site.slug,
            "origin": origin,
            "method": request.method,
            "path": request.path_qs,
            "status": 0,
            "agent": request.headers.get("User-Agent", ""),
        }
        self.log.append(entry)
        if kind == "hang":
            await asyncio.sleep(3600)
        if kind == "slow":
            await asyncio.sleep(5)
        answer = await self._answer(request, site, route, kind)
        entry["status"] = answer.status
        if kind == "refused" and request.transport is not None:
            entry["status"] = 0
            request.transport.abort()
        return await _send(request, answer, half=kind == "half_body")

    def _fault_kind(self, site: Site, path: str, is_robots: bool) -> str | None:
        fault = self.faults.get(site.slug)
        if fault is None:
            return None
        if is_robots:
            dead = fault.kind in {"refused", "gone"} and not fault.path
            return fault.kind if dead or fault.kind in faulty.ROBOTS_KINDS else None
        if fault.kind in faulty.ROBOTS_KINDS or not fault.strikes(path):
            return None
        return fault.kind

    async def _answer(
        self, request: web.Request, site: Site, route: Route | None, kind: str | None
    ) -> Answer:
        if kind and (other := faulty.instead(kind, request.path_qs)):
            return other
        if route is None:
            return faulty.robots(kind, site.robots)
        ask = Ask(
            now=self.now,
            method=request.method,
            path=request.path,
            match=dict(request.match_info),
            query_string=request.query_string,
            headers=dict(request.headers),
            body=await request.read(),
            samples=site.slug not in DEMO_SITES if self.samples is None else self.samples,
            fault=kind,
            state=self.state[site.slug],
        )
        answer = route.handler(ask)
        return faulty.bend(kind, answer, site) if kind else answer

    async def _control(self, request: web.Request) -> web.Response:
        """POST /__market__/fault {site, kind|null, path?, skip?, times?} · POST now {now} · GET anything."""
        what = request.match_info["what"]
        try:
            order = await request.json() if request.can_read_body else {}
            if request.method == "POST" and what == "fault":
                self.set_fault(str(order.get("site")), order if order.get("kind") else None)
            elif request.method == "POST" and what == "now":
                self.set_now(datetime.fromisoformat(str(order.get("now"))))
            elif request.method == "POST":
                raise ValueError(f"nothing to set at {what!r}")
        except (ValueError, AttributeError) as error:
            return web.json_response({"error": str(error)}, status=400)
        shown: dict[str, Any] = {
            "fault": {slug: fault.kind for slug, fault in self.faults.items()},
            "now": self.now.isoformat(),
            "log": list(self.log),
            "sites": {slug: faulty.kinds_of(site) for slug, site in self.sites.items()},
        }
        if what not in shown:
            return web.json_response({"error": f"no {what!r}; ask for {', '.join(shown)}"}, status=404)
        return web.Response(text=js_json(shown[what]), content_type="application/json")


async def _send(request: web.Request, answer: Answer, half: bool) -> web.StreamResponse:
    headers = {**answer.headers, "Content-Type": answer.content_type, LABEL: "rebuilt"}
    if not half:
        return web.Response(status=answer.status, body=answer.body, headers=headers)
    response = web.StreamResponse(status=answer.status, headers=headers)
    response.content_length = len(answer.body)
    await response.prepare(request)
    await response.write(answer.body[: len(answer.body) // 2])
    if request.transport is not None:
        request.transport.close()
    return response


def choose(slugs: Sequence[str] | None) -> list[Site]:
    """The sites named, or all. Raises KeyError naming the unknown one."""
    known = {site.slug: site for site in all_sites()}
    return list(known.values()) if slugs is None else [known[slug] for slug in slugs]


@contextmanager
def running(
    now: datetime,
    sites: Sequence[str] | None = None,
    faults: Mapping[str, str | Mapping[str, Any]] | None = None,
    samples: bool | None = True,
    port: int = 0,
) -> Iterator[Origins]:
    """Serve the market in a thread; yields the origins table (`Origins`, a dict fit for JSON).

    `now` is the aware time the market shows, `sites` slugs (None: all), `faults` slug → kind or order,
    `samples` whether rows marked `rebuilt sample` are served beside the dated facts (None: only at sites that
    have no dated facts of their own, those outside `DEMO_SITES`), `port` the first port
    (0: any free ones). Raises ValueError for a naive `now`, KeyError for an unknown site, FaultError,
    OSError.
    """
    market = Market(now, choose(sites), samples)
    for slug, order in (faults or {}).items():
        market.set_fault(slug, order)
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, name="market", daemon=True)
    thread.start()
    try:
        origins = Origins(asyncio.run_coroutine_threadsafe(market.start(port), loop).result(30))
        origins.market = market
        yield origins
    finally:
        asyncio.run_coroutine_threadsafe(market.stop(), loop).result(30)
        loop.call_soon_threadsafe(loop.stop)
        thread.join(10)
        loop.close()
