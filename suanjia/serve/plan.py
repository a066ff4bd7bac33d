"""Which job runs when, declared from the catalog. No clock and no process here.

Weekdays are names and every job has an id. Providers are spread over the day by their own names, so that the
same catalog always gives the same timetable and never a burst.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from catalog.providers import Provider
from suanjia.provider_files import missing_keys
from suanjia.settings import Settings

OK, PARTIAL, NOTHING, REFUSED = 0, 3, 4, 5
STORE, PLAIN, BROWSER = "store", "plain", "browser"
CRAWL = "crawl:"
MINUTE, HOUR = 60.0, 3600.0


@dataclass(frozen=True, slots=True)
class Step:
    """One command. `good`: exit codes after which the next step of the job may run."""

    args: tuple[str, ...]
    good: frozenset[int] = frozenset({OK, PARTIAL, NOTHING})
    timeout: float = 30 * MINUTE


@dataclass(frozen=True, slots=True)
class Job:
    """A job: `when` are the fields of a cron trigger in Asia/Shanghai; `lane` says what it may not meet."""

    id: str
    when: Mapping[str, str]
    steps: tuple[Step, ...]
    lane: str = STORE
    only_due: str | None = None  # a provider: run only when its last good run is a period old
    only_missed: bool = False  # run only while the issue of the last frozen week is not there


_LOAD = Step(("load",))
# A refused generation leaves the last one in place; the issue's own gate decides whether that will do.
_PUBLISH = Step(("publish",), frozenset({OK, PARTIAL, NOTHING, REFUSED}), HOUR)


def declare(
    providers: Mapping[str, Provider], browsers: frozenset[str], settings: Settings, market: bool = False
) -> list[Job]:
    """Every job of this installation. `browsers`: providers that need one; `market`: a rebuilt home."""
    jobs = [
        crawl_job(provider, slug in browsers, market)
        for slug, provider in sorted(providers.items())
        if provider.status == "active" and not missing_keys(provider, settings.environ)
    ]
    site = str((settings.home / "site").absolute())
    issue = (_LOAD, _PUBLISH, Step(("report", "--site", site), frozenset({OK, PARTIAL})))
    mail = (Step(("mail",)),) if mails(settings) else ()
    alerts = (Step(("alerts",)),) if (settings.home / "alerts.toml").is_file() else ()
    jobs += [
        Job("refresh", {"hour": "*/6", "minute": "40"}, (_LOAD, _PUBLISH)),
        Job("freeze", {"day_of_week": "mon", "hour": "4", "minute": "0"}, (_LOAD, _PUBLISH)),
        Job("issue", {"day_of_week": "mon", "hour": "10", "minute": "0"}, issue + mail),
        Job("issue-retry", {"minute": "10"}, issue + mail, only_missed=True),
        Job("tidy", {"hour": "3", "minute": "15"}, (Step(("tidy",)),)),
    ]
    if mail:
        # Not before the issue's own hour on Monday: until then there is none, and that is no failure.
        jobs.append(Job("mail-retry", {"day_of_week": "mon", "hour": "10-23", "minute": "25"}, mail))
        jobs.append(Job("mail-retry-later", {"day_of_week": "tue,wed", "minute": "25"}, mail))
    if alerts:
        jobs.append(Job("alerts", {"minute": "50"}, alerts))
    if not market:
        probe = Step(("probe",), timeout=4 * HOUR)
        jobs.append(Job("probe", {"day": "15", "hour": "5", "minute": "0"}, (probe,), BROWSER))
    return jobs


def crawl_job(provider: Provider, browser: bool, market: bool) -> Job:
    """The crawl of one provider. Daily and longer cadences look every day and run when due, so that a failed
    weekly crawl is tried again the next day and not the next week."""
    minute = spread(provider.slug, 24 * 60)
    when = {"minute": str(minute % 60)}
    if provider.source.cadence != "hourly":
        when["hour"] = str(minute // 60)
    args = ("crawl", provider.slug, *(("--market",) if market else ()))
    lane = BROWSER if browser else PLAIN
    return Job(CRAWL + provider.slug, when, (Step(args, timeout=20 * MINUTE),), lane, provider.slug)


def spread(name: str, size: int) -> int:
    """A number in 0 … size-1 that depends on the name alone."""
    return int.from_bytes(sha256(name.encode()).digest()[:8], "big") % size


NO_MAIL = "issues are built and mailed to nobody 只生成不发送: set SUANJIA_SMTP_URL or SUANJIA_NOTIFY"


def mails(settings: Settings) -> bool:
    """Is there any way to send an issue?"""
    return bool(settings.text("smtp_url").strip() or settings.text("notify").strip())


def site_folder(home: Path) -> Path:
    """Where the `issue` job puts the static site."""
    return home / "site"
