"""Fixtures of the warehouse's tests."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import duckdb
import pytest

from tests.warehouse.warehouse_world import World
from warehouse.reader import open_latest


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
