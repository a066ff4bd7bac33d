"""Options of the whole suite."""

from __future__ import annotations

import os

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    """`--golden-write`: write golden files that are missing or differ, and fail until they were reviewed."""
    parser.addoption("--golden-write", action="store_true", help="write golden files for review")


def pytest_configure(config: pytest.Config) -> None:
    """A golden file that nobody has looked at proves nothing: CI never writes one."""
    if config.getoption("--golden-write") and os.environ.get("CI"):
        raise pytest.UsageError(
            "--golden-write is refused in CI: write, review and commit on your own machine"
        )
