"""The mail against what mail clients support, with the npm package caniemail where Node has it.

`npm install --no-save caniemail` in the project's folder (or anywhere, named by SUANJIA_NODE_MODULES) is
enough; its data is inside, so the lint asks nobody.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from reports.issue.build import Done

ROOT = Path(__file__).parents[3]
NODE = shutil.which("node")
MODULES = Path(os.environ.get("SUANJIA_NODE_MODULES", ROOT / "node_modules"))
# Hides the pre-header; where it is not known, one line more is read at the top.
ALLOWED = {"display:none"}


@pytest.mark.skipif(NODE is None or not (MODULES / "caniemail").is_dir(), reason="no Node with caniemail")
@pytest.mark.parametrize("lang", ["zh", "en"])
def test_mail_clients_support_it(issued: tuple[Path, Done], lang: str) -> None:
    script = Path(__file__).with_name("caniemail.mjs")
    page = issued[1].folder / f"report.{lang}.html"
    command = [str(NODE), str(script), str(MODULES.parent) + "/", str(page)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert [error for error in json.loads(done.stdout) if error[1] not in ALLOWED] == []
