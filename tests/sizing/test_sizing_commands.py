"""`suanjia size` and `suanjia tokens` as a user calls them: flags, JSON Lines, exit codes."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from sizing import runs, truth
from suanjia.cli import main

TASK = {"model": "qwen2.5-7b", "method": "lora", "card": "RTX 4090", "seq_len": 2048, "micro_batch": 1}


@dataclass
class Done:
    stdout: str
    stderr: str
    returncode: int


def suanjia(home: Path, *args: str, stdin: str | None = None) -> Done:
    """One call of the program inside this process (a start of Python each would take most of the time)."""
    out, err = io.StringIO(), io.StringIO()
    source = io.TextIOWrapper(io.BytesIO((stdin or "").encode()), encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch, redirect_stdout(out), redirect_stderr(err):
        patch.setattr(sys, "argv", ["suanjia", "--home", str(home), *args])
        patch.setattr(sys, "stdin", source)
        with pytest.raises(SystemExit) as ended:
            main()
    code = ended.value.code
    return Done(out.getvalue(), err.getvalue(), code if isinstance(code, int) else 0)


def lines(home: Path, *questions: Any) -> tuple[list[dict[str, Any]], int]:
    done = suanjia(
        home, "size", stdin="\n".join(q if isinstance(q, str) else json.dumps(q) for q in questions)
    )
    return [json.loads(line) for line in done.stdout.splitlines()], done.returncode


def test_a_line_has_the_fields_of_the_contract(tmp_path: Path) -> None:
    (answer,), code = lines(tmp_path, {"id": "a", "task": TASK})
    assert code == 0
    assert set(answer) >= {
        "id", "peak_gib_p50", "peak_gib_p90", "usable_gib", "fits", "verdict", "parts", "tokens_per_s_p10",
        "tokens_per_s_p50", "tokens_per_s_p90", "cpu_ram_gib", "assumptions",
    }  # fmt: skip
    assert answer["id"] == "a"
    assert answer["fits"] is True
    assert answer["verdict"] == "fits"
    assert answer["peak_gib_p50"] <= answer["peak_gib_p90"] <= answer["usable_gib"]


def test_a_line_that_cannot_be_answered_spoils_only_itself(tmp_path: Path) -> None:
    answers, code = lines(
        tmp_path,
        {"id": 1, "task": {"model": "unheard-of"}},
        {"id": 2, "task": TASK},
        {"id": 3, "task": {**TASK, "card": "RTX 9090"}},
        {"id": 4},
        {"id": 5, "task": "lora"},
        {"id": 6, "task": {**TASK, "seq_len": -1}},
        {"id": 7, "task": {**TASK, "card": "P40"}},
        {"id": 8, "task": {**TASK, "card": "vGPU-32G"}},
    )
    assert code == 3
    assert [a["id"] for a in answers] == list(range(1, 9))
    assert [a["id"] for a in answers if "error" not in a] == [2]


@pytest.mark.parametrize("text", ["{not json", "[1]", "7", '"x"'])
def test_malformed_json_ends_with_2(tmp_path: Path, text: str) -> None:
    done = suanjia(tmp_path, "size", stdin=text + "\n")
    assert done.returncode == 2
    assert "line 1" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    "args",
    [
        ("--card", "A100-80G"),
        ("--model", "unheard-of", "--card", "A100-80G"),
        ("--model", "qwen2.5-7b", "--card", "RTX 9090"),
        ("--params", "seven", "--card", "A100-80G"),
        ("--model", "qwen2.5-7b", "--cards", "0", "--card", "A100-80G"),
        ("--model", "qwen2.5-7b", "--cards", "many"),
        ("--model", "qwen2.5-7b", "--no-such-flag"),
        ("--config", "absent.json"),
        ("--model", "no-such-9b"),
        ("--model", "qwen2.5-7b", "--cards", "8"),
    ],
)
def test_bad_flags_end_with_2_and_one_line(tmp_path: Path, args: tuple[str, ...]) -> None:
    done = suanjia(tmp_path, "size", *args)
    assert done.returncode == 2
    assert done.stdout == ""
    assert "Traceback" not in done.stderr


def test_flags_answer_in_words_and_in_json(tmp_path: Path) -> None:
    args = ("size", "--model", "qwen2.5-7b", "--method", "lora", "--card", "RTX 4090", "--seq-len", "2048")
    told = suanjia(tmp_path, *args, "--micro-batch", "1", "--tokens", "20M", "--epochs", "1")
    assert told.returncode == 0
    assert "放得下" in told.stdout
    assert "小时 hours" in told.stdout
    machine = json.loads(
        suanjia(tmp_path, *args, "--micro-batch", "1", "--json", "--tokens", "2000万").stdout
    )
    assert machine["hours_p10"] < machine["hours_p50"] < machine["hours_p90"]
    tight = suanjia(tmp_path, *args, "--micro-batch", "16")
    assert "最小改动" in tight.stdout


def test_without_a_card_the_table_of_cards(tmp_path: Path) -> None:
    done = suanjia(
        tmp_path, "size", "--model", "qwen2.5-7b", "--method", "qlora", "--tokens", "20M", "--json"
    )
    assert done.returncode == 0
    found = {p["card"]: p for p in json.loads(done.stdout)}
    assert found["RTX4090"]["cards"] == 1
    assert "910B3" not in found
    words = suanjia(tmp_path, "size", "--model", "qwen2.5-7b", "--method", "qlora", "--tokens", "20M")
    assert "RTX4090" in words.stdout
    assert "no QLoRA" in words.stdout


def test_hours_of_no_stated_data_say_what_they_are_for(tmp_path: Path) -> None:
    words = suanjia(tmp_path, "size", "--model", "qwen2.5-1.5b", "--method", "lora").stdout
    assert "1,000,000 tokens" in words
    assert "not given, assumed" in words
    told = suanjia(tmp_path, "size", "--model", "qwen2.5-1.5b", "--method", "lora", "--tokens", "5M").stdout
    assert "1,000,000 tokens" not in told


def test_the_table_of_a_service_has_no_hours(tmp_path: Path) -> None:
    words = suanjia(
        tmp_path, "size", "--model", "qwen2.5-1.5b", "--method", "inference", "--hours", "10"
    ).stdout
    assert "小时 hours" not in words
    assert "tok/s" in words


def test_nothing_fits_ends_with_4(tmp_path: Path) -> None:
    args = ("--params", "900B", "--method", "full", "--max-cards", "1")
    assert suanjia(tmp_path, "size", *args).returncode == 4


def test_a_config_file(tmp_path: Path) -> None:
    config = next(
        c for c in json.loads((truth.DATA / "configs.json").read_text("utf-8")) if c["name"] == "Yi-34B"
    )
    path = tmp_path / "config.json"
    path.write_text(json.dumps(config["config"]), "utf-8")
    done = suanjia(
        tmp_path, "size", "--config", str(path), "--method", "lora", "--card", "A100-80G", "--json"
    )
    assert json.loads(done.stdout)["parts"]["weights"] == pytest.approx(34.389e9 * 2 / 2**30, rel=0.01)


def test_own_runs_are_read_from_home(tmp_path: Path) -> None:
    (before,), _ = lines(tmp_path, {"id": 1, "task": TASK})
    runs.append(
        tmp_path / runs.FILE,
        runs.Run("2026-11-27T20:00:00+08:00", "qwen2.5-7b", "lora", "RTX4090", peak_gib=23.0),
    )
    (after,), _ = lines(tmp_path, {"id": 1, "task": TASK})
    assert after["peak_gib_p50"] > before["peak_gib_p50"]
    assert any("of your own" in note for note in after["assumptions"])


def test_cards_named_in_the_text_are_counted(tmp_path: Path) -> None:
    (answer,), _ = lines(tmp_path, {"id": 1, "task": {**TASK, "card": "8×A100-80G"}})
    assert not any("cards not given" in note for note in answer["assumptions"])


def test_the_card_reader_agrees_with_the_table_beside_the_rows() -> None:
    from suanjia.commands.size import read_card

    for text, (name, form) in truth._cards().items():
        if not name:
            continue
        facts, _ = read_card(text, 64.0 if "910B" in text else (96.0 if text == "H20" else None), [])
        assert facts is not None
        assert (facts.name, facts.form if form else None) == (name, form), text


def test_several_cards_in_one_text_are_judged_by_memory(tmp_path: Path) -> None:
    (answer,), code = lines(
        tmp_path, {"id": 1, "task": {**TASK, "card": "RTX 3090/4090 (24G)", "card_mem_gb": 24}}
    )
    assert code == 0
    assert answer["fits"] is True
    assert answer["tokens_per_s_p50"] is None


def test_size_loads_no_pandas_scrapy_duckdb_or_matplotlib() -> None:
    code = (
        "import sys, suanjia.commands.size, suanjia.commands.tokens\n"
        "heavy = 'pandas scrapy duckdb matplotlib pyarrow tokenizers numpy'.split()\n"
        "print([m for m in heavy if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_tokens_feed_size(tmp_path: Path) -> None:
    from tokenizers import Tokenizer
    from tokenizers.models import WordLevel
    from tokenizers.pre_tokenizers import WhitespaceSplit

    made = Tokenizer(WordLevel({"<unk>": 0}, unk_token="<unk>"))
    made.pre_tokenizer = WhitespaceSplit()
    made.save(str(tmp_path / "tokenizer.json"))
    data = tmp_path / "train.jsonl"
    data.write_text("\n".join(json.dumps({"text": "w " * n}) for n in (5, 10, 400)), "utf-8")
    args = ("tokens", str(data), "--tokenizer", str(tmp_path / "tokenizer.json"))
    done = suanjia(tmp_path, *args, "--json", "--seq-len", "400")
    assert done.returncode == 0
    answer = json.loads(done.stdout)
    assert answer == {
        "files": 1, "samples": 3, "tokens": 415, "mean": 138.33, "p99": 400, "longest": 400,
        "packed": {"seq_len": 400, "sequences": 2},
    }  # fmt: skip
    told = tmp_path / "tokens.json"
    told.write_text(done.stdout, "utf-8")
    sized = suanjia(
        tmp_path, "size", "--model", "qwen2.5-7b", "--method", "lora", "--card", "RTX4090", "--tokens-from",
        str(told), "--json",
    )  # fmt: skip
    assert json.loads(sized.stdout)["hours_p50"] > 0
    data.write_text("{broken\n", "utf-8")
    assert suanjia(tmp_path, *args).returncode == 4
    assert suanjia(tmp_path, "tokens", str(data), "--tokenizer", str(data)).returncode == 2
