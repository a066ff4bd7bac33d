"""The sizing room's plans as fit asks for them, for one job: its data, its hours, its own finished runs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from math import ceil
from typing import Any

from reports.fit.job import Job, JobError
from reports.fit.pace import on_host
from reports.fit.use import Footprint, Good, Shape, Use
from reports.fit.ways import PlanTable, Way, shared
from sizing import cards as card_table
from sizing import plan, workload
from sizing.errors import SizingError
from sizing.host import trained_params
from sizing.runs import Measured, Run, of_work
from sizing.task import Task, parse
from sizing.units import GB
from sizing.workload import Workload

BYTES_PER_PARAM = 2.0
HCCS_GB_S = 150  # from here on the NPUs of a machine are linked to each other
CARD_NOTES = ("no card", "cards not given")  # of a task read without a card, to say what the job is


@dataclass(slots=True)
class SizingPlanner:
    """Plans of one job. JobError when sizing cannot read the job at all."""

    job: Job
    workload: Workload
    task: Task  # as read without a card
    table: PlanTable
    _uses: dict[tuple[Good, int, int], Use | None] = field(default_factory=dict)
    _footprint: Footprint | None = None
    work: float = 0.0  # tokens that go through the model, evaluation included

    @classmethod
    def of(cls, job: Job, own: Iterable[Run] = ()) -> SizingPlanner:
        """The planner of a job, corrected by the `own` runs of its model and method.

        JobError names the workload and what sizing makes of it.
        """
        try:
            found = workload.parse({**_floats(job.task), "name": job.name})
            task = parse({**found.task(cards=1), "tp": None, "pp": None})
        except SizingError as error:
            raise JobError(f"{job.name}: {error}") from None
        table = shared(found, of_work(own, task))
        return cls(job, found, task, table, work=found.trained_tokens * (1 + plan.EVALUATION_SHARE))

    @property
    def footprint(self) -> Footprint:
        """Weights at two bytes a parameter, the newest two checkpoints, and what is taken home."""
        if self._footprint is None:
            task = self.task
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
        if way is None:
            return None
        p50, p90 = self._seconds(way)
        return Use(
            cards,
            nodes,
            way.strategy,
            ceil(p50),
            ceil(p90),
            way.cpu_ram_gib,
            on_host(way.strategy),
            self._counts_on_nvlink(good, cards, nodes),
            way.peak_gib_p90,
            way.usable_gib,
            _own_runs(way.measured),
        )

    def _counts_on_nvlink(self, good: Good, cards: int, nodes: int) -> bool:
        """Whether the pace takes cards as linked that may as well be PCIe ones."""
        facts = card_table.get(good.card, good.form)
        several = cards > nodes and self.workload.method != "inference"
        return several and facts.nvswitch and not facts.is_npu and facts.form is None

    def _seconds(self, way: Way) -> tuple[float, float]:
        if self.workload.method == "inference":
            hours = (self.workload.hours or 0.0) * 3600
            return hours, hours
        return tuple(way.fixed_s + self.work / rate for rate in (way.tokens_per_s_p50, way.tokens_per_s_p10))  # type: ignore[return-value]

    def requirement(self) -> dict[str, Any]:
        """Model, method and lengths as sizing read them."""
        task = self.task
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
            ways = [
                (name, self.table.way(Good(name, None), cards, nodes))
                for name in sorted(names)
                if nodes == 1 or _clustered(Good(name, None))
            ]
            fitting = [
                (name, way)
                for name, way in ways
                if way is not None and (leaning or not on_host(way.strategy))
            ]
            if fitting:
                name, best = min(fitting, key=lambda row: (row[1].usable_gib, row[0]))
                return {
                    "card": name,
                    "cards": cards,
                    "nodes": nodes,
                    "strategy": best.strategy,
                    "peak_gib_p90": round(best.peak_gib_p90, 1),
                    "host_ram_gib": round(best.cpu_ram_gib),
                    "hours_p90": round(self._seconds(best)[1] / 3600, 2),
                }
        return None


def _clustered(good: Good) -> bool:
    """Is the card built into machines that come with a network of its own class (NVSwitch, HCCS)?"""
    facts = card_table.get(good.card, good.form)
    return facts.nvlink_gb_s >= HCCS_GB_S and facts.form != "PCIE" if facts.is_npu else facts.nvswitch


def _own_runs(own: Measured) -> Mapping[str, Any] | None:
    """What own runs moved, for the answer: by how much, and how many they were."""
    found = {"memory": own.memory, "speed": own.speed}
    told = {
        name: {"factor": round(it.factor, 3), "runs": it.runs} for name, it in found.items() if it is not None
    }
    return told or None


def _floats(value: Any) -> Any:
    """Sizing counts in floats: every Decimal of a task, in a config too, as a float."""
    if isinstance(value, Decimal):
        return float(value)
    if isinstance(value, Mapping):
        return {key: _floats(item) for key, item in value.items()}
    return [_floats(item) for item in value] if isinstance(value, list | tuple) else value
