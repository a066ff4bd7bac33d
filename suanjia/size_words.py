"""What `suanjia size` says to a person: one estimate in words, or the table of cards that would do."""

from __future__ import annotations

import io
from dataclasses import dataclass
from typing import Any

from sizing import cards as card_names
from sizing import plan, workload
from sizing.errors import SizingError
from sizing.estimate import Estimate
from sizing.plan import Plan
from sizing.words import word

VERDICTS = {
    "fits": "放得下 fits",
    "tight": "勉强 tight",
    "does_not_fit": "放不下 does not fit",
    None: "未判断 not judged",
}
PARTS = {
    "weights": "权重 weights",
    "gradients": "梯度 gradients",
    "optimizer": "优化器 optimizer states",
    "master": "主权重 fp32 master copy",
    "step_temporary": "更新步临时 step temporary",
    "adapters": "适配器 adapters",
    "trained_embeddings": "可训练嵌入 trained embeddings",
    "activations": "激活 activations",
    "logits": "对数几率 logits",
    "gathered": "临时聚合 gathered layers",
    "buffers": "通信缓冲 buffers",
    "overhead": "上下文 context and workspace",
    "fragmentation": "碎片 fragmentation",
    "kv_cache": "KV 缓存 KV cache",
    "elastic_reserve": "弹性保留 allocator reserve",
    "own_runs": "自有实测修正 own runs",
}
# A table for people shows the cards that are rented in China most; --card and --json reach all of them.
COMMON = tuple(
    "RTX4090 RTX4090D RTX4090-48G RTX5090 RTX3090 RTXPRO6000 L20 L40S L40 RTXA6000 A10 A30 A40 T4 V100-32G "
    "A100-40G A100-80G A800-80G H20-96G H20-141G H100-80G H800-80G H200 910B2 910B3 910B4 P40".split()
)
WORKLOAD_FIELDS = workload.KNOWN


@dataclass(frozen=True)
class Found:
    """Plans with the fewest cards, and why other cards are not among them."""

    job: workload.Workload
    plans: list[Plan]
    refused: dict[str, str]
    too_small: dict[str, str | None]


def card_table(raw: dict[str, Any], max_cards: int) -> Found:
    """The fewest cards of every common kind. SizingError where the workload itself is wrong."""
    given = {k: v for k, v in raw.items() if k in WORKLOAD_FIELDS}
    if extra := sorted(set(raw) - set(given)):
        raise SizingError(f"{', '.join('--' + e.replace('_', '-') for e in extra)} needs --card")
    if word("method", given.get("method")) != "inference" and not {"tokens", "samples"} & set(given):
        given["tokens"] = 1e6
    job = workload.parse(given)
    found, small = [], {}
    refused = plan.refusals(job, COMMON)
    for name in COMMON:
        if name in refused:
            continue
        best = plan.minimum(job, name, max_cards=max_cards)
        if best is not None:
            found.append(best)
        else:
            small[name] = plan.plan_on(job, card_names.get(name), min(8, max_cards)).smallest_change
    return Found(job, found, refused, small)


def _render(title: str, heads: list[tuple[str, bool]], rows: list[list[str]]) -> str:
    from rich.console import Console  # a tenth of a second that a line of JSON need not wait for
    from rich.table import Table

    table = Table(title=title)
    for head, right in heads:
        table.add_column(head, justify="right" if right else "left", overflow="fold")
    for row in rows:
        table.add_row(*row)
    out = io.StringIO()
    Console(file=out, width=150, force_terminal=False, color_system=None).print(table)
    return "\n".join(line.rstrip() for line in out.getvalue().splitlines())


HEADS = [
    ("卡 card", False),
    ("张 n", True),
    ("策略 strategy", False),
    ("峰值 peak GiB p50 / p90", True),
    ("可用 usable", True),
    ("tok/s", True),
    ("小时 hours p50 (p10–p90)", True),
    ("内存 RAM GiB", True),
]


def _row(p: Plan) -> list[str]:
    return [
        p.card,
        str(p.cards),
        p.strategy,
        f"{p.peak_gib_p50:.1f} / {p.peak_gib_p90:.1f}",
        f"{p.usable_gib:.1f}" if p.usable_gib else "?",
        f"{p.tokens_per_s_p50:,.0f}",
        f"{p.hours_p50:.2f} ({p.hours_p10:.2f}–{p.hours_p90:.2f})",
        f"{p.cpu_ram_gib:.0f}",
    ]


def table_words(found: Found) -> str:
    """The table of cards, then what was refused and what would make the rest fit."""
    job = found.job
    title = f"{job.name or job.model or 'model'} · {job.method} · {job.seq_len} tokens"
    ordered = sorted(found.plans, key=lambda p: (p.cards, p.hours_p50))
    text = [_render(title, HEADS, [_row(p) for p in ordered]) if ordered else "没有卡放得下 nothing fits"]
    text += [f"不适用 refused: {why}" for why in dict.fromkeys(found.refused.values())]
    for name, change in found.too_small.items():
        text.append(f"放不下 too small: {name}" + (f" (would fit with {change})" if change else ""))
    notes = dict.fromkeys([*job.assumptions, *(a for p in ordered[:1] for a in p.assumptions)])
    text += [f"假设 assumed: {note}" for note in notes]
    return "\n".join(text)


def estimate_words(found: Estimate, answer: dict[str, Any]) -> str:
    """One estimate for a person: verdict first, then the parts, the speed and everything that was assumed."""
    task = found.task
    where = f"{task.cards} x {task.card.name}" if task.card else f"{task.cards} card(s)"
    usable = "?" if found.usable_gib is None else f"{found.usable_gib:.1f}"
    head = (
        f"{task.model.name} ({task.model.params / 1e9:.2f} B) · {task.method} · {where}: "
        f"{VERDICTS[found.verdict]}\n"
        f"每卡峰值 peak per card: {found.peak_gib_p50:.1f} GiB (p90 {found.peak_gib_p90:.1f}), "
        f"可用 usable {usable} GiB"
    )
    text = [head]
    if change := answer.get("smallest_change"):
        text.append(f"最小改动 smallest change that fits: {change}")
    elif found.fits is False:
        text.append("没有改动放得下 no change we know makes it fit")
    for name, value in sorted(answer["parts"].items(), key=lambda kv: -kv[1]):
        text.append(f"  {PARTS.get(name, name):<36}{value:>9.2f} GiB")
    text.append(f"  峰值阶段 phase of the peak: {found.binding}")
    if found.tokens_per_s_p50:
        text.append(
            f"吞吐 tokens/s, all cards: {found.tokens_per_s_p50:,.0f} "
            f"({found.tokens_per_s_p10:,.0f} – {found.tokens_per_s_p90:,.0f})"
        )
    if "hours_p50" in answer:
        text.append(
            f"小时 hours: {answer['hours_p50']:.2f} ({answer['hours_p10']:.2f} – {answer['hours_p90']:.2f})"
        )
    text.append(
        f"主机内存 host RAM {found.host.cpu_ram_gib:.0f} GiB · 磁盘 disk {found.host.disk_gib:.0f} GiB"
    )
    text += [f"假设 assumed: {note}" for note in found.assumptions]
    return "\n".join(text)
