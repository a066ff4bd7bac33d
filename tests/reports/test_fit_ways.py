"""The ladder shared by cards of a class gives the planner's own plans, and only those that run."""

from __future__ import annotations

from typing import Any

import pytest

from reports.fit.job import job_of
from reports.fit.planner import SizingPlanner
from reports.fit.use import Good
from reports.fit.view import view_of
from sizing import cards, plan
from sizing.errors import SizingError
from tests.reports.fitkit import market, offer

GOODS = [
    *(Good(name, None) for name in ("RTX4090", "T4", "P40", "V100-32G", "L20", "H20-96G", "910B-64G")),
    Good("A100-80G", "SXM"),
    Good("A100-80G", "PCIE"),
]
COUNTS = ((1, 1), (2, 1), (3, 1), (4, 1), (8, 1), (16, 2), (32, 4))
JOBS: list[dict[str, Any]] = [
    {"method": "lora", "model": "Qwen2.5-7B", "tokens": 1e7},
    {"method": "lora", "model": "Qwen2.5-72B", "tokens": 1e7, "seq_len": 4096},
    {"method": "qlora", "model": "Yi-34B", "tokens": 1e7, "framework": "LLaMA-Factory"},
    {"method": "full", "model": "Qwen2.5-7B", "tokens": 1e7, "micro_batch": 2},
    {"method": "full", "model": "Qwen2.5-32B", "tokens": 1e7, "optimizer": "adamw"},
    {"method": "full", "model": "Qwen3-30B-A3B", "tokens": 1e7},
    {"method": "full", "model": "Qwen2.5-14B", "tokens": 1e7, "tp": 2},
    {"method": "inference", "model": "Qwen2.5-32B", "hours": 10, "concurrency": 16},
]


@pytest.mark.parametrize("row", JOBS, ids=lambda row: f"{row['method']}-{row['model']}")
def test_every_way_is_the_planners_own(row: dict[str, Any]) -> None:
    table = SizingPlanner.of(job_of(row)).table
    found = 0
    for good in GOODS:
        for count, nodes in COUNTS:
            way = table.way(good, count, nodes)
            try:
                own = plan.plan_on(table.unit, cards.get(good.card, good.form), count, nodes)
            except SizingError:
                assert way is None, (good, count)
                continue
            if own.verdict != "fits" or "no layout fits" in own.strategy:
                assert way is None, (good, count)
                continue
            found += 1
            assert way is not None, (good, count)
            assert (way.strategy, way.peak_gib_p50, way.peak_gib_p90, way.usable_gib) == (
                own.strategy,
                own.peak_gib_p50,
                own.peak_gib_p90,
                own.usable_gib,
            )
            assert (way.tokens_per_s_p50, way.tokens_per_s_p10) == (
                own.tokens_per_s_p50,
                own.tokens_per_s_p10,
            )
            assert way.cpu_ram_gib == own.cpu_ram_gib
    assert found > 5


def test_tensor_parallel_that_does_not_divide_the_heads_is_no_way() -> None:
    """Three cards hold the weights of a 7B model, but its 28 heads cannot be served on three."""
    planner = SizingPlanner.of(
        job_of({"method": "inference", "model": "Qwen2.5-7B", "hours": 1, "concurrency": 1})
    )
    assert planner.use(Good("RTX4090", None), 2, 1) is not None
    assert planner.use(Good("RTX4090", None), 3, 1) is None


def test_jobs_with_the_same_rules_share_a_view() -> None:
    offers = [offer(price=2), offer(price=3, region_code="440300"), offer(price=1, billing_mode="spot")]
    sold = market(offers)
    first = view_of(sold, job_of({"name": "a", "regions": ["深圳"], "budget_cny": 1}))
    second = view_of(sold, job_of({"name": "b", "regions": ["440300"], "deadline_hours": 9}))
    assert first is second
    assert [entry.offer.price for [group] in first.groups.values() for entry in group.entries] == [3]
    assert (first.checked, first.removed["region"]) == (1, 2)
    assert view_of(sold, job_of({"name": "c"})) is not first


@pytest.mark.parametrize(
    "more",
    [
        {"regions": ["110000"]},
        {"cards": ["A100"]},
        {"billing_modes": ["monthly"]},
        {"providers": ["idc"]},
        {"interruptible": True},
    ],
)
def test_each_rule_of_the_buyer_makes_a_view_of_its_own(more: dict[str, Any]) -> None:
    """One market is asked by many: nobody may get the offers that another one allowed."""
    rows: list[dict[str, Any]] = [
        {"provider": "autodl"},
        {"provider": "idc", "region_code": "110000"},
        {"card": "A100-80G"},
        {"billing_mode": "monthly"},
        {"billing_mode": "spot"},
    ]
    sold = market([offer(**row) for row in rows])
    alone = market([offer(**row) for row in rows])
    view_of(sold, job_of({"name": "first"}))
    found, fresh = (view_of(one, job_of({"name": "second", **more})) for one in (sold, alone))
    shown, expected = (
        sorted(entry.offer.offer_id for groups in view.groups.values() for g in groups for entry in g.entries)
        for view in (found, fresh)
    )
    assert shown == expected
    assert (found.checked, found.removed) == (fresh.checked, fresh.removed)
    first = view_of(sold, job_of({"name": "first"}))
    assert found.checked != first.checked
