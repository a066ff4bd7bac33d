"""The vet command: flags, exit codes, JSON."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from suanjia.commands.vet import command

HERE = Path(__file__).parent / "vet"


def run(text: str | bytes, *flags: str) -> Any:
    return CliRunner().invoke(command, list(flags), input=text, standalone_mode=False)


def sample(name: str) -> str:
    return (HERE / f"{name}.txt").read_text(encoding="utf-8")


def test_json_and_words() -> None:
    result = run(sample("a100_sxm4_80g_535_topo"), "--card", "8×A100-SXM4-80G", "--nvlink", "--json")
    document = json.loads(result.stdout)
    assert document["verdict"] == "as_sold"
    assert {c["name"]: c["ok"] for c in document["checks"]}["count"] is True
    assert result.return_value == 0
    assert "as sold" in run(sample("t4_470"), "--card", "T4").stdout


def test_strict_turns_a_difference_into_an_exit_code() -> None:
    text = sample("rtx4090d_sold_as_4090")
    assert run(text, "--card", "RTX4090").return_value == 0
    assert run(text, "--card", "RTX4090", "--strict").return_value == 5
    assert run(text, "--card", "RTX 4090 D", "--strict").return_value == 0


@pytest.mark.parametrize(
    ("flags", "words"),
    [
        ((), "--card"),
        (("--card", "nonsense"), "no one card"),
        (("--card", "910B"), "not known"),
        (("--card", "RTX4090", "--form", "SXM"), "not made as SXM"),
    ],
)
def test_bad_flags_are_one_clear_line(flags: tuple[str, ...], words: str) -> None:
    result = run(sample("t4_470"), *flags)
    assert getattr(result.exception, "exit_code", None) == 2
    assert words in str(result.exception)


def test_no_output_in_the_text_and_odd_bytes() -> None:
    assert getattr(run(b"\xff\xfe\x00 nothing", "--card", "T4").exception, "exit_code", None) == 2
    assert getattr(run("", "--dmon").exception, "exit_code", None) == 2


def test_dmon() -> None:
    log = (
        "# gpu   pwr gtemp    sm    fb\n# Idx     W     C     %    MB\n"
        + "    0   277    57    98  23000\n" * 5
    )
    document = json.loads(run(log, "--dmon", "--card", "RTX4090", "--interval", "720", "--json").stdout)
    assert document["run"]["hours"] == 1
    assert document["verdict"] == "as_sold"
    over = json.loads(run(log, "--dmon", "--plan-gib", "20", "--json").stdout)
    assert over["verdict"] == "suspect"
