"""The service: scheduler, web server, catch-up at start, an orderly end.

APScheduler with a memory store: what was missed while the service was down is known from the ledger, so one
start queues each due provider once, and the issue of the last frozen week if it is not there.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Mapping
from datetime import datetime, timedelta
from http.server import ThreadingHTTPServer
from typing import Any

from apscheduler.executors.pool import ThreadPoolExecutor
from apscheduler.schedulers.background import BackgroundScheduler
from apscheduler.schedulers.base import BaseScheduler

from catalog.providers import Provider
from pipeline.manifest import read_manifest, segment_dirs
from reports.issue.archive import vintages
from reports.issue.clock import freeze_of
from spiders.registry import needs_browser
from suanjia.crawl_plan import due
from suanjia.homes import is_rebuilt
from suanjia.ledger import Ledger
from suanjia.serve import metrics, web
from suanjia.serve.clock import Clock, Shifted, cron
from suanjia.serve.deadman import Deadman
from suanjia.serve.health import ISSUE_HOUR, Health, look
from suanjia.serve.joblog import JobLog
from suanjia.serve.plan import BROWSER, CRAWL, NO_MAIL, PLAIN, STORE, Job, declare, mails, site_folder, spread
from suanjia.serve.process import sweep
from suanjia.serve.runner import Runner
from suanjia.settings import Settings
from warehouse.calendar import SHANGHAI, monday_of, week_label

log = logging.getLogger("suanjia.serve")
SPREAD_SECONDS = 600
REFRESH_AFTER = timedelta(minutes=10)
LANES = {STORE: 1, PLAIN: 2, BROWSER: 1}


class Service:
    """`start`, then `stop`. OSError from `start` when the port cannot be had."""

    def __init__(
        self,
        settings: Settings,
        providers: Mapping[str, Provider],
        catch_up: bool = True,
        clock: Clock | None = None,
        scheduler: BaseScheduler | None = None,
    ) -> None:
        """`clock` and `scheduler` other than the machine's are for tests that run faster than time."""
        self.settings, self.providers, self._catch_up = settings, providers, catch_up
        self.clock = clock or Clock(settings.frozen_now)
        self.joblog = JobLog(settings.home)
        cadences = {slug: provider.source.cadence for slug, provider in providers.items()}
        self.runner = Runner(
            settings, self.joblog, self.clock.now, cadences, self.clock.shifted, self._after,
            self.missed_issue,
        )  # fmt: skip
        browsers = frozenset(s for s, p in providers.items() if p.status == "active" and _browser(p))
        self.jobs = declare(providers, browsers, settings, market=is_rebuilt(settings.home))
        self.scheduler = scheduler or BackgroundScheduler(
            timezone=SHANGHAI,
            executors={lane: ThreadPoolExecutor(size) for lane, size in LANES.items()},
            job_defaults={"coalesce": True, "max_instances": 1, "misfire_grace_time": None},
        )
        self.deadman = Deadman(settings, self.joblog, self.clock.now)
        self.server: ThreadingHTTPServer | None = None
        self.registry = metrics.registry(self.health, self.joblog.counts)
        self._stopping = threading.Lock()

    def start(self) -> None:
        """Mark what was interrupted, listen, schedule, catch up."""
        now = self.clock.now()
        self.joblog.first_served(now)
        sweep()
        for row in self.joblog.interrupt_stale():
            log.warning("interrupted", extra={"job": row.job, "run_id": row.run_id, "step": row.step})
        with Ledger(self.settings.home) as ledger:
            ledger.interrupt_stale()
            waiting = due(self.providers, ledger, now) if self._catch_up else []
        self.server = web.serve(
            self.settings.text("http_host"),
            int(self.settings.number("http_port")),
            self.health,
            lambda: metrics.text(self.registry),
            lambda: site_folder(self.settings.home),
        )
        first = self.catch_up(waiting, now)
        for job in self.jobs:
            self._schedule(job, first.get(job.id))
        self.scheduler.add_job(
            self.deadman.look, "interval", hours=6, id="dead-man", executor=STORE,
            next_run_time=self.clock.real(now + timedelta(minutes=1)),
        )  # fmt: skip
        self.scheduler.start()
        log.info("serving %d jobs on %s:%d", len(self.jobs), *self.server.server_address[:2])
        if not mails(self.settings):
            log.warning(NO_MAIL)

    def catch_up(self, waiting: list[str], now: datetime) -> dict[str, datetime]:
        """Job id → when it runs first: every due provider once, spread; the last issue if it is missing."""
        found = {CRAWL + slug: now + timedelta(seconds=spread(slug, SPREAD_SECONDS)) for slug in waiting}
        if self._catch_up and self.missed_issue(now):
            found["issue"] = now + timedelta(seconds=5)
        return found

    def missed_issue(self, now: datetime) -> bool:
        """Is the issue of the last frozen week due and not there? Not in a home that held nothing then."""
        monday = monday_of(now) - timedelta(days=7)
        if freeze_of(monday) + ISSUE_HOUR > now:
            monday -= timedelta(days=7)
        if vintages(self.settings.home, week_label(monday)):
            return False
        found = (read_manifest(folder).run.started_at for _, _, folder in segment_dirs(self.settings.home))
        return any(started < freeze_of(monday) for started in found)

    def _schedule(self, job: Job, first: datetime | None) -> None:
        trigger: Any = cron(job.when)
        if self.clock.shifted:
            trigger = Shifted(trigger, self.clock.offset)
        given = {"next_run_time": self.clock.real(first)} if first else {}
        self.scheduler.add_job(
            self.runner.run, trigger, (job,), id=job.id, executor=job.lane, replace_existing=True, **given
        )

    def _after(self, job: Job, good: bool) -> None:
        """A crawl is followed by a load and a publish, one for all that end within ten minutes."""
        if not job.id.startswith(CRAWL) or self.runner.stop.is_set():
            return
        refresh = self.scheduler.get_job("refresh")
        soon = self.clock.real(self.clock.now() + REFRESH_AFTER)
        if refresh is not None and refresh.next_run_time > soon:
            refresh.modify(next_run_time=soon)

    def health(self) -> Health:
        """How it is doing now."""
        return look(self.settings, self.providers, self.joblog, self.clock.now(), self.scheduler.running)

    def stop(self) -> None:
        """End what runs (TERM, then KILL), let nothing begin, close everything. Safe to call twice."""
        with self._stopping:
            self.runner.stop.set()
            if self.scheduler.running:
                self.scheduler.shutdown(wait=True)
            if self.server is not None:
                self.server.shutdown()
                self.server.server_close()
                self.server = None
                self.joblog.close()


def _browser(provider: Provider) -> bool:
    return provider.source.browser or needs_browser(provider.source.spider or provider.slug)
