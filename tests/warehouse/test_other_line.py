"""The other DuckDB line reads what we publish, and the whole chain runs on it.

SUANJIA_OTHER_DUCKDB_PYTHON names an interpreter that has the other line (1.5.x where we run 2.x, and the
other way round); without it a throwaway environment is made, which needs a package registry.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import venv
from datetime import timedelta
from pathlib import Path

import duckdb
import pytest

from tests.warehouse.warehouse_world import World, fill, offer
from warehouse.docs import worked_queries
from warehouse.reader import latest_path

ROOT = Path(__file__).parents[2]
ENV = "SUANJIA_OTHER_DUCKDB_PYTHON"
OURS = int(duckdb.__version__.split(".")[0])
OTHER = "duckdb>=1.5.5,<2" if OURS >= 2 else "duckdb>=2,<3"
NEEDS = (OTHER, "numpy", "pyarrow", "pydantic", "pytz", "click", "zstandard", "lxml", "charset-normalizer",
         "cssselect")  # fmt: skip


@pytest.fixture(scope="session")
def other_python(tmp_path_factory: pytest.TempPathFactory) -> str:
    """An interpreter with the other DuckDB line."""
    python = os.environ.get(ENV)
    if not python:
        folder = tmp_path_factory.mktemp("other") / "venv"
        venv.create(folder, with_pip=True)
        python = str(folder / "bin" / "python")
        command = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *NEEDS]
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=600)
        if done.returncode != 0:
            pytest.skip(f"no {OTHER} here, and {ENV} is not set: {done.stderr.strip().splitlines()[-1:]}")
    version = subprocess.run(
        [python, "-c", "import duckdb; print(duckdb.__version__)"], capture_output=True, text=True, check=True
    ).stdout.strip()
    assert int(version.split(".")[0]) != OURS, f"{python} has DuckDB {version}, the line we run ourselves"
    return python


def run(python: str, code: str, *args: str) -> str:
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [python, "-c", code, *args],
        capture_output=True,
        text=True,
        check=False,
        cwd=ROOT,
        env=env,
        timeout=250,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


READ = """
import json, sys, duckdb
con = duckdb.connect(sys.argv[1], read_only=True)
con.execute("SET TimeZone = 'UTC'")
told = {}
for name, sql in json.load(open(sys.argv[2])).items():
    told[name] = [[str(v) for v in row] for row in con.execute(sql).fetchall()]
print(json.dumps(told))
"""


def queries() -> dict[str, str]:
    """The worked queries, the macros, and every value of every table; floats as they print."""
    found = {query.title: query.sql for query in worked_queries()}
    found["offers"] = "SELECT * FROM offers ORDER BY offer_id"
    found["observations"] = "SELECT * FROM observations ORDER BY obs_id"
    found["price_at"] = (
        "SELECT offer_id, price FROM price_at(TIMESTAMPTZ '2026-12-09 00:00:00+08') ORDER BY 1"
    )
    found["comments"] = (
        "SELECT table_name, column_name, comment FROM duckdb_columns() WHERE NOT internal ORDER BY ALL"
    )
    return found


def answers(python: str, file: Path, folder: Path) -> dict[str, object]:
    asked = folder / "queries.json"
    asked.write_text(json.dumps(queries()), encoding="utf-8")
    told: dict[str, object] = json.loads(run(python, READ, str(file), str(asked)))
    return told


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_the_other_line_reads_what_we_publish(world: World, tmp_path: Path, other_python: str) -> None:
    fill(world)
    world.go()
    file = latest_path(world.home)
    assert answers(other_python, file, tmp_path) == answers(sys.executable, file, tmp_path)


CHAIN = """
import sys
from pathlib import Path
from tests.warehouse.warehouse_world import World, fill
world = World(Path(sys.argv[1]))
fill(world)
world.go()
"""
CHAIN_IN_TWO = """
import sys
from datetime import datetime
from pathlib import Path
from tests.warehouse.warehouse_world import World, offer
world = World(Path(sys.argv[1]), now=datetime.fromisoformat(sys.argv[2]))
world.run([offer("more", world.now, sku="more")])
world.go()
"""


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_the_chain_runs_on_the_other_line(world: World, tmp_path: Path, other_python: str) -> None:
    """The same segments give the same answers, whichever line builds and whichever reads."""
    run(other_python, CHAIN, str(tmp_path / "there"))
    fill(world)
    world.go()
    there = latest_path(tmp_path / "there")
    here = latest_path(world.home)
    assert answers(sys.executable, there, tmp_path) == answers(sys.executable, here, tmp_path)
    assert answers(other_python, there, tmp_path) == answers(sys.executable, there, tmp_path)


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_one_store_may_be_written_by_both_lines(world: World, tmp_path: Path, other_python: str) -> None:
    """After an upgrade, or a step back, the store goes on."""
    fill(world)
    world.go()
    at = (world.now + timedelta(days=1)).isoformat()
    run(other_python, CHAIN_IN_TWO, str(world.home), at)
    world.run([offer("again", world.now + timedelta(days=2), sku="again")])
    world.go(world.now + timedelta(days=2, hours=1))
    told = answers(sys.executable, latest_path(world.home), tmp_path)
    assert len(told["observations"]) == 4 * 9 + 2  # type: ignore[arg-type]
