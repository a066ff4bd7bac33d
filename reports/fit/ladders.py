"""The planner's ladder of layouts, climbed once for all cards of a class.

What a layout needs of a card does not depend on how much memory the card has, so the first rung that fits a
card is found among rungs that other cards have climbed before. A test holds it against the planner's own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import NamedTuple

from sizing import plan
from sizing.estimate import need_spread, peak_of
from sizing.ladder import Step, smaller_batch
from sizing.profiles import Profile
from sizing.task import Task
from sizing.units import GIB


class Rung(NamedTuple):
    """A layout and the p90 of what it needs of a card, GiB."""

    need_gib: float
    step: Step


class Ladder:
    """Layouts of a task on so many cards, the least sharded and least squeezed first."""

    def __init__(self, task: Task, free: Mapping[str, bool]) -> None:
        self._known: list[Rung] = []
        self._more = _rungs(replace(task, visible_gib=None), free)

    def first(self, usable_gib: float, factor_of: Callable[[Profile], float]) -> Step | None:
        """The first layout that fits; `factor_of`: measured over estimated memory in a framework."""
        for rung in self._climb():
            if rung.need_gib * factor_of(rung.step.task.profile) <= usable_gib:
                return rung.step
        return None

    def _climb(self) -> Iterator[Rung]:
        yield from self._known
        for rung in self._more:
            self._known.append(rung)
            yield rung


def _rungs(task: Task, free: Mapping[str, bool]) -> Iterator[Rung]:
    for spread in (plan.layouts, plan.offloads):
        for way in spread(task):
            for small in _squeezed(way.task, free):
                need = peak_of(small.task).peak / GIB * need_spread(small.task)
                yield Rung(need, Step(way.words + small.words, small.task))


def _squeezed(task: Task, free: Mapping[str, bool]) -> Iterator[Step]:
    """The planner's cheap changes, with the batches between as asked and one that it tries on the way."""
    whole, *changed = plan.squeezed(task, free)
    yield whole
    roomy = replace(task, visible_gib=float("inf"))  # halves once, as the first half fits
    while free["micro_batch"] and (step := smaller_batch(roomy)) is not None and step.task.micro_batch > 1:
        roomy = step.task
        yield Step(f", {step.words}", replace(roomy, visible_gib=None))
    yield from changed
