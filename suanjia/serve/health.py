"""How the whole is doing: sources, the last publish, the last issue. One answer for /healthz, /metrics and
the operator.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from catalog.providers import Provider
from reports.issue.archive import vintages
from reports.issue.clock import freeze_of
from suanjia.crawl_plan import PERIODS
from suanjia.ledger import Ledger
from suanjia.provider_files import missing_keys
from suanjia.serve.joblog import JobLog
from suanjia.settings import Settings
from warehouse.calendar import monday_of, week_label
from warehouse.layout import Layout

PERIODS_ALLOWED = 2
ISSUE_HOUR = timedelta(hours=6)
"""From the freeze at 04:00 to the issue at 10:00."""
ISSUE_GRACE = timedelta(hours=2)
PUBLISH_LIMIT = timedelta(days=2)
SILENCE = timedelta(days=8)


@dataclass(frozen=True, slots=True)
class Source:
    """One enabled source. `age` in seconds since its last good run, or since it was first served."""

    provider: str
    cadence: str
    age: float
    limit: float
    ok: bool
    last_ok: str | None
    last_outcome: str | None
    bad_in_a_row: int


@dataclass(frozen=True, slots=True)
class Part:
    """The last publish or issue: `at` None where there was none yet, `due` by when there must be one."""

    ok: bool
    what: str | None
    at: str | None
    due: str | None


@dataclass(frozen=True, slots=True)
class Health:
    """Everything `ok`, or what is not."""

    ok: bool
    now: str
    scheduler: bool
    sources: tuple[Source, ...]
    publish: Part
    issue: Part
    jobs: tuple[dict[str, Any], ...]
    problems: tuple[str, ...]

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {"status": "ok" if self.ok else "bad", **asdict(self)}


def look(
    settings: Settings, providers: Mapping[str, Provider], joblog: JobLog, now: datetime, scheduler: bool
) -> Health:
    """Judge this home at `now`."""
    first = joblog.first_served(now)
    with Ledger(settings.home, look=True) as ledger:
        sources = tuple(
            _source(provider, ledger, first, now)
            for slug, provider in sorted(providers.items())
            if provider.status == "active" and not missing_keys(provider, settings.environ)
        )
    publish, issue = _publish(settings, joblog, first, now), _issue(settings, first, now)
    problems = [f"{s.provider}: no good run for {s.age / 3600:.0f} h" for s in sources if not s.ok]
    problems += [] if scheduler else ["the scheduler does not run"]
    problems += [] if publish.ok else [f"no publish since {publish.at or 'the beginning'}"]
    problems += [] if issue.ok else [f"no issue of {issue.what}, due {issue.due}"]
    jobs = tuple(
        {
            "job": row.job, "step": row.step, "state": row.state, "code": row.code,
            "started_at": row.started_at.isoformat(),
        }
        for row in joblog.newest()
    )  # fmt: skip
    return Health(
        not problems, now.astimezone(UTC).isoformat(timespec="seconds"), scheduler, sources, publish, issue,
        jobs, tuple(problems),
    )  # fmt: skip


def _source(provider: Provider, ledger: Ledger, first: datetime, now: datetime) -> Source:
    health = ledger.health(provider.slug)
    limit = PERIODS[provider.source.cadence] * PERIODS_ALLOWED
    # A source that never was good counts from the first try, or from when it could have been tried.
    age = now - (health.last_ok or min(first, health.since or first))
    return Source(
        provider.slug,
        provider.source.cadence,
        max(age.total_seconds(), 0.0),
        limit.total_seconds(),
        age <= limit,
        health.last_ok.isoformat() if health.last_ok else None,
        health.last_outcome,
        health.bad_in_a_row,
    )


def last_publish(settings: Settings, joblog: JobLog) -> datetime | None:
    """When a publish last ended well (also with nothing new), by this service or by hand."""
    found = [joblog.last("publish", (0, 4))]
    latest = Layout(settings.home).latest
    if latest.is_file():
        found.append(datetime.fromtimestamp(latest.stat().st_mtime, UTC))
    return max((moment for moment in found if moment), default=None)


def _publish(settings: Settings, joblog: JobLog, first: datetime, now: datetime) -> Part:
    at = last_publish(settings, joblog)
    due = (at or first) + PUBLISH_LIMIT
    return Part(now <= due, None, at.isoformat() if at else None, due.isoformat())


def needed_week(now: datetime) -> tuple[str, datetime]:
    """(label, due): the newest week whose issue must be there, and when it was due."""
    monday = monday_of(now) - timedelta(days=7)
    due = freeze_of(monday) + ISSUE_HOUR
    if now < due + ISSUE_GRACE:
        monday -= timedelta(days=7)
        due = freeze_of(monday) + ISSUE_HOUR
    return week_label(monday), due


def _issue(settings: Settings, first: datetime, now: datetime) -> Part:
    label, due = needed_week(now)
    issues = vintages(settings.home, label)
    # A home that was first served after the week was frozen owes no issue of it.
    return Part(bool(issues) or first >= due, label, _written(issues[-1].folder) if issues else None,
                due.isoformat())  # fmt: skip


def _written(folder: Any) -> str:
    return datetime.fromtimestamp(folder.stat().st_mtime, UTC).isoformat(timespec="seconds")


def silent_since(settings: Settings, joblog: JobLog, now: datetime) -> datetime | None:
    """Since when no issue was due and written, if that is longer than eight days; else None.

    Counted from the freeze of the newest week that has an issue, or from when this home was first served.
    """
    start = joblog.first_served(now)
    monday = monday_of(now) - timedelta(days=7)
    for back in range(60):
        week = monday - timedelta(weeks=back)
        if vintages(settings.home, week_label(week)):
            start = freeze_of(week)
            break
    return start if now - start > SILENCE else None
