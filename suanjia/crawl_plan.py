"""What is crawled and how it ended: plans, results, who is due, what is kept of a run."""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from catalog.providers import Provider
from suanjia.ledger import Ledger
from suanjia.settings import Settings

TIME_LIMIT = 900.0
"""Seconds after which a crawl ends itself; a minute later it is ended."""
KEPT_PROBES = 30
PERIODS = {
    "hourly": timedelta(hours=1),
    "daily": timedelta(days=1),
    "weekly": timedelta(weeks=1),
    "monthly": timedelta(days=30),
}
_EARLY = 0.9
"""A source is due a little before its period is over: a weekly crawl that began late must not slip by a
week."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What a crawl command was asked to do. `origins` is None for the real market and SUANJIA_ORIGINS."""

    settings: Settings
    providers: Mapping[str, Provider]
    slugs: Sequence[str]
    origins: Mapping[str, str] | None = None
    time_limit: float = TIME_LIMIT
    limit: int = 0  # probe: read one page only, write no segment


@dataclass(slots=True)
class Result:
    """How the crawl of one provider ended."""

    provider: str
    outcome: str
    message: str = ""
    offers: int = 0
    rejections: int = 0
    requests: int = 0
    seconds: float = 0.0
    stats: Mapping[str, Any] = field(default_factory=dict)
    run_dir: Path | None = None

    def shown(self) -> dict[str, Any]:
        """The row of `crawl --json`."""
        return {
            "provider": self.provider, "outcome": self.outcome, "offers": self.offers,
            "rejections": self.rejections, "requests": self.requests, "seconds": round(self.seconds, 3),
            "message": self.message,
        }  # fmt: skip


def due(providers: Mapping[str, Provider], ledger: Ledger, now: datetime) -> list[str]:
    """Active providers whose last good run is a period old, or that had none."""
    found = []
    for slug, provider in providers.items():
        if provider.status != "active":
            continue
        last = ledger.last_ok(slug)
        if last is None or now - last >= PERIODS[provider.source.cadence] * _EARLY:
            found.append(slug)
    return found


def new_run_id(now: datetime, prefix: str = "crawl") -> str:
    """Name of a run: the clock's second. The same frozen clock names the same run."""
    return f"{prefix}-{now:%Y%m%dT%H%M%SZ}"


def robots_verdict(stats: Mapping[str, Any]) -> str | None:
    """`allowed`, `disallowed`, `unreadable` or `none` (no rules), over all origins of a run; the worst
    counts."""
    words = set()
    for record in stats.get("robots") or []:
        if record["verdict"] == "rules":
            words.add("allowed" if all(record["paths"].values()) else "disallowed")
        else:
            words.add(record["verdict"])
    return next((word for word in ("disallowed", "unreadable", "allowed", "none") if word in words), None)


def declared(stats: Mapping[str, Any], dropped: Sequence[str]) -> int | None:
    """Rows that the source says it has, on the routes that count."""
    rows = (stats.get("declared") or {}).items()
    return sum(count for name, count in rows if name.partition(":")[0] not in dropped) or None


def rows_read(stats: Mapping[str, Any], dropped: Sequence[str]) -> int | None:
    """Different rows read where the source declares how many there are, those that are no offers (a CPU host,
    one that is off line) among them; None where it declares nothing or its rows are not counted."""
    names = [name for name in stats.get("declared") or {} if name.partition(":")[0] not in dropped]
    read: Mapping[str, int] = stats.get("read") or {}
    return sum(read[name] for name in names) if names and all(name in read for name in names) else None


def tidy(settings: Settings) -> None:
    """Remove run folders older than the evidence they quote, and all but the newest probes."""
    oldest = settings.now() - timedelta(days=settings.number("evidence_days"))
    folders = sorted((settings.home / "runs").glob("*"))
    probes = [folder for folder in folders if folder.name.startswith("probe-")]
    old = [folder for folder in folders if (began := _began(folder.name)) is not None and began < oldest]
    for folder in {*old, *probes[:-KEPT_PROBES]}:
        shutil.rmtree(folder, ignore_errors=True)


def _began(run_id: str) -> datetime | None:
    try:
        return datetime.strptime(run_id.split("-")[1], "%Y%m%dT%H%M%SZ").replace(tzinfo=UTC)
    except (IndexError, ValueError):
        return None
