"""Instance types beside what a source prints: agreement, slices, bundles."""

from __future__ import annotations

from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import pytest

from catalog import families
from catalog.providers import load_providers
from pipeline.goods import Goods, identify
from pipeline.interpret import Context, interpret
from pipeline.offer import Offer
from spiders.listing import Listing

NOW = datetime(2026, 10, 4, 12, tzinfo=UTC)


def quoted(provider: str, **more: Any) -> Listing:
    values: dict[str, Any] = {
        "provider": provider, "route": "r", "observed_at": NOW, "evidence": "", "locator": "",
        "source_url": "", "evidence_kind": "pricing", "scope": "region", "price_text": "9.5",
        "unit": "CNY/instance/hour",
        "mode": "on_demand",
    }  # fmt: skip
    return Listing(**(values | more))


def good(provider: str, **more: Any) -> Goods:
    found = identify(quoted(provider, **more))
    assert isinstance(found, Goods), found
    return found


def test_a_printed_card_that_is_not_the_one_inside_is_refused() -> None:
    assert identify(quoted("huawei", sku="pi2.2xlarge.4", card_text="NVIDIA V100")) == "card_sku_conflict"
    assert identify(quoted("huawei", sku="p2v.2xlarge.8", card_text="V100 32GB")) == "card_sku_conflict"
    assert good("huawei", sku="pi2.2xlarge.4", card_text="NVIDIA T4").card == "T4"


def test_the_table_says_which_of_the_sizes_it_is() -> None:
    found = good("huawei", sku="p2s.4xlarge.8", card_text="NVIDIA V100", count_text="2")
    assert (found.card, found.vram_gb, found.cards, found.form) == ("V100-32G", 32, 2, "PCIE")
    assert good("tencent", sku="GT4.8XLARGE192").interconnect == "NVLink"


@pytest.mark.parametrize(
    ("more", "vram"),
    [
        ({"vram_text": "4", "vram_unit": "GB"}, 4),  # the slice's own
        ({"vram_text": "16", "vram_unit": "GB"}, 4),  # the whole card's
        ({}, 4),
    ],
)
def test_the_memory_of_a_slice_is_the_slices(more: dict[str, str], vram: int) -> None:
    found = good("huawei", sku="g6v.2xlarge.2", card_text="NVIDIA T4", share_text="1/4", **more)
    assert (found.card, found.share, found.cards, found.vram_gb) == (
        "T4",
        Decimal("0.25"),
        Decimal("0.25"),
        vram,
    )


def test_the_bundle_of_a_type_that_the_source_does_not_state() -> None:
    context = Context("run", NOW, load_providers(None))
    (offer,) = interpret(quoted("azure_cn", sku="Standard_NC64as_T4_v3"), context)
    assert isinstance(offer, Offer)
    assert (offer.card, offer.gpu_count, offer.vcpu, offer.ram_gb) == ("T4", 4, 64, 440)
    (stated,) = interpret(
        quoted("aliyun", sku="ecs.gn7i-c8g1.2xlarge", vcpu_text="8", ram_text="32"), context
    )
    assert isinstance(stated, Offer)
    assert stated.ram_gb == 32  # the source's own word goes first


@pytest.mark.parametrize("sku", ["p8av", "p8av.4xlarge.4", "P8AV"])
def test_the_bare_name_of_a_family_is_the_family(sku: str) -> None:
    # the document prints the family alone, and the count in a column of its own
    got = good("ctyun", sku=sku, card_text="NVIDIA A100", count_text="8")
    assert (got.card, got.interconnect, got.cards) == ("A100-40G", "NVLink", Decimal(8))


@pytest.mark.parametrize(("sku", "link"), [("p8a", None), ("p8avx", None), ("p8", None)])
def test_another_family_with_the_same_beginning_is_another(sku: str, link: str | None) -> None:
    assert good("ctyun", sku=sku, card_text="NVIDIA A100 40G", count_text="8").interconnect == link


def test_every_open_ended_row_is_found_by_its_bare_name() -> None:
    wide = [f for f in families.families() if f.sku.endswith(".*") and f.card]
    assert len(wide) > 20
    for row in wide:
        found = families.named(row.cloud, row.sku.removesuffix(".*"))
        assert found is not None and found.card == row.card, row.sku
