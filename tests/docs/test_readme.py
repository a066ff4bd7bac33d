"""The README shows what the program prints: every console block is run in a demo home."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.docs.blocks import ROOT, blocks, commands, run
from tests.e2e.conftest import suanjia

PAGES = ("README.md", "README.zh-CN.md")


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    where = tmp_path_factory.mktemp("readme") / "var"
    suanjia(where, "demo")
    return where


@pytest.mark.slow
@pytest.mark.browser
@pytest.mark.timeout(900)
def test_every_console_block_is_real_output(home: Path) -> None:
    for name in PAGES:
        for block in blocks((ROOT / name).read_text(encoding="utf-8")):
            for command in commands(block):
                assert run(command.line, home) == command.shown, f"{name}: {command.line}"


def test_the_pages_show_output() -> None:
    for name in PAGES:
        shown = [c for b in blocks((ROOT / name).read_text(encoding="utf-8")) for c in commands(b)]
        assert shown and all(c.shown for c in shown), name
