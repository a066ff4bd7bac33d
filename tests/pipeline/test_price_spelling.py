"""Spelling and noise change nothing: entities, widths, tags, phone numbers, dates, stock, machine numbers."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest

from pipeline.reading.normalise import normalise
from pipeline.reading.price import read
from tests.pipeline.test_price_rows import ROWS, wrong

PLAIN = [row for row in ROWS if row["text"] and not set("<{&") & set(row["text"] + row["context"])]

_TRADITIONAL = str.maketrans(
    "时个约万价计费机买议员会内单张块节长预后", "時個約萬價計費機買議員會內單張塊節長預後"
)


def _wide(text: str) -> str:
    return "".join(chr(ord(c) + 0xFEE0) if c in "0123456789./-~:()" else c for c in text)


def _entities(text: str) -> str:
    return "".join(f"&#x{ord(c):x};" if ord(c) > 127 else c for c in text)


SPELLINGS: dict[str, Callable[[str], str]] = {
    "full width": _wide,
    "entities": _entities,
    "entities twice": lambda text: _entities(text).replace("&", "&amp;"),
    "no-break spaces": lambda text: text.replace(" ", "\u00a0"),
    "zero width": lambda text: "\u200b".join(text),
    "line breaks": lambda text: text.replace(" ", "\r\n\t "),
    "traditional": lambda text: text.translate(_TRADITIONAL),
    "en dash": lambda text: text.replace("-", "–"),
    "em dash": lambda text: text.replace("-", "—"),
    "horizontal bar": lambda text: text.replace("-", "―"),
}
CELL_ONLY: dict[str, Callable[[str], str]] = {
    "bold numbers": lambda text: re.sub(r"([0-9][0-9.,]*)", r"<b>\1</b>", text),
    "span": lambda text: f"<td><span class=price>{text}</span></td>",
    "comment": lambda text: f"<!-- 原价 9.99元/时 -->{text}",
    "hidden": lambda text: f'<i style="display:none">9.99元/时</i>{text}',
    "tilde": lambda text: re.sub(r"(?<=[0-9])-(?=[0-9])", "~", text),
    "upper case": str.upper,
    "no spaces": lambda text: re.sub(r"(?<=[^A-Za-z0-9|]) | (?=[^A-Za-z0-9|])", "", text),
}
BESIDE = [
    "{} | 库存 7/16", "{} 电话13812345678", "{}（2025-10-01更新）", "{} QQ:12345678", "{} 可租3/8", "[{}]",
    "7月28日 {}", "{} | 24小时在线", "{} 联系电话 0755-12345678", "{}，400-800-1234", "{} 微信vx12345",
    "【现货】{}", "{}（更新于 10:30）", "{} | 剩余 5 台", "2025年10月1日 {}", "{} | 已租 3 台",
]  # fmt: skip
AROUND = [
    "{} | 876机", "北京B区 | {}", "更新时间 2025-10-01 | {}", "{} | 驱动 550.54.14 CUDA 12.4",
    "{} | 空闲/总量 1 / 8", "电话 13812345678 | {}", "{} | Ubuntu 22.04",
    "{} | 16核 | 120G内存", "{} | 第3代",
]  # fmt: skip


def _bad(rows: list[dict[str, Any]], text: Callable[[str], str], context: Callable[[str], str]) -> list[Any]:
    found = []
    for row in rows:
        cell, around = text(row["text"]), context(row["context"])
        if differs := wrong(row, read(cell, around)):
            found.append((row["id"], around, cell, differs))
    return found


@pytest.mark.parametrize("name", SPELLINGS)
def test_spelling(name: str) -> None:
    assert _bad(PLAIN, SPELLINGS[name], SPELLINGS[name]) == []


@pytest.mark.parametrize("name", CELL_ONLY)
def test_spelling_of_the_cell(name: str) -> None:
    assert _bad(PLAIN, CELL_ONLY[name], str) == []


@pytest.mark.parametrize("noise", BESIDE)
def test_noise_beside_the_price(noise: str) -> None:
    assert _bad(PLAIN, noise.format, str) == []


@pytest.mark.parametrize("noise", AROUND)
def test_noise_in_the_context(noise: str) -> None:
    rows = [row for row in ROWS if "{" not in row["text"] + row["context"]]
    assert _bad(rows, str, noise.format) == []


@pytest.mark.parametrize(
    ("raw", "plain"),
    [
        ("１．８８元／卡时", "1.88元/卡时"),
        ("&yen;1.98&nbsp;/h", "¥1.98 /h"),
        ("&amp;#xff1a;", ":"),
        ("价格#xff1a;5Vff0c;x", "价格:5, x"),
        ("￥１，９９９/月", "¥1,999/月"),
        ("￥1，999/月", "¥1,999/月"),
        ("4090，2000元", "4090, 2000元"),
        ("1.98² ①4090", "1.98 4090"),
        ("½卡", "1/2卡"),
        ("\u200b1\ufeff2", "12"),
        ("12000～18000元／月", "12000~18000元/月"),
        ("一臺8卡換算到單卡", "一台8卡换算到单卡"),
        ("1.2―1.8万", "1.2-1.8万"),
        ("8\\*H100", "8*H100"),
        ("8\\H100", "8×H100"),
        ("８・１", "8·1"),
        ("a \r\n\t b", "a b"),
        ("㎇", "GB"),
    ],
)
def test_normalise(raw: str, plain: str) -> None:
    assert normalise(raw) == plain
    assert normalise(plain) == plain
