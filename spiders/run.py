"""What one crawl knows and has met: the shared state of spider, middlewares and download handlers.

Everything a judgement rests on is collected here and written to `stats.json` at the end (`spiders.outcome`
reads it). This module imports no Scrapy.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from importlib.metadata import PackageNotFoundError, version
from typing import IO, Any

from spiders import masked_log
from spiders.config import MIN_DELAY, CrawlConfig
from spiders.egress import Egress
from spiders.evidence import EvidenceStore, SecretFound, clean_url

PROBLEM_KINDS = (
    "auth_needed",  # a login page, an expired token, no key
    "robots",  # robots.txt forbids, or could not be read
    "blocked",  # 403, 429, captcha
    "gone",  # 404, 410, redirect to another host
    "layout_changed",  # the answer is not the shape that the spider was written for
    "truncated",  # fewer rows than declared, or a suspiciously round number
    "cut",  # half a body
    "stale",  # a dated file that is too old
    "refused",  # the egress guard
    "exception",  # a callback raised
    "failed",  # anything else: timeout, connection, 5xx
)
_KEPT_HEADERS = ("content-type", "location", "last-modified", "etag", "retry-after")
_MAX_PROBLEMS = 50


def package_version() -> str:
    """Version of the installed distribution, "dev" from a bare source tree."""
    try:
        return version("suanjia")
    except PackageNotFoundError:
        return "dev"


@dataclass(frozen=True, slots=True)
class Problem:
    """Something that makes a run less than ok. `kind` is one of PROBLEM_KINDS."""

    kind: str
    message: str
    url: str = ""
    route: str = ""


@dataclass(frozen=True, slots=True)
class Drift:
    """One difference between an answer and what its spider expects."""

    field: str
    expected: str
    found: str


@dataclass(slots=True)
class RobotsRecord:
    """What robots.txt of one origin said. `verdict`: rules, none (404 …), unreadable (treated as
    disallow)."""

    origin: str
    status: int | None
    sha256: str | None
    verdict: str
    crawl_delay: float | None = None
    error: str = ""
    paths: dict[str, bool] = field(default_factory=dict)


class Run:
    """State of one crawl; `close` flushes its files. `secrets` are the user's own credentials."""

    def __init__(self, config: CrawlConfig, allow: Iterable[str], secrets: Mapping[str, str]) -> None:
        self.config = config
        self.egress = Egress([*allow, *config.allow], config.origins, only_mapped=config.only_mapped)
        self.evidence = EvidenceStore(config.evidence_dir, secrets.values())
        self.secrets = dict(secrets)
        for value in secrets.values():
            masked_log.hide(value)
        self.problems: list[Problem] = []
        self.drift: list[Drift] = []
        self.robots: dict[str, RobotsRecord] = {}
        self.exceptions: Counter[str] = Counter()
        self.skipped: Counter[str] = Counter()
        self.declared: dict[str, int] = {}
        self.read: dict[str, int] = {}
        self.files: dict[str, dict[str, str]] = {}
        self.routes: list[str] = []
        self.units: dict[str, Counter[str]] = {}  # of each route
        self.by_route: Counter[str] = Counter()
        self.columns: list[str] = []
        self.content_types: dict[str, str] = {}  # route → type of its first answer
        self.requests = self.responses = self.listings = 0
        self.statuses: Counter[str] = Counter()
        self.stopped = ""  # why no further request goes out
        self.stopped_route = ""
        self.extra_routes: list[str] = []
        self.periods_vary = False
        self.known_units: tuple[str, ...] = ()
        self.shared: dict[Any, Any] = {}  # what one route of a source tells another
        self._exchanges: IO[str] | None = None

    def problem(self, kind: str, message: str, url: str = "", route: str = "") -> None:
        """Note a problem once; the first fifty are kept."""
        if kind not in PROBLEM_KINDS:
            raise ValueError(f"no such problem: {kind}")
        found = Problem(kind, self._clean(message)[:500], self.address(url) if url else "", route)
        if found not in self.problems and len(self.problems) < _MAX_PROBLEMS:
            self.problems.append(found)

    def changed(self, where: str, expected: str, found: str) -> None:
        """Note a difference between answer and expectation, once per field."""
        if all(known.field != where for known in self.drift):
            self.drift.append(Drift(where, expected, self._clean(found)[:200]))

    def stop(self, why: str, route: str = "") -> None:
        """Let no further request out: a source that said no is not asked again."""
        if not self.stopped:
            self.stopped, self.stopped_route = why, route

    def delay_for(self, url: str) -> float:
        """Seconds between two requests to the host of `url`; below MIN_DELAY only on this machine."""
        if self.config.replay:
            return 0.0  # nobody is asked
        return self.config.delay if self.egress.is_loopback(url) else max(self.config.delay, MIN_DELAY)

    def obeys_crawl_delay(self, url: str) -> bool:
        """Crawl-delay counts unless the delay is switched off for a site on this machine."""
        if self.config.replay:
            return False
        return not (self.config.delay == 0 and self.egress.is_loopback(url))

    def hide(self, secret: str) -> None:
        """A value met on the way (the query of a signed link) that may stand in no file, message or log."""
        self.secrets[f"hidden {len(self.secrets)}"] = secret
        self.evidence.hide(secret)
        masked_log.hide(secret)

    def address(self, url: str) -> str:
        """An address as it may be kept: without signatures, keys and what was hidden."""
        return clean_url(self._clean(url))

    def store(self, body: bytes, *, links: bool = False) -> tuple[str, bool]:
        """Keep an answer; returns its SHA-256 and whether secrets had to be taken out first. With `links`, no
        address in it keeps its query."""
        if links or self.evidence.shows_account(body):
            return self.evidence.put(self.evidence.redact(body, links=links)), True
        try:
            return self.evidence.put(body), False
        except SecretFound:
            return self.evidence.put(self.evidence.redact(body)), True

    def exchange(
        self,
        *,
        method: str,
        url: str,
        sent: bytes,
        status: int,
        headers: Mapping[str, str],
        evidence: str,
        redacted: bool = False,
        browser: bool = False,
    ) -> None:
        """Add a line to `exchanges.jsonl`: enough to answer the same request again without a network."""
        if self._exchanges is None:
            self.config.run_dir.mkdir(parents=True, exist_ok=True)
            self._exchanges = (self.config.run_dir / "exchanges.jsonl").open("w", encoding="utf-8")
        row = {
            "method": method,
            "url": self.address(url),
            "sent": hashlib.sha256(sent).hexdigest() if sent else "",
            "status": status,
            "headers": {k: self._clean(v) for k, v in headers.items() if k.lower() in _KEPT_HEADERS},
            "evidence": evidence,
            "redacted": redacted,
            "browser": browser,
        }
        self._exchanges.write(json.dumps(row, ensure_ascii=False, sort_keys=True) + "\n")
        self._exchanges.flush()

    def stats(self) -> dict[str, Any]:
        """The content of `stats.json`, ready for `spiders.outcome.judge`."""
        return {
            "provider": self.config.provider,
            "run_id": self.config.run_id,
            "now": self.config.now.isoformat(),
            "listings": self.listings,
            "requests": self.requests,
            "responses": self.responses,
            "statuses": dict(sorted(self.statuses.items())),
            "problems": [asdict(p) for p in self.problems],
            "drift": [asdict(d) for d in self.drift],
            "robots": [asdict(r) for _, r in sorted(self.robots.items())],
            "exceptions": dict(self.exceptions.most_common(5)),
            "skipped": dict(sorted(self.skipped.items())),
            "declared": dict(sorted(self.declared.items())),
            "read": dict(sorted(self.read.items())),
            "files": self.files,
            "routes": self.routes,
            "extra_routes": self.extra_routes,
            "by_route": dict(sorted(self.by_route.items())),
            "units": {route: dict(sorted(found.items())) for route, found in sorted(self.units.items())},
            "columns": self.columns,
            "content_types": self.content_types,
            "stopped": self.stopped,
        }

    def close(self) -> None:
        """Close `exchanges.jsonl`."""
        if self._exchanges is not None:
            self._exchanges.close()
            self._exchanges = None

    def _clean(self, text: str) -> str:
        for value in self.secrets.values():
            text = text.replace(value, "[redacted]") if len(value) >= 4 else text
        return text
