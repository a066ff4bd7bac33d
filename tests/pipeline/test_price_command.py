"""`suanjia parse`: JSON Lines in, JSON Lines out, same order and id, exit codes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from decimal import Decimal
from typing import Any

import pytest

from tests.pipeline.test_price_rows import ROWS, number

COMMAND = [sys.executable, "-m", "suanjia", "parse"]
PRICE_FIELDS = [
    "id", "cards", "card", "vram_gb", "price_low", "price_high", "currency", "per", "per_count", "basis",
    "mode", "price_kind", "approx", "tax", "price_cny_per_card_hour_low", "price_cny_per_card_hour_high",
]  # fmt: skip


def parse(kind: str, *lines: str | bytes) -> subprocess.CompletedProcess[bytes]:
    data = b"".join((line if isinstance(line, bytes) else line.encode()) + b"\n" for line in lines)
    return subprocess.run([*COMMAND, kind], input=data, capture_output=True, check=False, timeout=120)


def answers(done: subprocess.CompletedProcess[bytes]) -> list[dict[str, Any]]:
    assert done.returncode == 0, done.stderr
    return [json.loads(line, parse_float=Decimal) for line in done.stdout.splitlines()]


def test_all_rows_through_the_command() -> None:
    lines = [json.dumps({k: row[k] for k in ("id", "context", "text")}, ensure_ascii=False) for row in ROWS]
    got = answers(parse("price", *lines))
    assert [one["id"] for one in got] == [row["id"] for row in ROWS]
    for one, row in zip(got, ROWS, strict=True):
        expect = row["expect"]
        assert one.get("reject") == expect.get("reject")
        if "reject" in expect:
            assert list(one) == ["id", "reject", "money"]
            continue
        assert list(one)[: len(PRICE_FIELDS)] == PRICE_FIELDS
        for key in ("price_low", "price_high", "price_cny_per_card_hour_low", "price_cny_per_card_hour_high"):
            assert number(one[key]) == number(expect[key])


def test_numbers_have_no_float_noise() -> None:
    done = parse("price", '{"id":1,"context":"RTX 4090 8卡","text":"0.68-0.88 万元/台/月"}')
    assert b'"price_low":6800,"price_high":8800,' in done.stdout
    assert b'"price_cny_per_card_hour_low":1.1644,"price_cny_per_card_hour_high":1.5068}' in done.stdout
    done = parse("price", '{"id":1,"context":"Modal","text":"L4 $0.000222/s"}')
    assert b'"price_low":0.000222,' in done.stdout
    assert b'"price_native_per_card_hour_low":0.7992' in done.stdout


def test_rounding_is_half_up() -> None:
    # 0.73 / 730 / 8 = 0.000125 and 4.0 × … : the fifth decimal 5 goes up
    done = parse("price", '{"id":1,"context":"RTX 4090 8卡 单位：元/台/小时","text":"10.0004"}')
    assert answers(done)[0]["price_cny_per_card_hour_low"] == Decimal("1.2501")


def test_ids_pass_through() -> None:
    ids: list[Any] = [1, "a", None, 1.5, [1, {"x": "价"}], {"k": True}, "\u20ac"]
    got = answers(parse("price", *(json.dumps({"id": one, "text": "面议"}) for one in ids)))
    assert [one["id"] for one in got] == [json.loads(json.dumps(one), parse_float=Decimal) for one in ids]
    assert answers(parse("price", '{"text":"面议"}')) == [
        {"id": None, "reject": "quote_required", "money": None}
    ]


def test_card_and_region() -> None:
    got = answers(
        parse(
            "card", '{"id":1,"text":"8*A100 80G SXM"}', '{"id":2,"text":"CPU"}', '{"id":3,"text":"A100/H100"}'
        )
    )
    assert got == [
        {"id": 1, "card": "A100-80G", "vram_gb": 80, "count": 8, "form": "SXM", "kind": "whole"},
        {"id": 2, "card": None, "kind": "cpu"},
        {"id": 3, "reject": "multiple_cards"},
    ]
    got = answers(parse("region", '{"id":1,"text":"华北3","provider":"aliyun"}', '{"id":2,"text":"华北3"}'))
    assert got[0]["city_code"] == "130700"
    assert (got[1]["city_code"], got[1]["precision"]) == (None, "macro")
    assert list(got[0]) == ["id", "province_code", "city_code", "county_code", "macro", "precision"]


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        ("{oops", "line 2 is not JSON"),
        ("[1]", "line 2 is not a JSON object"),
        ('{"id":1}', "line 2: text is missing"),
        ('{"id":1,"text":5}', "line 2: text is not a string"),
        ('{"id":1,"text":"x","provider":[]}', "line 2: provider is not a string"),
        ('{"id":NaN,"text":"x"}', "line 2: id is not a JSON value"),
        ('{"id":1e400,"text":"x"}', "line 2: id is not a JSON value"),
        (b'{"id":1,"text":"\xff"}', "line 2 is not JSON"),
    ],
)
def test_a_bad_line_ends_with_2_and_one_line(bad: str | bytes, message: str) -> None:
    done = parse("price", '{"id":1,"text":"面议"}', bad, '{"id":3,"text":"面议"}')
    assert done.returncode == 2
    assert [json.loads(line)["id"] for line in done.stdout.splitlines()] == [1]
    errors = done.stderr.decode().splitlines()
    assert len(errors) == 1
    assert message in errors[0]


def test_unknown_kind_and_blank_lines() -> None:
    assert parse("prices", "").returncode == 2
    assert parse("price", "", "  ", '{"id":1,"text":"面议"}', "").stdout.count(b"\n") == 1
    assert parse("price").stdout == b""


def test_an_answer_comes_before_the_next_question() -> None:
    """Streaming: a reader on a pipe gets its answer at once."""
    with subprocess.Popen([*COMMAND, "price"], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin is not None and process.stdout is not None
        for i in range(3):
            process.stdin.write(
                json.dumps({"id": i, "context": "RTX 4090", "text": f"{i + 1}元/时"}).encode() + b"\n"
            )
            process.stdin.flush()
            assert json.loads(process.stdout.readline())["id"] == i
        process.stdin.close()
        assert process.wait(timeout=30) == 0


def test_a_long_line_in_pieces_and_a_last_line_without_end() -> None:
    long = json.dumps({"id": "long", "context": "RTX 4090", "text": "1.98元/时 " + "无" * 300_000})
    done = subprocess.run(
        [*COMMAND, "price"], input=f"{long}\n{long}".encode(), capture_output=True, check=True, timeout=120
    )
    assert [json.loads(line)["price_low"] for line in done.stdout.splitlines()] == [1.98, 1.98]


def test_reading_loads_no_heavy_libraries() -> None:
    heavy = "{'pandas', 'scrapy', 'duckdb', 'pydantic'}"
    code = f"import sys, pipeline.reading.price; print(sorted({heavy} & set(sys.modules)))"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env=dict(os.environ)
    )
    assert done.stdout.strip() == "[]"


@pytest.mark.slow
def test_memory_is_flat_and_repeated_lines_are_fast(tmp_path: Any) -> None:
    """Distinct texts by the hundred thousand must not grow the process; repeated ones must fly."""
    script = (
        "import resource, sys, time, io, json\n"
        "from pipeline.reading.price import read\n"
        "rows = [(f'{i % 977 + 1}.{i % 97:02d}元/时', f'RTX 4090 | {i}机') for i in range(250_000)]\n"
        "def peak(): return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss\n"
        "for text, context in rows[:100_000]: read(text, context)\n"
        "first = peak()\n"
        "for text, context in rows[100_000:]: read(text, context)\n"
        "print(first, peak())\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=280
    )
    first, last = map(int, done.stdout.split())
    assert last < first * 1.15
