"""Machines are joined only where such machines are built for it, and the answer says what is assumed."""

from __future__ import annotations

import pytest

from reports.fit.answer import answer
from reports.fit.job import job_of
from reports.fit.planner import SizingPlanner
from reports.fit.use import Good, Shape
from tests.reports.fitkit import SOURCES, market, offer

BIG = {"model": "Qwen2.5-72B", "method": "full", "tokens": 10_000_000}


def planner() -> SizingPlanner:
    return SizingPlanner.of(job_of({"model": "qwen2.5-7b", "method": "full", "tokens": 10_000_000}))


@pytest.mark.parametrize("card", ["A10", "RTX4090", "L20", "V100-16G", "A100-80G"])
def test_cards_without_a_network_of_their_class_stay_in_one_machine(card: str) -> None:
    assert planner().use(Good(card, "PCIE"), 16, 2) is None


@pytest.mark.parametrize("card", ["K100_AI", "MTT-S4000", "MLU370-X8", "BI-V150", "310P"])
def test_accelerators_in_a_slot_are_not_joined(card: str) -> None:
    assert planner().use(Good(card, None), 16, 2) is None


@pytest.mark.parametrize("card", ["910B2", "910B3", "H20-96G", "H200"])
def test_cards_of_linked_machines_are_joined(card: str) -> None:
    assert planner().use(Good(card, None), 16, 2) is not None


@pytest.mark.parametrize(
    ("more", "assumed"),
    [
        ({}, ["NVLink in the machines", "RDMA between the machines"]),
        ({"form": "SXM"}, ["RDMA between the machines"]),
        ({"interconnect": "NVLink"}, ["RDMA between the machines"]),
        ({"interconnect": "NVLink + eRDMA"}, []),
        ({"form": "SXM", "interconnect": "8×200G IB"}, []),
    ],
)
def test_joined_machines_say_what_is_assumed(more: dict[str, str], assumed: list[str]) -> None:
    job = job_of(BIG)
    sold = market([offer("A100-80G", 80, gpu_count=8, **more)])
    fit = answer(sold, job, SizingPlanner.of(job), SOURCES)["fits"][0]
    assert fit["nodes"] > 1
    assert fit["assumed"] == assumed
    assert fit["strategy"].endswith(" assumed") is bool(assumed)
    for words in assumed:
        assert words in fit["strategy"]


def test_one_machine_of_cards_that_may_be_pcie_says_so() -> None:
    job = job_of({"model": "Qwen2.5-72B", "method": "lora", "tokens": 10_000_000})
    for more, assumed in (({}, ["NVLink in the machine"]), ({"form": "PCIE"}, []), ({"form": "SXM"}, [])):
        sold = market([offer("A100-80G", 56, gpu_count=8, **more)])
        assert answer(sold, job, SizingPlanner.of(job), SOURCES)["fits"][0]["assumed"] == assumed
    sold = market([offer("RTX4090", 16, gpu_count=8)])
    assert all(not fit["assumed"] for fit in answer(sold, job, SizingPlanner.of(job), SOURCES)["fits"])


def test_small_machines_are_never_joined() -> None:
    assert all(nodes == 1 for _, nodes in Shape(4, 4, 64).counts())
    assert any(nodes > 1 for _, nodes in Shape(8, 8, 64).counts())


def test_the_smallest_that_would_is_never_a_cluster_of_slow_links() -> None:
    """Without linked machines on sale or allowed, the answer falls to one that is."""
    job = job_of({**BIG, "cards": ["RTX4090"]})
    smallest = SizingPlanner.of(job).smallest([Good("RTX4090", None)])
    assert smallest is not None
    assert smallest["nodes"] == 1 or not smallest["card"].startswith("RTX")
