"""Inference: weights, KV cache of the concurrent sequences, and decoding speed bound by memory bandwidth.

Source of the constants: Qwen README "Inference Performance" (13 rows); serving engines page the cache,
plain transformers copies it while it grows (docs/sizing.md §5).
"""

from __future__ import annotations

from sizing.cards import CardFacts
from sizing.memory import Parts
from sizing.speed import Speed
from sizing.states import QUANT_BYTES
from sizing.task import Task
from sizing.units import GB, GIB

GROWING_CACHE = 2.0  # a cache grown by concatenation holds its old copy
HF_OVERHEAD = 0.3 * GIB
ENGINE_OVERHEAD = 1.5 * GIB  # CUDA graphs and workspaces of a serving engine
ENGINE_ACTIVATIONS = 8192  # tokens of one prefill chunk


def paged(task: Task) -> bool:
    """Whether a serving engine holds the KV cache in pages (anything but plain transformers)."""
    return not task.profile.grows_cache


def weight_bytes(task: Task) -> float:
    """Bytes of the weights over all cards."""
    m = task.model
    wide = 4.0 if task.precision == "fp32" else 2.0
    if task.precision == "fp8":
        return float(m.matrix_params) + 2.0 * (m.params - m.matrix_params)
    if task.quant is None:
        return wide * m.params
    return QUANT_BYTES[task.quant] * m.matrix_params + 2.0 * (m.params - m.matrix_params)


def inference_parts(task: Task) -> Parts:
    """Parts on one card; tensor parallel over all cards unless tp says otherwise."""
    m = task.model
    split = task.cards if task.tp * task.pp == 1 else task.tp * task.pp
    cache = float(m.kv_bytes_per_token) * task.seq_len * task.concurrency
    within = split // task.pp
    shards = (min(within, m.kv_heads) if m.mla is None else 1) * task.pp
    weights, kv = weight_bytes(task) / split, cache / shards
    if paged(task):
        tokens = min(ENGINE_ACTIVATIONS, task.seq_len * task.concurrency)
        working = tokens * (8.0 * m.hidden + 4.0 * m.layer_ffn_width / split) + 4.0 * m.vocab * min(
            256, task.concurrency
        )
        overhead = ENGINE_OVERHEAD
    else:
        kv *= GROWING_CACHE
        working = 8.0 * task.concurrency * m.vocab
        overhead = HF_OVERHEAD
    parts = {"weights": weights, "kv_cache": kv, "activations": working, "overhead": overhead}
    return Parts(parts, {"decode": sum(parts.values())})


def inference_speed(task: Task, card: CardFacts) -> Speed:
    """Decoded tokens per second of all concurrent sequences together."""
    m = task.model
    split = task.cards if task.tp * task.pp == 1 else task.tp * task.pp
    active = weight_bytes(task) * (m.active_params / m.params if task.concurrency == 1 else 1.0)
    cache = float(m.kv_bytes_per_token) * task.seq_len * task.concurrency
    per_layer = 0.05e-3 if paged(task) else 0.45e-3
    reached = 0.7 if paged(task) else (0.5 if task.quant else 0.85)
    read = (active + cache / 2) / split / (card.bandwidth_gb_s * GB * reached)
    compute = 2.0 * m.compute_params * task.concurrency / split / (card.tflops * 1e12 * 0.5)
    step = per_layer * m.layers + max(read, compute)
    return Speed(
        step,
        {"launch": per_layer * m.layers, "read": read, "arithmetic": compute},
        task.concurrency / step,
        "card",
    )
