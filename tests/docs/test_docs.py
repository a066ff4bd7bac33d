"""Documentation: complete, and its links lead somewhere."""

from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import unquote

import click
import pytest

from suanjia.cli import COMMANDS, LazyGroup
from suanjia.reference import settings_page
from suanjia.settings import SPECS
from tests.spiders.conftest import ROOT

PAGES = sorted(
    path
    for path in ROOT.rglob("*.md")
    if not {part for part in path.relative_to(ROOT).parts if part.startswith(".") or part in ("var", "look")}
)
# Pages that are named before they are written; take a name out when its page is there.
PROMISED = {"docs/declare-an-idc.md"}
_CODE = re.compile(r"```.*?```|`[^`\n]*`", re.S)
_LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)(?:\s+\"[^\"]*\")?\)")


@pytest.mark.parametrize("page", PAGES, ids=lambda p: str(p.relative_to(ROOT)))
def test_links_lead_somewhere(page: Path) -> None:
    dead = []
    for target in _LINK.findall(_CODE.sub("", page.read_text(encoding="utf-8"))):
        name, _, anchor = unquote(target).partition("#")
        if re.match(r"[a-z]+:", name):
            continue
        found = (page.parent / name) if name else page
        if name in PROMISED:
            continue
        there = found.exists() and found.resolve().is_relative_to(ROOT)
        if not there or (anchor and found.suffix == ".md" and anchor not in anchors(found)):
            dead.append(target)
    assert dead == []


def anchors(page: Path) -> set[str]:
    """What GitHub calls the headings of a page."""
    text = re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.S)
    named = set(re.findall(r'<a id="([^"]+)">', text))
    heads = re.findall(r"^#{1,6} +(.*)$", text, re.M)
    return named | {re.sub(r"[^\w\- ]", "", head.strip().lower()).replace(" ", "-") for head in heads}


def test_settings_page_is_what_the_table_says() -> None:
    page = (ROOT / "docs" / "settings.md").read_text(encoding="utf-8")
    assert page == settings_page(), "run: python -m suanjia.reference"
    assert all(f"`{spec.env}`" in page and spec.help for spec in SPECS)


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_every_command_and_option_is_documented(name: str) -> None:
    page = (ROOT / "docs" / "commands.md").read_text(encoding="utf-8")
    section = page.partition(f"## suanjia {name}\n")[2].partition("\n## ")[0]
    group = LazyGroup()
    command = group.get_command(click.Context(group), name)
    assert command is not None and command.help
    options = [o for p in command.params if isinstance(p, click.Option) and not p.hidden for o in p.opts]
    missing = [option for option in options if option not in section]
    assert section and missing == [], "run: python -m suanjia.reference"


def test_setting_names_in_prose_are_real() -> None:
    known = {spec.env for spec in SPECS} | {"SUANJIA_HOME", "SUANJIA_FUZZ"}
    keys = re.compile(r"SUANJIA_[A-Z0-9]+(?:_[A-Z0-9]+)*_(?:TOKEN|PUBLIC_KEY|PRIVATE_KEY)$")
    for page in (ROOT / "docs").glob("*.md"):
        found = set(re.findall(r"SUANJIA_[A-Z0-9_]*[A-Z0-9]", page.read_text(encoding="utf-8")))
        assert {name for name in found - known if not keys.match(name)} == set(), page.name


def test_commands_in_prose_are_real() -> None:
    for page in [*(ROOT / "docs").glob("*.md"), ROOT / "SECURITY.md"]:
        for line in re.findall(r"`suanjia ([^`\n]+)`", page.read_text(encoding="utf-8")):
            words = [word for word in line.split() if not word.startswith("-")]
            assert not words or words[0] in {*COMMANDS, "…"}, (page.name, line)
