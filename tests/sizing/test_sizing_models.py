"""Model facts: parameter counts of the catalogue and of config.json files, and names."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sizing import catalogue, family
from sizing.errors import SizingError
from sizing.hfconfig import from_config

CONFIGS = json.loads((Path(__file__).parent / "data" / "configs.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("row", catalogue.rows(), ids=lambda row: row["name"])
def test_catalogue_counts_what_was_published(row: dict[str, str]) -> None:
    found = catalogue.require(row["name"])
    assert found.params / 1e9 == pytest.approx(float(row["published_b"]), rel=0.005)
    assert row["source"]


def test_catalogue_is_wide() -> None:
    assert len(catalogue.rows()) >= 100
    families = {catalogue.tokens_of(row["name"])[0] for row in catalogue.rows()}
    assert {
        "qwen",
        "llama",
        "yi",
        "glm",
        "chatglm",
        "baichuan",
        "internlm",
        "deepseek",
        "mistral",
        "gemma",
        "phi",
    } <= families


@pytest.mark.parametrize("case", CONFIGS, ids=lambda case: case["name"])
def test_config_counts_to_half_a_percent(case: dict[str, Any]) -> None:
    found = from_config(case["config"])
    assert found.params / 1e9 == pytest.approx(case["params_b"], rel=0.005)
    if "active_b" in case:
        assert found.active_params / 1e9 == pytest.approx(case["active_b"], rel=0.05)


def test_thirty_models_are_counted_from_their_configs() -> None:
    assert len(CONFIGS) >= 30


@pytest.mark.parametrize("case", [c for c in CONFIGS if c.get("catalogue")], ids=lambda case: case["name"])
def test_config_and_catalogue_agree_on_dimensions(case: dict[str, Any]) -> None:
    ours, theirs = from_config(case["config"]), catalogue.require(case["catalogue"])
    for key in ("layers", "hidden", "heads", "kv_heads", "head_dim", "ffn", "vocab", "tied", "gated"):
        assert getattr(ours, key) == getattr(theirs, key), key


def test_moe_counts_all_experts_for_memory_and_few_for_compute() -> None:
    found = catalogue.require("qwen3-30b-a3b")
    assert found.params / 1e9 == pytest.approx(30.5, rel=0.005)
    assert found.active_params / 1e9 == pytest.approx(3.3, rel=0.05)


def test_the_doubled_width_of_qwen1_is_halved() -> None:
    config = next(c["config"] for c in CONFIGS if c["name"] == "Qwen-7B")
    assert config["intermediate_size"] == 22016
    assert from_config(config).ffn == 11008


def test_vision_parts_are_said_to_be_left_out() -> None:
    config = next(c["config"] for c in CONFIGS if c["name"] == "Llama-4-Maverick-17B-128E")
    assert any("not counted" in note for note in from_config(config).assumptions)


@pytest.mark.parametrize(
    ("spelling", "name"),
    [
        ("Qwen/Qwen2.5-7B-Instruct", "qwen2.5-7b"),
        ("qwen 1_8b chat", "qwen-1.8b"),
        ("Qwen-7B-Chat-Int4", "qwen-7b"),
        ("Qwen3-30B-A3B-Instruct-2507", "qwen3-30b-a3b"),
        ("unsloth/llama-3-8b-bnb-4bit", "llama-3-8b"),
        ("llama3-8b", "llama-3-8b"),
        ("Meta-Llama-3.1-8B-Instruct", "llama-3.1-8b"),
        ("Mistral-7B-Instruct-v0.2", "mistral-7b"),
        ("DeepSeek-R1-Distill-Qwen-32B", "qwen2.5-32b"),
        ("MiniCPM-V (8B class VLM)", "minicpm-llama3-v-2.5"),
        ("google/gemma-2-9b-it", "gemma-2-9b"),
    ],
)
def test_names_match_by_whole_tokens(spelling: str, name: str) -> None:
    found = catalogue.find(spelling)
    assert found is not None
    assert found.name == name


@pytest.mark.parametrize(
    "name", ["qwen-27b", "gemma-27b", "llama-8b", "nope", "", "7b", "qwen2.5", "3B generic"]
)
def test_near_names_are_no_match(name: str) -> None:
    assert catalogue.find(name) is None


def test_unknown_name_says_what_helps() -> None:
    with pytest.raises(SizingError, match="give params"):
        catalogue.require("qwen-27b")


@pytest.mark.parametrize(
    ("change", "word"),
    [
        ({"hidden_size": None}, "hidden"),
        ({"num_hidden_layers": 0}, "layers"),
        ({"vocab_size": -5}, "vocab_size"),
        ({"num_attention_heads": "32"}, "num_attention_heads"),
        ({"num_attention_heads": 33}, "multiple"),
        ({"intermediate_size": 1.5}, "intermediate_size"),
        ({"num_key_value_heads": 64}, "KV heads"),
        ({"intermediate_size": float("nan")}, "intermediate_size"),
    ],
)
def test_a_config_without_dimensions_is_refused(change: dict[str, Any], word: str) -> None:
    config = {
        "model_type": "llama",
        "hidden_size": 4096,
        "num_hidden_layers": 32,
        "num_attention_heads": 32,
        "intermediate_size": 11008,
        "vocab_size": 32000,
        **change,
    }
    with pytest.raises(SizingError, match=word):
        from_config(config)


@pytest.mark.parametrize("config", [None, [], "llama", 7, {}])
def test_what_is_no_config_is_refused(config: object) -> None:
    with pytest.raises(SizingError):
        from_config(config)


@given(st.floats(1e8, 1e12))
def test_a_parameter_count_is_kept_exactly(params: float) -> None:
    found = family.from_params(params)
    assert found.params == int(params)
    assert found.assumptions


@pytest.mark.parametrize("params", [0.0, -1.0, 1e3, 1e15, float("nan"), float("inf")])
def test_senseless_counts_are_refused(params: float) -> None:
    with pytest.raises(SizingError, match="params"):
        family.from_params(params)


@pytest.mark.parametrize("kind", ["mamba", "t5", "bert", "qwen3_next", "jamba"])
def test_what_is_no_decoder_is_refused_not_miscounted(kind: str) -> None:
    config = {"model_type": kind, "hidden_size": 768, "num_hidden_layers": 12, "num_attention_heads": 12}
    with pytest.raises(SizingError, match="decoder-only"):
        from_config({**config, "intermediate_size": 3072, "vocab_size": 30522})


def test_a_class_default_is_used_only_where_save_pretrained_leaves_it_out_and_said() -> None:
    nested = from_config({"model_type": "llava", "text_config": {"model_type": "llama", "vocab_size": 32064}})
    assert nested.hidden == 4096
    assert any("leaves out" in note for note in nested.assumptions)
    with pytest.raises(SizingError, match="hidden"):
        from_config({"model_type": "llama", "vocab_size": 32064})
