"""What goes wrong in the soak's hours, and its clock."""

from __future__ import annotations

import json
import random
import urllib.error
import urllib.request
from collections import Counter
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from suanjia.serve.clock import Clock

SITE_FAULTS = (
    "server_error", "bad_gateway", "rate_limited", "garbage", "empty_body", "half_body", "half_text",
    "refused", "gone", "hang", "login_page", "captcha", "changed_field", "truncated_list", "robots_error",
    "redirect_loop",
)  # fmt: skip
JOB_FAULTS = ("kill", "disk", "dns", "zone", "jump")
ZONES = ("Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "America/St_Johns")


@dataclass(frozen=True, slots=True)
class Told:
    """What the controller says: where, from when to when, who."""

    home: str
    origins: dict[str, str]
    environ: dict[str, str]
    begin: str
    end: str
    providers: list[str]
    seed: int
    port: int
    at: str  # file that holds the simulated time
    diary: str  # one JSON line a simulated day
    learnt: str
    faults: bool = True


class SoakClock(Clock):
    """A clock that is set."""

    def __init__(self, at: datetime) -> None:
        self.shifted, self.offset, self.at = True, timedelta(), at

    def now(self) -> datetime:
        """The simulated time."""
        return self.at.astimezone(UTC)


class Weather:
    """What goes wrong in this hour, and what did so far."""

    def __init__(self, told: Told, clock: SoakClock) -> None:
        self.told, self.clock, self.chance = told, clock, random.Random(f"{told.seed} {told.begin}")
        self.site: tuple[str, str] | None = None
        self.job: str | None = None
        self.drawn: Counter[str] = Counter()
        self.met: Counter[str] = Counter()
        self.codes: Counter[str] = Counter()
        self.skipped: Counter[str] = Counter()
        self.calls: Counter[str] = Counter()
        self.cpu: Counter[str] = Counter()  # milliseconds by step

    def change(self) -> None:
        """A new hour: at half of them a site is ill, at a third the machine."""
        if self.site:
            self._tell(self.site[0], None)
        pick = self.chance.choice
        if not self.told.faults:
            self.site = self.job = None
            return
        self.site = (pick(self.told.providers), pick(SITE_FAULTS)) if self.chance.random() < 0.5 else None
        self.job = pick(JOB_FAULTS) if self.chance.random() < 0.35 else None
        if self.site:
            self._tell(*self.site)
        self.drawn.update(filter(None, (self.job, self.site and self.site[1])))
        if self.job == "jump":
            self.clock.at += timedelta(minutes=pick((-50, -20, 35, 70)))

    def clear(self) -> None:
        """A service that was killed leaves a site ill; its heir begins with all of them well."""
        for site in self.told.providers:
            self._tell(site, None)

    def _tell(self, site: str, kind: str | None) -> None:
        body = json.dumps({"site": site, "kind": kind}).encode()
        ask("POST", f"{next(iter(self.told.origins.values()))}/__market__/fault", body)

    def market_clock(self) -> None:
        """The sites know what time it is."""
        body = json.dumps({"now": self.clock.at.isoformat()}).encode()
        ask("POST", f"{next(iter(self.told.origins.values()))}/__market__/now", body)


def ask(method: str, address: str, body: bytes | None = None) -> tuple[int, bytes]:
    """One request on loopback."""
    headers = {"Content-Type": "application/json"} if body else {}
    try:
        request = urllib.request.Request(address, body, headers, method=method)
        with urllib.request.urlopen(request, timeout=20) as answer:
            return answer.status, answer.read()
    except urllib.error.HTTPError as error:
        return error.code, error.read()
