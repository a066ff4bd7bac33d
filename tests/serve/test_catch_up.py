"""What a start queues, told from the ledger: nothing is started here."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from catalog.providers import load_providers
from pipeline.segment import RunMeta, write_segment
from suanjia.ledger import Ledger
from suanjia.serve.clock import cron
from suanjia.serve.plan import CRAWL, Job, declare
from suanjia.serve.process import sweep
from suanjia.serve.service import REFRESH_AFTER, SPREAD_SECONDS, Service
from suanjia.settings import load

NOW = datetime.fromisoformat("2026-10-05T10:20:00+08:00")  # Monday, just after the issue's hour


@pytest.fixture
def service(tmp_path: Path) -> Iterator[Service]:
    made = Service(load(str(tmp_path), NOW.isoformat(), environ={}), load_providers(tmp_path))
    yield made
    made.stop()


def segment(home: Path, at: datetime) -> None:
    """An empty run of a provider."""
    meta = RunMeta(
        run_id=f"crawl-{at:%Y%m%dT%H%M%SZ}", provider="matpool", kind="crawl", started_at=at, ended_at=at,
        outcome="empty", complete=False, parser_version="", provider_class="marketplace", declared_total=None,
        distinct_keys=None, requests=1, robots_verdict=None, message=None,
    )  # fmt: skip
    write_segment(home, meta, [], [], [])


def test_each_due_provider_once_within_ten_minutes(service: Service) -> None:
    home = service.settings.home
    with Ledger(home) as ledger:
        ledger.start("r", "matpool", NOW - timedelta(hours=2))
        ledger.finish("r", "matpool", NOW, "ok")
        ledger.start("r", "tencent", NOW - timedelta(days=40))
        ledger.finish("r", "tencent", NOW, "ok")
        from suanjia.crawl_plan import due

        waiting = due(service.providers, ledger, NOW)
    first = service.catch_up(waiting, NOW)
    assert "crawl:tencent" in first and "crawl:matpool" not in first
    assert all(timedelta() <= at - NOW < timedelta(seconds=SPREAD_SECONDS) for at in first.values())
    assert {job for job in first if job.startswith(CRAWL)} == {CRAWL + slug for slug in waiting}


def test_the_issue_of_the_last_frozen_week_only(service: Service) -> None:
    home = service.settings.home
    assert not service.missed_issue(NOW)  # an empty home owes nothing
    segment(home, NOW - timedelta(hours=1))
    assert not service.missed_issue(NOW)  # nor does one whose first data came after the freeze
    segment(home, NOW - timedelta(days=3))
    assert service.missed_issue(NOW) and "issue" in service.catch_up([], NOW)
    folder = home / "reports" / "2026-W40" / "v1"
    folder.mkdir(parents=True)
    (folder / "manifest.json").write_text("{}")
    assert not service.missed_issue(NOW)
    # Before the hour of the issue nothing is missed; an outage of five weeks misses one issue, not five.
    assert not service.missed_issue(NOW + timedelta(days=6, hours=23))
    assert list(service.catch_up([], NOW + timedelta(weeks=5))) == ["issue"]


def test_an_issue_that_failed_is_tried_again_and_a_mail_not_before_its_hour(service: Service) -> None:
    retry = next(job for job in service.jobs if job.id == "issue-retry")
    assert not service.runner._due(retry)
    segment(service.settings.home, NOW - timedelta(days=3))
    assert service.runner._due(retry)
    settings = load(str(service.settings.home), environ={"SUANJIA_SMTP_URL": "smtp://127.0.0.1:25"})
    mails = [job for job in declare(service.providers, frozenset(), settings) if "mail-retry" in job.id]
    at, tries = NOW.replace(hour=4, minute=1), []
    while at < NOW + timedelta(days=7):
        at = min(cron(job.when).get_next_fire_time(None, at + timedelta(seconds=1)) for job in mails)
        tries.append(at)
    tries.pop()
    assert tries[0] == NOW.replace(hour=10, minute=25) and tries[-1].strftime("%a %H") == "Wed 23"
    assert len(tries) == 14 + 24 + 24


def test_temporary_folders_of_the_dead_are_swept_away(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    for name in (
        f"suanjia-job-{os.getpid()}-a",
        "suanjia-job-4194301-b",
        "suanjia-job-old",
        "other-4194301-x",
    ):
        (tmp_path / name).mkdir()
    assert sweep() == 1
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "other-4194301-x", f"suanjia-job-{os.getpid()}-a", "suanjia-job-old",
    ]  # fmt: skip


def test_a_publish_follows_the_crawls_once(service: Service) -> None:
    service.scheduler.start(paused=True)
    for job in service.jobs:
        service._schedule(job, None)
    for slug in ("matpool", "aliyun", "ctyun"):
        service._after(Job(CRAWL + slug, {}, ()), True)
    refresh = service.scheduler.get_job("refresh")
    wait = service.clock.real(service.clock.now() + REFRESH_AFTER) - refresh.next_run_time
    assert timedelta() <= wait < timedelta(seconds=30)
    ids = [job.id for job in service.scheduler.get_jobs()]
    assert len(ids) == len(set(ids))


def test_another_start_makes_no_copies(service: Service) -> None:
    service.scheduler.start(paused=True)
    for _ in range(3):
        for job in service.jobs:
            service._schedule(job, None)
    assert len(service.scheduler.get_jobs()) == len(service.jobs)
