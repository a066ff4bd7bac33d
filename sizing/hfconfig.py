"""Model facts from a Hugging Face `config.json`: exact parameter counts, or a sentence saying what is
missing."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import lru_cache
from importlib.resources import files
from typing import Any

from sizing.errors import SizingError, is_number, shown
from sizing.model import Experts, Mla, ModelFacts

Config = Mapping[str, Any]
LARGEST = 100_000_000  # of any single dimension


@lru_cache(maxsize=1)
def _words() -> dict[str, Any]:
    return tomllib.loads(files("sizing").joinpath("hfconfig.toml").read_text(encoding="utf-8"))


def _number(config: Config, key: str) -> int | None:
    value = config.get(key)
    if value is None:
        return None
    if isinstance(value, list) and value and all(v == value[0] for v in value):
        value = value[0]
    if not is_number(value):
        raise SizingError(f"config.json: {key} must be a number, got {shown(value)}")
    if value < 0 or value != int(value):
        raise SizingError(f"config.json: {key} must be a whole number of at least 0, got {shown(value)}")
    if value > LARGEST:
        raise SizingError(f"config.json: {key} {value:g} is beyond any model (limit {LARGEST:,})")
    return int(value)


def _first(config: Config, what: str) -> int | None:
    for key in _words()["keys"][what]:
        found = _number(config, key)
        if found:
            return found
    return None


def _needed(config: Config, what: str) -> int:
    found = _first(config, what)
    if found is None:
        raise SizingError(f"config.json has no {what} (looked for {', '.join(_words()['keys'][what])})")
    return found


def _of_type(model_type: str, kind: str) -> bool:
    return model_type in _words()["types"][kind]


def _text_part(config: Config) -> tuple[Config, list[str]]:
    """The language model's own dimensions: VLMs nest them."""
    for key in _words()["nested"]["keys"]:
        inner = config.get(key)
        if not isinstance(inner, Mapping):
            continue
        usual = _words()["class_defaults"].get(str(inner.get("model_type")), {})
        if _first(inner, "hidden") or usual or _text_part(inner)[0] is not inner:
            deeper, notes = _text_part(inner)
            if absent := [k for k in usual if inner.get(k) is None]:
                notes.append(
                    f"{key} leaves out {', '.join(absent)}: those of class {inner['model_type']} used"
                )
                deeper = {**usual, **{k: v for k, v in deeper.items() if v is not None}}
            tie = config.get("tie_word_embeddings")
            if tie is not None and "tie_word_embeddings" not in deeper:
                deeper = {**deeper, "tie_word_embeddings": tie}
            return deeper, [*notes, f"vision or audio parts beside {key} are not counted"]
    return config, []


def _kv_heads(config: Config, model_type: str, heads: int) -> int:
    attn = config.get("attn_config")
    if isinstance(attn, Mapping) and (found := _first(attn, "kv_heads")):
        return found
    if model_type.startswith(("falcon", "RefinedWeb")):
        if config.get("new_decoder_architecture"):
            return _first(config, "kv_heads") or heads
        return 1 if config.get("multi_query", True) else heads
    if model_type == "gpt_bigcode":
        return 1 if config.get("multi_query", True) else heads
    if model_type == "chatglm" and config.get("multi_query_attention") is not True:
        return heads
    return _first(config, "kv_heads") or heads


def _ffn(config: Config, model_type: str, hidden: int) -> int:
    ffn = _first(config, "ffn")
    if model_type in ("llama4", "llama4_text"):
        ffn = _number(config, "intermediate_size_mlp") or ffn
    inside = config.get("ffn_config")
    if ffn is None and isinstance(inside, Mapping):
        ffn = _first(inside, "ffn")
    if ffn is None and model_type == "mpt":
        return hidden * (_number(config, "expansion_ratio") or 4)
    if ffn is None and _of_type(model_type, "four_wide"):
        return 4 * hidden
    if ffn is None:
        raise SizingError(f"config.json has no FFN width (looked for {', '.join(_words()['keys']['ffn'])})")
    return ffn // 2 if _of_type(model_type, "doubled_ffn") else ffn


def _bias(config: Config, model_type: str) -> str:
    if model_type in ("phi3", "phi"):
        return "all" if model_type == "phi" else "none"
    if _of_type(model_type, "all_bias"):
        return "all"
    if model_type == "mpt":
        return "none" if config.get("no_bias", True) else "all"
    if model_type in ("internlm",) and config.get("bias"):
        return "qkvo"
    if config.get("add_qkv_bias") or config.get("qkv_bias") or config.get("use_qkv_bias"):
        return "qkv"
    if "attention_bias" in config:
        if not config["attention_bias"]:
            return "none"
        return "qkv" if _of_type(model_type, "qkv_bias") else "qkvo"
    return "qkv" if _of_type(model_type, "qkv_bias") else "none"


def _dense_layers(config: Config, layers: int) -> int:
    """How many layers carry a plain FFN instead of experts."""
    listed = config.get("moe_layers")
    if isinstance(listed, list) and listed:
        return layers - len(listed)
    every = _number(config, "interleave_moe_layer_step") or _number(config, "decoder_sparse_step") or 1
    every = max(every, _number(config, "moe_layer_freq") or _number(config, "moe_layer_interval") or 1)
    only = config.get("mlp_only_layers")
    dense = len(only) if isinstance(only, list) else 0
    first = _first(config, "dense_layers") or 0
    if every > 1:
        return layers - (layers - first) // every
    return max(dense, first)


def _experts(config: Config, model_type: str, layers: int, ffn: int) -> Experts | None:
    inside = config.get("ffn_config")
    if isinstance(inside, Mapping):  # DBRX
        config = {**config, **inside}
    count = _first(config, "experts")
    if not count or count == 1:
        return None
    width = _first(config, "expert_ffn")
    if _of_type(model_type, "expert_is_ffn"):
        width = _first(config, "ffn") or width
    shared = _number(config, "shared_expert_intermediate_size") or 0
    if not shared:
        shared = (_first(config, "shared_experts") or 0) * (width or 0)
    if model_type in ("llama4", "llama4_text"):
        shared = width or 0
    if model_type in ("gemma4", "gemma4_text"):
        shared = ffn
    top_k = _first(config, "top_k")
    if not width or not top_k:
        raise SizingError("config.json names experts but neither their width nor how many a token uses")
    if top_k > count:
        raise SizingError(f"config.json: {top_k} experts per token of only {count}")
    return Experts(count, top_k, width, shared, _dense_layers(config, layers))


def _mla(config: Config, usual_value: int) -> Mla | None:
    kv_rank, rope = _number(config, "kv_lora_rank"), _number(config, "qk_rope_head_dim")
    if not kv_rank or not rope:
        return None
    nope, value = _number(config, "qk_nope_head_dim"), _number(config, "v_head_dim") or usual_value
    if not nope:
        raise SizingError("config.json has kv_lora_rank but no qk_nope_head_dim")
    return Mla(_number(config, "q_lora_rank") or 0, kv_rank, nope, rope, value)


def _features(config: Config, model_type: str) -> frozenset[str]:
    found = {f for f in ("softcap", "sandwich", "qk_norm", "alibi") if _of_type(model_type, f)}
    if config.get("final_logit_softcapping"):
        found.add("softcap")
    if config.get("use_qk_norm"):
        found.add("qk_norm")
    if config.get("alibi") or config.get("position_embedding") == "ALIBI":
        found.add("alibi")
    if model_type == "baichuan" and _first(config, "hidden") == 5120:
        found.add("alibi")  # the 13B models use ALiBi and their files do not say so
    return frozenset(found)


def _tied(config: Config, model_type: str) -> bool:
    told = config.get("tie_word_embeddings")
    if isinstance(told, bool):
        return told
    if model_type == "chatglm" and "multi_query_attention" not in config:
        return True  # ChatGLM-6B: one matrix serves as embedding and head
    return _of_type(model_type, "tied")


def _projected(config: Config, hidden: int, vocab: int) -> int:
    """Parameters beyond the formula where the embedding is narrower than the layers (OPT-350m): two
    projections, less the columns it has not."""
    width = _number(config, "word_embed_proj_dim")
    return vocab * (width - hidden) + 2 * width * hidden if width and width != hidden else 0


def from_config(config: Any, name: str = "config.json") -> ModelFacts:
    """Facts of a Hugging Face config (the parsed object). SizingError when dimensions are missing or
    senseless."""
    if not isinstance(config, Mapping):
        raise SizingError("config must be the object of a config.json")
    text, notes = _text_part(config)
    model_type = str(text.get("model_type") or config.get("model_type") or "")
    if _of_type(model_type, "foreign") or text.get("is_encoder_decoder") is True:
        raise SizingError(
            f"config.json: {model_type or 'this'} is no decoder-only transformer, the kind counted here: "
            "give params (a number) instead"
        )
    hidden, layers, heads = _needed(text, "hidden"), _needed(text, "layers"), _needed(text, "heads")
    vocab = _first(text, "vocab") or _words()["vocab_defaults"].get(model_type)
    if vocab is None:
        raise SizingError(
            f"config.json has no vocabulary size (looked for {', '.join(_words()['keys']['vocab'])})"
        )
    head_dim = _first(text, "head_dim") or _words()["head_dim_defaults"].get(model_type)
    if head_dim is None:
        if hidden % heads:
            raise SizingError(
                f"config.json: hidden size {hidden} is no multiple of {heads} heads and head_dim is absent"
            )
        head_dim = hidden // heads
    ffn = _ffn(text, model_type, hidden)
    offset = _words()["types"]["learned_positions"].get(model_type)
    old_glm = model_type == "chatglm" and "multi_query_attention" not in text
    return ModelFacts(
        name=str(config.get("_name_or_path") or name) or name,
        layers=layers,
        hidden=hidden,
        heads=heads,
        kv_heads=_kv_heads(text, model_type, heads),
        head_dim=head_dim,
        ffn=ffn,
        vocab=vocab,
        tied=_tied(text, model_type),
        gated=not (_of_type(model_type, "plain_ffn") or old_glm),
        bias="all" if old_glm else _bias(text, model_type),
        mla=_mla(text, hidden // heads),
        experts=_experts(text, model_type, layers, ffn),
        features=_features(text, model_type),
        learned_positions=((_first(text, "positions") or 0) + offset) if offset is not None else 0,
        extra_params=_projected(text, hidden, vocab),
        source="config.json",
        assumptions=tuple(notes),
    )
