"""One published market for all tests of the issue; those that write get a copy of their own."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from reports.issue.build import Done, build_issue
from tests.reports.issue import issue_world


@pytest.fixture(scope="session")
def published(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The data directory of `issue_world`; nobody may write to it."""
    home = tmp_path_factory.mktemp("issue") / "home"
    issue_world.build(home)
    return home


@pytest.fixture
def home(published: Path, tmp_path: Path) -> Path:
    """A copy that the test may fill."""
    shutil.copytree(published, tmp_path / "home")
    return tmp_path / "home"


@pytest.fixture(scope="session")
def issued(published: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Done]:
    """(data directory with the issue of week 48 built, what the builder said); nobody may write to it."""
    home = tmp_path_factory.mktemp("issued") / "home"
    shutil.copytree(published, home)
    return home, build_issue(home, issue_world.NOW, None, rebuilt=False)
