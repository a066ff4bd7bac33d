"""Framework profiles (`profiles.toml`): a handful of fitted constants and the defaults each framework
really has."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass, fields, replace
from functools import lru_cache
from importlib.resources import files
from typing import Any

GENERIC = "hf"


@dataclass(frozen=True)
class Profile:
    """Constants of one framework. Meaning and source of each: docs/sizing.md §3; fitted by
    `sizing.calibrate`."""

    key: str
    label: str
    # fitted
    logit_bytes: float = 12.0  # bytes per token and vocabulary entry with a plain loss
    logit_bytes_q: float = 16.0  # the same where k-bit preparation made the head fp32
    chunk_bytes: float = 3.0  # the same with a chunked loss
    layer: float = 1.0  # factor on one layer's saved tensors
    token_kib: float = 0.0  # what the allocator keeps per token beyond the named parts, KiB
    overhead_gib: float = 1.2  # context, workspaces, reserve as this framework's figures count them
    frag: float = 1.0  # reserved over allocated, on everything that moves
    spread: float = 1.2  # p90 / p50 of measured over predicted
    speed: float = 1.0  # share of the card's attainable rate that this framework reaches
    # known
    master: str = (
        "bf16"  # of full training without ZeRO: bf16 (pure), fp32 (master copy) or amp (fp32 weights)
    )
    zero_master: str = "fp32"  # the same under ZeRO or FSDP
    zero3_gib: float = 4.0  # DeepSpeed ZeRO-3: live parameters, buckets and NCCL beyond the gathered layers
    fsdp_fp32: bool = False  # fp32 residual stream under FSDP
    step_temp: bool = True  # torch's foreach AdamW keeps one more copy of the parameters during the step
    embed_bytes: float = 2.0  # embeddings, head and norms beside a quantised base
    head_quantised: bool = False  # the output projection is quantised with the rest (LitGPT)
    unties: bool = False  # embedding and head are two matrices whatever the model says (LitGPT)
    residual_fp32: bool = False  # k-bit preparation keeps the residual stream in fp32
    adapter_io: bool = True  # fp32 adapters cast what they read and write (PEFT); fused kernels do not
    adapter_bytes: float = 16.0  # per LoRA parameter: fp32 weight, gradient, two Adam states
    act_offload: bool = False  # checkpoints live in host memory
    ckpt_share: float = 1.0  # of the checkpoints that stay on the card
    dropout_saved: float = 0.0  # bytes kept per input element of an adapter: dropout's result and its mask
    default_loss: str = "plain"
    default_seq_len: int = 2048
    lora_targets: str = "q k v o gate up down"
    paged_in_backward: bool = False
    megatron: bool = False
    grows_cache: bool = False  # inference: plain transformers, whose KV cache grows by concatenation
    fitted: bool = False  # constants of its own, fitted on measured rows
    match: tuple[str, ...] = ()

    @property
    def default_targets(self) -> frozenset[str]:
        return frozenset(self.lora_targets.split())


@lru_cache(maxsize=1)
def load() -> dict[str, Profile]:
    """All profiles by key. A profile that names `base` starts from that one."""
    raw = tomllib.loads(files("sizing").joinpath("profiles.toml").read_text(encoding="utf-8"))
    return build(raw["profile"])


def build(raw: dict[str, dict[str, Any]]) -> dict[str, Profile]:
    """Profiles from their tables."""
    names = {f.name for f in fields(Profile)}
    found: dict[str, Profile] = {}
    for key, table in raw.items():
        own: dict[str, Any] = {
            k: (tuple(v) if k == "match" else v) for k, v in table.items() if k not in ("base", "rows")
        }
        if strange := set(own) - names:
            raise ValueError(f"profiles.toml: {key}: unknown {', '.join(sorted(strange))}")
        base = found[table["base"]] if "base" in table else Profile(key, key)
        changes: dict[str, Any] = {"match": (), **own, "key": key}
        found[key] = replace(base, **changes)
    return found


@lru_cache(maxsize=1024)
def _key(text: str) -> str | None:
    squashed = re.sub(r"[^a-z0-9.]+", " ", text.lower())
    hits = [
        (len(pattern), key)
        for key, profile in load().items()
        for pattern in profile.match
        if re.search(rf"(?<![a-z0-9]){pattern}(?![a-z])", squashed)
    ]
    return max(hits)[1] if hits else None


def find(framework: Any) -> tuple[Profile, bool]:
    """The profile of a framework's name (longest match) and whether the name was known (None counts as
    unknown)."""
    key = _key(framework) if isinstance(framework, str) else None
    return load()[key or GENERIC], key is not None
