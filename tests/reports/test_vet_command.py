"""The vet command: flags, exit codes, JSON."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from sizing import runs
from suanjia.commands.vet import command
from suanjia.settings import load

HERE = Path(__file__).parent / "vet"


def run(text: str | bytes, *flags: str, home: Path = Path("nowhere")) -> Any:
    settings = load(str(home), "2026-11-30T20:00:00+08:00", environ={})
    return CliRunner().invoke(command, list(flags), obj=settings, input=text, standalone_mode=False)


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
        (("--card", "910B"), "made by Huawei"),
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


LOG = (
    "# gpu   pwr gtemp    sm    fb\n# Idx     W     C     %    MB\n" + "    0   277    57    98  20000\n" * 5
)
JOB = ("--card", "RTX4090", "--model", "Qwen2.5-7B", "--method", "lora")


def test_the_planned_memory_comes_from_the_workload(tmp_path: Path) -> None:
    memory = json.loads(run(LOG, "--dmon", *JOB, "--json").stdout)["checks"][1]
    assert memory["name"] == "memory_peak"
    assert "plan p90" in memory["expected"]
    file = tmp_path / "job.toml"
    file.write_text(
        'name = "mine"\nmodel = "Qwen2.5-7B"\nmethod = "lora"\ntokens = 18000000\nepochs = 1\n',
        encoding="utf-8",
    )
    flags = ("--dmon", "--card", "RTX4090", "--workload", str(file), "--interval", "3600", "--json")
    home = tmp_path / "home"
    saved = json.loads(run(LOG, *flags, "--save", home=home).stdout)["saved"]
    assert (saved["hours"], saved["tokens_per_s"], saved["peak_gib"]) == (5, 1000, 19.531)
    [kept], wrong = runs.read(home / "runs.jsonl")
    assert (kept.model, kept.method, kept.card, kept.cards, wrong) == ("Qwen2.5-7B", "lora", "RTX4090", 1, [])
    run(LOG, "--dmon", *JOB, "--save", "--tokens", "1M", "--framework", "LLaMA-Factory", home=home)
    second = runs.read(home / "runs.jsonl")[0][1]
    assert second.framework == "LLaMA-Factory"
    assert second.tokens_per_s == 200000.0
    run(LOG, "--dmon", *JOB, "--save", home=home)
    assert runs.read(home / "runs.jsonl")[0][2].tokens_per_s is None


@pytest.mark.parametrize(
    ("flags", "words"),
    [
        (("--save", "--card", "RTX4090"), "--dmon"),
        (("--dmon", "--save"), "--save needs"),
        (("--dmon", "--save", *JOB[:2]), "--save needs"),
        (("--dmon", *JOB[:4], "--method", "magic"), "magic"),
        (("--dmon", "--card", "RTX4090", "--workload", "missing.toml"), "missing.toml"),
    ],
)
def test_a_run_that_cannot_be_kept_is_refused(flags: tuple[str, ...], words: str) -> None:
    result = run(LOG, *flags)
    assert getattr(result.exception, "exit_code", None) == 2
    assert words in str(result.exception)
