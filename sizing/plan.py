"""Workload → plans: per card and count the least sharded strategy that fits, its hours and its needs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from sizing import cards as card_table
from sizing import profiles
from sizing.cards import CardFacts
from sizing.errors import SizingError
from sizing.estimate import Estimate, estimate
from sizing.host import host
from sizing.ladder import Step, checkpointing, fits, fused_loss, small_adam, smaller_batch, smallest_change
from sizing.task import Task, parse
from sizing.workload import Workload

NODE_SIZES = (1, 2, 4, 8)
RAM_GIB_PER_CARD = 128.0  # host memory of rented machines per card at most; offload beyond it is no plan
EVALUATION_SHARE = 0.03  # of the training time, a pass over a held-out tenth at each epoch


@dataclass(frozen=True)
class Plan:
    """How a workload runs on `cards` cards of one kind. GiB per card, tokens/s of all cards, whole hours."""

    card: str
    cards: int
    nodes: int
    cards_per_node: int
    strategy: str
    peak_gib_p50: float
    peak_gib_p90: float
    usable_gib: float | None
    verdict: str
    tokens_per_s_p10: float
    tokens_per_s_p50: float
    tokens_per_s_p90: float
    hours_p10: float
    hours_p50: float
    hours_p90: float
    cpu_ram_gib: float
    disk_gib: float
    assumptions: tuple[str, ...]
    smallest_change: str | None = None


def counts(max_cards: int, node_sizes: Iterable[int] = NODE_SIZES) -> list[tuple[int, int]]:
    """(cards, nodes) to try: every machine size, then whole machines of the largest size."""
    sizes = sorted({n for n in node_sizes if n >= 1})
    if not sizes or max_cards < 1:
        raise SizingError("node_sizes and max_cards must be at least 1")
    found = [(n, 1) for n in sizes if n <= max_cards]
    nodes = 2
    while nodes * sizes[-1] <= max_cards:
        found.append((nodes * sizes[-1], nodes))
        nodes += 1 if nodes < 4 else nodes // 2
    return found


def layouts(task: Task) -> Iterator[Step]:
    """Ways to spread a task over its cards, least sharded first."""
    if task.method == "inference":
        yield from serving(task)
    elif task.cards == 1:
        yield Step("one card", replace(task, zero="0"))
    elif not task.trains_all:
        yield Step("DDP", replace(task, zero="0"))
        yield Step("ZeRO-3", replace(task, zero="3"))
    else:
        if (
            task.model.experts is not None
        ):  # ZeRO-3 gathers every expert for every token: expert parallel first
            yield from megatron(task)
        yield Step("ZeRO-2", replace(task, zero="2"))
        yield Step("ZeRO-3", replace(task, zero="3"))
        if task.model.experts is None:
            yield from megatron(task)


def serving(task: Task) -> Iterator[Step]:
    """Tensor parallel over the cards of a machine, pipeline stages over machines."""
    if task.cards == 1:
        yield Step("one card", task)
        return
    tp = task.cards // task.nodes
    if task.model.heads % tp == 0:
        words = f"tensor parallel {tp}" + (f" x {task.nodes} stages" if task.nodes > 1 else "")
        yield Step(words, replace(task, tp=tp, pp=task.nodes))


def megatron(task: Task) -> Iterator[Step]:
    """Tensor and pipeline parallel; only where every card of a node is linked to every other."""
    linked = task.card is not None and (task.card.nvswitch or task.card.is_npu)
    if not linked or task.quant:
        return
    profile = profiles.load()["megatron"]
    for tp in (2, 4, 8):
        for pp in (1, 2, 4, 8):
            if tp * pp <= task.cards and task.cards % (tp * pp) == 0 and task.model.heads % tp == 0:
                words = f"Megatron TP {tp}" + (f" PP {pp}" if pp > 1 else "")
                yield Step(words, replace(task, tp=tp, pp=pp, zero="1", profile=profile))


def offloads(task: Task) -> Iterator[Step]:
    """What is left when nothing else fits: states in host memory, as far as a rented machine has it."""
    if task.method == "inference" or (task.quant and task.cards == 1):
        return
    ways = []
    if task.trains_all:
        ways.append(
            Step("optimizer offload", replace(task, zero="2" if task.cards > 1 else "0", offload="optimizer"))
        )
    if task.trains_all and task.cards > 1:
        ways.append(Step("ZeRO-3 + optimizer offload", replace(task, zero="3", offload="optimizer")))
    ways.append(Step("ZeRO-3 + full offload", replace(task, zero="3", offload="cpu")))
    for way in ways:
        if host(way.task).cpu_ram_gib <= RAM_GIB_PER_CARD * task.cards / task.nodes:
            yield way


def squeezed(task: Task, free: Mapping[str, bool]) -> Iterator[Step]:
    """The task as asked, then with the cheap changes the workload leaves open, one upon the other."""
    yield Step("", task)
    current, words = task, ""
    for name, rung in (
        ("micro_batch", smaller_batch),
        ("grad_checkpoint", checkpointing),
        ("loss_kernel", fused_loss),
        ("optimizer", small_adam),
    ):
        step = rung(current) if free[name] else None
        if step is not None:
            current, words = step.task, f"{words}, {step.words}"
            yield Step(words, current)


def best_layout(task: Task, free: Mapping[str, bool]) -> Step | None:
    """The first of layouts × cheap changes that fits; offload only when no layout does."""
    for spread in (layouts, offloads):
        for way in spread(task):
            for small in squeezed(way.task, free):
                if fits(small.task):
                    return Step(way.words + small.words, small.task)
    return None


def describe(step: Step) -> str:
    """The strategy in words: method, layout, micro-batch."""
    task = step.task
    method = {"qlora": f"QLoRA {task.quant}", "lora": "LoRA", "full": "full", "pretrain": "pretrain"}.get(
        task.method
    )
    if task.method == "inference":
        weights = task.quant or task.precision
        return f"serve {weights}, {step.words}, {task.concurrency} sequences"
    parts = [str(method), step.words]
    if "micro-batch" not in step.words:
        parts.append(f"micro-batch {task.micro_batch}")
    if task.checkpoint == "true" and "checkpointing" not in step.words:
        parts.append("checkpointing")
    return ", ".join(parts)


def _hours(workload: Workload, found: Estimate) -> tuple[float, float, float]:
    if workload.method == "inference":
        asked = workload.hours or 0.0
        return asked, asked, asked
    assert found.tokens_per_s_p10 and found.tokens_per_s_p50 and found.tokens_per_s_p90
    fixed = (found.host.load_s + found.host.save_s * max(1.0, workload.epochs)) / 3600
    work = workload.trained_tokens * (1.0 + EVALUATION_SHARE) / 3600
    fast, middle, slow = (
        fixed + work / r for r in (found.tokens_per_s_p90, found.tokens_per_s_p50, found.tokens_per_s_p10)
    )
    return fast, middle, slow


def _plan(workload: Workload, step: Step, verdict: str | None = None) -> Plan:
    found = estimate(step.task, dataset_gb=workload.dataset_gb)
    assert step.task.card is not None
    fast, middle, slow = _hours(workload, found)
    task = step.task
    return Plan(
        task.card.name if task.card else "",
        task.cards,
        task.nodes,
        task.cards // task.nodes,
        describe(step),
        found.peak_gib_p50,
        found.peak_gib_p90,
        found.usable_gib,
        verdict or found.verdict or "does_not_fit",
        found.tokens_per_s_p10 or 0.0,
        found.tokens_per_s_p50 or 0.0,
        found.tokens_per_s_p90 or 0.0,
        fast,
        middle,
        slow,
        found.host.cpu_ram_gib,
        found.host.disk_gib,
        (*workload.assumptions, *found.assumptions),
        None if found.fits else smallest_change(task),
    )


def _base(workload: Workload, card: CardFacts, cards: int, nodes: int) -> Task:
    notes: list[str] = []
    raw: dict[str, Any] = workload.task(cards=cards, nodes=nodes)
    raw.setdefault("grad_checkpoint", True)
    raw.setdefault("flash_attn", True)
    if workload.method == "qlora":
        raw.setdefault("quant", "nf4")
    task = parse(raw, card, notes)
    return replace(task, length_assumed=False)


def _free(workload: Workload) -> dict[str, bool]:
    pinned = workload.pinned
    return {
        "micro_batch": workload.micro_batch is None,
        "grad_checkpoint": "grad_checkpoint" not in pinned,
        "loss_kernel": "loss_kernel" not in pinned,
        "optimizer": "optimizer" not in pinned,
    }


def plan_on(workload: Workload, card: CardFacts, cards: int, nodes: int = 1) -> Plan:
    """The plan on exactly this many cards: the one that fits, or the least bad with what would make it fit.

    Raises SizingError where the card cannot do the work at all (bf16 on a V100, QLoRA on an NPU, ...).
    """
    task = _base(workload, card, cards, nodes)
    step = best_layout(task, _free(workload))
    if step is not None:
        return _plan(workload, step)
    last = Step("one card" if cards == 1 else "no layout fits", task)
    for way in layouts(task):
        for small in squeezed(way.task, _free(workload)):
            last = Step(way.words + small.words, small.task)
    return _plan(workload, last)


def plans(
    workload: Workload,
    cards: Iterable[str],
    *,
    max_cards: int = 64,
    node_sizes: Iterable[int] = NODE_SIZES,
    failures: bool = False,
) -> list[Plan]:
    """Plans for every named card and every count of `counts(max_cards, node_sizes)` on which the workload
    fits.

    Ordered by card, then count. Cards that cannot do the work are left out (`refusals` says why); with
    `failures` the largest count of a card that never fits is returned too, its verdict `tight` or
    `does_not_fit` and the smallest change that would fit. SizingError for a card that nobody knows.
    """
    sizes = tuple(node_sizes)
    found: list[Plan] = []
    for card in [card_table.get(name) for name in dict.fromkeys(cards)]:
        try:
            mine = [plan_on(workload, card, n, nodes) for n, nodes in counts(max_cards, sizes)]
        except SizingError:
            continue
        fitting = [p for p in mine if p.verdict == "fits"]
        found += fitting or (mine[-1:] if failures else [])
    return found


def minimum(
    workload: Workload, card: str, *, max_cards: int = 64, node_sizes: Iterable[int] = NODE_SIZES
) -> Plan | None:
    """The plan with the fewest cards of a kind, or None when none fits. SizingError where the card is unfit
    as such.

    Offload to host memory counts only where no number of cards does without it.
    """
    facts = card_table.get(card)
    offloaded = None
    for n, nodes in counts(max_cards, tuple(node_sizes)):
        plan = plan_on(workload, facts, n, nodes)
        if plan.verdict == "fits" and "offload" not in plan.strategy:
            return plan
        if plan.verdict == "fits":
            offloaded = offloaded or plan
    return offloaded


def refusals(workload: Workload, cards: Iterable[str]) -> dict[str, str]:
    """Cards that cannot do the work at all, each with the reason in a sentence."""
    found = {}
    for name in dict.fromkeys(cards):
        try:
            _base(workload, card_table.get(name), 1, 1)
        except SizingError as error:
            found[name] = str(error)
    return found
