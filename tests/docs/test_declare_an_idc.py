"""The walk of `docs/declare-an-idc.md`, done: from the address of a page to offers by one TOML, no Python."""

from __future__ import annotations

import re
import tomllib
from datetime import datetime
from pathlib import Path

import pytest

from catalog.source_model import DECLARED
from market.server import running
from tests.docs.blocks import blocks, commands
from tests.spiders.conftest import ROOT
from tests.spiders.idc_runs import crawl_file
from tests.suanjia.cli import NOW, suanjia

DOC = (ROOT / "docs" / "declare-an-idc.md").read_text(encoding="utf-8")
TOML = next(iter(re.findall(r"```toml\n(.*?)```", DOC, re.S)))


def test_the_file_of_the_page_reads_the_stand_in(tmp_path: Path) -> None:
    file = tmp_path / "guiyun.toml"
    file.write_text(TOML, encoding="utf-8")
    with running(datetime.fromisoformat(NOW), ["idc_table"], samples=True) as origins:
        idc = crawl_file(file, origins, tmp_path)
    assert (len(idc.offers), idc.reasons(), idc.kinds) == (6, ["no_number", "no_number"], [])


def test_every_archetype_is_in_the_table() -> None:
    named = set(re.findall(r"^\| `(\w+)` \|", DOC, re.M))
    assert {*DECLARED, "shop"} <= named


@pytest.mark.slow
def test_the_walk(tmp_path: Path) -> None:
    lines = [command.line.split()[1:] for block in blocks(DOC) for command in commands(block)]
    assert [line[0] for line in lines] == ["new-provider", "probe", "crawl", "load", "publish", "cheapest"]
    before = {path for path in ROOT.rglob("*.py") if ".venv" not in path.parts}
    file = tmp_path / "providers" / "guiyun.toml"
    with running(datetime.fromisoformat(NOW), ["idc_table"], samples=True) as origins:
        for line in lines:
            done = suanjia(tmp_path, *line, origins=dict(origins))
            assert done.returncode in ((0, 3) if line[0] == "publish" else (0,)), (line, done.stderr)
            if line[0] == "new-provider":
                draft = file.read_text(encoding="utf-8")
                assert tomllib.loads(draft)["read"] == tomllib.loads(TOML)["read"]  # every guess was right
                file.write_text(TOML, encoding="utf-8")
    assert "guiyun" in done.stdout and "1.3356" in done.stdout  # 7,800 a month ÷ 730 h ÷ 8 cards
    assert {path for path in ROOT.rglob("*.py") if ".venv" not in path.parts} == before
