"""Dimensions for a model known by its parameter count alone: those of a common dense model, stretched to
fit."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import lru_cache

from sizing import catalogue
from sizing.errors import SizingError
from sizing.model import ModelFacts

# One current dense model per size class; between them the nearest in log P is stretched.
LADDER = tuple(
    "smollm2-135m qwen2.5-0.5b llama-3.2-1b qwen2.5-1.5b qwen2.5-3b qwen2.5-7b llama-3.1-8b qwen2.5-14b "
    "mistral-small-24b qwen2.5-32b llama-3.1-70b mistral-large-123b llama-3.1-405b".split()
)


@lru_cache(maxsize=1024)
def from_params(params: float, name: str = "") -> ModelFacts:
    """A dense model of about `params` parameters, exact in the count. SizingError outside 1e7 … 1e13."""
    if not math.isfinite(params) or not 1e7 <= params <= 1e13:
        raise SizingError(f"params must be between 1e7 and 1e13 parameters, got {params:g}")
    base = min((catalogue.require(n) for n in LADDER), key=lambda m: abs(math.log(m.params / params)))
    outside = base.params - base.matrix_params
    layers = max(1, round((params - outside) / (base.matrix_params / base.layers)))
    scaled = replace(base, layers=layers)
    note = (
        f"dimensions of {base.name} with {layers} layers assumed for {params / 1e9:.2f} B parameters "
        "(give config for exact ones)"
    )
    return replace(
        scaled,
        name=name or f"{params / 1e9:.3g}B",
        extra_params=int(params) - scaled.params,
        source="assumed from the parameter count",
        assumptions=(note,),
    )
