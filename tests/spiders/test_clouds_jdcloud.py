"""JD Cloud: merged cells, a unit in the heading, and pages that are old by their own word."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from market.facts import provider_facts
from spiders.dated import old_page
from tests.spiders.clouds import NOW, Cloud, crawl_cloud


@pytest.fixture(scope="module")
def cloud(tmp_path_factory: pytest.TempPathFactory) -> Cloud:
    return crawl_cloud("jdcloud", tmp_path_factory.mktemp("jdcloud"))


def test_the_documents_prices_come_out_to_the_last_digit(cloud: Cloud) -> None:
    regions = {"cn-north-1": "华北-北京", "cn-east-2": "华东-上海", "cn-south-1": "华南-广州",
               "cn-east-1": "华东-宿迁", "": None}  # fmt: skip
    # The seller's own documents, and the stored voucher page; a fork of the documents has no regions.
    facts = [f for f in provider_facts("jdcloud") if f.region_raw or f.mode == "reserved"]
    assert len(facts) == 75
    for fact in facts:
        found = cloud.find(sku=fact.sku, region_label=regions[fact.region_raw], billing_mode=fact.mode)
        assert [offer.price for offer in found] == [fact.amount], fact.fact_id


def test_merged_cells_and_a_unit_in_the_heading(cloud: Cloud) -> None:
    offer = cloud.one(sku="p.n1p40.14xlarge", region_label="华东-宿迁", billing_mode="monthly")
    assert (offer.card, offer.gpu_count, offer.region_code) == ("P40", 4, "321300")
    voucher = cloud.one(sku="p.n1p40", tier="voucher")
    assert (voucher.scope, voucher.region_code, voucher.per_hours, voucher.term_hours) == (
        "national",
        "CN",
        730,
        730,
    )
    assert cloud.stats["skipped"] == {"not sold": 6}


def test_old_prices_are_old(cloud: Cloud) -> None:
    """Dated by the page: history with year precision, no offers of today and in no index."""
    assert {offer.date_precision for offer in cloud.offers} == {"year"}
    assert {offer.observed_at.year for offer in cloud.offers} <= {2019, 2020}


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("最近更新：2019年", ("year", datetime(2019, 1, 1, 12))),
        ("更新时间：2026-03-15", ("day", datetime(2026, 3, 15, 12))),
        ("发布于 2025年7月", ("month", datetime(2025, 7, 1, 12))),
        ("更新时间：2026-09-30", None),
        ("更新时间：2026-19-30", None),
        ("价格", None),
    ],
)
def test_the_date_that_a_page_gives_itself(text: str, found: tuple[str, datetime] | None) -> None:
    told = old_page(text, NOW)
    assert (told == {}) == (found is None)
    if found:
        assert (told["date_precision"], told["observed_at"].replace(tzinfo=None)) == found


@pytest.mark.parametrize(
    ("fault", "outcome"),
    [("changed_unit", "layout_changed"), ("login_page", "auth_needed"), ("gone", "gone")],
)
def test_faults(tmp_path: Path, fault: Any, outcome: str) -> None:
    assert crawl_cloud("jdcloud", tmp_path, fault=fault).judged.outcome == outcome
