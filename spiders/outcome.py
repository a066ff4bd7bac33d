"""What became of a crawl, judged from its statistics and never from its exit code (which is 0 when every
callback raised, and 0 when there was no browser). This module imports no Scrapy.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

OUTCOMES = (
    "ok", "partial", "empty", "blocked", "auth_needed", "robots", "layout_changed", "gone", "failed",
)  # fmt: skip

# With nothing read, the first kind met in this order names the outcome: what a source *says* goes before
# what we
# could not do, and a deliberate no before an accident.
_ORDER = ("auth_needed", "robots", "blocked", "gone", "layout_changed")
_AS_FAILED = ("refused", "stale", "cut", "truncated", "exception", "failed")
_ENDED_WELL = frozenset(("finished", "probed"))


@dataclass(frozen=True, slots=True)
class Ending:
    """How the process ended. `stats` is None where it left none."""

    stats: Mapping[str, Any] | None
    timed_out: bool = False
    signal: int | None = None
    exit_code: int | None = 0
    log_tail: str = ""


@dataclass(frozen=True, slots=True)
class Judgement:
    """One of OUTCOMES and the sentence that says why. `dropped`: extra routes whose listings do not count."""

    outcome: str
    message: str
    dropped: tuple[str, ...] = ()


def judge(ending: Ending) -> Judgement:
    """The outcome of a crawl.

    `ok`: it ended by itself, read listings, and met no problem. `partial`: listings and a problem, but
    `layout_changed` where that is what the problem was. Everything else: nothing was read, and why. A crawl
    that was killed or hung is `failed`, whatever it had read. A problem of an extra route drops that route
    and leaves the outcome to the others.
    """
    if ending.timed_out:
        return Judgement("failed", "did not end in time and was killed")
    if ending.signal is not None:
        return Judgement("failed", f"killed by signal {ending.signal}")
    if ending.stats is None:
        return Judgement("failed", f"left no statistics (exit {ending.exit_code}){_because(ending.log_tail)}")
    stats = ending.stats
    problems: list[Mapping[str, Any]] = list(stats.get("problems") or [])
    extra = set(stats.get("extra_routes") or ())
    beside = [problem for problem in problems if problem.get("route") in extra]
    dropped = tuple(sorted({str(problem["route"]) for problem in beside}))
    told = "; ".join(_left_out(route, beside) for route in dropped)
    problems = [problem for problem in problems if problem not in beside]
    reason = str(stats.get("finish_reason") or "")
    if reason not in _ENDED_WELL and not problems:
        problems = [{"kind": "failed", "message": f"stopped: {reason or 'no reason given'}"}]
    count = _counted(stats, extra)
    if not problems and count:
        return Judgement("ok", told, dropped)
    if not problems and not beside:
        return Judgement("empty", "answered, but listed nothing")
    problems = problems or beside
    first = _first(problems)
    message = _sentence(first, len(problems))
    if count:
        # A moved field makes the rest doubtful too: never "as before, with fewer rows".
        outcome = "layout_changed" if any(p.get("kind") == "layout_changed" for p in problems) else "partial"
        return Judgement(outcome, "; ".join(filter(None, (message, told))), dropped)
    kind = str(first.get("kind"))
    if all(problem.get("kind") == "truncated" for problem in problems):
        return Judgement("empty", message)
    return Judgement(kind if kind in _ORDER else "failed", message, dropped)


def _counted(stats: Mapping[str, Any], extra: set[str]) -> int:
    """Listings of the routes that must be had."""
    by_route: Mapping[str, int] | None = stats.get("by_route")
    if by_route is None or not extra:
        return int(stats.get("listings") or 0)
    return sum(number for route, number in by_route.items() if route not in extra)


def _left_out(route: str, problems: list[Mapping[str, Any]]) -> str:
    own = [problem for problem in problems if problem["route"] == route]
    return f"{route} left out: {_sentence(_first(own), len(own))}"


def _first(problems: list[Mapping[str, Any]]) -> Mapping[str, Any]:
    """The problem that names the outcome."""
    for kind in (*_ORDER, *_AS_FAILED):
        for problem in problems:
            if problem.get("kind") == kind:
                return problem
    return problems[0]


def _sentence(problem: Mapping[str, Any], count: int) -> str:
    parts = [f"{problem.get('kind')}: {problem.get('message')}"]
    if problem.get("url"):
        parts.append(f"({problem['url']})")
    if count > 1:
        parts.append(f"and {count - 1} more")
    return " ".join(parts)


def _because(log_tail: str) -> str:
    lines = [line for line in log_tail.splitlines() if line.strip()]
    return f": {lines[-1].strip()[:200]}" if lines else ""
