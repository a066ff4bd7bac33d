"""Instance types: the maps of the clouds, the traps of peers' tables, names withheld by the seller."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import pytest

from catalog.cards import cards
from catalog.families import card_of, families, lookup


@pytest.mark.parametrize(
    ("cloud", "sku", "card", "count"),
    [
        ("aws_cn", "g4dn.xlarge", "T4", "1"),
        ("aws_cn", "g4dn.16xlarge", "T4", "1"),
        ("aws_cn", "g4dn.12xlarge", "T4", "4"),
        ("aws_cn", "g4dn.metal", "T4", "8"),
        ("aws_cn", "g5.48xlarge", "A10G", "8"),
        ("aws_cn", "p3.16xlarge", "V100-16G", "8"),
        ("aws_cn", "p2.16xlarge", "K80", "16"),
        ("aws_cn", "g3.16xlarge", "M60", "4"),
        ("azure_cn", "Standard_NC64as_T4_v3", "T4", "4"),
        ("azure_cn", "Standard_NC24s_v3", "V100-16G", "4"),
        ("azure_cn", "Standard_NC96ads_A100_v4", "A100-80G", "4"),
        ("tencent", "GT4.41XLARGE948", "A100-40G", "8"),
        ("tencent", "GN10Xp.20XLARGE320", "V100-32G", "8"),
        ("tencent", "GN10X.18XLARGE320", "V100-32G", "8"),
        ("tencent", "GN8.14XLARGE448", "P40", "8"),
        ("tencent", "GN7.2XLARGE32", "T4", "1"),  # a whole card …
        ("tencent", "GN7.5XLARGE80", "T4", "1"),  # not 4, as one peer says
        ("tencent", "GN7.10XLARGE160", "T4", "2"),  # not 8
        ("tencent", "GI3X.45XLARGE452", "T4", "4"),
        ("tencent", "PNV4.56XLARGE932", "A10", "8"),
        ("huawei", "pi2.8xlarge.4", "T4", "4"),  # not V100, as one peer says
        ("huawei", "pi2.2xlarge.4.linux", "T4", "1"),
        ("huawei", "p2s.16xlarge.8", "V100-32G", "8"),
        ("aliyun", "ecs.gn6i-c40g1.10xlarge", "T4", "1"),
        ("aliyun", "ecs.gn6i-c24g1.24xlarge", "T4", "4"),
        ("aliyun", "gn6v-c8g1.16xlarge", "V100-16G", "8"),
        ("aliyun", "ecs.gn6e-c12g1.24xlarge", "V100-32G", "8"),
        ("aliyun", "ecs.gn7i-8x.32xlarge", "A10", "8"),
        ("aliyun", "ecs.gn7e-c16g1.32xlarge", "A100-80G", "8"),
        ("aliyun", "ecs.gn7-c13g1.26xlarge", "A100-40G", "8"),
        ("aliyun", "ecs.ebmgn7ex.32xlarge", "A100-80G", "8"),
        ("aliyun", "ecs.gn8v-8x.48xlarge", "H20-96G", "8"),
        ("aliyun", "ecs.gn8is-4x.16xlarge", "L20", "4"),
        ("aliyun", "ecs.gn5i-c28g1.14xlarge", "P4", "2"),
        ("volcengine", "gni2.3xlarge", "A10", "1"),
        ("jdcloud", "p.n1v100.10xlarge", "V100", "4"),
        ("ctyun", "pch1.21xlarge.3", "MLU370-S4", "4"),
    ],
)
def test_whole_cards(cloud: str, sku: str, card: str, count: str) -> None:
    found = lookup(cloud, sku)
    assert found is not None
    assert (found.card, found.count, found.share) == (card, Decimal(count), Fraction(1))
    assert found.vram_gb == cards()[card].vram_gb


@pytest.mark.parametrize(
    ("cloud", "sku", "card", "share", "vram"),
    [
        ("tencent", "GN7.LARGE20", "T4", Fraction(1, 4), 4),
        ("tencent", "GN7.2XLARGE40", "T4", Fraction(1, 2), 8),  # … and half a card, by one letter
        ("tencent", "GN7vw.LARGE16", "T4", Fraction(1, 4), 4),
        ("tencent", "GA2.2XLARGE16", "S7150", Fraction(1, 4), 2),
        ("aliyun", "ecs.vgn6i-m4-vws.xlarge", "T4", Fraction(1, 4), 4),
        ("aliyun", "ecs.vgn7i-vws-m4.xlarge", "A10", Fraction(1, 6), 4),
        ("aliyun", "ecs.vgn7i-vws-m8.2xlarge", "A10", Fraction(1, 3), 8),
        ("aliyun", "ecs.vgn7i-vws-m24.7xlarge", "A10", Fraction(1), 24),
        ("aliyun", "ecs.sgn7i-vws-m2.xlarge", "A10", Fraction(1, 12), 2),
        ("aliyun", "ecs.sgn7i-vws-m2s.xlarge", "A10", Fraction(1, 12), 2),
        ("aliyun", "ecs.sgn7i-vws-m8s.4xlarge", "A10", Fraction(1, 3), 8),
        ("aliyun", "ecs.sgn6i-vws-m8.4xlarge", "T4", Fraction(1, 2), 8),
    ],
)
def test_slices_keep_their_exact_fraction(
    cloud: str, sku: str, card: str, share: Fraction, vram: int
) -> None:
    found = lookup(cloud, sku)
    assert found is not None
    assert (found.card, found.share, found.vram_gb) == (card, share, vram)
    assert abs(found.count - Decimal(share.numerator) / Decimal(share.denominator)) < Decimal("1e-12")


@pytest.mark.parametrize(
    ("cloud", "sku"),
    [
        ("tencent", "SA5.LARGE8"),  # AMD hosts, no GPU
        ("tencent", "PNV5b.8XLARGE96"),  # the seller withholds the name
        ("tencent", "GN7"),
        ("aliyun", "ecs.gn10x-c16g1.4xlarge"),  # families that generated pages invent
        ("aliyun", "ecs.gn9gc.4xlarge"),
        ("aliyun", "ecs.sgn8ia-vws-m4.xlarge"),
        ("aliyun", "ecs.g7.xlarge"),
        ("huawei", "kat1.8xlarge"),
        ("volcengine", "pni2.3xlarge"),  # A100 on some pages, A800 on others
        ("volcengine", "gni2.7xlarge"),  # the card is known, how many is not
        ("ctyun", "pn8r.4xlarge.4"),
        ("aws_cn", "inf1.xlarge"),  # an accelerator that is no GPU
        ("aws_cn", "p4d.24xlarge"),
        ("nobody", "g4dn.xlarge"),
        ("aliyun", ""),
    ],
)
def test_what_is_not_known_goes_to_review(cloud: str, sku: str) -> None:
    assert lookup(cloud, sku) is None


def test_the_card_of_a_family_is_known_even_without_the_count() -> None:
    assert card_of("volcengine", "gni2.7xlarge") == "A10"
    assert card_of("huawei", "p2v.4xlarge.8") == "V100-16G"
    assert card_of("huawei", "p2vs.4xlarge.8") == "V100-32G"
    assert card_of("ctyun", "pi2.4xlarge.4") == "T4"
    assert card_of("tencent", "PNV6.4XLARGE160") is None


def test_every_row_has_a_source_and_no_type_stands_twice() -> None:
    keys = [(row.cloud, row.sku.lower()) for row in families()]
    assert len(keys) == len(set(keys))
    assert all(row.source and row.as_of and row.confidence for row in families())
