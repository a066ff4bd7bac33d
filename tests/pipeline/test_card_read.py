"""The card reader: what a card text means as a whole, and every collision that merges goods elsewhere."""

from __future__ import annotations

from decimal import Decimal

import pytest

from pipeline.reading.card import CardReading, CardReject, read


def meaning(text: str, provider: str | None = None) -> tuple[object, ...]:
    found = read(text, provider)
    if isinstance(found, CardReject):
        return (found.reject,)
    return (
        found.card,
        None if found.vram_gb is None else float(found.vram_gb),
        float(round(found.count, 4)),
        found.form,
        found.kind,
    )


@pytest.mark.parametrize(
    ("text", "card", "vram"),
    [
        # 4090 ≠ 4090D ≠ 48 GB boards ≠ Pro
        ("RTX 4090", "RTX4090", 24),
        ("RTX4090", "RTX4090", 24),
        ("4090", "RTX4090", 24),
        ("rtx4090", "RTX4090", 24),
        ("GeForce RTX 4090", "RTX4090", 24),
        ("NVIDIA-GeForce-RTX-4090", "RTX4090", 24),
        ("ＲＴＸ　４０９０", "RTX4090", 24),
        ("4090.16c62g", "RTX4090", 24),
        ("RTX 409024G", "RTX4090", 24),
        ("NVIDIA GeForce RTX 4090, 24564 MiB", "RTX4090", 24),
        ("4090D", "RTX4090D", 24),
        ("4090 D", "RTX4090D", 24),
        ("NVIDIA GeForce RTX 4090 D", "RTX4090D", 24),
        ("4090-48G", "RTX4090-48G", 48),
        ("4090_48G", "RTX4090-48G", 48),
        ("4090-48", "RTX4090-48G", 48),
        ("RTX 4090 48GB 魔改", "RTX4090-48G", 48),
        ("4090 D 48G", "RTX4090D-48G", 48),
        ("4090Pro", "RTX4090Pro", 24),
        ("4090 PRO", "RTX4090Pro", 24),
        # 5090s
        ("5090", "RTX5090", 32),
        ("RTX 5090 D", "RTX5090D", 32),
        ("5090 D V2", "RTX5090DV2", 24),
        ("RTX 5090D 24G", "RTX5090DV2", 24),
        # 3090s, 2080s, 1080s
        ("3090Ti", "RTX3090Ti", 24),
        ("3090 Ti-24G", "RTX3090Ti", 24),
        ("3080Ti", "RTX3080Ti", 12),
        ("RTX 2080 Ti", "RTX2080Ti", 11),
        ("2080Ti魔改22G", "RTX2080Ti-22G", 22),
        ("GTX 1080 Ti", "GTX1080Ti", 11),
        ("1080", "GTX1080", 8),
        ("4080 Super", "RTX4080S", 16),
        # the 6000s
        ("PRO 6000", "RTXPRO6000", 96),
        ("RTX PRO 6000 Blackwell Server Edition", "RTXPRO6000", 96),
        ("PRO 6000 Max-Q", "RTXPRO6000", 96),
        ("RTX 6000 Ada", "RTX6000Ada", 48),
        ("6000 Ada Generation", "RTX6000Ada", 48),
        ("RTX 6000 24GB", "QuadroRTX6000", 24),
        ("RTX 6000 48GB", "RTX6000Ada", 48),
        ("Quadro RTX 6000", "QuadroRTX6000", 24),
        ("RTX 6000D", "RTX6000D", 84),
        ("A6000", "RTXA6000", 48),
        ("RTX A6000", "RTXA6000", 48),
        # A100, A800
        ("A100", "A100", None),
        ("A100 40G", "A100-40G", 40),
        ("A100（80G）", "A100-80G", 80),
        ("A100-80", "A100-80G", 80),
        ("A100 81251MiB", "A100-80G", 80),
        ("A800", "A800-80G", 80),
        ("A800 81251MiB", "A800-80G", 80),
        ("A800-80GB-NVLink", "A800-80G", 80),
        # Hopper
        ("H100", "H100-80G", 80),
        ("H100 94G", "H100-94G", 94),
        ("H800", "H800-80G", 80),
        ("NVIDIA HGX H10080GB服务器", "H100-80G", 80),
        ("H20", "H20", None),
        ("H20 96G", "H20-96G", 96),
        ("141GB H20", "H20-141G", 141),
        ("H20-3e", "H20-141G", 141),
        ("H20-NVLink", "H20", None),
        ("H200", "H200", 141),
        ("GB200 NVL72", "GB200", None),
        # Ls
        ("L40", "L40", 48),
        ("L40S", "L40S", 48),
        ("L4", "L4", 24),
        ("L20", "L20", 48),
        ("L2", "L2", 24),
        ("A10", "A10", 24),
        ("A10G", "A10G", 24),
        ("A100G", None, None),
        ("A16 15GB", "A16", 16),
        # V100s
        ("V100", "V100", None),
        ("V100S", "V100S", 32),
        ("Tesla V100-NVLINK-32G", "V100-32G", 32),
        ("V100 16G", "V100-16G", 16),
        # Ascend
        ("昇腾910B", "910B", None),
        ("Ascend 910B2", "910B2", 64),
        ("华为昇腾 910B3", "910B3", 64),
        ("昇腾 910B4 32G", "910B4", 32),
        ("昇腾 910B2C 64GB", "910B-64G", 64),
        ("Ascend 910B1", "910B", None),
        ("昇腾910B 64G", "910B-64G", 64),
        ("昇腾910B (910B3)", "910B3", 64),
        ("910C", "910C", None),
        ("昇腾910", "910", 32),
        ("Atlas 300I Pro", "310P", 24),
        # other makers: the product decides, not the brand beside it
        ("天垓100", "BI-V100", 32),
        ("壁仞 天垓150", "BI-V150", 64),
        ("天数智芯 智铠100", "MR-V100", 32),
        ("壁仞 壁砺 106M", "BR106M", 32),
        ("摩尔线程S4000", "MTT-S4000", 48),
        ("MTT S5000", "MTT-S5000", 80),
        ("MLU370-S4", "MLU370-S4", 24),
        ("MLU370X8", "MLU370-X8", 48),
        ("寒武纪思元590", "MLU590", None),
        ("沐曦 曦云 C500", "C500", 64),
        ("燧原 S60", "S60", 48),
        ("海光 K100 AI", "K100_AI", 64),
        ("海光 K100", "K100", None),
        ("海光 BW1000", "BW1000", 64),
        ("昆仑芯 P800", "P800", None),
        ("AMD S7150", "S7150", 8),
    ],
)
def test_which_card(text: str, card: str | None, vram: int | None) -> None:
    if card is None:
        assert read(text) == CardReject("unknown_card")
    else:
        assert meaning(text)[:2] == (card, vram)


@pytest.mark.parametrize(
    ("text", "card", "count"),
    [
        ("8*H100", "H100-80G", 8),
        ("8×910B", "910B", 8),
        ("8xNVIDIA H100", "H100-80G", 8),
        ("8 x RTX 4090", "RTX4090", 8),
        ("8 xH100", "H100-80G", 8),
        ("H20 x 8", "H20", 8),
        ("H100x8", "H100-80G", 8),
        ("4090*8", "RTX4090", 8),
        ("RTX4090 24G*8", "RTX4090", 8),
        ("4090(24G)*8", "RTX4090", 8),
        ("MLU370-X8 x 8", "MLU370-X8", 8),
        ("双卡4090", "RTX4090", 2),
        ("单卡4090", "RTX4090", 1),
        ("八卡 5090", "RTX5090", 8),
        ("8卡A800", "A800-80G", 8),
        ("A800 8卡", "A800-80G", 8),
        ("H800 80G NVLink 8卡整机", "H800-80G", 8),
        ("十六卡 H100", "H100-80G", 16),
        ("2张A10G", "A10G", 2),
        ("8块A100 40GB", "A100-40G", 8),
        ("4 颗 Tesla P40", "P40", 4),
        ("8-GPU H100", "H100-80G", 8),
        ("2 * NVIDIA T4 / 2 * 16G", "T4", 2),
        ("8卡A100 640GB", "A100-80G", 8),  # memory of all cards together
        ("2 × P40 48GB", "P40", 2),
        ("RTX 4090", "RTX4090", 1),
        ("A10 PCIe x16", "A10", 1),
        ("RTX 4090 7/16", "RTX4090", 1),
        ("RTX 4090 1卡可租", "RTX4090", 1),
        ("天垓100", "BI-V100", 1),
        ("RTX 4090 16核 64G内存", "RTX4090", 1),
    ],
)
def test_how_many(text: str, card: str, count: int) -> None:
    assert (meaning(text)[0], meaning(text)[2]) == (card, count)


def test_a_default_count_is_told_from_a_stated_one() -> None:
    assert read("4090") == CardReading("RTX4090", Decimal(24), Decimal(1), None, "whole", False)
    assert read("单卡4090") == CardReading("RTX4090", Decimal(24), Decimal(1), None, "whole", True)


@pytest.mark.parametrize(
    ("text", "form"),
    [
        ("A100-SXM4-80GB", "SXM"),
        ("A100 80G SXM", "SXM"),
        ("H800 SXM5", "SXM"),
        ("V100-SXM2-32GB", "SXM"),
        ("A100-PCIE-40GB", "PCIE"),
        ("A100 80GB PCIe", "PCIE"),
        ("A100 PCI-E 40G", "PCIE"),
        ("H100 NVL", "NVL"),
        ("H200 NVL", "NVL"),
        ("A100 80G NVLink", None),  # NVLink alone does not say SXM
        ("HGX H100", None),
        ("A100", None),
    ],
)
def test_form_only_as_the_text_says(text: str, form: str | None) -> None:
    assert meaning(text)[3] == form


@pytest.mark.parametrize(
    ("text", "card", "vram", "count"),
    [
        ("1/4 T4", "T4", 4, 0.25),
        ("1/4 T4 vGPU*", "T4", 4, 0.25),
        ("T4/4", "T4", 4, 0.25),
        ("P4*1/4", "P4", 2, 0.25),
        ("1/6 A10", "A10", 4, 0.1667),
        ("A10 1/2卡", "A10", 12, 0.5),
        ("半卡 A10", "A10", 12, 0.5),
        ("0.25卡T4", "T4", 4, 0.25),
        ("A10 vGPU 4GB", "A10", 4, 1),
        ("GRID T4-4Q", "T4", 4, 1),
        ("A100 MIG 1g.10gb", "A100", 10, 1),
        ("C500 32GB版", "C500", 32, 1),
        ("vGPU-32GB", "vGPU-32G", 32, 1),
        ("32GB vGPU", "vGPU-32G", 32, 1),
        ("vGPU-48GB-350W", "vGPU-48G", 48, 1),
        ("vGPU-48GB x 2", "vGPU-48G", 48, 2),
    ],
)
def test_slices(text: str, card: str, vram: float, count: float) -> None:
    assert meaning(text) == (card, vram, count, None, "slice")


@pytest.mark.parametrize(
    "text",
    [
        "CPU",
        "CPU (0/44)",
        "无卡模式",
        "CPU型云主机 8核16G",
        "Intel Xeon Gold 6430",
        "AMD EPYC 9654",
        "4核8G 无GPU",
        "不带显卡",
        "16核32G（无 GPU）",
    ],
)
def test_cpu_rows(text: str) -> None:
    found = read(text)
    assert isinstance(found, CardReading) and found.row() == {"card": None, "kind": "cpu"}


@pytest.mark.parametrize(
    "text",
    [
        *(
            "",
            "GPU",
            "显卡 24G",
            "NVIDIA 24G",
            "Ada 48G",
            "海光 DCU",
            "RTX",
            "RTX 9999",
            "RTX 6000",
            "4090-class",
            "4090级",
        ),
        *(
            "RTX PRO 6000D",
            "RTX 4090 Ti",
            "RTX 4090 Laptop",
            "RTX 4090 Super",
            "4090M",
            "L40X",
            "A100S",
            "A1000",
            "T40",
        ),
        *(
            "GN7.2XLARGE32",
            "p3.2xlarge",
            "ecs.gn6i-c4g1.xlarge",
            "ecs.a10.large",
            "B1.gpu.small",
            "vGPU8",
            "vGPU-24GB",
        ),
        *(
            "A2区",
            "A16机",
            "L2缓存",
            "1080P",
            "1920x1080",
            "3090元/月",
            "¥4090/月",
            "400-4090-888",
            "4090.50",
            "2080年",
        ),
    ],
)
def test_what_is_no_card(text: str) -> None:
    assert read(text) == CardReject("unknown_card")


@pytest.mark.parametrize(
    "text",
    [
        *(
            "H800或A800",
            "A100/A800",
            "3090/4090",
            "L40S/L40",
            "V100/V100S",
            "V100(S)",
            "V100(S) 32G",
            "A100 40G/80G",
        ),
        *(
            "A10/A100(24~80GB)",
            "T4 / A10 / L20 等",
            "A100 40GB / 4090 24GB",
            "A100 80GB / H100",
            "4090 + 3090",
        ),
        "910B或910C",
    ],
)
def test_several_cards_are_no_card(text: str) -> None:
    assert read(text) == CardReject("multiple_cards")


@pytest.mark.parametrize(
    "text",
    [
        "T4 40G",
        "T4-40G",
        "PRO 6000 48GB",
        "A100(24G)",
        "A100 46068MiB",
        "L20 24G",
        "H800 24GB",
        "RTX 4090 80G",
        "3090-48G",
        "A10 48G",
        "910B3 32G",
    ],
)
def test_an_impossible_size_is_a_conflict(text: str) -> None:
    assert read(text) == CardReject("card_vram_conflict")


@pytest.mark.parametrize(
    ("provider", "text", "card", "kind"),
    [
        ("compshare", "A100", "A100-80G", "whole"),
        ("compshare", "A100 40G", "A100-40G", "whole"),  # a printed size wins
        ("compshare", "H20", "H20-96G", "whole"),
        ("compshare", "2080", "RTX2080", "whole"),
        ("compshare", "4090_48G", "RTX4090-48G", "whole"),
        ("autodl", "V100", "V100-32G", "whole"),
        ("autodl", "A100 SXM4", "A100-80G", "whole"),
        ("autodl", "vGPU-48GB", "vGPU-48G", "slice"),
        ("autodl", "3090-48G", "vGPU-48G", "slice"),
        ("autodl", "4080(S)-32G", "vGPU-32G", "slice"),
        ("autodl", "4090-48G", "RTX4090-48G", "whole"),
        ("matpool", "A100-PCIE", "A100-40G", "whole"),
        ("ucloud", "T4A", "T4", "whole"),
        ("tencent", "V100", "V100-32G", "whole"),
        ("gongji", "H20 x 8", "H20-96G", "whole"),
        ("nobody", "A100", "A100", "whole"),
        (None, "A100", "A100", "whole"),
    ],
)
def test_a_sellers_own_meaning_needs_the_seller(
    provider: str | None, text: str, card: str, kind: str
) -> None:
    found = read(text, provider)
    assert isinstance(found, CardReading)
    assert (found.card, found.kind) == (card, kind)


def test_rows_as_the_command_prints_them() -> None:
    assert read("8*A100 SXM4 80G").row() == {
        "card": "A100-80G",
        "vram_gb": 80,
        "count": 8,
        "form": "SXM",
        "kind": "whole",
    }
    assert read("1/3 A10").row() == {
        "card": "A10",
        "vram_gb": 8,
        "count": 0.3333,
        "form": None,
        "kind": "slice",
    }
    assert read("A100").row()["vram_gb"] is None
    assert read("A100/A800").row() == {"reject": "multiple_cards"}


@pytest.mark.parametrize(
    ("text", "card", "vram", "count"),
    [
        ("RTX4090*8/64核/512G/2T", "RTX4090", 24, 8),  # the sheets of bare-metal sellers
        ("RTX4090*8/16*32G/2TB", "RTX4090", 24, 8),
        ("RTX4090*8 / 64核", "RTX4090", 24, 8),
        ("RTX4090*8/512G/4T", "RTX4090", 24, 8),
        ("RTX4090*8/48G/512G", "RTX4090-48G", 48, 8),
        ("4090*8/64C512G", "RTX4090", 24, 8),
        ("A100*4/128G", "A100", None, 4),
        ("V100*8/256G", "V100", None, 8),  # 256 GB of the host, or of eight cards: not told
        ("A100*8/80G", "A100-80G", 80, 8),
        ("8*A100/显存640G", "A100-80G", 80, 8),
        ("8*L20/2*6530/1024G", "L20", 48, 8),
        ("3090*4/E5-2680v4*2/128G", "RTX3090", 24, 4),
        ("2*6348/8*A800/1T", "A800-80G", 80, 8),
        ("L20*8 1024G", "L20", 48, 8),
        ("910B*8/64G/2T", "910B-64G", 64, 8),
        ("A100 8*80G", "A100-80G", 80, 8),
        ("A100(8*80GB)", "A100-80G", 80, 8),
        ("H20 8×96G", "H20-96G", 96, 8),
        ("4090 8*24G", "RTX4090", 24, 8),
        ("RTX 4090 8*32G内存", "RTX4090", 24, 1),  # memory modules of the host
        ("RTX 4090 16*32G DDR5", "RTX4090", 24, 1),
        ("RTX 4090 ×3/8", "RTX4090", 24, 1),  # idle of all
        ("RTX 4090*8/16", "RTX4090", 24, 1),
    ],
)
def test_cards_among_the_parts_of_a_machine(text: str, card: str, vram: float | None, count: int) -> None:
    assert meaning(text)[:3] == (card, vram, count)


@pytest.mark.parametrize("text", ["T4/40G", "T4/8G", "RTX 3090 48G", "V100 24G", "H100 40G"])
def test_a_size_that_no_such_card_has(text: str) -> None:
    assert meaning(text) == ("card_vram_conflict",)
