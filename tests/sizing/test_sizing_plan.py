"""Workloads and plans: what is refused, the least sharded strategy, the ladder, own runs."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sizing import cards, ladder, plan, runs, workload
from sizing.errors import SizingError
from sizing.estimate import estimate
from sizing.task import parse

JOB = {"model": "qwen2.5-7b", "method": "lora", "tokens": 2e7, "epochs": 1}


def job(**change: Any) -> workload.Workload:
    return workload.parse({**JOB, **change})


@pytest.mark.parametrize(
    ("raw", "sentence"),
    [
        (None, "table of fields"),
        ({"model": "qwen2.5-7b", "method": "lora"}, "needs tokens"),
        ({**JOB, "samples": 10}, "not both"),
        ({"model": "qwen2.5-7b", "samples": 100}, "needs tokens"),
        ({**JOB, "tokens": -1}, "tokens must be a number above 0"),
        ({**JOB, "tokens": float("nan")}, "tokens"),
        ({**JOB, "epochs": 0}, "epochs"),
        ({**JOB, "metod": "full"}, "unknown workload field metod"),
        ({**JOB, "method": "telepathy"}, "method 'telepathy'"),
        ({"tokens": 1e6}, "no model"),
        ({**JOB, "regions": [1]}, "regions must be a list of names"),
        ({**JOB, "cards": [""]}, "cards must be a list of names"),
        ({**JOB, "billing_modes": ["hourly"]}, "unknown billing mode hourly"),
        ({**JOB, "interruptible": "yes"}, "interruptible must be true or false"),
        ({**JOB, "deadline_hours": 0}, "deadline_hours"),
        ({**JOB, "budget_cny": -5}, "budget_cny"),
        ({**JOB, "hours": 5}, "belong to inference"),
        ({"model": "qwen2.5-7b", "method": "inference"}, "needs hours"),
    ],
)
def test_bad_workloads_are_sentences(raw: object, sentence: str) -> None:
    with pytest.raises(SizingError) as caught:
        workload.parse(raw)
    assert sentence in str(caught.value)


def test_workload_files(tmp_path: Path) -> None:
    toml = tmp_path / "my-job.toml"
    toml.write_text(
        'model = "qwen2.5-7b"\nmethod = "lora"\nsamples = 1000\ntokens_per_sample = 500\n', "utf-8"
    )
    found = workload.read(toml)
    assert found.name == "my-job"
    assert found.tokens == 500_000
    assert found.epochs == 3
    text = tmp_path / "my.json"
    text.write_text(json.dumps({**JOB, "name": "x"}), "utf-8")
    assert workload.read(text).name == "x"


@pytest.mark.parametrize("text", ["model = ", "\xff\xfe", "[1, 2"])
def test_broken_workload_files_are_named(tmp_path: Path, text: str) -> None:
    path = tmp_path / "broken.json"
    path.write_text(text, "latin-1")
    with pytest.raises(SizingError, match=r"broken\.json"):
        workload.read(path)
    with pytest.raises(SizingError, match=r"absent\.toml"):
        workload.read(tmp_path / "absent.toml")


def test_samples_longer_than_the_sequence_are_cut_and_said() -> None:
    found = workload.parse(
        {**{k: v for k, v in JOB.items() if k != "tokens"}, "samples": 10, "tokens_per_sample": 9999}
    )
    assert found.tokens == 10 * 2048
    assert any("cut" in note for note in found.assumptions)


def test_adapters_run_data_parallel_on_pcie_cards() -> None:
    found = {p.cards: p for p in plan.plans(job(seq_len=1024), ["RTX4090"], max_cards=8)}
    assert set(found) == {1, 2, 4, 8}
    for count in (2, 4, 8):
        assert "DDP" in found[count].strategy
        assert found[count].tokens_per_s_p50 > 0.9 * count * found[1].tokens_per_s_p50


def test_full_training_takes_the_least_sharded_stage_that_fits() -> None:
    found = plan.plans(job(model="qwen2.5-1.5b", method="full"), ["A100-80G"], max_cards=8)
    assert "one card" in found[0].strategy
    assert all("ZeRO-2" in p.strategy for p in found[1:])
    big = plan.minimum(job(model="llama-2-13b", method="full"), "A100-80G")
    assert big is not None
    assert "ZeRO-3" in big.strategy
    assert big.cards == 4


def test_a_mixture_of_experts_is_spread_by_expert_not_by_zero_3() -> None:
    best = plan.minimum(job(model="qwen3-30b-a3b", method="full"), "A100-80G")
    assert best is not None
    assert "Megatron" in best.strategy


def test_every_plan_fits_and_is_complete() -> None:
    found = plan.plans(job(), cards.names(), max_cards=16)
    assert len({p.card for p in found}) > 60
    for p in found:
        assert p.verdict == "fits"
        assert p.usable_gib is not None
        assert p.peak_gib_p50 <= p.peak_gib_p90 <= p.usable_gib
        assert 0 < p.hours_p10 < p.hours_p50 < p.hours_p90
        assert 0 < p.tokens_per_s_p10 < p.tokens_per_s_p50 < p.tokens_per_s_p90
        assert p.cards == p.nodes * p.cards_per_node
        assert p.cpu_ram_gib > 0
        assert p.disk_gib > 15
        assert p.smallest_change is None


def test_cards_that_cannot_do_it_are_refused_with_the_reason() -> None:
    qlora = job(method="qlora")
    assert "no QLoRA" in plan.refusals(qlora, ["910B3", "RTX4090"])["910B3"]
    assert set(plan.refusals(qlora, ["RTX4090", "P40"])) == {"P40"}
    assert "bf16" in plan.refusals(job(precision="bf16"), ["V100-32G", "T4", "A100-40G"])["V100-32G"]
    assert plan.plans(qlora, ["910B3", "P40"]) == []


@pytest.mark.parametrize("failures", [True, False])
def test_a_card_nobody_knows_is_named_never_dropped(failures: bool) -> None:
    with pytest.raises(SizingError, match="RTX4091"):
        plan.plans(job(), ["RTX4090", "RTX4091"], max_cards=1, failures=failures)


def test_what_never_fits_carries_the_smallest_change() -> None:
    asked = job(model="llama-3-70b", method="full", micro_batch=1)
    (worst,) = plan.plans(asked, ["RTX3090"], max_cards=2, failures=True)
    assert worst.verdict in ("tight", "does_not_fit")
    assert worst.smallest_change


def test_offload_is_planned_only_with_the_host_memory_of_rented_machines() -> None:
    found = plan.plans(job(model="llama-3-70b", method="full"), ["A100-80G"], max_cards=1)
    assert found == []


@pytest.mark.parametrize(
    ("task", "card", "change"),
    [
        ({"method": "lora", "micro_batch": 16, "seq_len": 2048}, "RTX4090", "micro-batch"),
        (
            {"method": "lora", "micro_batch": 1, "seq_len": 2048, "grad_checkpoint": False},
            "RTX4090",
            "checkpointing",
        ),
        ({"method": "lora", "micro_batch": 1, "seq_len": 5000}, "RTX4090", "fused loss"),
        ({"method": "lora", "micro_batch": 1, "seq_len": 1024, "model": "qwen2.5-14b"}, "RTX4090", "QLoRA"),
        (
            {"method": "full", "micro_batch": 1, "seq_len": 1024, "cards": 8, "zero_stage": 2},
            "A100-40G",
            "ZeRO-3",
        ),
    ],
)
def test_the_ladder_names_the_cheapest_single_change(task: dict[str, Any], card: str, change: str) -> None:
    parsed = parse({"model": "qwen2.5-7b", **task}, cards.get(card), [])
    assert not ladder.fits(parsed)
    said = ladder.smallest_change(parsed)
    assert said is not None
    assert change in said
    assert "+" not in said


def test_the_ladder_is_silent_when_it_fits_or_nothing_is_known() -> None:
    fitting = parse(
        {"model": "qwen2.5-0.5b", "method": "lora", "seq_len": 512, "micro_batch": 1}, cards.get("RTX4090")
    )
    assert ladder.smallest_change(fitting) is None
    assert ladder.smallest_change(parse({"model": "qwen2.5-72b", "method": "full"})) is None


@given(
    st.integers(1, 64),
    st.sampled_from(["full", "lora", "qlora"]),
    st.sampled_from(["RTX4090", "T4", "A100-80G"]),
)
def test_a_change_never_needs_more_memory(batch: int, method: str, card: str) -> None:
    raw = {
        "model": "qwen2.5-7b",
        "method": method,
        "micro_batch": batch,
        "seq_len": 1024,
        "grad_checkpoint": False,
    }
    task = parse(raw, cards.get(card), [])
    for rung in ladder.RUNGS[:5]:
        step = rung(task)
        if step is not None and "micro-batch" not in step.words:
            assert estimate(step.task).peak_gib_p50 <= estimate(task).peak_gib_p50 * 1.02


@pytest.mark.parametrize(
    ("most", "sizes", "found"),
    [
        (1, (1, 2, 4, 8), [(1, 1)]),
        (8, (1, 2, 4, 8), [(1, 1), (2, 1), (4, 1), (8, 1)]),
        (24, (8,), [(8, 1), (16, 2), (24, 3)]),
        (6, (4,), [(4, 1)]),
    ],
)
def test_counts(most: int, sizes: tuple[int, ...], found: list[tuple[int, int]]) -> None:
    assert plan.counts(most, sizes) == found


@pytest.mark.parametrize(("most", "sizes"), [(0, (1,)), (8, ()), (8, (0,))])
def test_counts_of_nothing_are_refused(most: int, sizes: tuple[int, ...]) -> None:
    with pytest.raises(SizingError):
        plan.counts(most, sizes)


def test_inference_holds_the_cache_of_all_concurrent_sequences() -> None:
    asked = {"model": "qwen2.5-72b", "method": "inference", "hours": 100, "seq_len": 8192}
    few, many = (plan.minimum(workload.parse({**asked, "concurrency": n}), "A100-80G") for n in (1, 64))
    assert few is not None and many is not None
    assert few.hours_p50 == 100
    assert many.peak_gib_p50 * many.cards > few.peak_gib_p50 * few.cards
    assert many.tokens_per_s_p50 > few.tokens_per_s_p50


def test_a_deadline_is_met_by_more_cards_not_by_more_memory() -> None:
    found = plan.plans(job(tokens=1e9), ["A100-80G"], max_cards=8)
    hours = [p.hours_p50 for p in sorted(found, key=lambda p: p.cards)]
    assert hours == sorted(hours, reverse=True)
    small, large = (plan.minimum(job(tokens=t), "A100-80G") for t in (1e6, 1e9))
    assert small is not None and large is not None
    assert small.peak_gib_p50 == large.peak_gib_p50


def test_step_seconds_override_the_speed_model() -> None:
    raw = {
        "model": "qwen2.5-7b",
        "method": "lora",
        "seq_len": 1000,
        "micro_batch": 2,
        "grad_accum": 5,
        "cards": 2,
    }
    found = estimate(parse(raw, cards.get("RTX4090")), step_seconds=10.0)
    assert found.tokens_per_s_p50 == pytest.approx(1000 * 2 * 5 * 2 / 10)
    assert any("measured step" in note for note in found.assumptions)


RUN = runs.Run("2026-11-27T20:00:00+08:00", "qwen2.5-7b", "lora", "RTX4090", framework="LLaMA-Factory")


def test_own_runs_move_the_estimate_towards_what_was_measured() -> None:
    raw = {
        "model": "qwen2.5-7b",
        "method": "lora",
        "framework": "LLaMA-Factory",
        "seq_len": 2048,
        "micro_batch": 1,
    }
    found = estimate(parse(raw, cards.get("RTX4090")))
    assert found.tokens_per_s_p50
    told = replace(
        RUN,
        seq_len=2048,
        micro_batch=1,
        peak_gib=found.peak_gib_p50 * 1.2,
        tokens_per_s=found.tokens_per_s_p50 / 2,
    )
    one, many = runs.correct(found, [told]), runs.correct(found, [told] * 9)
    assert found.peak_gib_p50 < one.peak_gib_p50 < many.peak_gib_p50 < found.peak_gib_p50 * 1.2
    assert one.tokens_per_s_p50 and many.tokens_per_s_p50 and many.tokens_per_s_p10 and many.tokens_per_s_p90
    assert found.tokens_per_s_p50 / 2 < many.tokens_per_s_p50 < one.tokens_per_s_p50 < found.tokens_per_s_p50
    assert many.tokens_per_s_p90 / many.tokens_per_s_p10 < 1.6
    assert any("of your own" in note for note in one.assumptions)


@pytest.mark.parametrize(
    "change", [{"model": "llama-2-7b"}, {"method": "qlora"}, {"framework": "torchtune"}, {"peak_gib": None}]
)
def test_runs_of_another_kind_change_nothing(change: dict[str, Any]) -> None:
    raw = {
        "model": "qwen2.5-7b",
        "method": "lora",
        "framework": "LLaMA-Factory",
        "seq_len": 2048,
        "micro_batch": 1,
    }
    found = estimate(parse(raw, cards.get("RTX4090")))
    other = replace(RUN, peak_gib=99.0, **change) if "peak_gib" not in change else RUN
    assert runs.correct(found, [other]) == found


def test_the_speed_of_another_card_says_nothing() -> None:
    raw = {
        "model": "qwen2.5-7b",
        "method": "lora",
        "framework": "LLaMA-Factory",
        "seq_len": 2048,
        "micro_batch": 1,
    }
    found = estimate(parse(raw, cards.get("A100-80G")))
    assert runs.correct(found, [replace(RUN, tokens_per_s=1.0)]).tokens_per_s_p50 == found.tokens_per_s_p50


def test_runs_are_written_and_read(tmp_path: Path) -> None:
    path = tmp_path / runs.FILE
    assert runs.read(path) == ([], [])
    runs.append(path, replace(RUN, hours=5.2, peak_gib=21.4))
    runs.append(path, replace(RUN, tokens_per_s=2810.0))
    with path.open("a", encoding="utf-8") as f:
        f.write('{"model": 1}\nnot json\n{"at": "x", "model": "y", "method": "lora", "peak_gib": -1}\n\n')
    found, wrong = runs.read(path)
    assert [r.peak_gib for r in found] == [21.4, None]
    assert len(wrong) == 3
    assert all("runs.jsonl line" in sentence for sentence in wrong)


@pytest.mark.parametrize("value", [0, -1, float("nan"), float("inf"), "much"])
def test_a_run_without_sense_is_refused(value: Any) -> None:
    with pytest.raises(SizingError):
        replace(RUN, peak_gib=value)


def test_own_runs_with_a_line_break_of_unicode_in_a_name_are_one_line(tmp_path: Path) -> None:
    path = tmp_path / runs.FILE
    for mark in ("\u2028", "\u0085", "\x0c"):
        runs.append(path, replace(RUN, framework=f"my{mark}trainer", hours=5.2))
    found, wrong = runs.read(path)
    assert not wrong
    assert [run.framework for run in found] == ["my\u2028trainer", "my\u0085trainer", "my\x0ctrainer"]
