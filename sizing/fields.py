"""Reading single fields of a task: numbers, words, the model, and what a card refuses."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from sizing import catalogue, family, hfconfig, words
from sizing.cards import CardFacts
from sizing.errors import SizingError, is_number, shown
from sizing.model import ModelFacts

LARGEST = 1e18  # of any number of a task
_LIMITS = {
    "seq_len": 10_000_000,
    "micro_batch": 65_536,
    "grad_accum": 1_000_000,
    "lora_rank": 65_536,
    "cards": 100_000,
    "nodes": 20_000,
    "tp": 1024,
    "pp": 1024,
    "sp": 1024,
    "concurrency": 1_000_000,
}


FLASH_2 = frozenset("fa2 fa3 flash2 flash-attention-2 flash-attention-3 flash-attn-2 flash-attn-3".split())


def whole(raw: Mapping[str, Any], key: str) -> int | None:
    """A positive whole number or None; SizingError names the field for anything else."""
    value = raw.get(key)
    if value is None:
        return None
    if not is_number(value):
        raise SizingError(f"{key} must be a whole number of at least 1, got {shown(value)}")
    if value < 1 or value != int(value):
        raise SizingError(f"{key} must be a whole number of at least 1, got {value:g}")
    if value > _LIMITS.get(key, 10**9):
        raise SizingError(f"{key} {value:g} is beyond anything that runs (limit {_LIMITS.get(key, 10**9):,})")
    return int(value)


def positive(raw: Mapping[str, Any], key: str) -> float | None:
    """A positive finite number or None; SizingError names the field for anything else."""
    value = raw.get(key)
    if value is None:
        return None
    if not is_number(value) or value <= 0:
        raise SizingError(f"{key} must be a number above 0, got {shown(value)}")
    if value > LARGEST or value < 1 / LARGEST:
        raise SizingError(f"{key} {value:g} is beyond anything that exists")
    return float(value)


def read_model(raw: Mapping[str, Any], notes: list[str]) -> ModelFacts:
    """Model facts from `config`, else the name, else `params`. SizingError when none of them says enough."""
    name, config, params = raw.get("model"), raw.get("config"), positive(raw, "params")
    if name is not None and not isinstance(name, str):
        raise SizingError(f"model must be a name, got {shown(name)}")
    if config is not None:
        facts = hfconfig.from_config(config, name or "config.json")
        notes.extend(facts.assumptions)
        return facts
    found = catalogue.find(name) if name and name.strip() else None
    if found is not None:
        if params and abs(params / found.params - 1) > 0.02 and abs(params / found.active_params - 1) > 0.1:
            notes.append(
                f"params {params / 1e9:.2f} B differs from the {found.params / 1e9:.2f} B of {found.name}, "
                "whose dimensions are used"
            )
        return found
    if params is None:
        if name and name.strip():
            catalogue.require(name)
        raise SizingError("no model: give model (a name), params (a number) or config (a config.json)")
    facts = family.from_params(params, name or "")
    if name:
        notes.append(f"unknown model name {shown(name)}: sized from params {params / 1e9:.3g} B")
    notes.extend(facts.assumptions)
    return facts


def word(raw: Mapping[str, Any], field: str, notes: list[str]) -> str | None:
    """A word of the vocabulary; an unknown spelling is taken as absent and said."""
    value = raw.get(field)
    found = words.word(field, value)
    if value is not None and found is None:
        notes.append(
            f"{field} {shown(value)} not understood, taken as not given "
            f"(known: {', '.join(words.spellings(field))})"
        )
    return found


def read_optimizer(raw: Mapping[str, Any], notes: list[str]) -> tuple[str | None, bool]:
    """The optimizer and whether its step is fused into the backward pass ("adamw8bit in bwd")."""
    value = raw.get("optimizer")
    if not isinstance(value, str):
        return word(raw, "optimizer", notes), False
    bare = re.sub(
        r"[\s_+(,-]*(?:optimizer[\s_-]*)?(?:fused[\s_-]*)?(?:in(?:to)?[\s_-]*)(?:bwd|backward)\)?",
        "",
        value.lower(),
    )
    fused = bare != value.lower()
    return word({"optimizer": bare}, "optimizer", notes), fused


def check_card(card: CardFacts, method: str, precision: str, flash_word: Any) -> None:
    """Refuse what the card cannot do, in a sentence."""
    if method == "qlora" and card.is_npu:
        raise SizingError(f"{card.name}: no QLoRA there (bitsandbytes does not run on it); use lora")
    if card.no_half and precision != "fp32":
        raise SizingError(
            f"{card.name}: no usable half precision (1/64 rate, no tensor cores); not for {precision} work"
        )
    if precision in ("bf16", "amp_bf16") and not card.bf16:
        raise SizingError(f"{card.name} has no bf16: use precision fp16")
    if precision == "fp8" and not card.fp8:
        raise SizingError(f"{card.name} has no fp8: use precision {'bf16' if card.bf16 else 'fp16'}")
    old = card.capability is not None and card.capability < 8.0
    if old and isinstance(flash_word, str) and words.squash(flash_word) in FLASH_2:
        raise SizingError(
            f"{card.name}: FlashAttention-2 needs compute capability 8.0, this card has {card.capability}"
        )
