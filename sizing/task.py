"""A task as it is sized: every field resolved, everything that was assumed said in words.

`Task.parse` reads the object of CONTRACT's `size` line (truth rows have the same fields). Absent fields take the
default task of the Beijing article (rank 16, batch 4, accumulation 4, 3 epochs) at 2,048 tokens with checkpointing.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sizing import catalogue, family, hfconfig, profiles, words
from sizing.cards import CardFacts, visible_of_label
from sizing.errors import SizingError
from sizing.model import ModelFacts
from sizing.profiles import Profile

TRAINING = ("full", "pretrain", "lora", "qlora")
DEFAULTS = {"lora_rank": 16, "micro_batch": 4, "grad_accum": 4, "seq_len": 2048}
_LIMITS = {
    "seq_len": 10_000_000, "micro_batch": 65_536, "grad_accum": 1_000_000, "lora_rank": 65_536, "cards": 100_000,
    "nodes": 20_000, "tp": 1024, "pp": 1024, "sp": 1024, "concurrency": 1_000_000,
}  # fmt: skip


@dataclass(frozen=True)
class Task:
    """One run. `cards` is the number of cards in all, `micro_batch` sequences per card and step, lengths in tokens."""

    model: ModelFacts
    method: str
    precision: str
    quant: str | None
    seq_len: int
    micro_batch: int
    grad_accum: int
    checkpoint: str  # "true" | "false" | "selective"
    flash: bool
    optimizer: str
    in_backward: bool
    lora_rank: int
    targets: frozenset[str]
    cards: int
    nodes: int
    card: CardFacts | None
    visible_gib: float | None
    zero: str  # "0".."3" | "device_map"
    offload: str
    act_offload: bool
    tp: int
    pp: int
    sp: int
    loss: str
    profile: Profile
    concurrency: int = 1
    length_assumed: bool = False
    assumptions: tuple[str, ...] = ()

    @property
    def trains_all(self) -> bool:
        return self.method in ("full", "pretrain")

    @property
    def tokens(self) -> int:
        """Tokens of one micro-batch on one card."""
        return self.seq_len * self.micro_batch

    @property
    def dp(self) -> int:
        """Ranks that hold different data."""
        return max(1, self.cards // (self.tp * self.pp * self.sp)) if self.zero != "device_map" else 1


def whole(raw: Mapping[str, Any], key: str) -> int | None:
    """A positive whole number or None; SizingError names the field for anything else."""
    value = raw.get(key)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
        raise SizingError(f"{key} must be a whole number of at least 1, got {value!r}")
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
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value) or value <= 0:
        raise SizingError(f"{key} must be a number above 0, got {value!r}")
    return float(value)


def read_model(raw: Mapping[str, Any], notes: list[str]) -> ModelFacts:
    """Model facts from `config`, else the name, else `params`. SizingError when none of them says enough."""
    name, config, params = raw.get("model"), raw.get("config"), positive(raw, "params")
    if name is not None and not isinstance(name, str):
        raise SizingError(f"model must be a name, got {name!r}")
    if config is not None:
        facts = hfconfig.from_config(config, name or "config.json")
        notes.extend(facts.assumptions)
        return facts
    found = catalogue.find(name) if name and name.strip() else None
    if found is not None:
        if params and abs(params / found.params - 1) > 0.02 and abs(params / found.active_params - 1) > 0.1:
            notes.append(
                f"params {params / 1e9:.2f} B differs from {found.name}'s {found.params / 1e9:.2f} B; its dimensions are used"
            )
        return found
    if params is None:
        if name and name.strip():
            catalogue.require(name)
        raise SizingError("no model: give model (a name), params (a number) or config (a config.json)")
    facts = family.from_params(params, name or "")
    if name:
        notes.append(f"unknown model name {name!r}: sized from params {params / 1e9:.3g} B")
    notes.extend(facts.assumptions)
    return facts


def _word(raw: Mapping[str, Any], field: str, notes: list[str]) -> str | None:
    """A word of the vocabulary; an unknown spelling is taken as absent and said."""
    value = raw.get(field)
    found = words.word(field, value)
    if value is not None and found is None:
        notes.append(f"{field} {value!r} not understood, taken as not given (known: {', '.join(words.spellings(field))})")
    return found


def read_optimizer(raw: Mapping[str, Any], notes: list[str]) -> tuple[str | None, bool]:
    """The optimizer and whether its step is fused into the backward pass ("adamw8bit in bwd")."""
    value = raw.get("optimizer")
    if not isinstance(value, str):
        return _word(raw, "optimizer", notes), False
    bare = re.sub(r"[\s_+(,-]*(?:optimizer[\s_-]*)?(?:fused[\s_-]*)?(?:in(?:to)?[\s_-]*)(?:bwd|backward)\)?", "", value.lower())
    fused = bare != value.lower()
    return _word({"optimizer": bare}, "optimizer", notes), fused


def _method_and_quant(raw: Mapping[str, Any], card: CardFacts | None, notes: list[str]) -> tuple[str, str | None]:
    quant, method = _word(raw, "quant", notes), _word(raw, "method", notes)
    quant = None if quant == "none" else quant
    if method is None:
        method = "lora" if card is not None and card.is_npu else "qlora"
        notes.append(f"method not given: {method} assumed")
    if method == "lora" and quant:
        notes.append(f"LoRA on a {quant} base is sized as QLoRA")
        method = "qlora"
    if method == "qlora" and quant is None:
        quant = "nf4"
        notes.append("quant not given: nf4 assumed")
    if method in ("full", "pretrain") and quant:
        raise SizingError(f"{method} training of a {quant} base does not exist: quantised weights are frozen (use qlora)")
    return method, quant


def check_card(card: CardFacts, method: str, precision: str, flash_word: Any) -> None:
    """Refuse what the card cannot do, in a sentence."""
    if method == "qlora" and card.is_npu:
        raise SizingError(f"{card.name}: no QLoRA there (bitsandbytes does not run on it); use lora")
    if card.no_half and precision != "fp32":
        raise SizingError(f"{card.name}: no usable half precision (1/64 rate, no tensor cores); not for {precision} work")
    if precision in ("bf16", "amp_bf16") and not card.bf16:
        raise SizingError(f"{card.name} has no bf16: use precision fp16")
    if precision == "fp8" and not card.fp8:
        raise SizingError(f"{card.name} has no fp8: use precision {'bf16' if card.bf16 else 'fp16'}")
    if isinstance(flash_word, str) and card.capability is not None and card.capability < 8.0:
        if words.squash(flash_word) in ("fa2", "fa3", "flash2", "flash-attention-2", "flash-attn-2", "flash-attention-3"):
            raise SizingError(f"{card.name}: FlashAttention-2 needs compute capability 8.0, this card has {card.capability}")


def _precision(raw: Mapping[str, Any], card: CardFacts | None, notes: list[str]) -> str:
    found = _word(raw, "precision", notes)
    if found is None:
        found = "fp16" if card is not None and not card.bf16 and not card.no_half else "bf16"
        notes.append(f"precision not given: {found} assumed")
    return found


def _layout(raw: Mapping[str, Any], method: str, notes: list[str]) -> dict[str, Any]:
    """Cards, nodes, parallel sizes and the ZeRO stage, checked against each other."""
    cards, nodes = whole(raw, "cards"), whole(raw, "nodes")
    if cards is None:
        cards = nodes or 1
        notes.append(f"cards not given: {cards} assumed")
    nodes = nodes or math.ceil(cards / 8)
    if cards < nodes:
        raise SizingError(f"{cards} cards cannot fill {nodes} nodes")
    tp, pp, sp = (whole(raw, key) or 1 for key in ("tp", "pp", "sp"))
    if cards % (tp * pp * sp):
        raise SizingError(f"tp {tp} x pp {pp} x sp {sp} does not divide {cards} cards")
    zero, offload = _word(raw, "zero_stage", notes), _word(raw, "offload", notes) or "none"
    if zero is None:
        full = method in ("full", "pretrain")
        zero = "0" if cards == 1 or not full else ("1" if tp * pp > 1 else "3")
        if cards > 1 and method != "inference":
            notes.append(f"zero_stage not given: {'plain data parallel' if zero == '0' else 'ZeRO-' + zero} assumed")
    if cards == 1 and zero in ("1", "2", "3") and offload == "none":
        notes.append(f"ZeRO-{zero} on one card shards nothing")
    return {"cards": cards, "nodes": nodes, "tp": tp, "pp": pp, "sp": sp, "zero": zero, "offload": offload}


def _visible(raw: Mapping[str, Any], card: CardFacts | None, notes: list[str]) -> float | None:
    label = positive(raw, "card_mem_gb")
    if card is not None and card.visible_gib and (label is None or abs(label / card.vram_gb - 1) < 0.05):
        return card.visible_gib
    if label is not None:
        notes.append(f"visible memory taken from card_mem_gb {label:g}")
        return visible_of_label(label)
    notes.append("no card and no card_mem_gb: whether it fits is not judged")
    return None


def _adapter(raw: Mapping[str, Any], method: str, profile: Profile, notes: list[str]) -> tuple[int, frozenset[str]]:
    if method not in ("lora", "qlora"):
        return 0, frozenset()
    rank = whole(raw, "lora_rank")
    if rank is None:
        rank = DEFAULTS["lora_rank"]
        notes.append(f"lora_rank not given: {rank} assumed")
    found, strange = words.targets(raw.get("lora_targets"))
    if strange:
        notes.append(f"lora_targets {', '.join(strange)!r} not understood, left out")
    if found is None:
        found = profile.default_targets
        notes.append(f"lora_targets not given: {','.join(sorted(found))} assumed")
    return rank, found


def parse(raw: Any, card: CardFacts | None = None, notes: list[str] | None = None) -> Task:
    """Read a task object. `card` comes resolved (the caller reads the card text). SizingError for bad input."""
    if not isinstance(raw, Mapping):
        raise SizingError(f"a task must be an object, got {type(raw).__name__}")
    notes = [] if notes is None else notes
    model = read_model(raw, notes)
    method, quant = _method_and_quant(raw, card, notes)
    precision = _precision(raw, card, notes)
    if card is not None:
        check_card(card, method, precision, raw.get("flash_attn"))
    profile, known = profiles.find(raw.get("framework"))
    if not known:
        if method == "inference":
            profile = profiles.load()["engine"]
        given = raw.get("framework")
        notes.append(f"framework {f'{given!r} not known' if given else 'not given'}: sized as {profile.label}")
    layout = _layout(raw, method, notes)
    if layout["tp"] * layout["pp"] > 1 and not profile.megatron and method != "inference":
        profile = profiles.load()["megatron"]
        notes.append("tensor or pipeline parallel: sized as Megatron")
    numbers = {}
    for key in ("seq_len", "micro_batch", "grad_accum"):
        given = whole(raw, key)
        numbers[key] = given or (1 if method == "inference" and key != "seq_len" else DEFAULTS[key])
        if given is None and (method != "inference" or key == "seq_len"):
            notes.append(f"{key} not given: {numbers[key]} assumed")
    checkpoint, flash = _word(raw, "grad_checkpoint", notes), _word(raw, "flash_attn", notes)
    if method != "inference":
        if checkpoint is None:
            notes.append("grad_checkpoint not given: on assumed")
        if flash is None:
            notes.append("flash_attn not given: a memory-efficient attention kernel assumed")
    if flash == "true" and card is not None and card.capability is not None and card.capability < 8.0:
        notes.append(f"{card.name} (capability {card.capability}) runs memory-efficient attention, not FlashAttention-2")
    optimizer, in_backward = read_optimizer(raw, notes)
    if optimizer is None and method not in ("inference",):
        optimizer = "adamw"
        notes.append("optimizer not given: AdamW assumed")
    rank, targets = _adapter(raw, method, profile, notes)
    loss = _word(raw, "loss_kernel", notes) or profile.default_loss
    text = str(raw.get("offload") or "").lower()
    return Task(
        model=model, method=method, precision=precision, quant=quant, **numbers,
        checkpoint=checkpoint or "true", flash=flash != "false", optimizer=optimizer or "none",
        in_backward=in_backward or (profile.paged_in_backward and (optimizer or "").startswith("paged")),
        lora_rank=rank, targets=targets, card=card, visible_gib=_visible(raw, card, notes),
        act_offload="act" in re.split(r"[^a-z]+", text), loss=loss, profile=profile,
        concurrency=whole(raw, "concurrency") or numbers["micro_batch"], **layout,
        length_assumed=raw.get("seq_len") is None or (raw.get("micro_batch") is None and method != "inference"),
        assumptions=tuple(notes),
    )  # fmt: skip
