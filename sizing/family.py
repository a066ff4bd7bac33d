"""Dimensions for a model known by its parameter count alone: a dense one of today's proportions."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import lru_cache

from sizing.errors import SizingError
from sizing.model import ModelFacts

# Proportions of the dense models of 2024-26 (Llama 3, Qwen 2.5 and 3, Mistral): the median of the catalogue.
HIDDEN_PER_LAYER = 112
FEWEST_LAYERS = 24
FFN_PER_HIDDEN = 3.5
QUERIES_PER_KV = 4
HEAD = 128
VOCAB = 140_000


def _total(hidden: float) -> float:
    """Parameters of the proportioned model of that width."""
    layers = max(FEWEST_LAYERS, hidden / HIDDEN_PER_LAYER)
    return layers * hidden**2 * (2 + 2 / QUERIES_PER_KV + 3 * FFN_PER_HIDDEN) + 2 * VOCAB * hidden


def _width(params: float) -> float:
    low, high = 64.0, 1e6
    for _ in range(80):
        middle = (low + high) / 2
        low, high = (middle, high) if _total(middle) < params else (low, middle)
    return low


@lru_cache(maxsize=4096)
def from_params(params: float, name: str = "") -> ModelFacts:
    """A dense model of exactly `params` parameters. SizingError outside 1e8 … 1e13.

    Width and depth follow from the count; the FFN takes up what rounding leaves.
    """
    if not math.isfinite(params) or not 1e8 <= params <= 1e13:
        raise SizingError(f"params must lie between 1e8 and 1e13 parameters, got {params:g}")
    wide = _width(params)
    hidden, layers = round(wide), round(max(FEWEST_LAYERS, wide / HIDDEN_PER_LAYER))
    heads = max(1, round(wide / HEAD))
    kv_heads = max(1, round(heads / QUERIES_PER_KV))
    plain = ModelFacts(
        name=name or f"{params / 1e9:.3g}B",
        layers=layers,
        hidden=hidden,
        heads=heads,
        kv_heads=kv_heads,
        head_dim=max(1, round(hidden / heads)),
        ffn=1,
        vocab=VOCAB,
        tied=False,
        source="assumed from the parameter count",
    )
    ffn = max(1, round((params - plain.params) / (3 * layers * hidden)))
    sized = replace(plain, ffn=ffn)
    note = (
        f"dimensions assumed for {params / 1e9:.3g} B parameters: {layers} layers of {hidden}, "
        f"FFN {ffn}, vocabulary {VOCAB:,} (give config for exact ones)"
    )
    return replace(sized, extra_params=int(params) - sized.params, assumptions=(note,))
