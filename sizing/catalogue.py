"""The built-in model catalogue (`models.csv`): a name → its dimensions. Names match by whole tokens, never
fuzzily."""

from __future__ import annotations

import csv
import re
from functools import lru_cache
from importlib.resources import files
from typing import Any

from sizing.errors import SizingError, shown
from sizing.model import Experts, Mla, ModelFacts

# Words of a checkpoint's name that change no dimension.
NOISE = frozenset(
    "meta hf chat instruct it base pt sft dpo bnb gptq awq nf gguf int bf fp preview thinking text only "
    "quantized unsloth dynamic w v".split()
)
_TOKEN = re.compile(r"\d+x\d+(?:\.\d+)?[bm](?![a-z])|\d+(?:\.\d+)?[bm](?![a-z])|\d+(?:\.\d+)?|[a-z]+")
_TAIL = re.compile(r"[-_](?:\d{4}|\d+bit|\d+k|int\d|1m|awq|gptq|w\d+a\d+|v\d+(?:\.\d+)?)(?=$|[-_])")
_DECIMAL = re.compile(r"(?<=\d)_(?=\d)")


def tokens_of(name: str) -> tuple[str, ...]:
    """`Qwen/Qwen1.5-7B-Chat` → ('qwen', '1.5', '7b'): organisation, case, separators and noise words
    dropped."""
    text = _DECIMAL.sub(".", name.strip().lower().rsplit("/", 1)[-1])
    return tuple(t for t in _TOKEN.findall(text) if t not in NOISE)


def _int(text: str) -> int:
    return int(text) if text else 0


def _experts(row: dict[str, str]) -> Experts | None:
    if not row["experts"]:
        return None
    return Experts(
        int(row["experts"]),
        int(row["top_k"]),
        int(row["expert_ffn"]),
        _int(row["shared_ffn"]),
        _int(row["dense_layers"]),
    )


def _facts(row: dict[str, str]) -> ModelFacts:
    features = [f for f in row["features"].split(";") if f]
    positions = sum(int(f.split(":")[1]) for f in features if f.startswith("learned_pos:"))
    sizes: dict[str, Any] = {
        key: int(row[key]) for key in ("layers", "hidden", "heads", "kv_heads", "head_dim", "ffn", "vocab")
    }
    return ModelFacts(
        name=row["name"],
        **sizes,
        tied=row["tied"] == "yes",
        gated=row["gated"] == "yes",
        bias=row["bias"],
        mla=Mla(*map(int, row["mla"].split("/"))) if row["mla"] else None,
        experts=_experts(row),
        features=frozenset(f for f in features if ":" not in f),
        learned_positions=positions,
        extra_params=_int(row["extra_params"]),
        source=row["source"],
    )


@lru_cache(maxsize=1)
def rows() -> tuple[dict[str, str], ...]:
    """The catalogue file, a dict a row."""
    text = files("sizing").joinpath("models.csv").read_text(encoding="utf-8")
    return tuple(csv.DictReader(text.splitlines()))


@lru_cache(maxsize=1)
def _by_tokens() -> dict[tuple[str, ...], ModelFacts]:
    index: dict[tuple[str, ...], ModelFacts] = {}
    for row in rows():
        facts = _facts(row)
        for name in [row["name"], *filter(None, row["aliases"].split(";"))]:
            key = tokens_of(name)
            if index.setdefault(key, facts) is not facts:
                raise ValueError(f"models.csv: {name} of {row['name']} also names {index[key].name}")
    return index


@lru_cache(maxsize=4096)
def find(name: str) -> ModelFacts | None:
    """The model of that name, or None. `qwen2.5-7b`, `Qwen/Qwen2.5-7B-Instruct` and `qwen2.5 7B` are one
    model."""
    index = _by_tokens()
    found = index.get(tokens_of(name))
    if found is None:
        found = index.get(tokens_of(_TAIL.sub("", name.lower())))
    return found


def known_names() -> list[str]:
    """Every name of the catalogue, sorted."""
    return sorted(row["name"] for row in rows())


def require(name: str) -> ModelFacts:
    """`find`, or SizingError naming the closest family."""
    found = find(name)
    if found is not None:
        return found
    head = tokens_of(name)[:1]
    near = [n for n in known_names() if head and tokens_of(n)[:1] == head]
    hint = f"; known ones: {', '.join(near[:8])}" if near else ""
    raise SizingError(f"unknown model {shown(name)}: give params (a number) or config (a config.json){hint}")
