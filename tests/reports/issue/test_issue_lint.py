"""The mail against what Gmail and classic Outlook support.

`mail_support.csv` lists what one of them does not (newest result each; caniemail.com's data of 2026-05-13,
under the MIT licence). Where Node has the npm package caniemail (`npm install --no-save caniemail`, in the
project's folder or in the one named by SUANJIA_NODE_MODULES), that linter looks too. Neither asks anybody.
"""

from __future__ import annotations

import csv
import json
import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from functools import cache
from html.parser import HTMLParser
from pathlib import Path

import pytest

from reports.issue.build import Done

HERE = Path(__file__).parent
NODE = shutil.which("node")
MODULES = Path(os.environ.get("SUANJIA_NODE_MODULES", HERE.parents[2] / "node_modules"))
# Hides the pre-header; where it is not known, one line more is read at the top.
ALLOWED = {"css-display-none", "display:none"}


@cache
def unsupported() -> dict[str, str]:
    """Feature → the clients that do not know it."""
    with (HERE / "mail_support.csv").open(encoding="utf-8", newline="") as table:
        return {row["feature"]: row["unsupported_by"] for row in csv.DictReader(table)}


class _Features(HTMLParser):
    """The features that a page uses, by caniemail's names."""

    def __init__(self) -> None:
        super().__init__()
        self.used: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.used.add(f"html-{tag}")
        for name, value in attrs:
            if name == "style":
                self.used.update(_css(value or ""))
                continue
            self.used.add(f"html-{name}")
            if name in {"src", "href", "background"} and value:
                self.used.update(_image(value))


def _css(style: str) -> Iterator[str]:
    for declaration in filter(None, (part.strip() for part in style.split(";"))):
        name, _, value = (part.strip().lower() for part in declaration.partition(":"))
        yield f"css-{name}"
        yield f"css-{name}-{value.split()[0] if value else ''}"
        yield from (f"css-unit-{unit}" for unit in re.findall(r"\d(r?em|vh|vw|vmin|vmax|ch|ex)\b", value))
        yield from (f"css-unit-{word}" for word in ("calc", "initial") if word in value)
        if "var(" in value or name.startswith("--"):
            yield "css-variables"
        if "gradient(" in value:
            yield "css-linear-gradient"


def _image(address: str) -> Iterator[str]:
    if address.startswith("data:"):
        yield "image-base64"
    if found := re.search(r"\.(svg|webp|avif|ico|bmp)$", address.lower()):
        yield f"image-{found[1]}"


def refused(html: str) -> dict[str, str]:
    """What the page uses and one of the clients does not know."""
    reader = _Features()
    reader.feed(html)
    used = reader.used - ALLOWED
    return {feature: unsupported()[feature] for feature in sorted(used & unsupported().keys())}


@pytest.mark.parametrize("lang", ["zh", "en"])
def test_mail_clients_know_all_of_it(issued: tuple[Path, Done], lang: str) -> None:
    assert refused((issued[1].folder / f"report.{lang}.html").read_text(encoding="utf-8")) == {}


@pytest.mark.parametrize(
    ("html", "feature"),
    [
        ('<p style="white-space: nowrap">x</p>', "css-white-space"),
        ('<p style="color:red;display:grid">x</p>', "css-display-grid"),
        ('<p style="max-height:0">x</p>', "css-max-height"),
        ('<p style="position:absolute">x</p>', "css-position"),
        ('<p style="width:calc(1px + 2px)">x</p>', "css-unit-calc"),
        ('<p style="width:2vw">x</p>', "css-unit-vw"),
        ('<p style="color:var(--ink)">x</p>', "css-variables"),
        ("<svg></svg>", "html-svg"),
        ('<img src="a.svg">', "image-svg"),
        ('<img src="data:image/png;base64,AA==">', "image-base64"),
        ('<img srcset="a.png 2x">', "html-srcset"),
    ],
)
def test_the_lint_finds_what_is_not_known(html: str, feature: str) -> None:
    assert feature in refused(html)


def test_the_lint_lets_tables_pass() -> None:
    assert refused('<table width="100%"><tr><td style="padding:2px;color:#fff">x</td></tr></table>') == {}


@pytest.mark.skipif(NODE is None or not (MODULES / "caniemail").is_dir(), reason="no Node with caniemail")
@pytest.mark.parametrize("lang", ["zh", "en"])
def test_mail_clients_support_it(issued: tuple[Path, Done], lang: str) -> None:
    script = Path(__file__).with_name("caniemail.mjs")
    page = issued[1].folder / f"report.{lang}.html"
    command = [str(NODE), str(script), str(MODULES.parent) + "/", str(page)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert [error for error in json.loads(done.stdout) if error[1] not in ALLOWED] == []
