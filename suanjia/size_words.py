"""What `suanjia size` says to a person: one estimate in words, or the table of cards that would do."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal
from typing import Any
from unicodedata import east_asian_width

from sizing import cards as card_names
from sizing import plan, workload
from sizing.errors import SizingError
from sizing.estimate import Estimate
from sizing.plan import Plan
from sizing.task import parse
from sizing.words import word
from suanjia.grouped import legend, told_apart, told_below
from suanjia.wrapped import wrapped
from warehouse.textout import table

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
WORKLOAD_FIELDS = workload.KNOWN - {"cards"}  # there a list of names, here a number
PHASES = {
    "loss": "算损失 computing the loss",
    "backward": "反向传播 backward pass",
    "step": "参数更新 optimizer step",
    "decode": "解码 decoding",
}
TRIAL_TOKENS = 1e6  # what the hours of a table are for when no amount of data is told
_DEFAULTED = re.compile(r"(\w+) not given: (?:sized as )?(.+?)(?: assumed)?")


@dataclass(frozen=True)
class Found:
    """Plans with the fewest cards, and why other cards are not among them."""

    job: workload.Workload
    plans: list[Plan]
    refused: dict[str, str]
    too_small: dict[str, str | None]
    trial: bool = False  # the hours are for `TRIAL_TOKENS`, not for the user's data


def card_table(raw: dict[str, Any], max_cards: int) -> Found:
    """The fewest cards of every common kind. SizingError where the workload itself is wrong."""
    given = {k: v for k, v in raw.items() if k in WORKLOAD_FIELDS}
    if extra := sorted(set(raw) - set(given)):
        raise SizingError(f"{', '.join('--' + e.replace('_', '-') for e in extra)} needs --card")
    trial = word("method", given.get("method")) != "inference" and not {"tokens", "samples"} & set(given)
    if trial:
        given["tokens"] = TRIAL_TOKENS
    job = workload.parse(given)
    parse(job.task(cards=1), None, [])  # what is wrong with the job itself is no card's fault
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
    return Found(job, found, refused, small, trial)


_ENGLISH = {
    "张": "cards",
    "可用": "usable GiB of a card 每卡可用显存",
    "内存": "host memory, GiB 主机内存",
}
HOURS = "小时 h (p10–p90)"  # the column that a service has no use for: it runs as long as it is asked to


def _row(p: Plan) -> dict[str, Any]:
    return {
        "卡 card": p.card,
        "张": p.cards,
        "GiB/卡 p50/p90": f"{p.peak_gib_p50:.1f} / {p.peak_gib_p90:.1f}",
        "可用": Decimal(f"{p.usable_gib:.1f}") if p.usable_gib else None,
        "tok/s": round(p.tokens_per_s_p50),
        HOURS: f"{p.hours_p50:.2f} ({p.hours_p10:.2f}–{p.hours_p90:.2f})",
        "内存": round(p.cpu_ram_gib),
    }


def _rows(plans: list[Plan], serving: bool) -> list[str]:
    """The table, numbered, and below it each way to run with the cards that it is for."""
    lines = [{"#": place, **_row(p)} for place, p in enumerate(plans, 1)]
    heads = told_apart(lines, {HOURS: lambda _: serving})
    return [
        table(heads, [[line[name] for name in heads] for line in lines]),
        *told_below("做法 plan", ((place, p.strategy) for place, p in enumerate(plans, 1))),
        *legend(heads, _ENGLISH),
    ]


def _assumed(notes: Iterable[str]) -> list[str]:
    """Assumptions for a person: every default that stood in for a silent field on one line, then the rest."""
    defaults, rest = [], []
    for note in dict.fromkeys(notes):
        told = _DEFAULTED.fullmatch(note)
        if told:
            defaults.append(f"{told[1]} = {told[2]}")
        else:
            rest += wrapped("说明 note: ", note)
    return (wrapped("未给出，按默认 not given, assumed: ", "; ".join(defaults)) if defaults else []) + rest


def table_words(found: Found) -> str:
    """The table of cards, then what was refused and what would make the rest fit."""
    job = found.job
    serving = job.method == "inference"
    title = f"{job.name or job.model or 'model'} · {job.method} · {job.seq_len} tokens"
    ordered = sorted(found.plans, key=lambda p: (p.cards, p.hours_p50, -p.tokens_per_s_p50))
    text = [title, *_rows(ordered, serving)] if ordered else ["没有卡放得下 nothing fits"]
    if ordered:
        text += wrapped(
            "每种卡最少用几张：p90 不超过可用显存 ", "fewest cards of each kind: p90 within the usable memory"
        )
    if ordered and found.trial:
        text += wrapped(
            f"未给数据量：小时按 {TRIAL_TOKENS:,.0f} 词元 × {job.epochs:g} 轮算 ",
            f"no --tokens given: hours are for {TRIAL_TOKENS:,.0f} tokens x {job.epochs:g} epochs",
        )
    for why in dict.fromkeys(found.refused.values()):
        text += wrapped("不适用 refused: ", why)
    for name, change in found.too_small.items():
        text += wrapped("放不下 too small: ", name + (f" (would fit with {change})" if change else ""))
    text += _assumed([*job.assumptions, *(a for p in ordered[:1] for a in p.assumptions)])
    return "\n".join(text)


def _padded(text: str, width: int) -> str:
    """Left-aligned in `width` terminal columns, of which a Chinese character takes two."""
    return text + " " * (width - sum(2 if east_asian_width(c) in "WF" else 1 for c in text))


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
        text.append(f"  {_padded(PARTS.get(name, name), 36)}{value:>9.2f} GiB")
    text.append(f"  峰值出现在 the peak is reached while {PHASES.get(found.binding, found.binding)}")
    if found.task.method != "inference":
        text.append("  （各项不同时最大，不相加 parts are largest at different moments and do not add up）")
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
    text += _assumed(found.assumptions)
    return "\n".join(text)
