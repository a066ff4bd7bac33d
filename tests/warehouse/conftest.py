"""Fixtures of the warehouse's tests."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import duckdb
import pytest

from tests.warehouse.warehouse_world import World
from warehouse.reader import open_latest


@pytest.fixture(autouse=True)
def unchecked(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Publish without the half second of the child process, except in tests that ask for `checked`."""
    if "checked" not in request.fixturenames:
        monkeypatch.setattr("warehouse.publish._check", lambda draft, built: None)


@pytest.fixture
def checked() -> None:
    """Ask for this fixture to publish with the checks of the child process."""


@pytest.fixture
def world(tmp_path: Path) -> World:
    """An empty data directory."""
    return World(tmp_path / "home")


@pytest.fixture
def ask(world: World) -> Iterator[Callable[..., list[tuple[Any, ...]]]]:
    """Ask the latest generation of the world; every connection is closed at the end."""
    opened: list[duckdb.DuckDBPyConnection] = []

    def question(sql: str, values: Any = None) -> list[tuple[Any, ...]]:
        con, _ = open_latest(world.home)
        opened.append(con)
        return con.execute(sql, values).fetchall()

    yield question
    for con in opened:
        con.close()
