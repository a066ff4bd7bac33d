"""Workloads as fit reads them, and the plans behind them."""

from __future__ import annotations

import json
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from reports.fit.job import JobError, job_of, read_jobs, weekly_jobs, with_fields
from reports.fit.planner import SizingPlanner
from reports.fit.regions import RegionError, code_of
from reports.fit.search import Asked, search
from reports.fit.use import Good, Shape
from tests.reports.fitkit import market, offer

LORA: dict[str, Any] = {
    "model": "Qwen2.5-7B",
    "method": "lora",
    "samples": 10000,
    "tokens_per_sample": 500,
    "epochs": 3,
    "seq_len": 2048,
}


# --- reading -----------------------------------------------------------------------------------------------


def test_toml_and_json_say_the_same(tmp_path: Path) -> None:
    toml = tmp_path / "one.toml"
    toml.write_text(
        'name = "a"\nmodel = "Qwen2.5-7B"\nmethod = "lora"\ntokens = 5e6\nbudget_cny = 100.5\n'
        'regions = ["北京"]\n'
        "dataset_gb = 20\ninterruptible = true\n",
        encoding="utf-8",
    )
    other = tmp_path / "one.json"
    other.write_text(
        json.dumps(
            {
                "name": "a",
                "model": "Qwen2.5-7B",
                "method": "lora",
                "tokens": 5e6,
                "budget_cny": 100.5,
                "regions": ["北京"],
                "dataset_gb": 20,
                "interruptible": True,
            }
        ),
        encoding="utf-8",
    )
    [one], [two] = read_jobs(toml), read_jobs(other)
    assert one == two
    assert one.budget_cny == Decimal("100.5")
    assert one.interruptible
    assert dict(one.task) == {"model": "Qwen2.5-7B", "method": "lora", "tokens": Decimal(5000000)}


def test_several_workloads_and_names(tmp_path: Path) -> None:
    file = tmp_path / "jobs.toml"
    file.write_text('[[workload]]\nmodel = "a"\n[[workload]]\nname = "b"\nmodel = "b"\n', encoding="utf-8")
    assert [job.name for job in read_jobs(file)] == ["jobs-1", "b"]
    file.write_text('[workload]\nmodel = "a"\n', encoding="utf-8")
    assert [job.name for job in read_jobs(file)] == ["jobs"]
    file.write_text('[[workload]]\nname = "x"\n[[workload]]\nname = "x"\n', encoding="utf-8")
    with pytest.raises(JobError, match="two workloads"):
        read_jobs(file)


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"budget_cny": 0}, "budget_cny"),
        ({"budget_cny": "x"}, "budget_cny"),
        ({"deadline_hours": -1}, "deadline_hours"),
        ({"dataset_gb": -1}, "dataset_gb"),
        ({"interruptible": "yes"}, "interruptible"),
        ({"regions": [1]}, "regions"),
        ({"cards": ["nonsense"]}, "names no one card"),
        ({"billing_modes": ["forever"]}, "forever"),
        ({"min_grade": "D"}, "min_grade"),
        ({"name": 5}, "name"),
    ],
)
def test_bad_fields_are_named(fields: dict[str, Any], words: str) -> None:
    with pytest.raises(JobError, match=words):
        job_of({**LORA, **fields})


@pytest.mark.parametrize(
    ("text", "words"),
    [("{", "JSON|Expecting"), ("[]", "no workload"), ("[1]", "no workload"), ('{"a": NaN}', "NaN")],
)
def test_bad_files_are_named(tmp_path: Path, text: str, words: str) -> None:
    file = tmp_path / "bad.json"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(JobError, match=rf"bad\.json: .*({words})"):
        read_jobs(file)


def test_card_names_go_through_the_reader_and_bare_ones_allow_each_size() -> None:
    assert job_of({**LORA, "cards": ["4090", "NVIDIA A100 80GB"]}).cards == ("RTX4090", "A100-80G")
    assert set(job_of({**LORA, "cards": "A100"}).cards) == {"A100", "A100-40G", "A100-80G"}
    assert job_of({**LORA, "billing_modes": ["month", "on_demand"]}).billing_modes == ("monthly", "on_demand")


def test_flags_go_on_top_of_a_file() -> None:
    job = with_fields(job_of({**LORA, "name": "a", "budget_cny": 5}), {"regions": ("北京",), "epochs": 1})
    assert (job.name, job.regions, job.budget_cny, job.task["epochs"]) == ("a", ("北京",), Decimal(5), 1)


def test_built_in_workloads_and_the_users_own(tmp_path: Path) -> None:
    names = [job.name for job in weekly_jobs()]
    assert len(names) >= 10
    assert {"lora-trial", "lora-7b", "full-7b", "qlora-14b", "full-14b", "lora-70b", "infer-7b-day"} <= set(
        names
    )
    trial = next(job for job in weekly_jobs() if job.name == "lora-trial")
    assert (trial.budget_cny, trial.deadline_hours) == (300, 24)
    assert all(job.title_zh and job.title_en for job in weekly_jobs())
    (tmp_path / "workloads.toml").write_text(
        '[[workload]]\nname = "lora-7b"\nmodel = "Yi-34B"\nmethod = "lora"\ntokens = 1000000\n'
        '[[workload]]\nname = "own"\nmodel = "Yi-34B"\nmethod = "lora"\ntokens = 1000000\n',
        encoding="utf-8",
    )
    found = {job.name: job for job in weekly_jobs(tmp_path)}
    assert found["lora-7b"].task["model"] == "Yi-34B"
    assert list(found)[-1] == "own"
    assert len(found) == len(names) + 1


# --- regions -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("北京", "110000"),
        ("110100", "110000"),
        ("beijing", "110000"),
        ("广东", "440000"),
        ("广东省", "440000"),
        ("张家口", "130700"),
        ("内蒙古", "150000"),
        ("全国", "CN"),
        ("CN", "CN"),
        ("华北", "CN-N"),
        ("810000", "810000"),
        ("SG", "SG"),
    ],
)
def test_regions_by_name_and_code(text: str, code: str) -> None:
    assert code_of(text) == code


@pytest.mark.parametrize("text", ["火星", "999999", "", "Xx"])
def test_no_region_is_said(text: str) -> None:
    with pytest.raises(RegionError):
        code_of(text)


# --- plans -------------------------------------------------------------------------------------------------


def test_shapes_offer_the_usual_counts_and_their_own() -> None:
    assert Shape(None, 1, 8).counts() == [(n, 1) for n in range(1, 9)]
    assert Shape(None, 2, 5).counts() == [(2, 1), (3, 1), (4, 1), (5, 1)]
    assert Shape(8, 8, 16).counts() == [(1, 1), (2, 1), (4, 1), (8, 1), (16, 2)]
    assert Shape(1, 1, 1 << 20).counts() == [(1, 1)]
    assert Shape(8, 8, 1 << 20).counts()[-1] == (64, 8)


def test_the_bound_is_never_above_the_plan() -> None:
    """What lets the search skip a way must hold for every card, count and method it can meet."""
    goods = [Good("RTX4090", None), Good("A100-80G", "SXM"), Good("A100-80G", "PCIE"), Good("910B-64G", None)]
    goods += [Good("L20", None), Good("V100-32G", None), Good("H20-96G", None), Good("T4", None)]
    for method in ("lora", "qlora", "full"):
        for model in ("Qwen2.5-7B", "Yi-34B", "Qwen2.5-72B", "Qwen3-30B-A3B"):
            planner = SizingPlanner.of(job_of({**LORA, "model": model, "method": method}))
            for good in goods:
                least = planner.card_seconds(good)
                for cards, nodes in [*Shape(8, 8, 64).counts(), (3, 1), (10, 1)]:
                    bound, use = planner.bound(good, cards, nodes), planner.use(good, cards, nodes)
                    if use is None:
                        continue
                    assert bound is not None
                    assert least is not None
                    assert bound <= use.seconds_p50, (method, model, good, cards)
                    assert least <= use.seconds_p50 * cards


def test_shared_plans_give_the_hours_of_each_job() -> None:
    """Jobs that differ in data share their plans; hours are those of sizing itself."""
    from sizing import cards, plan, workload

    for samples, epochs in ((1000, 1), (10000, 3), (250000, 3)):
        row = {**LORA, "samples": samples, "epochs": epochs}
        planner = SizingPlanner.of(job_of(row))
        for cards_used, nodes in ((1, 1), (8, 1), (16, 2)):
            use = planner.use(Good("A100-80G", None), cards_used, nodes)
            own = plan.plan_on(workload.parse({**row, "name": ""}), cards.get("A100-80G"), cards_used, nodes)
            assert use is not None
            assert use.seconds_p50 == pytest.approx(own.hours_p50 * 3600, abs=1.5)
            assert use.seconds_p90 == pytest.approx(own.hours_p90 * 3600, abs=1.5)


def test_inference_runs_for_the_hours_asked() -> None:
    row = {"model": "Qwen2.5-7B", "method": "inference", "hours": 24, "concurrency": 8, "seq_len": 4096}
    planner = SizingPlanner.of(job_of(row))
    use = planner.use(Good("RTX4090", None), 1, 1)
    assert use is not None
    assert use.seconds_p50 == use.seconds_p90 == 24 * 3600
    assert (
        planner.bound(Good("RTX4090", None), 1, 1) == planner.card_seconds(Good("RTX4090", None)) == 24 * 3600
    )


def test_lora_on_one_card_and_full_on_several() -> None:
    """7B LoRA runs on one 24 GB card; 7B full in plain mixed precision needs more than one 80 GB card."""
    offers = [offer("RTX4090", 2), offer("A100-80G", 7)]
    lora = job_of({**LORA, "name": "lora"})
    [fit] = search(market(offers), lora, SizingPlanner.of(lora), Asked(limit=1)).fits
    assert (fit.entry.offer.card, fit.use.cards) == ("RTX4090", 1)
    full = job_of({**LORA, "name": "full", "method": "full", "optimizer": "adamw", "precision": "amp_bf16"})
    [fit] = search(market(offers), full, SizingPlanner.of(full), Asked(limit=1)).fits
    assert fit.bought >= 2
    single = [offer("A100-80G", 7, max_cards=1), offer("RTX4090", 2, max_cards=1)]
    assert search(market(single), full, SizingPlanner.of(full), Asked(limit=1)).fits == []


def test_smallest_that_would_and_requirement() -> None:
    job = job_of({**LORA, "model": "Qwen2.5-72B", "name": "big"})
    planner = SizingPlanner.of(job)
    smallest = planner.smallest([Good("RTX4090", None)])
    assert smallest is not None
    # No number of 4090s in one machine holds 72B by itself, and joined ones have no network of its class.
    assert smallest["nodes"] == 1
    assert "offload" in smallest["strategy"] and smallest["host_ram_gib"] > 200
    need = planner.requirement()
    assert need["method"] == "lora"
    assert need["trained_tokens"] == 15_000_000
    assert planner.footprint.weights_gb == pytest.approx(145.4, rel=0.01)


@pytest.mark.parametrize(
    "fields", [{"model": "nosuch"}, {"samples": None}, {"strange": 1}, {"method": "magic"}, {"tokens": 5}]
)
def test_what_sizing_cannot_read_names_the_workload(fields: dict[str, Any]) -> None:
    row = {key: value for key, value in {**LORA, "name": "mine", **fields}.items() if value is not None}
    with pytest.raises(JobError, match="mine: "):
        SizingPlanner.of(job_of(row))
