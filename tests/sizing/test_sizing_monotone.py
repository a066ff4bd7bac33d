"""Properties: more never needs less, and more cards under ZeRO never need more of each."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sizing import cards
from sizing.estimate import estimate
from sizing.task import parse

MODELS = st.sampled_from(
    [
        "qwen2.5-0.5b",
        "qwen-7b",
        "qwen2.5-7b",
        "llama-2-7b",
        "gemma-2-9b",
        "baichuan2-13b",
        "llama-3-70b",
        "mixtral-8x7b",
    ]
)
FRAMEWORKS = st.sampled_from(
    [None, "LLaMA-Factory", "ms-swift 4.x", "Unsloth", "torchtune", "axolotl", "litgpt"]
)
LOSSES = st.sampled_from([None, "plain", "chunked", "fused"])
TRAINING = st.sampled_from(["full", "lora", "qlora", "pretrain"])


@st.composite
def tasks(draw: Any, methods: Any = TRAINING) -> dict[str, Any]:
    method = draw(methods)
    task = {
        "model": draw(MODELS),
        "method": method,
        "framework": draw(FRAMEWORKS),
        "loss_kernel": draw(LOSSES),
        "seq_len": draw(st.integers(64, 16384)),
        "micro_batch": draw(st.integers(1, 16)),
        "grad_accum": draw(st.integers(1, 32)),
        "grad_checkpoint": draw(st.sampled_from([True, False, "selective"])),
        "flash_attn": draw(st.booleans()),
        "optimizer": draw(st.sampled_from(["adamw", "adamw_8bit", "sgd", "paged_adamw"])),
        "zero_stage": draw(st.sampled_from([0, 1, 2, 3])),
        "cards": draw(st.sampled_from([1, 2, 4, 8])),
    }
    if method in ("lora", "qlora"):
        task["lora_rank"] = draw(st.integers(1, 256))
        task["lora_targets"] = draw(st.sampled_from(["all-linear", "q_proj,v_proj", "c_attn"]))
    if method == "qlora":
        task["quant"] = draw(st.sampled_from(["nf4", "nf4-dq", "int8", "gptq-int4"]))
    return task


def peak(task: dict[str, Any]) -> float:
    return estimate(parse(task, None, [])).peak_gib_p50


@settings(max_examples=200)
@given(tasks(), st.sampled_from(["seq_len", "micro_batch"]), st.integers(1, 4096))
def test_more_tokens_never_need_less(task: dict[str, Any], key: str, more: int) -> None:
    assert peak({**task, key: task[key] + more}) >= peak(task)


@given(tasks(st.sampled_from(["lora", "qlora"])), st.integers(1, 512))
def test_a_higher_rank_never_needs_less(task: dict[str, Any], more: int) -> None:
    assert peak({**task, "lora_rank": task["lora_rank"] + more}) >= peak(task)


@given(tasks(), st.floats(2e8, 2e11), st.floats(1.0, 3.0))
def test_more_parameters_never_need_less(task: dict[str, Any], params: float, factor: float) -> None:
    """Up to what rounding a width to whole heads moves between two almost equal counts."""
    sized = {k: v for k, v in task.items() if k != "model"}
    assert peak({**sized, "params": params * factor}) >= peak({**sized, "params": params}) * 0.99


@given(tasks(), st.integers(1, 3))
def test_more_cards_under_zero_never_need_more_of_each(task: dict[str, Any], stage: int) -> None:
    peaks = [
        peak({**task, "zero_stage": stage, "cards": n, "nodes": max(1, n // 8)})
        for n in (1, 2, 3, 4, 8, 16, 64)
    ]
    assert peaks == sorted(peaks, reverse=True)


@given(tasks())
def test_a_higher_zero_stage_never_needs_more_on_many_cards(task: dict[str, Any]) -> None:
    many = {**task, "method": "full", "cards": 64, "nodes": 8, "quant": None}
    two, three = (peak({**many, "zero_stage": stage}) for stage in (2, 3))
    states = estimate(parse({**many, "zero_stage": 2}, None, [])).task.model.params
    if states > 5e9:
        assert three <= two


@given(tasks())
def test_checkpointing_and_flash_never_need_more(task: dict[str, Any]) -> None:
    on, off = (peak({**task, "grad_checkpoint": flag}) for flag in (True, False))
    if (
        task["model"] != "qwen2.5-0.5b"
    ):  # one layer's working set of fp32 adapters can pass what 24 thin layers save
        assert on <= off * 1.10
    assert peak({**task, "flash_attn": True}) <= peak({**task, "flash_attn": False})


@given(tasks())
def test_a_fused_loss_never_needs_more_than_a_plain_one(task: dict[str, Any]) -> None:
    long = {**task, "seq_len": 4096 + task["seq_len"]}
    assert peak({**long, "loss_kernel": "fused"}) <= peak({**long, "loss_kernel": "plain"})


@given(tasks())
def test_the_parts_and_the_band_hang_together(task: dict[str, Any]) -> None:
    found = estimate(parse(task, cards.get("A100-80G"), []))
    assert all(value >= 0 for value in found.parts_gib.values())
    assert found.peak_gib_p50 <= sum(found.parts_gib.values()) + 1e-9
    assert found.peak_gib_p50 <= found.need_gib_p90 <= found.peak_gib_p90
    assert found.tokens_per_s_p10 and found.tokens_per_s_p50 and found.tokens_per_s_p90
    assert 0 < found.tokens_per_s_p10 < found.tokens_per_s_p50 < found.tokens_per_s_p90
    if found.fits:
        assert found.usable_gib and found.peak_gib_p90 <= found.usable_gib
    assert found.host.cpu_ram_gib > 0
    assert found.host.disk_gib > 0


def test_peak_is_the_largest_phase_and_not_the_sum_of_all_parts() -> None:
    """Pure bf16, short samples: the optimizer step wins and memory looks flat over length."""
    short, longer = (
        estimate(
            parse(
                {
                    "model": "qwen-7b",
                    "method": "full",
                    "seq_len": s,
                    "micro_batch": 1,
                    "framework": "ms-swift 2",
                }
            )
        )
        for s in (512, 1024)
    )
    assert short.binding == "step"
    assert longer.peak_gib_p50 == pytest.approx(short.peak_gib_p50)
    assert sum(short.parts_gib.values()) > short.peak_gib_p50


@pytest.mark.parametrize("method", ["full", "lora"])
@pytest.mark.parametrize("stage", [0, 3])
def test_splitting_the_sequence_never_needs_more_of_a_card(method: str, stage: int) -> None:
    task = {"model": "qwen2.5-7b", "method": method, "cards": 8, "zero_stage": stage, "seq_len": 32768}
    peaks = [peak({**task, "sp": sp, "micro_batch": 1}) for sp in (1, 2, 4, 8)]
    assert peaks == sorted(peaks, reverse=True)
    assert peaks[-1] < peaks[0]


@pytest.mark.parametrize("method", ["full", "lora"])
def test_more_ranks_of_data_beside_tensor_parallel_never_need_more(method: str) -> None:
    task = {"model": "qwen2.5-14b", "method": method, "tp": 4, "seq_len": 4096, "micro_batch": 1}
    peaks = [peak({**task, "cards": cards}) for cards in (4, 8, 16, 32)]
    assert peaks == sorted(peaks, reverse=True)
