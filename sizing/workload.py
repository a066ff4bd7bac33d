"""A workload as a user writes it (TOML, JSON, flags): what to run, on how much data, within which limits."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from catalog import toml_text
from sizing import words
from sizing.errors import SizingError, shown
from sizing.fields import positive, whole
from sizing.task import DEFAULTS

DEFAULT_EPOCHS = 3.0  # the Beijing article's task
BILLING_MODES = tuple(
    "on_demand prepaid_hour daily weekly monthly yearly reserved spot pack serverless".split()
)
# Fields of a `size` task that a workload may pin down; everything else the planner chooses.
PINNED = tuple(
    "precision quant optimizer lora_rank lora_targets grad_checkpoint flash_attn framework loss_kernel "
    "grad_accum tp pp".split()
)


@dataclass(frozen=True)
class Workload:
    """A job to run. `tokens`: of the whole data set, once; money in yuan; data set in decimal gigabytes."""

    name: str = ""
    model: str | None = None
    params: float | None = None
    config: Mapping[str, Any] | None = None
    method: str = "qlora"
    seq_len: int = DEFAULTS["seq_len"]
    micro_batch: int | None = None
    tokens: float | None = None
    epochs: float = DEFAULT_EPOCHS
    dataset_gb: float = 0.0
    deadline_hours: float | None = None
    budget_cny: float | None = None
    regions: tuple[str, ...] = ()
    cards: tuple[str, ...] = ()
    billing_modes: tuple[str, ...] = ()
    interruptible: bool = False
    hours: float | None = None
    concurrency: int | None = None
    pinned: Mapping[str, Any] = field(default_factory=dict)
    assumptions: tuple[str, ...] = ()

    @property
    def trained_tokens(self) -> float:
        """Tokens that go through the model over all epochs (0 for inference)."""
        return (self.tokens or 0.0) * self.epochs

    def task(self, **layout: Any) -> dict[str, Any]:
        """The `size` task of this workload on a layout (card count, ZeRO stage, ...)."""
        raw: dict[str, Any] = {
            "model": self.model,
            "params": self.params,
            "config": self.config,
            "method": self.method,
            "seq_len": self.seq_len,
            "micro_batch": self.micro_batch,
            "concurrency": self.concurrency,
            **self.pinned,
        }
        raw.update(layout)
        return {k: v for k, v in raw.items() if v is not None}


KNOWN = (
    {f.name for f in fields(Workload)} - {"pinned", "assumptions"}
    | {"samples", "tokens_per_sample"}
    | set(PINNED)
)


def _names(raw: Mapping[str, Any], key: str) -> tuple[str, ...]:
    value = raw.get(key)
    if value is None:
        return ()
    listed = [value] if isinstance(value, str) else value
    if not isinstance(listed, (list, tuple)) or not all(isinstance(v, str) and v.strip() for v in listed):
        raise SizingError(f"{key} must be a list of names, got {shown(value)}")
    return tuple(v.strip() for v in listed)


def _method(raw: Mapping[str, Any], notes: list[str]) -> str:
    value = raw.get("method")
    if value is None:
        notes.append("method not given: qlora assumed")
        return "qlora"
    found = words.word("method", value)
    if found is None:
        raise SizingError(f"method {shown(value)} is none of {', '.join(words.spellings('method'))}")
    return found


def _tokens(raw: Mapping[str, Any], method: str, seq_len: int, notes: list[str]) -> float | None:
    tokens, samples, mean = (positive(raw, key) for key in ("tokens", "samples", "tokens_per_sample"))
    if tokens is not None and (samples is not None or mean is not None):
        raise SizingError("give tokens or samples with tokens_per_sample, not both")
    if tokens is not None or method == "inference":
        return tokens
    if samples is None or mean is None:
        raise SizingError("a training workload needs tokens, or samples and tokens_per_sample")
    if mean > seq_len:
        notes.append(f"samples of {mean:g} tokens are cut at seq_len {seq_len}")
        mean = float(seq_len)
    return samples * mean


def _flag(raw: Mapping[str, Any], key: str) -> bool:
    value = raw.get(key, False)
    if not isinstance(value, bool):
        raise SizingError(f"{key} must be true or false, got {shown(value)}")
    return value


def parse(raw: Any) -> Workload:
    """A workload from its parsed TOML or JSON object. SizingError, one sentence, for anything it cannot
    mean."""
    if not isinstance(raw, Mapping):
        raise SizingError(f"a workload must be a table of fields, got {type(raw).__name__}")
    if strange := sorted(set(raw) - KNOWN):
        raise SizingError(f"unknown workload field {', '.join(strange)} (known: {', '.join(sorted(KNOWN))})")
    notes: list[str] = []
    method = _method(raw, notes)
    seq_len = whole(raw, "seq_len")
    if seq_len is None:
        seq_len = DEFAULTS["seq_len"]
        notes.append(f"seq_len not given: {seq_len} assumed")
    epochs = positive(raw, "epochs")
    if epochs is None:
        epochs = 1.0 if method in ("pretrain", "inference") else DEFAULT_EPOCHS
        if method != "inference":
            notes.append(f"epochs not given: {epochs:g} assumed")
    hours, concurrency = positive(raw, "hours"), whole(raw, "concurrency")
    if method == "inference" and hours is None:
        raise SizingError("an inference workload needs hours: how long the model is to be served")
    if method != "inference" and (hours is not None or concurrency is not None):
        raise SizingError("hours and concurrency belong to inference; training takes tokens or samples")
    if all(raw.get(key) is None for key in ("model", "params", "config")):
        raise SizingError("no model: give model (a name), params (a number) or config (a config.json)")
    modes = _names(raw, "billing_modes")
    if bad := [m for m in modes if m not in BILLING_MODES]:
        raise SizingError(f"unknown billing mode {', '.join(bad)} (known: {', '.join(BILLING_MODES)})")
    return Workload(
        name=str(raw.get("name") or ""),
        model=raw.get("model"),
        params=positive(raw, "params"),
        config=raw.get("config"),
        method=method,
        seq_len=seq_len,
        micro_batch=whole(raw, "micro_batch"),
        tokens=_tokens(raw, method, seq_len, notes),
        epochs=epochs,
        dataset_gb=positive(raw, "dataset_gb") or 0.0,
        deadline_hours=positive(raw, "deadline_hours"),
        budget_cny=positive(raw, "budget_cny"),
        regions=_names(raw, "regions"),
        cards=_names(raw, "cards"),
        billing_modes=modes,
        interruptible=_flag(raw, "interruptible"),
        hours=hours,
        concurrency=concurrency,
        pinned={k: raw[k] for k in PINNED if raw.get(k) is not None},
        assumptions=tuple(notes),
    )


def read(path: Path) -> Workload:
    """A workload file: `.json` as JSON, anything else as TOML. SizingError names the file and what is
    wrong."""
    try:
        text = path.read_text(encoding="utf-8")
        raw = json.loads(text) if path.suffix.lower() == ".json" else toml_text.loads(text, float)
    except OSError as error:
        raise SizingError(f"{path}: {error.strerror or error}") from error
    except (ValueError, RecursionError) as error:
        raise SizingError(f"{path}: {error}") from error
    if isinstance(raw, Mapping) and set(raw) == {"workload"}:
        raw = raw["workload"]
    found = parse(raw)
    if found.name:
        return found
    return parse({**raw, "name": path.stem})
