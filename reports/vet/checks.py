"""The questions asked of a machine; the verdict follows from which of them fail."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from reports.vet import identity, signs
from reports.vet.check import DIFFERS, SUSPECT, Case, Check
from reports.vet.machine import Machine
from reports.vet.sold import Sold, identify

QUESTIONS: tuple[Callable[[Case], Iterable[Check]], ...] = (
    identity.count,
    identity.name,
    identity.form,
    identity.vram,
    identity.credible,
    identity.capability,
    identity.device,
    signs.power,
    signs.ecc,
    identity.partition,
    signs.interconnect,
    signs.pcie,
    signs.driver,
    signs.health,
    signs.text,
)


def examine(machine: Machine, sold: Sold) -> tuple[str, list[Check]]:
    """(`as_sold`, `differs` or `suspect`; every check made), for a machine with at least one card."""
    case = Case(machine, sold, tuple(identify(gpu) for gpu in machine.gpus))
    checks = [check for ask in QUESTIONS for check in ask(case)]
    failed = {check.weight for check in checks if check.ok is False}
    verdict = DIFFERS if DIFFERS in failed else SUSPECT if failed else "as_sold"
    if verdict == "as_sold" and next(c for c in checks if c.name == "name").ok is None:
        verdict = SUSPECT  # nothing contradicts, but the text never says that it is this card
    return verdict, checks
