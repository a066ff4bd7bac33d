"""Vetting: sample texts of many driver branches, genuine, sliced, re-fitted and tampered with."""

from __future__ import annotations

import csv
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reports.vet import facts
from reports.vet.sold import UnknownCard, sold
from reports.vet.verdict import NothingRead, read, vet
from suanjia.vet_words import vet_words

HERE = Path(__file__).parent / "vet"
with (HERE / "cases.csv").open(encoding="utf-8") as file:
    CASES = list(csv.DictReader(file))


def judge(case: dict[str, str]) -> dict[str, Any]:
    text = (HERE / f"{case['sample']}.txt").read_text(encoding="utf-8")
    said = sold(
        case["card"],
        case["form"] or None,
        int(case["count"]) if case["count"] else None,
        {"yes": True, "no": False}.get(case["nvlink"]),
    )
    return vet(text, said)


def failed(result: dict[str, Any]) -> set[str]:
    return {check["name"] for check in result["checks"] if check["ok"] is False}


@pytest.mark.parametrize("case", CASES, ids=[case["sample"] for case in CASES])
def test_samples(case: dict[str, str]) -> None:
    result = judge(case)
    assert failed(result) == set(case["fails"].split()), result
    assert result["verdict"] == case["verdict"], result


def test_there_are_enough_samples_of_enough_kinds() -> None:
    assert len(CASES) >= 20
    assert {case["verdict"] for case in CASES} == {"as_sold", "differs", "suspect"}
    drivers = {read((HERE / f"{case['sample']}.txt").read_text(encoding="utf-8")).driver for case in CASES}
    assert len({driver.split(".")[0] for driver in drivers if driver}) >= 10


def test_every_check_has_the_shape_of_the_contract() -> None:
    for case in CASES:
        result = judge(case)
        assert len(vet_words(result).splitlines()) > len(result["checks"])
        assert set(result) == {"verdict", "checks"}
        for check in result["checks"]:
            assert {"name", "expected", "found", "ok"} <= set(check)
            assert check["ok"] in {True, False, None}


@pytest.mark.parametrize("text", ["", "command not found: nvidia-smi", "GPU0\tGPU1\nGPU0\t X \tNV12\n"])
def test_text_without_a_card_is_no_verdict(text: str) -> None:
    with pytest.raises(NothingRead):
        read(text)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("| npu-smi 23.0.rc3    Version: 23.0.rc3 |\n| 0  910B2  | OK |", "Ascend"),
        ("=== ROCm System Management Interface ===\nGPU  Temp\n", "AMD"),
        ("Failed to initialize NVML: Driver/library version mismatch", "do not match"),
        ("NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver.", "no driver"),
        ("Unable to determine the device handle for GPU 0000:87:00.0: Unknown Error", "fell off"),
        ("No devices were found", "no card"),
        ("bash: nvidia-smi: command not found", "not installed"),
        ("<?xml version='1.0'?>\n<nvidia_smi_log>\n", "-x"),
        ("# gpu    pwr\n# Idx      W\n    0    300\n", "--dmon"),
        ("[0] NVIDIA GeForce RTX 4090 | 34'C,   0 % |     4 / 24564 MB |", "gpustat"),
    ],
)
def test_another_text_is_told_what_it_is(text: str, words: str) -> None:
    with pytest.raises(NothingRead, match=words):
        vet(text, sold("RTX4090"))


def test_a_table_cut_before_its_first_card_asks_for_the_rest() -> None:
    whole = (HERE / "h800_535.txt").read_text(encoding="utf-8")
    with pytest.raises(NothingRead, match="paste the whole text"):
        vet(whole[: whole.index("|   0  ") + 90], sold("H800-80G"))


def test_line_ends_of_windows_change_nothing() -> None:
    for name, card in (("a100_525_cut_name", "A100-80G"), ("h800_query_525", "H800-80G")):
        text = (HERE / f"{name}.txt").read_text(encoding="utf-8")
        assert vet(text.replace("\n", "\r\n"), sold(card)) == vet(text, sold(card))


@pytest.mark.parametrize(
    ("text", "card", "verdict"),
    [
        ("NVIDIA GeForce RTX 4090, 24564 MiB\n", "RTX4090", "as_sold"),
        ("0, NVIDIA A100-SXM4-80GB, 81920 MiB, 4 MiB, 61.20 W, 400.00 W\n", "A100-80G", "as_sold"),
        ("0, NVIDIA A100-SXM4-40GB, 40960 MiB, 4 MiB\n", "A100-80G", "differs"),
        ("NVIDIA GeForce RTX 4090, 49140 MiB\n", "RTX4090", "differs"),
        ("卡：NVIDIA GeForce RTX 4090, 24564 MiB\n", "RTX4090", None),
    ],
)
def test_csv_without_its_header(text: str, card: str, verdict: str | None) -> None:
    if verdict is None:
        with pytest.raises(NothingRead):
            vet(text, sold(card))
    else:
        assert vet(text, sold(card))["verdict"] == verdict


def test_a_card_without_ecc_shows_all_its_memory() -> None:
    """22 of 24 GiB is a 4090 with ECC on, and never a 3090."""
    row = "name, memory.total [MiB], ecc.mode.current\nNVIDIA GeForce {}, 22528 MiB, {}\n"
    assert vet(row.format("RTX 4090", "Enabled"), sold("RTX4090"))["verdict"] == "as_sold"
    assert vet(row.format("RTX 4090", "Disabled"), sold("RTX4090"))["verdict"] == "differs"
    assert vet(row.format("RTX 3090", "[N/A]"), sold("RTX3090"))["verdict"] == "differs"


def test_terminal_colours_and_indents_change_nothing() -> None:
    text = (HERE / "a100_sxm4_80g_535_topo.txt").read_text(encoding="utf-8")
    plain = vet(text, sold("A100-80G"))
    coloured = text.replace("\tGPU0", "\t\x1b[4mGPU0").replace("GPU NUMA ID", "GPU NUMA ID\x1b[0m")
    assert vet(coloured, sold("A100-80G")) == plain
    table, topology = text.split("\n\n\tGPU0")
    indented = "\n".join("    " + line for line in table.split("\n")) + "\n\n\tGPU0" + topology
    assert vet(indented, sold("A100-80G")) == plain
    assert vet(text.replace("\n", "\r\n"), sold("A100-80G")) == plain


def test_bare_card_names_accept_each_size_and_forms_are_checked() -> None:
    text = (HERE / "h20_535.txt").read_text(encoding="utf-8")
    assert vet(text, sold("H20"))["verdict"] == "as_sold"
    assert vet(text, sold("H20-141G"))["verdict"] == "differs"
    with pytest.raises(UnknownCard, match="not made as SXM"):
        sold("RTX4090", form="SXM")
    with pytest.raises(UnknownCard):
        sold("910B-64G")


def test_each_whole_nvidia_card_of_its_own_passes_as_itself() -> None:
    """Every product, printed in full, is as sold under its own name and as nothing else."""
    for product in facts.products():
        ecc = {"on": "Enabled", "either": "Enabled", "none": "[N/A]"}[product.ecc]
        share = 0.98 if product.ecc == "none" else 0.96
        text = (
            "index, name, memory.total [MiB], compute_cap, power.limit [W], ecc.mode.current, pci.device_id\n"
            f"0, NVIDIA {product.name}, {int(product.vram_gib * 1024 * share)} MiB, "
            f"{product.compute_capability}, {product.power_w}.00 W, {ecc}, 0x{product.device_ids[0]}10DE\n"
        )
        result = vet(text, sold(product.card, product.form))
        assert result["verdict"] == "as_sold", (product.name, failed(result))
        other = "T4" if product.card != "T4" else "A10"
        assert vet(text, sold(other))["verdict"] == "differs"


def test_nvlink_status_counts_live_links() -> None:
    text = (HERE / "a100_nvlink_status.txt").read_text(encoding="utf-8")
    assert failed(vet(text.replace("Link 3: 25 GB/s", "Link 3: <inactive>"), sold("A100-80G"))) == {
        "interconnect"
    }


SNIPPETS = st.sampled_from(
    ["|", "GPU 0: X (UUID: GPU-1)", "MiB", "| NVIDIA-SMI 1 Driver Version: 2", "\tGPU0\tGPU1", "GPU0\tX\tNV1"]
    + [(HERE / f"{case['sample']}.txt").read_text(encoding="utf-8") for case in CASES[::9]]
)


@given(
    st.lists(st.one_of(SNIPPETS, st.text(max_size=60)), max_size=5), st.integers(0, 4000), st.integers(0, 40)
)
def test_readers_never_fail_on_odd_text(parts: list[str], cut: int, hole: int) -> None:
    text = "\n".join(parts)
    text = text[:cut] + text[cut + hole :]
    with suppress(NothingRead):
        assert vet(text, sold("A100-80G"))["verdict"] in {"as_sold", "differs", "suspect"}


def test_cutting_lines_out_never_makes_another_card_pass() -> None:
    text = (HERE / "t4_sold_as_a100.txt").read_text(encoding="utf-8")
    lines = text.split("\n")
    for i in range(len(lines)):
        shorter = "\n".join(lines[:i] + lines[i + 1 :])
        try:
            assert vet(shorter, sold("A100-40G"))["verdict"] != "as_sold"
        except NothingRead:
            continue
