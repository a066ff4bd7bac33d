"""The sizing room's plans as fit asks for them: lazily, each way once, behind a cheap bound.

A plan does not depend on how much data runs through it, so jobs that differ in data alone share theirs.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from functools import lru_cache
from math import ceil, inf
from typing import Any

from reports.fit.job import Job, JobError
from reports.fit.pace import fastest, on_host, quickest, task_on
from reports.fit.use import Footprint, Good, Shape, Use
from sizing import cards as card_table
from sizing import plan, workload
from sizing.errors import SizingError
from sizing.host import host, trained_params
from sizing.plan import Plan
from sizing.task import Task, parse
from sizing.units import GB
from sizing.workload import Workload

BYTES_PER_PARAM = 2.0
UNIT_TOKENS = 1e9
# No list price says what joins its machines; sizing counts on RDMA, so the buyer has to ask.
NETWORK = ", RDMA between the machines assumed"
CARD_NOTES = ("no card", "cards not given")  # of a task read without a card, to say what the job is


@dataclass(frozen=True, slots=True)
class Way:
    """A plan with the seconds of it that do not grow with the data."""

    plan: Plan
    fixed_s: float


class PlanTable:
    """Paces and plans of jobs that differ in data alone."""

    def __init__(self, unit: Workload) -> None:
        self.unit = unit
        self.tasks: dict[Good, Task | None] = {}
        self.ideals: dict[Good, tuple[float, float]] = {}
        self.leasts: dict[tuple[Good, int, int], tuple[float, float]] = {}
        self.ways: dict[tuple[Good, int, int], Way | None] = {}

    def task(self, good: Good) -> Task | None:
        """The job on one such card; None where the card cannot do the work at all."""
        if good not in self.tasks:
            try:
                self.tasks[good] = task_on(self.unit, good)
            except SizingError:
                self.tasks[good] = None
        return self.tasks[good]

    def ideal(self, good: Good) -> tuple[float, float]:
        """(seconds to load and save, tokens a second) of one card that never waits for another."""
        if good not in self.ideals:
            task = self.task(good)
            assert task is not None
            self.ideals[good] = self._fixed(task, 1, 1), fastest(task)
        return self.ideals[good]

    def _fixed(self, task: Task, cards: int, nodes: int) -> float:
        found = host(replace(task, cards=cards, nodes=nodes))
        return found.load_s + found.save_s * max(1.0, self.unit.epochs)

    def least(self, good: Good, cards: int, nodes: int) -> tuple[float, float]:
        """(seconds to load and save, tokens a second and card) that no plan on so many cards does better."""
        key = good, cards, nodes
        if key not in self.leasts:
            task = self.task(good)
            assert task is not None
            self.leasts[key] = self._fixed(task, cards, nodes), quickest(task, cards, nodes)
        return self.leasts[key]

    def way(self, good: Good, cards: int, nodes: int) -> Way | None:
        """The plan on exactly so many cards, fitting or the least bad; None where the card is unfit."""
        key = good, cards, nodes
        if key not in self.ways:
            self.ways[key] = self._way(good, cards, nodes)
        return self.ways[key]

    def _way(self, good: Good, cards: int, nodes: int) -> Way | None:
        try:
            found = plan.plan_on(self.unit, card_table.get(good.card, good.form), cards, nodes)
        except SizingError:
            return None
        if self.unit.method == "inference":
            return Way(found, 0.0)
        work = self.unit.trained_tokens * (1 + plan.EVALUATION_SHARE) / found.tokens_per_s_p50
        return Way(found, max(0.0, found.hours_p50 * 3600 - work))


@lru_cache(maxsize=256)
def _table(key: str) -> PlanTable:
    return PlanTable(_UNITS.pop(key))


_UNITS: dict[str, Workload] = {}


def _shared(found: Workload) -> PlanTable:
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
    key = json.dumps(
        {name: getattr(unit, name) for name in unit.__dataclass_fields__}, default=str, sort_keys=True
    )
    _UNITS[key] = unit
    table = _table(key)
    _UNITS.pop(key, None)
    return table


@dataclass(slots=True)
class SizingPlanner:
    """Plans of one job. JobError when sizing cannot read the job at all."""

    job: Job
    workload: Workload
    table: PlanTable
    _uses: dict[tuple[Good, int, int], Use | None] = field(default_factory=dict)
    _footprint: Footprint | None = None
    work: float = 0.0  # tokens that go through the model, evaluation included

    @classmethod
    def of(cls, job: Job) -> SizingPlanner:
        """The planner of a job; JobError names the workload and what sizing makes of it."""
        try:
            found = workload.parse({**_floats(job.task), "name": job.name})
            parse(found.task(cards=1))
        except SizingError as error:
            raise JobError(f"{job.name}: {error}") from None
        return cls(job, found, _shared(found), work=found.trained_tokens * (1 + plan.EVALUATION_SHARE))

    @property
    def footprint(self) -> Footprint:
        """Weights at two bytes a parameter, the newest two checkpoints, and what is taken home."""
        if self._footprint is None:
            task = parse(self.workload.task(cards=1))
            weights = BYTES_PER_PARAM * task.model.params / GB
            trained = BYTES_PER_PARAM * trained_params(task) / GB if task.method != "inference" else 0.0
            self._footprint = Footprint(weights, 2 * trained, trained)
        return self._footprint

    def counts(self, shape: Shape) -> Sequence[tuple[int, int]]:
        """The usual counts of a shape."""
        return shape.counts()

    def card_seconds(self, good: Good) -> float | None:
        """One card's load and save, and the work at the pace of one card that never waits for another."""
        if self.table.task(good) is None:
            return None
        if self.workload.method == "inference":
            return (self.workload.hours or 0.0) * 3600
        fixed, rate = self.table.ideal(good)
        return fixed + self.work / rate

    def bound(self, good: Good, cards: int, nodes: int) -> float | None:
        """Load, save and the work at a pace no plan on so many cards passes."""
        if self.table.task(good) is None:
            return None
        if self.workload.method == "inference":
            return (self.workload.hours or 0.0) * 3600
        fixed, rate = self.table.least(good, cards, nodes)
        return fixed + self.work / (rate * cards)

    def use(self, good: Good, cards: int, nodes: int) -> Use | None:
        """The plan on exactly so many cards, where its p90 fits the cards' memory."""
        key = good, cards, nodes
        if key not in self._uses:
            self._uses[key] = self._use(good, cards, nodes)
        return self._uses[key]

    def _use(self, good: Good, cards: int, nodes: int) -> Use | None:
        if nodes > 1 and not _clustered(good):
            return None
        way = self.table.way(good, cards, nodes)
        if way is None or way.plan.verdict != "fits":
            return None
        p50, p90 = self._seconds(way)
        strategy = way.plan.strategy + (NETWORK if nodes > 1 else "")
        return Use(cards, nodes, strategy, ceil(p50), ceil(p90), way.plan.cpu_ram_gib, on_host(strategy))

    def _seconds(self, way: Way) -> tuple[float, float]:
        if self.workload.method == "inference":
            hours = (self.workload.hours or 0.0) * 3600
            return hours, hours
        return tuple(
            way.fixed_s + self.work / rate for rate in (way.plan.tokens_per_s_p50, way.plan.tokens_per_s_p10)
        )  # type: ignore[return-value]

    def requirement(self) -> dict[str, Any]:
        """Model, method and lengths as sizing read them."""
        task = parse(self.workload.task(cards=1))
        return {
            "model": self.workload.model or task.model.name,
            "params": task.model.params,
            "method": self.workload.method,
            "seq_len": self.workload.seq_len,
            "trained_tokens": round(self.workload.trained_tokens) or None,
            "hours": self.workload.hours,
            "concurrency": self.workload.concurrency,
            "assumptions": [
                words
                for words in dict.fromkeys([*self.workload.assumptions, *task.assumptions])
                if not words.startswith(CARD_NOTES)
            ],
        }

    def smallest(self, goods: Sequence[Good]) -> Mapping[str, Any] | None:
        """The fewest and then smallest cards that run it: of the goods on sale, else of all known."""
        allowed = set(self.job.cards)
        on_sale = {good.card for good in goods if not allowed or good.card in allowed}
        for names in (on_sale, allowed, set(card_table.names())):
            for leaning in (False, True):
                found = self._smallest_of(names, leaning)
                if found is not None:
                    return found
        return None

    def _smallest_of(self, names: set[str], leaning: bool) -> Mapping[str, Any] | None:
        """`leaning`: plans that keep states in host memory count too."""
        for cards, nodes in plan.counts(64):
            ways = [(name, self.table.way(Good(name, None), cards, nodes)) for name in sorted(names)]
            fitting = [
                (name, way)
                for name, way in ways
                if way is not None
                and way.plan.verdict == "fits"
                and (leaning or not on_host(way.plan.strategy))
            ]
            if fitting:
                name, best = min(fitting, key=lambda row: (row[1].plan.usable_gib or inf, row[0]))
                return {
                    "card": name,
                    "cards": cards,
                    "nodes": nodes,
                    "strategy": best.plan.strategy,
                    "peak_gib_p90": round(best.plan.peak_gib_p90, 1),
                    "host_ram_gib": round(best.plan.cpu_ram_gib),
                    "hours_p90": round(self._seconds(best)[1] / 3600, 2),
                }
        return None


def _clustered(good: Good) -> bool:
    """Is the card built into machines that come with a network of its own class (NVSwitch, HCCS)?"""
    facts = card_table.get(good.card, good.form)
    return facts.nvswitch or facts.is_npu


def _floats(value: Any) -> Any:
    """Sizing counts in floats: every Decimal of a task, in a config too, as a float."""
    if isinstance(value, Decimal):
        return float(value)
    if isinstance(value, Mapping):
        return {key: _floats(item) for key, item in value.items()}
    return [_floats(item) for item in value] if isinstance(value, list | tuple) else value
