"""`suanjia new-provider`: a scaffold that fails until a person has looked at it, then passes every guard."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.spiders.conftest import ROOT

ROOMS = ("catalog", "spiders", "market", "pipeline", "suanjia")


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A copy of the rooms that a source touches, with the four reviewed sources alone."""
    where = tmp_path / "checkout"
    where.mkdir()
    for room in ROOMS:
        shutil.copytree(ROOT / room, where / room, ignore=shutil.ignore_patterns("__pycache__"))
    for part in ("tests/conftest.py", "tests/spiders", "tests/fixtures", "tests/golden", "pyproject.toml"):
        source, target = ROOT / part, where / part
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copytree(source, target) if source.is_dir() else shutil.copy(source, target)
    return where


def run(checkout: Path, *arguments: str, **env: str) -> subprocess.CompletedProcess[str]:
    given = {k: v for k, v in os.environ.items() if k != "CI"} | {"PYTHONPATH": str(checkout)} | env
    return subprocess.run(
        [sys.executable, "-m", *arguments], cwd=checkout, env=given, capture_output=True, text=True,
        timeout=200, check=False,
    )  # fmt: skip


def checked(checkout: Path, slug: str, *more: str, **env: str) -> subprocess.CompletedProcess[str]:
    files = ["tests/spiders/test_golden.py", "tests/spiders/test_guards.py"]
    return run(checkout, "pytest", *files, "-q", "-p", "no:randomly", "-k", slug, *more, **env)


@pytest.mark.slow
@pytest.mark.parametrize(
    "kind", ["json", "table", "text", pytest.param("browser", marks=pytest.mark.browser)]
)
def test_a_fresh_source(checkout: Path, kind: str) -> None:
    slug = f"fresh_{kind}"
    made = run(checkout, "suanjia", "new-provider", slug, "--kind", kind, "--origin", "https://fresh.example")
    assert made.returncode == 0, made.stderr
    files = made.stdout.split()
    assert len(files) == 3
    for path in files:
        assert (checkout / path).is_file()
        assert max(map(len, (checkout / path).read_text(encoding="utf-8").splitlines())) <= 110
    assert len((checkout / "spiders" / "sources" / f"{slug}.py").read_text().splitlines()) <= 60
    again = run(checkout, "suanjia", "new-provider", slug, "--kind", kind)
    assert again.returncode == 5

    before = checked(checkout, slug)
    assert before.returncode == 1
    assert "has no fixture: run pytest --golden-write" in before.stdout
    refused = checked(checkout, slug, "--golden-write", CI="true")
    assert "--golden-write is refused in CI" in refused.stderr
    written = checked(checkout, slug, "--golden-write")
    assert written.returncode == 1
    assert "golden file written; review it" in written.stdout
    golden = (checkout / "tests" / "golden" / f"{slug}.jsonl").read_text(encoding="utf-8")
    assert golden.count("\n") == 2
    after = checked(checkout, slug)
    assert after.returncode == 0, after.stdout[-3000:]


def test_no_two_stand_ins_share_an_origin(checkout: Path) -> None:
    made = run(checkout, "suanjia", "new-provider", "other", "--origin", "https://matgo.cn/")
    assert made.returncode == 5
    assert "the stand-in matpool has this origin already" in made.stderr
    assert not (checkout / "market" / "sites" / "other.py").exists()
