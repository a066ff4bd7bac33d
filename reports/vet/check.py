"""One comparison of what was sold with what the text says, and the words it is told in."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from reports.vet.facts import Product
from reports.vet.machine import Gpu, Machine
from reports.vet.sold import Sold, Verdict

DIFFERS, SUSPECT = "differs", "suspect"


@dataclass(frozen=True, slots=True)
class Check:
    """One comparison. `ok` is None where the text does not say; `weight` is what a failure means."""

    name: str
    expected: str | None
    found: str | None
    ok: bool | None
    weight: str
    note: str = ""


def as_json(check: Check) -> dict[str, Any]:
    """One check as JSON; `note` only where there is something to say."""
    row: dict[str, Any] = {
        "name": check.name,
        "expected": check.expected,
        "found": check.found,
        "ok": check.ok,
    }
    if check.note:
        row["note"] = check.note
    return row


@dataclass(frozen=True, slots=True)
class Case:
    """A machine, what was sold, and what each card is."""

    machine: Machine
    sold: Sold
    verdicts: tuple[Verdict, ...]

    @property
    def gpus(self) -> list[Gpu]:
        return self.machine.gpus

    def fitting(self, verdict: Verdict) -> set[Product]:
        """What a card has to be compared with: the product it says it is, where that one was sold."""
        return set(verdict.products) & set(self.sold.products) or set(self.sold.products)


def all_true(answers: Iterable[bool | None]) -> bool | None:
    known = list(answers)
    if False in known:
        return False
    return None if None in known or not known else True


def words(values: Iterable[object]) -> str | None:
    counts = Counter(str(value) for value in values if value is not None)
    if not counts:
        return None
    return ", ".join(value if len(counts) == 1 else f"{value} ×{n}" for value, n in sorted(counts.items()))


def one_of(values: Iterable[object]) -> str | None:
    words = list(dict.fromkeys(str(value) for value in values if value is not None))
    return " or ".join(words) or None
