"""Every connection of ours has the settings of `warehouse.database`; nobody else opens DuckDB."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import duckdb
import pytest

from tests.warehouse.warehouse_world import World, offer
from warehouse.database import in_memory, reading, writing
from warehouse.reader import latest_path

ROOT = Path(__file__).parents[2]
PACKAGES = ("catalog", "spiders", "pipeline", "warehouse", "sizing", "reports", "market", "suanjia")


def settings(con: duckdb.DuckDBPyConnection) -> tuple[object, ...]:
    names = ("enable_progress_bar", "TimeZone", "autoinstall_known_extensions", "autoload_known_extensions")
    asked = ", ".join(f"current_setting('{name}')" for name in names)
    return con.execute(f"SELECT {asked}").fetchall()[0]


def test_no_progress_bar_no_download_and_utc(world: World, tmp_path: Path) -> None:
    world.run([offer("r0")])
    world.go()
    with (
        closing(in_memory()) as memory,
        closing(reading(latest_path(world.home))) as published,
        writing(tmp_path / "x.duckdb", tmp_path) as written,
    ):
        for con in (memory, published, written):
            assert settings(con) == (False, "UTC", False, False)


@pytest.mark.parametrize("package", PACKAGES)
def test_nobody_else_connects(package: str) -> None:
    found = [
        str(path.relative_to(ROOT))
        for path in sorted((ROOT / package).rglob("*.py"))
        if "duckdb.connect(" in path.read_text(encoding="utf-8")
    ]
    assert found == (["warehouse/database.py"] if package == "warehouse" else [])
