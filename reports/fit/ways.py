"""How a workload runs on so many cards of a kind: sizing's plans, each made once, behind a cheap bound.

A plan does not depend on how much data runs through it, so jobs that differ in data alone share a table.
Own runs (`runs.jsonl`) of the same model, method and framework move memory and pace as they move `size`.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial

from reports.fit.ladders import Ladder
from reports.fit.pace import fast_ways, fastest, quickest, task_on, whole
from reports.fit.use import Good
from sizing import cards as card_table
from sizing import plan, profiles
from sizing.errors import SizingError
from sizing.estimate import estimate, usable_gib
from sizing.host import host
from sizing.profiles import Profile
from sizing.runs import NOTHING_MEASURED, Measured, Run, apply, measured
from sizing.task import Task
from sizing.workload import Workload

UNIT_TOKENS = 1e9


@dataclass(frozen=True, slots=True)
class Way:
    """A plan that fits. GiB of a card (p50, p90, usable), tokens/s of all cards, host memory of a machine.

    `fixed_s`: the seconds that do not grow with the data; `measured`: what own runs moved, if any; `task`:
    how it is laid out.
    """

    strategy: str
    peak_gib_p50: float
    peak_gib_p90: float
    usable_gib: float
    tokens_per_s_p50: float
    tokens_per_s_p10: float
    cpu_ram_gib: float
    fixed_s: float
    measured: Measured
    task: Task


class PlanTable:
    """Paces and plans of jobs that differ in data alone."""

    def __init__(self, unit: Workload, own: Sequence[Run] = ()) -> None:
        self.unit = unit
        self.own = tuple(own)
        self.free = _free(unit)
        self.tasks: dict[Good, Task | None] = {}
        self.ideals: dict[Good, tuple[float, float]] = {}
        self.leasts: dict[tuple[Good, int, int], tuple[float, float]] = {}
        self.ways: dict[tuple[Good, int, int], Way | None] = {}
        self.ladders: dict[tuple[int, int, int], Ladder | None] = {}
        self.classes: dict[Good, int] = {}
        self.kinds: dict[tuple[Task, bool, bool], int] = {}
        self.fixed: dict[tuple[int, int, int], float] = {}
        self.fast: dict[tuple[int, int, int, bool], list[Task]] = {}
        self.corrections: dict[tuple[Good, str], Measured] = {}

    def task(self, good: Good) -> Task | None:
        """The job on one such card; None where the card cannot do the work at all."""
        if good not in self.tasks:
            try:
                self.tasks[good] = self._roomy(good, task_on(self.unit, good, free_layout=True))
            except SizingError:
                self.tasks[good] = None
        return self.tasks[good]

    def _roomy(self, good: Good, task: Task) -> Task:
        """The task with as much more room as own runs needed less memory, so that the bounds stay bounds."""
        memory = self.measured(good, task.profile).memory
        if memory is None or memory.factor >= 1 or task.visible_gib is None:
            return task
        return replace(task, visible_gib=task.visible_gib / memory.factor)

    def ideal(self, good: Good) -> tuple[float, float]:
        """(seconds to load and save, tokens a second) of one card that never waits for another."""
        if good not in self.ideals:
            task = self.task(good)
            assert task is not None
            self.ideals[good] = self._fixed(good, task, 1, 1), self._gain(good, task) * fastest(task)
        return self.ideals[good]

    def least(self, good: Good, cards: int, nodes: int) -> tuple[float, float]:
        """(seconds to load and save, tokens a second and card) that no plan on so many cards does better."""
        key = good, cards, nodes
        if key not in self.leasts:
            task = self.task(good)
            assert task is not None and task.card is not None
            rate = self._gain(good, task) * quickest(task.card, self._fast(good, task, cards, nodes))
            self.leasts[key] = self._fixed(good, task, cards, nodes), rate
        return self.leasts[key]

    def _fast(self, good: Good, task: Task, cards: int, nodes: int) -> list[Task]:
        held = whole(task)
        key = self._class(good), cards, nodes, held
        if key not in self.fast:
            self.fast[key] = fast_ways(task, cards, nodes, held=held)
        return self.fast[key]

    def _gain(self, good: Good, task: Task) -> float:
        """How much faster than estimated own runs were on this card, in whichever framework; 1 if not."""
        if not self.own:
            return 1.0
        speeds = [
            self.measured(good, profile).speed for profile in (task.profile, profiles.load()["megatron"])
        ]
        return max([1.0, *(speed.factor for speed in speeds if speed is not None)])

    def _fixed(self, good: Good, task: Task, cards: int, nodes: int) -> float:
        key = self._class(good), cards, nodes
        if key not in self.fixed:
            found = host(replace(task, cards=cards, nodes=nodes))
            self.fixed[key] = found.load_s + found.save_s * max(1.0, self.unit.epochs)
        return self.fixed[key]

    def measured(self, good: Good, profile: Profile) -> Measured:
        """What own runs say of this job on such cards in a framework."""
        if not self.own:
            return NOTHING_MEASURED
        key = good, profile.key
        if key not in self.corrections:
            # Two cards, so that a run on several is taken as sharded the way sizing shards by default.
            asked = task_on(self.unit, good, 2, free_layout=True)
            self.corrections[key] = measured(replace(asked, profile=profile, length_assumed=False), self.own)
        return self.corrections[key]

    def way(self, good: Good, cards: int, nodes: int) -> Way | None:
        """The plan on exactly so many cards; None where none fits."""
        key = good, cards, nodes
        if key not in self.ways:
            self.ways[key] = self._way(good, cards, nodes)
        return self.ways[key]

    def _way(self, good: Good, cards: int, nodes: int) -> Way | None:
        asked = self.task(good)
        if asked is None:
            return None
        card = card_table.get(good.card, good.form)
        ladder = self._ladder(good, cards, nodes)
        usable = usable_gib(replace(asked, cards=cards, visible_gib=card.visible_gib))
        if ladder is None or usable is None:
            return None
        step = ladder.first(usable, partial(self._needed, good))
        if step is None:
            return None
        own = self.measured(good, step.task.profile)
        found = apply(estimate(replace(step.task, card=asked.card, visible_gib=card.visible_gib)), own)
        if not found.fits:  # by a rounding of own runs
            return None
        return Way(
            plan.describe(step),
            found.peak_gib_p50,
            found.peak_gib_p90,
            usable,
            found.tokens_per_s_p50 or 0.0,
            found.tokens_per_s_p10 or 0.0,
            found.host.cpu_ram_gib,
            found.host.load_s + found.host.save_s * max(1.0, self.unit.epochs),
            own,
            found.task,
        )

    def _needed(self, good: Good, profile: Profile) -> float:
        """Measured over estimated memory in a framework; 1 without own runs."""
        memory = self.measured(good, profile).memory
        return 1.0 if memory is None else memory.factor

    def _ladder(self, good: Good, cards: int, nodes: int) -> Ladder | None:
        """The layouts on so many cards of a class; None where a layout that was asked for does not divide."""
        key = self._class(good), cards, nodes
        if key not in self.ladders:
            try:
                task = replace(task_on(self.unit, good, cards, nodes), length_assumed=False)
                self.ladders[key] = Ladder(task, self.free)
            except SizingError:
                self.ladders[key] = None
        return self.ladders[key]

    def _class(self, good: Good) -> int:
        """Cards of one class need the same memory: the same task, as linked, as able."""
        if good not in self.classes:
            task = self.task(good)
            assert task is not None and task.card is not None
            linked = task.card.nvswitch or task.card.is_npu
            bare = replace(task, card=None, visible_gib=None, assumptions=())
            kind = bare, linked, task.card.is_npu
            self.classes[good] = self.kinds.setdefault(kind, len(self.kinds))
        return self.classes[good]


def _free(unit: Workload) -> dict[str, bool]:
    """Which cheap changes the workload leaves to the planner."""
    pinned = {name: name in unit.pinned for name in ("grad_checkpoint", "loss_kernel", "optimizer")}
    return {"micro_batch": unit.micro_batch is None, **{name: not held for name, held in pinned.items()}}


@lru_cache(maxsize=256)
def _table(key: str) -> PlanTable:
    return PlanTable(*_UNITS.pop(key))


_UNITS: dict[str, tuple[Workload, Sequence[Run]]] = {}


def shared(found: Workload, own: Sequence[Run] = ()) -> PlanTable:
    """The table of a workload, shared by all that differ from it in data and limits alone."""
    unit = replace(
        found,
        name="",
        tokens=None if found.method == "inference" else UNIT_TOKENS / found.epochs,
        hours=1.0 if found.method == "inference" else None,
        dataset_gb=0.0,
        deadline_hours=None,
        budget_cny=None,
        regions=(),
        cards=(),
        billing_modes=(),
        interruptible=False,
        assumptions=(),
    )
    told = {name: getattr(unit, name) for name in unit.__dataclass_fields__}
    key = json.dumps([told, [repr(run) for run in own]], default=str, sort_keys=True)
    _UNITS[key] = unit, own
    table = _table(key)
    _UNITS.pop(key, None)
    return table
