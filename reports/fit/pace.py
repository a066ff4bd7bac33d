"""A pace that no plan of the sizing room passes: what lets the search leave most ways unplanned.

It follows the planner's ladder of layouts (data parallel, ZeRO-2, ZeRO-3, Megatron where cards are linked,
offload last) with everything else at its best: the micro-batch as asked, nothing squeezed. A test holds it
against the plans of every method, model and card it can meet.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from reports.fit.use import Good
from sizing import cards as card_table
from sizing import profiles, speed
from sizing.cards import CardFacts
from sizing.task import Task, parse
from sizing.units import GIB
from sizing.workload import Workload

SLACK = 1.01  # for what rounds inside the speed model
WEIGHT_BYTES = 2.0
LEAST_QUANT_BYTES = 0.5


def on_host(strategy: str) -> bool:
    """Whether a plan keeps states or weights in host memory."""
    return "offload" in strategy


def task_on(unit: Workload, good: Good, cards: int = 1, nodes: int = 1, *, free_layout: bool = False) -> Task:
    """The job on so many cards of a kind, as the planner starts from it.

    `free_layout` leaves tensor and pipeline sizes that were asked for aside. SizingError where the card or
    the layout is unfit.
    """
    card = card_table.get(good.card, good.form)
    raw = {"grad_checkpoint": True, "flash_attn": True, **unit.task(cards=cards, nodes=nodes)}
    if unit.method == "qlora":
        raw.setdefault("quant", "nf4")
    return parse({**raw, "tp": None, "pp": None} if free_layout else raw, card)


def fastest(task: Task) -> float:
    """Tokens a second of one card that never waits for another, in the quickest framework it may run in."""
    assert task.card is not None
    if task.method == "inference":
        return float("inf")
    alone = replace(task, zero="0", offload="none")
    ways = [alone, replace(alone, profile=profiles.load()["megatron"])] if _linked(task) else [alone]
    return SLACK * max(speed.training_speed(way, task.card).tokens_per_s for way in ways)


def _linked(task: Task) -> bool:
    """Whether Megatron layouts are tried: every card of a machine linked to every other."""
    assert task.card is not None
    return task.trains_all and not task.quant and (task.card.nvswitch or task.card.is_npu)


def quickest(card: CardFacts, ways: Sequence[Task]) -> float:
    """Tokens a second and card, at best, of a training task laid out in any of these `ways`."""
    return SLACK * max(speed.training_speed(way, card).tokens_per_s / way.cards for way in ways)


def whole(task: Task) -> bool:
    """Whether the card may hold the model by itself."""
    bytes_each = LEAST_QUANT_BYTES if task.quant else WEIGHT_BYTES
    return task.visible_gib is None or bytes_each * task.model.params <= task.visible_gib * GIB


def fast_ways(task: Task, cards: int, nodes: int, *, held: bool) -> list[Task]:
    """Layouts on so many cards of which one is as fast as any plan; the same for all cards of a class."""
    here = replace(task, cards=cards, nodes=nodes, zero="0", offload="none")
    if cards == 1:
        return [here if held else replace(here, zero="3", offload="cpu")]
    found = [replace(here, zero="3")]
    if held:
        found.append(here if not task.trains_all else replace(here, zero="2"))
    if _linked(task):
        found.append(replace(task, zero="0", offload="none", profile=profiles.load()["megatron"]))
    return found
