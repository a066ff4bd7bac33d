"""Training speed: FLOPs by method, attainable rate by card and framework, dequantisation, interconnect.

time of a micro-step = (launch³ + arithmetic³)^(1/3) + dequantisation + communication that does not overlap
(docs/sizing.md §4). Times in seconds, rates in FLOP/s, bandwidths in bytes/s.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import Any

from sizing.cards import CardFacts
from sizing.states import QUANT_BYTES, STATE_BYTES, lora_params, trained_embeddings
from sizing.task import Task
from sizing.units import GB, GIB, TERA

HOST_BYTES_S = 60.0 * GB  # what a rented host's memory gives CPU Adam


HOST_SHARE = 0.21
# Bytes of memory traffic per parameter of one AdamW step: torch's foreach passes, and fused kernels.
STEP_FOREACH, STEP_FUSED = 42.0, 20.0
ENOUGH_ROWS = 5  # fewer, and a card's band is that of a framework nobody measured on it


@dataclass(frozen=True)
class Rates:
    """The fitted speed constants (`speed.toml`)."""

    cards: Mapping[str, float]  # card family or class → attainable share of the dense peak
    like: Mapping[str, str]  # card of the same silicon → the family whose rows stand for it
    frameworks: Mapping[str, float]  # profile or profile/method → factor on it
    moe: Mapping[str, float]  # profile or "default" → further factor for a mixture of experts
    launch_ms: float  # per layer and micro-step of a checkpointed adapter run on a plain Python loop
    launch: Mapping[str, float]  # profile → factor on it
    dequant: Mapping[str, float]  # profile or "default" → share of memory bandwidth reached
    gather_ms: float  # per tensor that DeepSpeed's ZeRO-3 gathers, whatever its size
    half_tokens: float  # tokens per micro-batch at which a matmul of width 4,096 reaches half its rate
    spread: Mapping[str, float]  # "known", "card", "experts", "other" → p90/p50
    rows: Mapping[str, int]  # card → measured rows behind its share

    def card_key(self, card: CardFacts) -> str:
        """The entry of `cards` that rates this card: its own, its silicon's, or its class's."""
        for key in (card.name, card.name.split("-")[0]):
            key = self.like.get(key, key)
            if key in self.cards:
                return key
        return card_class(card)

    def framework(self, task: Task) -> float | None:
        """Factor of the task's framework and method, None where no rows stand behind it."""
        for key in (f"{task.profile.key}/{task.method}", task.profile.key):
            if key in self.frameworks:
                return self.frameworks[key]
        return None


def card_class(card: CardFacts) -> str:
    """The architecture class whose share an unmeasured card inherits."""
    if card.is_npu:
        return "class:npu"
    if card.capability is None:
        return "class:other"
    if card.capability < 8.0:
        return "class:pre-ampere"
    server = card.nvswitch
    return "class:server" if server else "class:pcie"


@lru_cache(maxsize=1)
def rates() -> Rates:
    """The constants of `speed.toml`."""
    return rates_of(tomllib.loads(files("sizing").joinpath("speed.toml").read_text(encoding="utf-8")))


def rates_of(raw: Mapping[str, Any]) -> Rates:
    """Constants from the parsed table."""
    return Rates(
        raw["cards"],
        raw["like"],
        raw["frameworks"],
        raw["moe"],
        raw["launch_ms"],
        raw["launch"],
        raw["dequant"],
        raw["gather_ms"],
        raw["half_tokens"],
        raw["spread"],
        raw["rows"],
    )


@dataclass(frozen=True)
class Speed:
    """Seconds of one micro-step by part, tokens per second of all cards, what stands behind the figure."""

    seconds: float
    parts: dict[str, float]
    tokens_per_s: float
    known: str  # "known": card and framework have rows, "card": the card alone, "experts", "other": neither


def flops_per_token(task: Task) -> float:
    """Arithmetic of one token through forward, backward and recompute."""
    m = task.model
    n = float(m.compute_params)
    again = {"true": 1.0, "selective": 0.0, "false": 0.0}[task.checkpoint]
    attention = 2.0 * m.layers * m.q_width * task.seq_len  # forward, causal half
    if task.method == "inference":
        return 2.0 * n + attention
    if task.trains_all:
        return (6.0 + 2.0 * again) * n + (3.0 + again) * attention
    extra = 6.0 * (lora_params(m, task.lora_rank, task.targets) + trained_embeddings(m, task.targets))
    return (4.0 + 2.0 * again) * n + (3.0 + again) * attention + extra


def peak_flops(task: Task, card: CardFacts) -> float:
    """Dense peak of the precision that the matrices run in."""
    peak = card.tflops * TERA
    if task.precision == "fp8" and card.fp8_tflops:
        return peak * 1.6  # measured gain over bf16 (Megatron-SWIFT on H20; NeMo on H100)
    if task.precision == "fp32":
        return peak / 8.0 if card.capability and card.capability >= 8.0 else peak / 10.0
    return peak


def link_bytes_s(task: Task, card: CardFacts) -> float:
    """Bytes per second and card that a collective over all ranks moves."""
    if task.nodes > 1:
        # NVSwitch machines are rented with 400 Gb/s RDMA per card, others with 100 Gb/s Ethernet per machine
        return (240.0 if card.nvswitch or card.is_npu else 10.0) * GB
    return node_bytes_s(task, card)


def node_bytes_s(task: Task, card: CardFacts) -> float:
    """The same inside one machine."""
    if card.nvlink_gb_s >= 150 and (card.nvswitch or card.is_npu or task.cards <= 2):
        return card.nvlink_gb_s / 2 * 0.7 * GB
    if card.p2p:
        return card.pcie_gb_s * 0.8 * GB
    # through host memory, which all cards share: every byte crosses the bus twice, half of its rate each way
    return card.pcie_gb_s * HOST_SHARE * min(1.0, 2.0 / task.cards) * GB


def communication(task: Task, card: CardFacts) -> float:
    """Seconds of collectives and of traffic to host memory per micro-step."""
    m, n = task.model, task.sharding
    weight = QUANT_BYTES[task.quant] if task.quant else 2.0
    local = m.params / (task.tp * task.pp)
    trained = local if task.trains_all else lora_params(m, task.lora_rank, task.targets)
    host = offload_seconds(task, card, weight * local, trained, n)
    if task.cards < 2 or task.zero == "device_map":
        return host
    share = (n - 1) / n
    if task.zero == "3":
        gathers = 3.0 if task.checkpoint == "true" else 2.0
        moved = gathers * weight * local * share + 2.0 * trained * share
    else:  # ZeRO-2 reduces gradients at every micro-step, the others once a step
        moved = 2.0 * 2.0 * trained * share / (1 if task.zero == "2" else task.grad_accum)
    seconds = moved / link_bytes_s(task, card)
    if task.tp > 1:
        seconds += (
            8.0 * m.layers / task.pp * task.tokens * m.hidden * 2.0 / task.tp / node_bytes_s(task, card)
        )
    return seconds + host


def offload_seconds(task: Task, card: CardFacts, weights: float, trained: float, ranks: int) -> float:
    """Seconds per micro-step over PCIe, and of Adam on the CPU, where weights or optimizer states live on
    the host."""
    if task.offload == "none":
        return paging_seconds(task, card, weights, trained) if task.optimizer.startswith("paged") else 0.0
    passes = 3.0 if task.checkpoint == "true" else 2.0
    fetch = passes * weights / ranks if task.offload == "cpu" else 0.0
    update = 4.0 * trained / ranks if task.trains_all else 0.0  # gradients down, weights back up
    per = 32.0 if task.profile.zero_master == "fp32" else 14.0  # reads and writes of Adam per parameter
    adam = per * trained / task.nodes / HOST_BYTES_S if task.trains_all else 0.0
    return (
        fetch / (card.pcie_gb_s * 0.6 * GB) + (update / (card.pcie_gb_s * 0.6 * GB) + adam) / task.grad_accum
    )


def paging_seconds(task: Task, card: CardFacts, weights: float, trained: float) -> float:
    """Seconds per micro-step to bring paged optimizer states in and out, as far as they exceed the card."""
    states = STATE_BYTES["adamw-8bit" if task.optimizer.endswith("8bit") else "adamw"][0] * trained
    free = (card.visible_gib or card.vram_gb) * GIB - weights * (1.0 if task.in_backward else 2.0)
    return 2.0 * max(0.0, states - max(0.0, free)) / (card.pcie_gb_s * 0.6 * GB) / task.grad_accum


def optimizer_seconds(task: Task, card: CardFacts) -> float:
    """Seconds per micro-step of the optimizer's passes over what it trains: memory bandwidth alone."""
    if not task.trains_all or task.offload != "none":
        return 0.0
    local = task.model.params / (task.tp * task.pp) / (task.sharding if task.zero in ("1", "2", "3") else 1)
    fused = task.optimizer not in ("adamw", "adafactor", "lion") or not task.profile.step_temp
    return (
        local * (STEP_FUSED if fused else STEP_FOREACH) / (card.bandwidth_gb_s * GB * 0.75) / task.grad_accum
    )


def gather_latency(task: Task, table: Rates) -> float:
    """Seconds per micro-step that DeepSpeed's ZeRO-3 spends on fetching and releasing parameter by
    parameter."""
    if task.zero != "3" or task.profile.zero_master != "fp32":
        return 0.0
    m = task.model
    tensors = 12.0 * m.layers
    if m.experts is not None:  # every expert is a module of its own
        tensors += float(m.moe_layers * m.experts.count * m.ffn_matrices)
    return (3.0 if task.checkpoint == "true" else 2.0) * tensors * table.gather_ms / 1000.0


def dequantisation(task: Task, card: CardFacts, table: Rates) -> float:
    """Seconds per micro-step to unpack the base: once forward, once backward, once more for recompute."""
    if not task.quant:
        return 0.0
    passes = 3.0 if task.checkpoint == "true" else 2.0
    moved = passes * task.model.matrix_params * (QUANT_BYTES[task.quant] + 2.0)
    reached = table.dequant.get(task.profile.key, table.dequant["default"])
    return moved / (card.bandwidth_gb_s * GB * reached)


def launch(task: Task, table: Rates) -> float:
    """Seconds that the host needs to issue the kernels of a micro-step, whatever their size."""
    per_layer = table.launch_ms / 1000.0 * table.launch.get(task.profile.key, 1.0)
    if task.trains_all:
        per_layer *= 0.6
    if task.checkpoint != "true":
        per_layer *= 0.75
    return per_layer * task.model.layers / task.pp


def training_speed(task: Task, card: CardFacts, table: Rates | None = None) -> Speed:
    """Speed of a training task on a card."""
    table = table or rates()
    key = table.card_key(card)
    share, measured = table.cards[key], not key.startswith("class:")
    framework = table.framework(task)
    known = "card" if measured else "other"
    if framework is not None and table.rows.get(key, 0) >= ENOUGH_ROWS:
        known = "known"
    share *= framework if framework is not None else table.frameworks["default"]
    if task.model.experts is not None:
        share *= table.moe.get(task.profile.key, table.moe["default"])
        known = "experts"
    tokens = task.tokens / task.sp
    rate = peak_flops(task, card) * share * tokens / (tokens + table.half_tokens * 4096 / task.model.hidden)
    arithmetic = flops_per_token(task) * tokens / (task.tp * task.pp) / rate
    if not task.flash or task.model.features & {"softcap", "alibi"}:
        arithmetic *= 1.3  # measured 1.38 on Qwen-7B at 2,048 tokens
    issue = launch(task, table) + gather_latency(task, table)
    body = (issue**3 + arithmetic**3) ** (1 / 3)
    unpack, talk = dequantisation(task, card, table), communication(task, card)
    exposed = max(0.0, talk - body) + 0.25 * min(talk, body)
    step = optimizer_seconds(task, card)
    bubble = (task.pp - 1) / max(2 * task.grad_accum, 4 * task.pp) * body  # interleaved schedule
    total = body + unpack + exposed + bubble + step
    whole = task.tokens * task.dp
    if task.zero == "device_map":
        whole = task.tokens
    return Speed(
        total,
        {
            "launch": issue,
            "arithmetic": arithmetic,
            "dequantisation": unpack,
            "communication": exposed,
            "bubble": bubble,
            "optimizer": step,
        },
        whole / total,
        known,
    )
