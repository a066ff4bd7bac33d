"""The card table: every canonical name, sizes of a family, figures by form, what does not exist."""

from __future__ import annotations

import csv
from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from catalog.cards import cards, family_of, impossible, sized

TABLE = Path(__file__).parent / "data" / "card_names.csv"
NAMES = list(csv.DictReader(TABLE.read_text(encoding="utf-8").splitlines()))


def test_at_least_ninety_goods_with_source_and_date() -> None:
    assert len(cards()) >= 90
    for card in cards().values():
        assert card.source and card.as_of, card.card
        assert card.confidence in ("high", "medium", "low"), card.card
        assert set(card.forms) <= {"SXM", "PCIE", "NVL", "OAM"}, card.card
        assert card.card == card.name


@pytest.mark.parametrize("row", NAMES, ids=lambda row: row["card"])
def test_every_canonical_name_is_in_the_table(row: dict[str, str]) -> None:
    card = cards()[row["card"]]
    assert card.vendor == row["vendor"]
    if row["card"] == "910B":  # bare: the bins differ, so it has no size
        assert card.vram_gb is None
    else:
        assert card.vram_gb == (Decimal(row["vram_gb"]) if row["vram_gb"] else None)


@pytest.mark.parametrize(
    ("name", "stated", "good"),
    [
        ("A100", "40", "A100-40G"),
        ("A100", "80", "A100-80G"),
        ("A100", "79.3", "A100-80G"),  # what a driver reports
        ("A800-80G", "79.3", "A800-80G"),
        ("A100-80G", "40", "A100-40G"),
        ("V100", "16", "V100-16G"),
        ("V100", "32", "V100-32G"),
        ("H20", "96", "H20-96G"),
        ("H20", "141", "H20-141G"),
        ("RTX4090", "24", "RTX4090"),
        ("RTX4090", "48", "RTX4090-48G"),
        ("RTX4090D", "48", "RTX4090D-48G"),
        ("RTX2080Ti", "22", "RTX2080Ti-22G"),
        ("RTX5090D", "24", "RTX5090DV2"),
        ("H100-80G", "94", "H100-94G"),
        ("910B", "64", "910B-64G"),
        ("L4", "22", "L4"),
        ("T4", "15", "T4"),
        ("A16", "15", "A16"),
        ("B200", "192", "B200"),
        ("K80", "12", "K80"),
    ],
)
def test_a_stated_size_chooses_the_good(name: str, stated: str, good: str) -> None:
    found = sized(name, Decimal(stated))
    assert found is not None and found.card == good
    assert found.vram_gb is not None


@pytest.mark.parametrize(
    ("name", "stated"),
    [
        ("T4", "40"),
        ("A100", "24"),
        ("A100", "45"),
        ("RTXPRO6000", "48"),
        ("RTX3090", "48"),
        ("RTX4090", "80"),
        ("L40S", "80"),
    ],
)
def test_a_size_that_the_card_does_not_have_is_no_good(name: str, stated: str) -> None:
    assert sized(name, Decimal(stated)) is None


def test_tolerance_widens_what_a_host_may_report() -> None:
    assert sized("RTXPRO6000", Decimal("89")) is None
    found = sized("RTXPRO6000", Decimal("89"), Decimal("0.08"))
    assert found is not None and found.vram_gb == 96


def test_an_open_size_is_filled_by_what_is_stated() -> None:
    assert cards()["K80"].vram_gb is None
    found = sized("K80", Decimal(24))
    assert found is not None and found.vram_gb == 24


@given(st.sampled_from(sorted(cards())), st.decimals(min_value=0, max_value=2000, places=2))
def test_sized_stays_in_the_family_and_near_the_size(name: str, stated: Decimal) -> None:
    found = sized(name, stated)
    if found is not None:
        assert found.card in {card.card for card in family_of(name)}
        assert found.vram_gb is not None and Decimal("0.85") <= stated / found.vram_gb <= Decimal("1.03")


def test_impossible_goods_are_no_sizes_of_the_table() -> None:
    assert any(row.card == "T4" and row.vram_gb == 40 for row in impossible())
    for row in impossible():
        if row.vram_gb is None:
            assert row.card not in cards()
        else:
            assert sized(row.card, row.vram_gb) is None, row


def test_figures_by_form_and_the_lowest_for_an_unknown_form() -> None:
    h100 = cards()["H100-80G"]
    assert (h100.physics_of("SXM").bf16_tflops, h100.physics_of("PCIE").bf16_tflops) == (989, 756)
    assert h100.physics_of(None).bf16_tflops == 756
    assert cards()["A800-80G"].physics_of("SXM").nvlink_gb_s == 400
    for card in cards().values():
        for physics in card.by_form.values():
            if physics.bf16_tflops is not None and card.physics.bf16_tflops is not None:
                assert card.physics.bf16_tflops <= physics.bf16_tflops, card.card


@pytest.mark.parametrize(
    ("card", "bf16", "bandwidth"),
    [
        ("A10", 125, 600),  # many tables copy this to the A10G
        ("A10G", 70, 600),
        ("RTX4090", 165.2, 1008),  # fp32 accumulate, not 330
        ("RTX4090D", 147.1, 1008),
        ("RTX3090", 71, 936),
        ("H20-96G", 148, 4000),
        ("L20", 119.5, 864),
        ("L40S", 362, 864),
        ("L40", 181, 864),
        ("RTXPRO6000", 503.8, 1792),
    ],
)
def test_disputed_figures(card: str, bf16: float, bandwidth: float) -> None:
    physics = cards()[card].physics
    assert (physics.bf16_tflops, physics.mem_bw_gb_s) == (bf16, bandwidth)


def test_cards_without_tensor_cores_or_bf16_say_so() -> None:
    assert cards()["P40"].physics.fp16_tflops == 0.18
    for name in ("T4", "V100-32G", "P40", "RTX2080Ti"):
        assert cards()[name].physics.bf16_tflops is None


def test_modified_boards_are_marked() -> None:
    marked = {name for name, card in cards().items() if card.modified}
    assert {"RTX4090-48G", "RTX4090D-48G", "RTX2080Ti-22G"} <= marked
    assert "RTX4090" not in marked
