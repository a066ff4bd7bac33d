"""Rules of the two rule-of-thumb articles that are wrong: for each, our right answer (docs/sizing.md §8)."""

from __future__ import annotations

from typing import Any

import pytest

from sizing import cards, plan, workload
from sizing.errors import SizingError
from sizing.estimate import Estimate, estimate
from sizing.hfconfig import from_config
from sizing.task import parse
from sizing.units import GIB

FULL = {"method": "full", "seq_len": 1024, "micro_batch": 1, "grad_accum": 2}


def size(card: str | None, form: str | None = None, **task: Any) -> Estimate:
    return estimate(parse(task, cards.get(card, form) if card else None, []))


def test_a2_full_7b_does_not_fit_four_24_gb_cards_nor_eight() -> None:
    factory = {"framework": "LLaMA-Factory", "zero_stage": 3, **FULL}
    assert size("RTX4090", model="llama-2-7b", cards=4, **factory).verdict == "does_not_fit"
    assert size("RTX3090", model="llama-3-8b", cards=8, precision="fp16", **factory).verdict == "does_not_fit"
    assert size("RTX3090", model="llama-3-8b", cards=8, precision="fp16", offload="cpu", **factory).fits


def test_a3_lora_7b_needs_one_24_gb_card_not_two() -> None:
    assert size("RTX4090", model="llama-2-7b", method="lora", seq_len=1024, micro_batch=1).fits


def test_a4_full_13b_needs_more_than_eight_40_gb_cards_and_four_of_80_do() -> None:
    assert not size("A100-40G", model="baichuan2-13b", cards=8, zero_stage=3, **FULL).fits
    assert size("A100-80G", model="llama-2-13b", cards=4, zero_stage=3, **FULL).fits


def test_a4_accumulation_does_not_lower_the_states() -> None:
    few, many = (size(None, model="llama-2-13b", **{**FULL, "grad_accum": n}).peak_gib_p50 for n in (2, 64))
    assert many >= few


def test_a5_full_70b_does_not_fit_eight_nor_sixteen_80_gb_cards_but_lora_fits_eight() -> None:
    for count in (8, 16):
        assert (
            size("A100-80G", model="llama-3-70b", cards=count, zero_stage=3, **FULL).verdict == "does_not_fit"
        )
    lora = size(
        "A100-80G", model="llama-3-70b", method="lora", cards=8, zero_stage=3, seq_len=2048, micro_batch=1
    )
    assert lora.fits


def test_a6_eight_80_gb_cards_do_not_cover_every_model_below_70b() -> None:
    asked = {"model": "qwen2.5-32b", "cards": 8, "zero_stage": 3, "framework": "LLaMA-Factory"}
    assert not size("A800-80G", **asked, **FULL).fits


def test_a7_lora_takes_less_than_twice_and_a_half_the_weights() -> None:
    found = size(None, model="qwen-7b", method="lora", seq_len=2048, micro_batch=1)
    weights = 2 * found.task.model.params / GIB
    assert 1.2 <= found.peak_gib_p50 / weights <= 2.5


def test_a9_eight_cards_are_less_than_eight_times_one() -> None:
    one, eight = (
        size("RTX4090", model="llama-2-7b", method="lora", seq_len=2048, micro_batch=1, cards=n, zero_stage=3)
        for n in (1, 8)
    )
    assert one.tokens_per_s_p50 and eight.tokens_per_s_p50
    assert eight.tokens_per_s_p50 < 8 * one.tokens_per_s_p50


def test_a10_the_rate_depends_on_the_model() -> None:
    """1 B tokens on 8 A100: 20-30 h is right for 13B, too slow for 7B, five times too fast for 70B."""
    hours = {}
    for model in ("llama-2-7b", "llama-2-13b", "llama-2-70b"):
        found = size(
            "A100-80G", "SXM", model=model, method="full", cards=8, zero_stage=3, seq_len=2048, micro_batch=4
        )
        assert found.tokens_per_s_p50
        hours[model] = 1e9 / found.tokens_per_s_p50 / 3600
    assert hours["llama-2-7b"] < 20
    assert 15 < hours["llama-2-13b"] < 40
    assert hours["llama-2-70b"] > 90


def test_a11_one_a100_does_not_train_7b_at_5000_tokens_a_second() -> None:
    for method in ("full", "lora"):
        found = size("A100-80G", "SXM", model="llama-2-7b", method=method, seq_len=2048, micro_batch=4)
        assert found.tokens_per_s_p50
        assert 2000 < found.tokens_per_s_p50 < 5000


def test_a13_zero_3_on_one_card_shards_nothing_and_we_say_so() -> None:
    plain = size("A100-80G", model="qwen-1.8b", zero_stage=0, **FULL)
    sharded = size("A100-80G", model="qwen-1.8b", zero_stage=3, **FULL)
    assert sharded.peak_gib_p50 >= plain.peak_gib_p50
    assert any("shards nothing" in note for note in sharded.assumptions)


def test_a14_parameters_come_from_the_dimensions_not_from_a_key() -> None:
    config = {
        "model_type": "llama", "hidden_size": 4096, "num_hidden_layers": 32, "num_attention_heads": 32,
        "intermediate_size": 11008, "vocab_size": 32000, "num_parameters": 123,
    }  # fmt: skip
    assert from_config(config).params / 1e9 == pytest.approx(6.738, rel=0.001)


@pytest.mark.parametrize(
    ("card", "capability"), [("V100-32G", 7.0), ("T4", 7.5), ("A100-80G", 8.0), ("RTX4090", 8.9)]
)
def test_a15_compute_capabilities(card: str, capability: float) -> None:
    assert cards.get(card).capability == capability


def test_a17_the_p40_is_refused_for_half_precision() -> None:
    with pytest.raises(SizingError, match="half precision"):
        size("P40", model="qwen2.5-7b", method="qlora", precision="fp16")


def test_a18_a_24_gb_card_trains_more_than_seven_thousand_samples_an_hour() -> None:
    found = size("RTX4090", model="llama-2-7b", method="lora", seq_len=1024, micro_batch=2)
    assert found.tokens_per_s_p50
    assert found.tokens_per_s_p50 * 3600 / 1024 > 5000


def test_a19_qlora_13b_fits_one_24_gb_card() -> None:
    assert size("RTX4090", model="llama-2-13b", method="qlora", quant="nf4", seq_len=1024, micro_batch=1).fits
    assert size(
        "RTX4090", model="qwen-14b", method="qlora", quant="gptq-int4", seq_len=512, micro_batch=1
    ).fits


def test_a20_ten_thousand_short_samples_take_an_hour_not_a_day() -> None:
    job = workload.parse(
        {"model": "llama-2-13b", "method": "qlora", "samples": 10000, "tokens_per_sample": 500, "epochs": 1}
    )
    best = plan.minimum(job, "A100-80G")
    assert best is not None
    assert best.cards == 1
    assert 0.4 < best.hours_p50 < 2


def test_a21_full_13b_on_ten_thousand_short_samples_is_done_within_three_hours() -> None:
    job = workload.parse(
        {"model": "llama-2-13b", "method": "full", "samples": 10000, "tokens_per_sample": 500}
    )
    best = plan.minimum(job, "A100-40G")
    assert best is not None
    assert best.cards == 8
    assert best.hours_p90 < 3


def test_b1_fp16_weights_of_7b_are_fourteen_gigabytes() -> None:
    found = size(None, model="llama-2-7b", method="inference", seq_len=1, framework="transformers")
    assert found.parts_gib["weights"] * GIB / 1e9 == pytest.approx(13.5, abs=0.1)


def test_b2_full_7b_needs_one_80_gb_card_not_ten() -> None:
    best = plan.minimum(workload.parse({"model": "llama-2-7b", "method": "full", "tokens": 1e6}), "A100-80G")
    assert best is not None
    assert best.cards == 1


def test_b3_the_count_depends_on_the_method() -> None:
    assert size("A100-80G", model="llama-2-70b", method="qlora", quant="nf4", seq_len=512, micro_batch=1).fits
    assert not size("A100-80G", model="llama-2-70b", method="lora", seq_len=512, micro_batch=1).fits


def test_b7_the_default_task_is_that_of_the_article() -> None:
    found = size(None, model="qwen2.5-7b").task
    assert (found.method, found.lora_rank, found.micro_batch, found.grad_accum) == ("qlora", 16, 4, 4)
    assert found.seq_len == 2048
    assert found.checkpoint == "true"
