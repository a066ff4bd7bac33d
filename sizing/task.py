"""A task as it is sized: every field resolved, everything that was assumed said in words.

`parse` reads the task object of a `suanjia size` line (the measured rows have the same fields). Absent
fields take the default task of the Beijing article (rank 16, batch 4, accumulation 4, 3 epochs) at 2,048
tokens with checkpointing.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from sizing import profiles, words
from sizing.cards import CardFacts, visible_of_label
from sizing.errors import SizingError, shown
from sizing.fields import check_card, positive, read_model, read_optimizer, whole, word
from sizing.model import ModelFacts
from sizing.profiles import Profile

DEFAULTS = {"lora_rank": 16, "micro_batch": 4, "grad_accum": 4, "seq_len": 2048}


@dataclass(frozen=True)
class Task:
    """One run. `cards` is the number of cards in all, `micro_batch` sequences per card and step, lengths in
    tokens."""

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

    @property
    def sharding(self) -> int:
        """Ranks that ZeRO shards over: those of different data, and of one sequence where it is split."""
        return self.dp * self.sp


def _method_and_quant(
    raw: Mapping[str, Any], card: CardFacts | None, notes: list[str]
) -> tuple[str, str | None]:
    quant, method = word(raw, "quant", notes), word(raw, "method", notes)
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
        raise SizingError(
            f"{method} training of a {quant} base does not exist: quantised weights are frozen (use qlora)"
        )
    return method, quant


def _precision(raw: Mapping[str, Any], card: CardFacts | None, notes: list[str]) -> str:
    found = word(raw, "precision", notes)
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
    zero, offload = word(raw, "zero_stage", notes), word(raw, "offload", notes) or "none"
    if zero is None:
        full = method in ("full", "pretrain")
        zero = "0" if cards == 1 or not full else ("1" if tp * pp > 1 else "3")
        if cards > 1 and method != "inference":
            notes.append(
                f"zero_stage not given: {'plain data parallel' if zero == '0' else 'ZeRO-' + zero} assumed"
            )
    if cards == tp * pp and zero in ("1", "2", "3") and offload == "none":
        where = "on one card" if cards == 1 else f"where tp x pp takes all {cards} cards"
        notes.append(f"ZeRO-{zero} {where} shards nothing")
    if offload == "optimizer" and method in ("lora", "qlora"):
        notes.append("offload of the optimizer saves nothing here: an adapter's states are small and stay")
    return {"cards": cards, "nodes": nodes, "tp": tp, "pp": pp, "sp": sp, "zero": zero, "offload": offload}


def _check_split(model: ModelFacts, method: str, layout: Mapping[str, Any], notes: list[str]) -> None:
    """Heads must divide over tensor parallel ranks, layers over pipeline stages."""
    tp, pp, cards, nodes = (layout[key] for key in ("tp", "pp", "cards", "nodes"))
    if model.heads % tp:
        raise SizingError(f"tp {tp} does not divide the {model.heads} heads of {model.name}")
    if pp > model.layers:
        raise SizingError(f"pp {pp} stages for the {model.layers} layers of {model.name}")
    spread = cards // nodes
    if method == "inference" and tp * pp == 1 and model.heads % spread:
        notes.append(
            f"{model.heads} heads do not divide over {spread} cards: engines serve it on "
            f"{max(n for n in range(1, spread) if model.heads % n == 0)} or in pipeline stages"
        )


def _visible(raw: Mapping[str, Any], card: CardFacts | None, notes: list[str]) -> float | None:
    label = positive(raw, "card_mem_gb")
    if card is not None and card.visible_gib and (label is None or abs(label / card.vram_gb - 1) < 0.05):
        return card.visible_gib
    if label is not None:
        notes.append(f"visible memory taken from card_mem_gb {label:g}")
        return visible_of_label(label)
    notes.append("no card and no card_mem_gb: whether it fits is not judged")
    return None


def _adapter(
    raw: Mapping[str, Any], method: str, profile: Profile, notes: list[str]
) -> tuple[int, frozenset[str]]:
    if method not in ("lora", "qlora"):
        return 0, frozenset()
    rank = whole(raw, "lora_rank")
    if rank is None:
        rank = DEFAULTS["lora_rank"]
        notes.append(f"lora_rank not given: {rank} assumed")
    found, strange = words.targets(raw.get("lora_targets"))
    if strange:
        notes.append(f"lora_targets {shown(', '.join(strange))} not understood, left out")
    if found is None:
        found = profile.default_targets
        notes.append(f"lora_targets not given: {','.join(sorted(found))} assumed")
    return rank, found


def parse(raw: Any, card: CardFacts | None = None, notes: list[str] | None = None) -> Task:
    """Read a task object. `card` comes resolved (the caller reads the card text). SizingError for bad
    input."""
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
        notes.append(
            f"framework {f'{shown(given)} not known' if given else 'not given'}: sized as {profile.label}"
        )
    if profile.unties and model.tied and method != "inference":
        model = replace(model, tied=False)
    layout = _layout(raw, method, notes)
    _check_split(model, method, layout, notes)
    if layout["tp"] * layout["pp"] > 1 and not profile.megatron and method != "inference":
        profile = profiles.load()["megatron"]
        notes.append("tensor or pipeline parallel: sized as Megatron")
    numbers: dict[str, Any] = {}
    for key in ("seq_len", "micro_batch", "grad_accum"):
        given = whole(raw, key)
        usual = profile.default_seq_len if key == "seq_len" and method != "inference" else DEFAULTS[key]
        numbers[key] = given or (1 if method == "inference" and key != "seq_len" else usual)
        if given is None and (method != "inference" or key == "seq_len"):
            notes.append(f"{key} not given: {numbers[key]} assumed")
    checkpoint, flash = word(raw, "grad_checkpoint", notes), word(raw, "flash_attn", notes)
    if method != "inference":
        if checkpoint is None:
            notes.append("grad_checkpoint not given: on assumed")
        if flash is None:
            notes.append("flash_attn not given: a memory-efficient attention kernel assumed")
    if flash == "true" and card is not None and card.capability is not None and card.capability < 8.0:
        notes.append(
            f"{card.name} (capability {card.capability}): memory-efficient attention, not FlashAttention-2"
        )
    optimizer, in_backward = read_optimizer(raw, notes)
    if optimizer is None and method not in ("inference",):
        optimizer = "adamw"
        notes.append("optimizer not given: AdamW assumed")
    rank, targets = _adapter(raw, method, profile, notes)
    loss = word(raw, "loss_kernel", notes) or profile.default_loss
    text = str(raw.get("offload") or "").lower()
    return Task(
        model=model,
        method=method,
        precision=precision,
        quant=quant,
        **numbers,
        checkpoint=checkpoint or "true",
        flash=flash != "false",
        optimizer=optimizer or "none",
        in_backward=in_backward or (profile.paged_in_backward and (optimizer or "").startswith("paged")),
        lora_rank=rank,
        targets=targets,
        card=card,
        visible_gib=_visible(raw, card, notes),
        act_offload="act" in re.split(r"[^a-z]+", text),
        loss=loss,
        profile=profile,
        concurrency=whole(raw, "concurrency") or numbers["micro_batch"],
        **layout,
        length_assumed=raw.get("seq_len") is None
        or (raw.get("micro_batch") is None and method != "inference"),
        assumptions=tuple(notes),
    )
