"""One look at all rules: what crossed is told, once; what went back is armed again."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from reports.alerts.rules import Rule
from reports.alerts.state import ARMED, FIRED, SENDING, States
from reports.alerts.watch import Sick, Sight, look
from reports.alerts.words import Book, message

if TYPE_CHECKING:
    import duckdb

Teller = Callable[[str, str], bool]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a rule: `told`, `quiet` (within the quiet period), `not_told` (no channel took it),
    `fired` (told before), `armed`, or `nothing` (no price to compare)."""

    rule: str
    kind: str
    subject: str
    outcome: str
    value: str
    title: str = ""
    body: str = ""


def run_rules(
    con: duckdb.DuckDBPyConnection,
    home: Path,
    rules: Sequence[Rule],
    now: datetime,
    sick: Mapping[str, Sick],
    tell: Teller,
) -> list[Outcome]:
    """Look at every rule and tell what crossed. RulesError for a rule that names what does not exist."""
    seen = [(rule, list(look(con, rule, now, sick))) for rule in rules]
    book = Book.of(con)
    found = []
    with States(home) as states:
        for rule, sights in seen:
            found += [_one(states, rule, sight, now, tell, book) for sight in sights]
            if not sights:
                found.append(Outcome(rule.name, rule.kind, "", "nothing", ""))
    return found


def _one(states: States, rule: Rule, sight: Sight, now: datetime, tell: Teller, book: Book) -> Outcome:
    before = states.get(rule.name, sight.subject)

    def ended(outcome: str, state: str, title: str = "", body: str = "", told: bool = False) -> Outcome:
        states.put(rule.name, sight.subject, state, sight.value, now, told)
        return Outcome(rule.name, rule.kind, sight.subject, outcome, sight.value, title, body)

    if before.state == FIRED:
        return ended("armed", ARMED) if sight.clear else ended("fired", FIRED)
    if not sight.over:
        return ended("armed", ARMED)
    if not before.known and not sight.first_is_news:
        return ended("fired", FIRED)
    if before.told_at is not None and now - before.told_at < rule.quiet:
        return ended("quiet", ARMED)
    title, body = message(rule, sight, book)
    # Told from here on, whatever becomes of this process.
    states.put(rule.name, sight.subject, SENDING, sight.value, now, told=True)
    if tell(title, body):
        return ended("told", FIRED, title, body, told=True)
    states.forget_telling(rule.name, sight.subject, before.told_at, now)
    return Outcome(rule.name, rule.kind, sight.subject, "not_told", sight.value, title, body)
