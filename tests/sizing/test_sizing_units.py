"""GiB and GB are never mixed, and states have the bytes that the literature counts."""

from __future__ import annotations

from typing import Any

import pytest

from sizing import cards, catalogue
from sizing.estimate import estimate
from sizing.states import QUANT_BYTES, lora_params
from sizing.task import parse
from sizing.units import GB, GIB, gb_to_gib, gib


def parts(**task: Any) -> dict[str, float]:
    return estimate(parse(task, None, [])).parts_gib


def test_gib_and_gb() -> None:
    assert GIB == 2**30
    assert GB == 10**9
    assert gib(2**30) == 1
    assert gb_to_gib(24) == pytest.approx(22.35, abs=0.01)
    assert gb_to_gib(80) == pytest.approx(74.51, abs=0.01)


def test_weights_are_two_bytes_a_parameter_in_gib() -> None:
    found = parts(model="qwen2.5-7b", method="lora", seq_len=16, micro_batch=1)
    assert found["weights"] == pytest.approx(7.6156e9 * 2 / 2**30, rel=1e-3)
    assert found["weights"] != pytest.approx(7.6156e9 * 2 / 1e9, rel=1e-2)


@pytest.mark.parametrize(
    ("card", "visible"), [("A100-80G", 79.2), ("RTX4090", 23.65), ("T4", 14.6), ("A10G", 22.2)]
)
def test_usable_memory_is_below_the_visible_one(card: str, visible: float) -> None:
    facts = cards.get(card)
    assert facts.visible_gib == pytest.approx(visible)
    task = parse({"model": "qwen2.5-0.5b", "method": "lora", "seq_len": 64, "micro_batch": 1}, facts)
    usable = estimate(task).usable_gib
    assert usable is not None
    assert usable < visible < facts.vram_gb


@pytest.mark.parametrize(
    ("framework", "zero", "cards_", "per_param"),
    [
        ("ms-swift 2.x", 0, 1, 10.0),  # pure bf16, foreach AdamW
        ("torchtune", 0, 1, 8.0),  # pure bf16, no step temporary
        ("LLaMA-Factory", 3, 8, 18.0 / 8),  # ZeRO-3 with fp32 master
    ],
)
def test_state_bytes_per_parameter(framework: str, zero: int, cards_: int, per_param: float) -> None:
    found = parts(
        model="qwen-7b", method="full", seq_len=16, micro_batch=1, grad_accum=1, framework=framework,
        zero_stage=zero, cards=cards_,
    )  # fmt: skip
    states = sum(found.get(k, 0) for k in ("weights", "gradients", "master", "optimizer", "step_temporary"))
    assert states * GIB / 7.721e9 == pytest.approx(per_param, rel=0.01)


def test_zero_2_is_the_form_that_deepspeed_documents() -> None:
    found = parts(
        model="qwen-7b", method="full", seq_len=16, micro_batch=1, grad_accum=1, framework="LLaMA-Factory",
        zero_stage=2, cards=8,
    )  # fmt: skip
    states = sum(found.get(k, 0) for k in ("weights", "gradients", "master", "optimizer", "step_temporary"))
    assert states * GIB / 7.721e9 == pytest.approx(4 + 16 / 8, rel=0.01)


@pytest.mark.parametrize(("quant", "bits"), [("nf4", 4.5), ("nf4-dq", 4.127), ("int8", 8.125)])
def test_quantised_bits(quant: str, bits: float) -> None:
    assert QUANT_BYTES[quant] * 8 == pytest.approx(bits, rel=0.01)


def test_the_qlora_paper_base() -> None:
    """7B base in NF4 with double quantisation, fp16 embeddings: 5,048 MB in the paper, with caches."""
    m = catalogue.require("llama-7b")
    base = QUANT_BYTES["nf4-dq"] * m.matrix_params + 2 * (m.params - m.matrix_params)
    assert 3.5e9 < base < 5.05e9


def test_lora_parameters_are_rank_times_in_plus_out() -> None:
    m = catalogue.require("llama-2-7b")
    assert lora_params(m, 8, frozenset({"q", "v"})) == 32 * 8 * 2 * (4096 + 4096)
    assert lora_params(m, 8, frozenset({"down"})) == 32 * 8 * (11008 + 4096)


def test_kv_cache_of_qwen_7b() -> None:
    m = catalogue.require("qwen-7b")
    assert m.kv_bytes_per_token == 2 * 32 * 4096 * 2
    found = parts(model="qwen-7b", method="inference", seq_len=2048, concurrency=4, framework="vLLM")
    assert found["kv_cache"] == pytest.approx(2 * 32 * 4096 * 2 * 2048 * 4 / GIB)


def test_a_trained_embedding_costs_twelve_bytes_a_parameter() -> None:
    base: dict[str, Any] = {"model": "qwen-7b", "method": "lora", "seq_len": 256, "micro_batch": 1}
    with_it = parts(**base, lora_targets="all-linear,wte,lm_head")
    assert with_it["trained_embeddings"] * GIB == pytest.approx(12 * 2 * 151936 * 4096)


def test_logits_dominate_long_sequences_on_large_vocabularies() -> None:
    found = parts(model="qwen2.5-7b", method="lora", seq_len=8192, micro_batch=1, loss_kernel="plain")
    assert found["logits"] > found["activations"]
    fused = parts(model="qwen2.5-7b", method="lora", seq_len=8192, micro_batch=1, loss_kernel="fused")
    assert fused["logits"] < 0.1 * found["logits"]


def test_qlora_can_need_more_than_lora_on_long_sequences() -> None:
    """8B at 2 x 8,192 tokens, measured: LoRA 36 GiB, QLoRA 48 GiB; k-bit preparation works in fp32."""
    task = {"model": "llama-3.1-8b", "seq_len": 8192, "micro_batch": 2, "framework": "universal-llm-trainer"}
    lora = estimate(parse({**task, "method": "lora"})).peak_gib_p50
    qlora = estimate(parse({**task, "method": "qlora", "quant": "nf4-dq"})).peak_gib_p50
    assert qlora > lora
