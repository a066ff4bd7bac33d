"""Crawls: one child process a provider, its listings through the pipeline into a segment, its end into the
ledger.

Plain sources run two at a time (each is one request at a time to its own hosts), browser sources one at a
time on this machine. A source that fails takes nobody else down.
"""

from __future__ import annotations

import logging
import os
import shutil
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from contextlib import ExitStack, contextmanager, nullcontext
from datetime import datetime
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout

from catalog.providers import BUILT_IN, Expect, Provider
from pipeline.gates import Limits, settle
from pipeline.run import Processed, process
from pipeline.segment import RunMeta, SegmentError, write_segment
from spiders.config import CrawlConfig
from spiders.listing import Listing, read_listings
from spiders.outcome import Ending, judge
from spiders.registry import needs_browser
from suanjia import robots_log
from suanjia.childproc import Children, run_child
from suanjia.crawl_plan import Plan, Result, declared, robots_verdict, rows_read
from suanjia.ledger import Ledger
from suanjia.provider_files import missing_keys

PLAIN_WORKERS = 2
HARD_EXTRA = 60.0
# Where an extra route was left out, and told, the list is shorter for that reason.
_WITHOUT_A_ROUTE = Limits(drift_list=0.5)
log = logging.getLogger(__name__)


def crawl(plan: Plan, run_id: str, say: Callable[[Result], None] = lambda _: None) -> list[Result]:
    """Crawl every provider of the plan; results in its order. `say` is called as each one ends."""
    children = Children()
    results: dict[str, Result] = {}
    with Ledger(plan.settings.home) as ledger, ExitStack() as stack:
        ledger.interrupt_stale()
        crawler = _Crawler(plan, run_id, ledger, children)
        plain = stack.enter_context(ThreadPoolExecutor(PLAIN_WORKERS, "crawl"))
        browser = stack.enter_context(ThreadPoolExecutor(1, "browser"))
        stack.callback(children.stop)
        futures: dict[Future[Result], str] = {}
        for slug in plan.slugs:
            pool = browser if crawler.browser(slug) else plain
            futures[pool.submit(crawler.one, slug)] = slug
        try:
            for future in as_completed(futures):
                results[futures[future]] = future.result()
                say(results[futures[future]])
        except BaseException:
            for future in futures:
                future.cancel()
            children.stop()
            raise
    return [results[slug] for slug in plan.slugs]


class _Stopped(Exception):
    """The crawl is being ended from outside."""


class _Crawler:
    def __init__(self, plan: Plan, run_id: str, ledger: Ledger, children: Children) -> None:
        self.plan, self.run_id, self.ledger, self.children = plan, run_id, ledger, children
        self._writing = threading.Lock()

    def browser(self, slug: str) -> bool:
        """Does the source need a browser?"""
        return self._provider(slug).source.browser or needs_browser(self._spider(slug))

    def one(self, slug: str) -> Result:
        """Crawl one provider; never raises for what a source or the pipeline does."""
        home = self.plan.settings.home
        started, clock = self.plan.settings.now(), time.monotonic()
        try:
            with _locked(home, f"crawl-{slug}", wait=0), self._browser_lock(slug):
                if not self.plan.limit:
                    self._note(lambda: self.ledger.start(self.run_id, slug, started, os.getpid()))
                result = self._crawl(slug, started)
        except _Stopped:
            # Says nothing about the source: no segment, and the ledger's row stays open as interrupted.
            return Result(slug, "failed", "stopped")
        except Timeout:
            return Result(slug, "failed", "another crawl of this provider is running")
        except Exception as error:
            log.debug("crawl of %s", slug, exc_info=True)
            result = Result(slug, "failed", f"{type(error).__name__}: {error}")
        result.seconds = time.monotonic() - clock
        if not self.plan.limit:
            self._finish(result)
        return result

    def _crawl(self, slug: str, started: datetime) -> Result:
        if missing := missing_keys(self._provider(slug), self.plan.settings.environ):
            return Result(slug, "auth_needed", f"not asked: set {', '.join(missing)}")
        config = self._config(slug, started)
        ending = run_child(
            config, self.plan.settings.environ, self.children, self.plan.time_limit + HARD_EXTRA
        )
        if self.children.stopped:
            raise _Stopped
        judged = judge(ending)
        stats = ending.stats or {}
        result = Result(
            slug, judged.outcome, judged.message, requests=int(stats.get("requests") or 0), stats=stats,
            run_dir=config.run_dir,
        )  # fmt: skip
        if not self.plan.limit:
            self._segment(result, config, ending, started, judged.dropped)
        return result

    def _segment(
        self, result: Result, config: CrawlConfig, ending: Ending, started: datetime, dropped: Sequence[str]
    ) -> None:
        """Listings → offers and rejections → segment. What was not read to its end is not published."""
        path = config.run_dir / "listings.jsonl"
        read = read_listings(path) if ending.stats and path.is_file() else ()
        listings = [listing for listing in read if listing.route not in dropped]
        made = process(listings, self.run_id, started, self.plan.providers)
        result.offers, result.rejections = len(made.offers), len(made.rejections)
        result.message = "; ".join(filter(None, (result.message, made.remark, made.refused)))
        if result.outcome == "ok" and not made.offers:
            result.outcome, result.message = made.without_offers
        run_id = self.run_id
        for attempt in range(1, 100):
            try:
                self._write(run_id, result, listings, made, started, dropped)
                return
            except SegmentError as error:
                if "other content" not in str(error):
                    raise
                # The same clock, another answer: a run of its own.
                run_id = f"{self.run_id}-{attempt + 1}"
                made = process(listings, run_id, started, self.plan.providers)
        raise SegmentError(f"{self.run_id}: too many runs at one clock")

    def _write(
        self,
        run_id: str,
        result: Result,
        listings: list[Listing],
        made: Processed,
        started: datetime,
        dropped: Sequence[str],
    ) -> None:
        stats = result.stats
        frozen = self.plan.settings.frozen_now is not None
        meta = RunMeta(
            run_id=run_id,
            provider=result.provider,
            kind="crawl",
            started_at=started,
            ended_at=started if frozen else self.plan.settings.now(),
            outcome=result.outcome,
            complete=result.outcome == "ok" and not dropped,
            parser_version=str(stats.get("parser_version") or ""),
            provider_class=self._provider(result.provider).class_,
            declared_total=declared(stats, dropped),
            distinct_keys=rows
            if (rows := rows_read(stats, dropped)) is not None
            else _distinct_rows(listings),
            requests=result.requests,
            robots_verdict=robots_verdict(stats),
            message=result.message or None,
            # One cell may hold several prices.
            readings=None if made.parsed == len(listings) else made.parsed,
        )
        home = self.plan.settings.home
        expect = self._expected(result.provider)
        limits = _WITHOUT_A_ROUTE if dropped else None
        meta = settle(home, meta, made.offers, made.rejections, listings, expect, limits)
        result.outcome, result.message = meta.outcome, meta.message or ""
        write_segment(home, meta, made.offers, made.rejections, listings)

    def _expected(self, slug: str) -> Expect:
        """What the provider file expects of a run. Stand-in sites are smaller by nature."""
        mapped = self.plan.settings.origins() if self.plan.origins is None else self.plan.origins
        return Expect() if mapped else self._provider(slug).expect

    def _config(self, slug: str, started: datetime) -> CrawlConfig:
        settings, provider = self.plan.settings, self._provider(slug)
        where = settings.home / "runs" / self.run_id / slug
        shutil.rmtree(where, ignore_errors=True)
        return CrawlConfig(
            provider=slug,
            run_id=self.run_id,
            run_dir=where.absolute(),
            evidence_dir=(settings.home / "evidence").absolute(),
            now=started,
            origins=dict(settings.origins() if self.plan.origins is None else self.plan.origins),
            only_mapped=self.plan.origins is not None,
            delay=self._delay(),
            timeout=settings.number("timeout"),
            time_limit=self.plan.time_limit,
            browser=settings.text("browser"),
            contact=settings.text("contact"),
            spider=self._spider(slug),
            provider_file=str(_file(settings.home, provider)) if provider.source.archetype else "",
            known_files=self.ledger.known_files(slug),
            limit=self.plan.limit,
        )

    def _delay(self) -> float:
        """Seconds between two requests; nobody needs sparing in the stand-in market."""
        given = self.plan.settings.values.get("delay")
        if self.plan.origins is not None and (given is None or given.origin == "default"):
            return 0.0
        return self.plan.settings.number("delay")

    def _finish(self, result: Result) -> None:
        now, stats = self.plan.settings.now(), result.stats
        if result.outcome == "ok" and stats.get("files"):
            self._note(lambda: self.ledger.remember_files(result.provider, stats["files"], now))
        moved = self._note(
            lambda: robots_log.note(self.ledger, result.provider, stats.get("robots") or [], now)
        )
        for origin, _, _ in moved:
            told = f"robots.txt of {origin} has changed: `suanjia review`"
            result.message = f"{result.message}; {told}".lstrip("; ")
        self._note(
            lambda: self.ledger.finish(
                self.run_id, result.provider, now, result.outcome, offers=result.offers,
                rejections=result.rejections, listings=int(stats.get("listings") or 0),
                requests=result.requests, seconds=result.seconds, message=result.message,
                parser_version=str(stats.get("parser_version") or ""),
            )
        )  # fmt: skip

    def _note(self, write: Callable[[], Any]) -> Any:
        with self._writing:
            return write()

    def _provider(self, slug: str) -> Provider:
        return self.plan.providers[slug]

    def _spider(self, slug: str) -> str:
        return self._provider(slug).source.spider or slug

    def _browser_lock(self, slug: str) -> Any:
        """One browser crawl at a time on this data directory, whoever starts it."""
        return _locked(self.plan.settings.home, "browser", wait=-1) if self.browser(slug) else nullcontext()


@contextmanager
def _locked(home: Path, name: str, wait: float) -> Iterator[None]:
    folder = home / "locks"
    folder.mkdir(parents=True, exist_ok=True)
    with FileLock(folder / f"{name}.lock", timeout=wait):
        yield


def _file(home: Path, provider: Provider) -> Path:
    folder = BUILT_IN if provider.builtin else (home / "providers").absolute()
    return folder / f"{provider.slug}.toml"


def _distinct_rows(listings: Sequence[Listing]) -> int | None:
    """How many different rows of the source stand behind the listings; None where it gives them no ids."""
    ids = {listing.listing_id for listing in listings}
    return None if None in ids or not ids else len(ids)
