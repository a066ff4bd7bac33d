"""Bad and unusual input of a task: clear sentences, nothing assumed in silence, words of every spelling."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sizing import cards, profiles, words
from sizing.errors import SizingError
from sizing.estimate import estimate
from sizing.task import parse

GOOD = {"model": "qwen2.5-7b", "method": "lora", "seq_len": 2048, "micro_batch": 1, "cards": 1}


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"seq_len": 0}, "seq_len must be a whole number of at least 1"),
        ({"seq_len": -5}, "seq_len"),
        ({"seq_len": 2.5}, "seq_len"),
        ({"seq_len": "2048"}, "seq_len"),
        ({"seq_len": True}, "seq_len"),
        ({"seq_len": float("nan")}, "seq_len"),
        ({"seq_len": 10**12}, "beyond anything"),
        ({"micro_batch": float("inf")}, "micro_batch"),
        ({"cards": 0}, "cards"),
        ({"cards": -1}, "cards"),
        ({"cards": 2, "nodes": 4}, "cannot fill"),
        ({"cards": 4, "tp": 3}, "does not divide"),
        ({"cards": 1, "pp": 2}, "does not divide"),
        ({"lora_rank": 0}, "lora_rank"),
        ({"params": -7e9, "model": None}, "params must be a number above 0"),
        ({"params": float("nan"), "model": None}, "params"),
        ({"params": 0, "model": "unheard-of"}, "params"),
        ({"model": "unheard-of"}, "unknown model 'unheard-of'"),
        ({"model": None}, "no model"),
        ({"model": 7}, "model must be a name"),
        ({"config": {"hidden_size": 4096}}, "config.json has no layers"),
        ({"config": "llama"}, "config must be the object"),
        ({"method": "full", "quant": "nf4"}, "frozen"),
        ({"card_mem_gb": -24}, "card_mem_gb"),
        ({"card_mem_gb": float("nan")}, "card_mem_gb"),
    ],
)
def test_bad_input_is_a_sentence(change: dict[str, Any], sentence: str) -> None:
    with pytest.raises(SizingError) as caught:
        parse({**GOOD, **change}, None, [])
    assert sentence in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("raw", [None, 7, "qwen", [], [1]])
def test_a_task_must_be_an_object(raw: object) -> None:
    with pytest.raises(SizingError, match="object"):
        parse(raw)


@pytest.mark.parametrize(
    ("card", "change", "sentence"),
    [
        ("V100-32G", {"precision": "bf16"}, "has no bf16"),
        ("T4", {"precision": "bfloat16"}, "has no bf16"),
        ("V100-32G", {"precision": "amp_bf16"}, "has no bf16"),
        ("A100-80G", {"precision": "fp8"}, "has no fp8"),
        ("T4", {"precision": "fp16", "flash_attn": "fa2"}, "compute capability 8.0"),
        ("V100-16G", {"precision": "fp16", "flash_attn": "flash-attention-2"}, "compute capability 8.0"),
        ("P40", {"precision": "fp16"}, "half precision"),
        ("P40", {}, "half precision"),
        ("910B3", {"method": "qlora"}, "no QLoRA"),
        ("910B-64G", {"method": "lora", "quant": "nf4"}, "no QLoRA"),
    ],
)
def test_what_a_card_cannot_do_is_refused(card: str, change: dict[str, Any], sentence: str) -> None:
    with pytest.raises(SizingError, match=sentence):
        parse({**GOOD, **change}, cards.get(card), [])


def test_a_card_without_bf16_gets_fp16_when_nothing_is_told() -> None:
    notes: list[str] = []
    task = parse(GOOD, cards.get("V100-32G"), notes)
    assert task.precision == "fp16"
    assert any("fp16 assumed" in n for n in task.assumptions)


@pytest.mark.parametrize("name", ["A100", "V100", "910B"])
def test_a_card_of_several_sizes_needs_one(name: str) -> None:
    with pytest.raises(SizingError, match="several sizes"):
        cards.get(name)


def test_the_memory_settles_the_size_of_a_bare_card() -> None:
    assert cards.get("A100", None, 40).name == "A100-40G"
    assert cards.get("H20", None, 96).name == "H20-96G"


def test_an_unknown_card_is_refused() -> None:
    with pytest.raises(SizingError, match="unknown card"):
        cards.get("RTX9090")


def test_an_unknown_form_is_the_slowest_and_said() -> None:
    told, open_form = cards.get("H100-80G", "SXM"), cards.get("H100-80G")
    assert open_form.tflops < told.tflops
    found = estimate(parse({**GOOD}, open_form, []))
    assert any("form of H100-80G not told" in note for note in found.assumptions)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("precision", "int3"),
        ("quant", "exl2"),
        ("optimizer", "sophia"),
        ("zero_stage", 7),
        ("zero_stage", "maybe"),
        ("offload", "tape"),
        ("grad_checkpoint", "sometimes"),
        ("flash_attn", "quick"),
        ("loss_kernel", "magic"),
        ("method", "telepathy"),
        ("framework", "some-new-trainer"),
        ("lora_targets", "head_of_state"),
    ],
)
def test_an_unknown_word_is_taken_as_absent_and_said(field: str, value: Any) -> None:
    task = parse({**GOOD, field: value}, None, [])
    assert any(str(value) in note for note in task.assumptions), task.assumptions
    without = parse({k: v for k, v in GOOD.items() if k != field}, None, [])
    assert estimate(task).peak_gib_p50 == pytest.approx(estimate(without).peak_gib_p50)


def test_an_unknown_name_with_params_uses_them_and_says_so() -> None:
    task = parse({**GOOD, "model": "brand-new-9b", "params": 9e9}, None, [])
    assert task.model.params == 9_000_000_000
    assert any("brand-new-9b" in note for note in task.assumptions)


def test_params_that_contradict_a_known_name_are_said() -> None:
    task = parse({**GOOD, "params": 9e9}, None, [])
    assert task.model.name == "qwen2.5-7b"
    assert any("differs" in note for note in task.assumptions)


def test_everything_assumed_is_said() -> None:
    found = estimate(parse({"model": "qwen2.5-7b"}))
    text = "\n".join(found.assumptions)
    for word in (
        "method",
        "precision",
        "quant",
        "framework",
        "cards",
        "seq_len",
        "micro_batch",
        "grad_accum",
        "card",
    ):
        assert word in text, word
    assert found.fits is None
    assert found.verdict is None
    assert found.tokens_per_s_p50 is None


def test_a_full_description_assumes_nothing() -> None:
    told = {
        **GOOD,
        "precision": "bf16",
        "grad_accum": 4,
        "grad_checkpoint": True,
        "flash_attn": True,
        "optimizer": "adamw",
        "lora_rank": 8,
        "lora_targets": "all-linear",
        "framework": "LLaMA-Factory",
    }
    assert estimate(parse(told, cards.get("RTX4090"))).assumptions == ()


@pytest.mark.parametrize(
    ("field", "spelling", "word"),
    [
        ("method", "SFT", "full"),
        ("method", "全参微调", "full"),
        ("method", "Q-LoRA", "qlora"),
        ("precision", "bf16-mixed (fp32 weights)", "amp_bf16"),
        ("precision", "BFloat16", "bf16"),
        ("quant", "bnb.nf4-dq", "nf4-dq"),
        ("quant", "int4-gptq", "gptq-int4"),
        ("quant", "8bit", "int8"),
        ("optimizer", "adamw_bnb_8bit", "adamw-8bit"),
        ("optimizer", "paged adamw", "paged-adamw"),
        ("offload", "optimizer+params to cpu", "cpu"),
        ("offload", False, "none"),
        ("zero_stage", 3, "3"),
        ("zero_stage", "FSDP2", "3"),
        ("zero_stage", 2.0, "2"),
        ("grad_checkpoint", True, "true"),
        ("flash_attn", "sdpa", "true"),
        ("flash_attn", "eager", "false"),
        ("loss_kernel", "Liger", "fused"),
    ],
)
def test_spellings(field: str, spelling: Any, word: str) -> None:
    assert words.word(field, spelling) == word


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("all-linear", "q k v o gate up down"),
        ("c_attn (DEFAULT)", "q k v"),
        ("q_proj,v_proj", "q v"),
        ("c_attn,c_proj,w1,w2 + wte,lm_head trainable", "q k v o gate up down embed head"),
        ("qkv_proj, o_proj, gate_up_proj, down_proj", "q k v o gate up down"),
    ],
)
def test_lora_targets(text: str, parts: str) -> None:
    assert words.targets(text)[0] == frozenset(parts.split())


def test_lora_targets_as_a_list() -> None:
    assert words.targets(["q_proj", "k_proj"]) == (frozenset({"q", "k"}), ())
    assert words.targets(["q_proj", "k_projj"]) == (frozenset({"q"}), ("k_projj",))


@pytest.mark.parametrize(
    ("framework", "key"),
    [
        ("qwen-finetune.py/HF Trainer", "qwen"),
        ("ms-swift 1.x/2.x", "swift2"),
        ("ms-swift 4.x", "swift"),
        ("ms-swift", "swift"),
        ("lit-gpt fork", "litgpt"),
        ("HF+FA2", "hf"),
        ("HF Trainer/DeepSpeed", "deepspeed"),
        ("transformers/autogptq", "hf"),
        ("NeMo 24.07", "megatron"),
        ("MindFormers r1.3", "megatron"),
        ("fsdp_qlora", "fsdp_qlora"),
        ("qlora", "qlora"),
        ("LLaMA-Factory 0.9.1", "llamafactory"),
        ("torchtune", "torchtune"),
        ("PEFT/HF", "peft"),
        ("universal-llm-trainer/HF", "ult"),
        ("xtuner 0.1", "xtuner"),
        ("ChatGLM-Efficient-Tuning", "glmtuning"),
        ("llm-foundry", "foundry"),
        ("vLLM", "engine"),
    ],
)
def test_frameworks_are_found_by_whole_words(framework: str, key: str) -> None:
    found, known = profiles.find(framework)
    assert known
    assert found.key == key


@pytest.mark.parametrize("framework", [None, "", "shelf", "myswiftly", 7])
def test_other_frameworks_get_the_generic_profile(framework: object) -> None:
    found, known = profiles.find(framework)
    assert found.key == "hf"
    assert not known


CONFIGS = json.loads((Path(__file__).parent / "data" / "configs.json").read_text(encoding="utf-8"))
JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-10, 10**7)
    | st.sampled_from([10**19, 10**400])
    | st.floats()
    | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)
FIELDS = st.sampled_from(
    "model params config method precision quant seq_len micro_batch grad_accum grad_checkpoint flash_attn "
    "optimizer lora_rank lora_targets cards card_mem_gb nodes zero_stage offload tp pp sp framework "
    "loss_kernel concurrency".split()
)


@given(st.dictionaries(FIELDS, JSON, max_size=10))
def test_any_json_is_an_answer_or_a_sentence(raw: dict[str, Any]) -> None:
    try:
        found = estimate(parse(raw, cards.get("A100-80G"), []))
    except SizingError as error:
        assert str(error)
    else:
        assert found.peak_gib_p50 > 0


@given(
    st.sampled_from([case["config"] for case in CONFIGS]),
    st.dictionaries(
        st.sampled_from(sorted({key for case in CONFIGS for key in case["config"]} - {"model_type"})),
        JSON,
        max_size=3,
    ),
    st.sampled_from(["full", "lora", "qlora", "inference"]),
)
def test_any_damaged_config_is_an_answer_or_a_sentence(
    config: dict[str, Any], damage: dict[str, Any], method: str
) -> None:
    try:
        found = estimate(parse({"config": {**config, **damage}, "method": method}, cards.get("H20-96G"), []))
    except SizingError as error:
        assert 0 < len(str(error)) < 600
    else:
        assert 0 < found.peak_gib_p50 <= found.peak_gib_p90
        assert all(part >= 0 for part in found.parts_gib.values())


def test_a_zero_stage_without_ranks_to_shard_over_is_said() -> None:
    raw = {"model": "qwen2.5-7b", "method": "full", "cards": 2, "tp": 2, "zero_stage": 3}
    found = parse(raw, cards.get("A100-80G"), [])
    assert any("shards nothing" in note for note in found.assumptions)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [({"cards": 8, "tp": 8}, "tp 8 does not divide the 28 heads"), ({"cards": 32, "pp": 32}, "32 stages")],
)
def test_a_split_that_no_engine_makes_is_refused(change: dict[str, Any], sentence: str) -> None:
    with pytest.raises(SizingError, match=sentence):
        parse({"model": "qwen2.5-7b", "method": "full", **change}, cards.get("A100-80G"), [])


def test_serving_on_a_number_of_cards_that_does_not_divide_the_heads_is_said() -> None:
    raw = {"model": "qwen2.5-7b", "method": "inference", "cards": 3}
    assert any("do not divide" in note for note in parse(raw, cards.get("RTX4090"), []).assumptions)
