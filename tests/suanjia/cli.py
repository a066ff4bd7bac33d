"""The program as a user runs it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from tests.spiders.conftest import ROOT

NOW = "2026-10-05T10:00:00+08:00"


def suanjia(
    home: Path, *arguments: str, now: str = NOW, origins: dict[str, str] | None = None, **env: str
) -> subprocess.CompletedProcess[str]:
    """Run a command; `env` are settings without their prefix, in lower case."""
    given = {k: v for k, v in os.environ.items() if not k.startswith("SUANJIA_")}
    given |= {f"SUANJIA_{name.upper()}": value for name, value in env.items()}
    if origins is not None:
        given |= {"SUANJIA_ORIGINS": json.dumps(origins), "SUANJIA_DELAY": "0"}
    return subprocess.run(
        [sys.executable, "-m", "suanjia", "--home", str(home), "--now", now, *arguments],
        env=given, cwd=ROOT, capture_output=True, text=True, timeout=200, check=False,
    )  # fmt: skip


def said(done: subprocess.CompletedProcess[str]) -> Any:
    """The JSON document on stdout."""
    return json.loads(done.stdout)
