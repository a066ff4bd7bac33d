"""Machines are joined only where such machines are built for it, and the answer says what is assumed."""

from __future__ import annotations

import pytest

from reports.fit.job import job_of
from reports.fit.planner import NETWORK, SizingPlanner
from reports.fit.use import Good, Shape


def planner() -> SizingPlanner:
    return SizingPlanner.of(job_of({"model": "qwen2.5-7b", "method": "full", "tokens": 10_000_000}))


@pytest.mark.parametrize("card", ["A10", "RTX4090", "L20", "V100-16G"])
def test_cards_without_a_network_of_their_class_stay_in_one_machine(card: str) -> None:
    assert planner().use(Good(card, "PCIE"), 16, 2) is None


def test_joined_machines_say_what_is_assumed() -> None:
    use = planner().use(Good("A100-80G", "SXM"), 16, 2)
    assert use is not None and use.strategy.endswith(NETWORK)
    alone = planner().use(Good("A100-80G", "SXM"), 8, 1)
    assert alone is not None and NETWORK not in alone.strategy


def test_small_machines_are_never_joined() -> None:
    assert all(nodes == 1 for _, nodes in Shape(4, 4, 64).counts())
    assert any(nodes > 1 for _, nodes in Shape(8, 8, 64).counts())
