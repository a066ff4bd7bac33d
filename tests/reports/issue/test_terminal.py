"""Tables for people keep within a terminal of eighty columns."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from reports.issue.build import Done
from suanjia.cli import cli
from suanjia.grouped import ranks_of, told_below
from tests.reports.issue.issue_world import NOW
from warehouse.textout import width

COMMANDS = (
    "cheapest",
    "cheapest --card RTX4090 --count 2 --mode any",
    "index",
    "index --mode any --region 北京",
    "index --card RTX4090 --region CN",
    "index --levels",
    "index --levels --card RTX4090 --mode any",
    "fit --built-in --name lora-7b",
    "size --model qwen2.5-7b --method lora",
    "size --model qwen2.5-7b --method inference --hours 10",
    "providers",
    "review",
    "mail --outbox",
    "explain fit:2026-W48/lora-7b/CN/1",
)


@pytest.fixture
def run(issued: tuple[Path, Done], monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setenv("COLUMNS", "80")

    def ran(command: str) -> str:
        asked = ["--home", str(issued[0]), "--now", NOW.isoformat(), *command.split()]
        done = CliRunner().invoke(cli, asked)
        assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
        return done.stdout

    return ran


@pytest.mark.parametrize("command", COMMANDS)
def test_a_table_keeps_within_eighty_columns(run: Any, command: str) -> None:
    lines = run(command).splitlines()
    assert lines or command == "mail --outbox"
    # A word that is longer than a line (an address, an id) is not cut.
    wide = [line for line in lines if width(line) > 80 and max(map(width, line.split())) < 70]
    assert wide == []


def test_what_all_lines_share_is_said_once(run: Any) -> None:
    """The series and the mode stand above the table; columns of nothing but the usual stay out."""
    text = run("index")
    assert text.splitlines()[0].startswith("list · on_demand")
    heads = text.splitlines()[1]
    assert "计费" not in heads and "地区" in heads
    assert "来源覆盖 coverage: 80%" in text
    both = run("index --mode any")
    assert "计费 mode" in both.splitlines()[1]
    assert "monthly" in both


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("cheapest", "元/时 CNY an hour"),
        ("index", "环比 week on week"),
        ("index --levels", "中位 median"),
        ("size --model qwen2.5-7b --method lora", "可用 usable GiB of a card"),
    ],
)
def test_a_head_in_chinese_alone_is_explained_in_english(run: Any, command: str, words: str) -> None:
    assert words in run(command)


def test_a_value_that_may_change_is_starred(run: Any) -> None:
    text = run("index --card RTX4090 --region CN")
    assert "▼-2.0%" in text and "published*" in text
    assert "provisional until the next issue is due" in text


def test_ranks_are_told_in_runs() -> None:
    assert ranks_of([1, 2, 3, 5, 7, 8]) == "#1–3, #5, #7–8"
    assert told_below("m", [(1, "a"), (2, ""), (3, "a"), (4, "b")]) == ["#1, #3 m: a", "#4 m: b"]
