"""Card names inside running text: places, sizes told, and digits that are no card."""

from __future__ import annotations

import time
from decimal import Decimal
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from catalog.cards import cards
from pipeline.reading.card import CardReading, find, read
from pipeline.reading.normalise import normalise


def named(text: str, provider: str | None = None) -> list[tuple[str | None, Decimal | None, Decimal | None]]:
    return [(hit.card, hit.vram_told, hit.count) for hit in find(normalise(text), provider)]


@pytest.mark.parametrize(
    ("text", "hits"),
    [
        ("8*H100 - 75000/月", [("H100-80G", 80, 8)]),
        ("8*A100 nvlink 80G - 25000/月", [("A100-80G", 80, 8)]),
        ("双卡4090 3200元/月", [("RTX4090", 24, 2)]),
        ("4090*8 整机 7,800元/月", [("RTX4090", 24, 8)]),
        ("华东某大型城市 141GB H20 八卡服务器单台月租报价 4.8 万元", [("H20-141G", 141, 8)]),
        ("江苏 32 台 A100 80G IB 组网整租约 3.15-3.8 万元/台/月", [("A100-80G", 80, None)]),
        (
            "L40S ¥4.98 · L20 ¥4.00 · A800 ¥7.80 · H800 ¥25.00",
            [("L40S", 48, None), ("L20", 48, None), ("A800-80G", 80, None), ("H800-80G", 80, None)],
        ),
        ("A100 SXM4 | 80GB | ¥6.68", [("A100-80G", 80, None)]),
        ("GPU(Tesla V100-NVLINK-32G) | GN10X.2XLARGE40 | 1颗 | GPU 显存 32GB", [("V100-32G", 32, None)]),
        ("GPU(NVIDIA T4) | GN7.5XLARGE80 | 1 x Tesla T4", [("T4", 16, None), ("T4", 16, 1)]),
        ("pch1.21xlarge.3：84 vCPU / 252GB / 4×MLU370-S4", [("MLU370-S4", None, 4)]),
        ("GT 710/730 入门级", []),
        ("双路 E5-2680v4 / RTX 3090 24G", [("RTX3090", 24, None)]),
        ("北京B区 / 876机 | RTX 4090D / 24 GB | 空闲/总量 1 / 8", [("RTX4090D", 24, None)]),
        ("空闲/总量 1 / 8 RTX 4090", [("RTX4090", 24, None)]),
        ("电话 400-4090-888，咨询 3090 报价", [("RTX3090", 24, None)]),
        ("月租：3090元，押金4090元", []),
        ("价格 ¥4090/月", []),
        ("4090-5090元/月", []),
        ("租用 4090 约 ¥1.5-3/小时", [("RTX4090", 24, None)]),
        ("GPU|spec_uuid|价格 | PRO 6000 | pro6000-p", [("RTXPRO6000", 96, None), ("RTXPRO6000", 96, None)]),
        ("AWS p4d.24xlarge（8块A100 40GB）", [("A100-40G", 40, 8)]),
        ("10G（万兆口） | 年付", []),
        ("二手 M4 芯片 16G", []),
        ("RTX 4090 服务器 64G", [("RTX4090", 24, None)]),  # a machine's 64G is no card's
        ("A100 服务器 80G", [("A100-80G", 80, None)]),
        ("LoRA 微调 7B 模型用 A10G 或 4090", [("A10G", None, None), ("RTX4090", 24, None)]),
    ],
)
def test_names_in_text(text: str, hits: list[tuple[str | None, int | None, int | None]]) -> None:
    assert named(text) == hits


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("RTX 3060", None),
        ("RTX 3060 12G", 12),
        ("B200", None),
        ("昇腾910", None),
        ("A2", 16),
        ("RTX 4090", 24),
        ("A100-40G", 40),
        ("H100 NVL", 94),
    ],
)
def test_a_bare_name_tells_its_size_only_where_free_text_says_so(text: str, told: int | None) -> None:
    assert find(text)[0].vram_told == told


def test_spans_point_at_the_name_and_what_belongs_to_it() -> None:
    text = "报价：8*NVIDIA A100 SXM4 80G，月付"
    hit = find(text)[0]
    assert text[hit.start : hit.end] == "8*NVIDIA A100 SXM4 80G"


def test_problems_are_told_with_the_name() -> None:
    assert [(hit.card, hit.vram_gb, hit.problem) for hit in find("PRO 6000 48GB")] == [
        ("RTXPRO6000", 48, "card_vram_conflict")
    ]
    assert [hit.problem for hit in find("RTX 6000")] == ["unknown_card"]
    assert [hit.problem for hit in find("V100 16G/32G")] == ["multiple_cards"]


CARDS = sorted(name for name in cards() if not name.startswith("vGPU"))
ALONE = [name for name in CARDS if name not in ("310", "910", "T20")]  # these need their maker's word
NOISE = [
    "电话 010-8888-6666",
    "2026-11-30",
    "库存 7/16",
    "32 台",
    "万兆网",
    "显存充足",
    "含税",
    "QQ 123456789",
    "Xeon 6430",
    "DDR4 512G 内存",
]


@given(
    st.sampled_from(ALONE),
    st.sampled_from(["{}", "{} 整机", "NVIDIA {}", "{}×8", "8卡{}", "（{}）"]),
    st.sampled_from(NOISE),
    st.booleans(),
)
def test_noise_beside_a_card_changes_nothing(name: str, form: str, noise: str, before: bool) -> None:
    text = form.format(name)
    alone = read(text)
    beside = read(f"{noise} | {text}" if before else f"{text} | {noise}")
    assert alone == beside


@given(st.sampled_from(CARDS), st.integers(1, 64))
def test_a_written_good_reads_back(name: str, count: int) -> None:
    maker = {"310": "昇腾", "910": "昇腾", "T20": "燧原"}.get(name, "")  # too short to stand alone
    found = read(f"{count}*{maker}{name}")
    assert isinstance(found, CardReading), (name, found)
    assert (found.card, found.count) == (name, count)


@given(st.text(max_size=200), st.sampled_from([None, "autodl", "compshare", "nobody"]))
@settings(deadline=None)
def test_no_text_raises_and_hits_are_in_order(text: str, provider: str | None) -> None:
    hits = find(text, provider)
    assert all(0 <= hit.start < hit.end <= len(text) for hit in hits)
    assert all(a.start < b.start for a, b in pairwise(hits))
    for hit in hits:
        assert hit.card is None or hit.card in cards()
        assert hit.kind in ("whole", "slice", "cpu")
    read(text, provider)


@given(
    st.lists(
        st.sampled_from(
            [
                "4090",
                "A100",
                "8卡",
                "*",
                "x",
                "/",
                "1/4",
                "80G",
                "SXM",
                "-",
                " ",
                "vGPU",
                "¥",
                "元",
                "(",
                ")",
                "|",
                "D",
                "Ti",
            ]
        ),
        max_size=40,
    )
)
@settings(deadline=None)
def test_pieces_of_card_texts_never_raise(pieces: list[str]) -> None:
    find("".join(pieces))


@pytest.mark.parametrize(
    "base",
    [
        "8卡A100 80G 整机 3.2万/月，",
        "没有卡片名称的中文文本",
        "4090",
        "A",
        "1/2 ",
        "((((((",
        "8*8*8*",
        "RTX ",
        "A100-",
        "80G",
        "8x",
        "vGPU-",
    ],
)
def test_time_grows_linearly(base: str) -> None:
    def seconds(size: int) -> float:
        text = (base * (size // len(base) + 1))[:size]
        best = 9.0
        for _ in range(3):
            start = time.process_time()
            find(text)
            best = min(best, time.process_time() - start)
        return best

    small, large = seconds(10_000), seconds(80_000)
    assert large < max(small * 8 * 4, 0.2)  # linear is 8 times; a quadratic pattern is 64 times
