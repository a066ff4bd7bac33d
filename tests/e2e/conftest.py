"""One demo home for all end-to-end tests of a worker: the whole chain, as `make demo` runs it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]


def suanjia(home: Path, *args: str, timeout: float = 900, code: int | None = 0) -> str:
    """Run the program in `home` and return its stdout; AssertionError for another exit code."""
    env = {k: v for k, v in os.environ.items() if not k.startswith("SUANJIA_") or k == "SUANJIA_BROWSER"}
    done = subprocess.run(
        [sys.executable, "-m", "suanjia", "--home", str(home), *args],
        cwd=ROOT, env=env, capture_output=True, text=True, timeout=timeout,
    )  # fmt: skip
    assert code is None or done.returncode == code, f"exit {done.returncode}\n{done.stderr[-4000:]}"
    return done.stdout


def rows(home: Path, sql: str) -> list[dict[str, Any]]:
    """The rows of a query on the published generation."""
    found: list[dict[str, Any]] = json.loads(suanjia(home, "sql", sql, "--format", "json"))
    return found


@pytest.fixture(scope="session")
def demo_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home after `suanjia demo`."""
    home = tmp_path_factory.mktemp("demo") / "var"
    suanjia(home, "demo")
    return home
