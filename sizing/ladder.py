"""The cheapest-change ladder: what to change, in order of what it costs, until a task fits its cards.

micro-batch → checkpointing → fused loss → 8-bit Adam → QLoRA → ZeRO-2 → ZeRO-3 → offload → more cards → TP.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from sizing import profiles
from sizing.estimate import high, peak_of, usable_gib
from sizing.host import host
from sizing.task import Task
from sizing.units import GIB

Change = Callable[[Task], Task | None]


@dataclass(frozen=True)
class Step:
    """One change: what it is in words and the task after it."""

    words: str
    task: Task


def fits(task: Task) -> bool:
    """Whether the p90 stays within the usable memory (False where the card is unknown)."""
    usable = usable_gib(task)
    return usable is not None and high(task, peak_of(task).peak / GIB, usable)[0] <= usable


def smaller_batch(task: Task) -> Step | None:
    """Micro-batch 1, the global batch kept by accumulation; sequences alone cannot shrink."""
    size = task.micro_batch
    if size <= 1 or task.method == "inference":
        return None
    best = None
    while size > 1:
        size //= 2
        best = replace(task, micro_batch=size, grad_accum=task.grad_accum * task.micro_batch // size)
        if fits(best):
            break
    return Step(f"micro-batch {size} x {best.grad_accum} accumulation", best) if best else None


def checkpointing(task: Task) -> Step | None:
    if task.checkpoint == "true" or task.method == "inference":
        return None
    return Step("gradient checkpointing", replace(task, checkpoint="true"))


def fused_loss(task: Task) -> Step | None:
    if task.loss == "fused" or task.method == "inference":
        return None
    return Step("fused loss (Liger)", replace(task, loss="fused"))


def small_adam(task: Task) -> Step | None:
    if not task.trains_all or task.optimizer not in ("adamw", "adamw-fused", "paged-adamw") or _npu(task):
        return None
    return Step("8-bit Adam", replace(task, optimizer="adamw-8bit"))


def quantised(task: Task) -> Step | None:
    if task.method != "lora" or _npu(task):
        return None
    return Step("QLoRA (nf4)", replace(task, method="qlora", quant="nf4"))


def served_in_4bit(task: Task) -> Step | None:
    if task.method != "inference" or task.quant or _npu(task):
        return None
    return Step("4-bit weights (AWQ or GPTQ)", replace(task, quant="int4"))


def zero(stage: str) -> Change:
    """The ZeRO stage as a change; LoRA gains nothing before stage 3."""

    def change(task: Task) -> Task | None:
        if task.method == "inference" or task.cards < 2 or task.tp * task.pp > 1 or not task.zero.isdigit():
            return None
        if int(task.zero) >= int(stage) or (stage == "2" and not task.trains_all):
            return None
        return replace(task, zero=stage)

    return change


def offload(kind: str) -> Change:
    """Optimizer states, then weights too, to host memory."""

    def change(task: Task) -> Task | None:
        if task.method == "inference" or task.offload in (kind, "cpu") or task.tp * task.pp > 1:
            return None
        if kind == "optimizer" and not task.trains_all:
            return None
        stage = "3" if kind == "cpu" else ("2" if task.zero in ("0", "1") else task.zero)
        return replace(task, offload=kind, zero=stage)

    return change


def _npu(task: Task) -> bool:
    return task.card is not None and task.card.is_npu


def _named(words: str, change: Change) -> Callable[[Task], Step | None]:
    def step(task: Task) -> Step | None:
        after = change(task)
        return Step(words, after) if after is not None else None

    return step


RUNGS: tuple[Callable[[Task], Step | None], ...] = (
    smaller_batch,
    checkpointing,
    fused_loss,
    small_adam,
    served_in_4bit,
    quantised,
    _named("ZeRO-2", zero("2")),
    _named("ZeRO-3", zero("3")),
    _named("optimizer offload to host memory", offload("optimizer")),
    _named("weights and optimizer offload to host memory (ZeRO-3)", offload("cpu")),
)


def more_cards(task: Task) -> Iterator[Step]:
    """2 … 64 cards: adapters by ZeRO-3 where one card cannot hold the base, full training by ZeRO-3,
    serving by TP."""
    for count in (2, 4, 8, 16, 32, 64):
        if count <= task.cards:
            continue
        nodes = max(1, count // 8)
        if task.method == "inference":
            yield Step(f"{count} cards, tensor parallel", replace(task, cards=count, nodes=nodes, tp=1, pp=1))
        else:
            after = replace(task, cards=count, nodes=nodes, zero="3", offload="none", tp=1, pp=1)
            yield Step(f"{count} cards with ZeRO-3", after)


def tensor_parallel(task: Task) -> Step | None:
    """Megatron's tensor parallel over the cards of a node."""
    if task.cards < 2 or task.method == "inference" or task.quant or task.tp * task.pp > 1:
        return None
    tp = min(8, task.cards)
    if task.cards % tp or task.model.heads % tp:
        return None
    after = replace(task, tp=tp, zero="1", offload="none", profile=profiles.load()["megatron"])
    return Step(f"tensor parallel {tp} (Megatron)", after)


def smallest_change(task: Task) -> str | None:
    """The cheapest change, or chain of changes, after which the task fits; None when it fits or nothing
    helps."""
    if task.visible_gib is None or fits(task):
        return None
    rungs = [*RUNGS, tensor_parallel]
    for rung in rungs:
        step = rung(task)
        if step is not None and fits(step.task):
            return step.words + _host_note(step.task)
    current = task
    taken: list[str] = []
    for rung in (smaller_batch, checkpointing, fused_loss):
        step = rung(current)
        if step is not None:
            current, taken = step.task, [*taken, step.words]
            if fits(current):
                return " + ".join(taken)
    for tail in (RUNGS[3:], ()):
        base, names = current, list(taken)
        for rung in tail:
            step = rung(base)
            if step is not None:
                base, names = step.task, [*names, step.words]
                if fits(base):
                    return " + ".join(_last_zero(names)) + _host_note(base)
        for step in more_cards(current):
            if fits(step.task):
                return " + ".join([*taken, step.words])
    return None


def _host_note(task: Task) -> str:
    return f" ({host(task).cpu_ram_gib:,.0f} GiB of host memory)" if task.offload != "none" else ""


def _last_zero(names: list[str]) -> list[str]:
    """Of several ZeRO stages and offloads in a chain only the last of each is said."""
    kept = [n for n in names if not n.startswith("ZeRO-")]
    stages = [n for n in names if n.startswith("ZeRO-")]
    loads = [n for n in kept if "offload" in n]
    kept = [n for n in kept if n not in loads[:-1]]
    if stages and not (loads and "ZeRO-3" in loads[-1]):
        kept.append(stages[-1])
    return kept
