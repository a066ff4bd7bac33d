"""The warehouse's speed and memory: loads, rebuilds, answers, each beside the same work in bare DuckDB.

    python -m benchmarks.bench_warehouse [--quick] [--peers]

`--quick` leaves the ten million out. `--peers` makes a throwaway environment with gpuhunt and SpareCores.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
import venv
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from functools import partial
from pathlib import Path

import duckdb

from benchmarks.synthetic import CARDS, fill
from tests.warehouse.warehouse_world import T0, World, offer
from warehouse.cheapest import cheapest, question
from warehouse.database import reading
from warehouse.layout import Layout
from warehouse.load import load
from warehouse.publish import publish
from warehouse.reader import open_latest

NOW = {
    1: datetime(2025, 4, 11, tzinfo=UTC),
    5: datetime(2026, 5, 16, tzinfo=UTC),
    10: datetime(2027, 9, 28, tzinfo=UTC),
}
# What a rebuild does, in bare DuckDB: every good's last price of every Shanghai day and the geometric mean
# of those of a week; the weekly quartiles of card, mode and class; every good's latest price; and the median
# of the thirty days before every observation, which the rule that holds prices back needs.
BARE = (
    """
    WITH daily AS (
        SELECT good, (observed_at AT TIME ZONE 'Asia/Shanghai')::DATE AS day, arg_max(cny, observed_at) AS cny
        FROM store.fact GROUP BY ALL
    )
    SELECT count(*)
    FROM (SELECT good, date_trunc('week', day) AS week, avg(ln(cny)) AS price FROM daily GROUP BY ALL)
    """,
    """
    SELECT count(*)
    FROM (SELECT g.card, g.billing_mode, g.provider_class,
                 date_trunc('week', (f.observed_at AT TIME ZONE 'Asia/Shanghai')::DATE) AS week,
                 quantile_cont(f.cny, [0.25, 0.5, 0.75]) AS quartiles, min(f.cny) AS lowest
          FROM store.fact AS f JOIN store.good AS g ON g.good = f.good GROUP BY ALL)
    """,
    "SELECT count(*) FROM (SELECT good, arg_max(price, observed_at) FROM store.fact GROUP BY good)",
    """
    SELECT count(*)
    FROM (SELECT f.cny,
                 quantile_cont(f.cny, 0.5) OVER (
                     PARTITION BY g.card, g.billing_mode, g.price_kind, g.provider_class
                     ORDER BY f.observed_at
                     RANGE BETWEEN INTERVAL 720 HOUR PRECEDING AND INTERVAL 1 MICROSECOND PRECEDING
                 ) AS middle
          FROM store.fact AS f JOIN store.good AS g ON g.good = f.good)
    WHERE cny NOT BETWEEN 0.33 * middle AND 3 * middle
    """,
)


class Report:
    """Lines of figures, and whether every bar held."""

    def __init__(self) -> None:
        self.good = True

    def line(
        self, what: str, value: float, bar: float | None, unit: str, note: str = "", atleast: bool = False
    ) -> None:
        """Print one figure beside its bar; with `atleast` the bar is a floor."""
        holds = bar is None or (value >= bar if atleast else value <= bar)
        self.good &= holds
        sign = "≥" if atleast else "≤"
        shown = "" if bar is None else f"  (bar {sign} {bar:g} {unit}{'' if holds else ', MISSED'})"
        print(f"{what:<58} {value:8.3f} {unit}{shown}{'  ' + note if note else ''}", flush=True)


def ask(con: duckdb.DuckDBPyConnection, sql: str) -> list[tuple[object, ...]]:
    """All rows of a query."""
    return con.execute(sql).fetchall()


def timed(work: Callable[[], object]) -> float:
    """Seconds of one call."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def segments(home: Path, runs: int, goods: int = 2500, first: int = 0, distinct: bool = False) -> None:
    """Runs of `goods` offers each as real segments; `distinct`: every run sells other goods."""
    world = World(home)
    base = [
        offer(
            "x",
            sku=f"s{i}",
            card=CARDS[i % len(CARDS)],
            locator=f"/data/{i}",
            price=Decimal(150 + i % 50) / 100,
        )
        for i in range(goods)
    ]
    for run in range(first, first + runs):
        at = T0 + timedelta(hours=6 * (0 if distinct else run), seconds=run)
        rows = [replace(row, run_id=f"r{run}", observed_at=at) for row in base]
        if distinct:
            rows = [
                replace(row, sku=f"{row.sku}-{run}", offer_id=f"offer:{run:04x}{i:012x}")
                for i, row in enumerate(rows)
            ]
        world.run(rows, complete=False)


def loads(report: Report, folder: Path) -> None:
    """100,000 rows at once, one run more, and nothing new."""
    home = folder / "loads"
    segments(home, 40)
    files = [str(path) for path in sorted(home.glob("segments/*/*/offers.parquet"))]
    con = duckdb.connect(str(folder / "bare.duckdb"))
    con.execute("CREATE TABLE t AS SELECT * FROM read_parquet($1) LIMIT 0", [files])
    bare = timed(
        lambda: con.execute(
            "INSERT INTO t SELECT * FROM read_parquet($1) ORDER BY observed_at", [files]
        ).fetchall()
    )
    con.close()
    many = timed(lambda: load(home, T0))
    report.line(
        "load 100,000 rows (40 segments)", many, 1.0, "s", f"{many / bare:.1f} × bare INSERT … ORDER BY"
    )
    segments(home, 1, first=40)
    report.line("load one run of 2,500 offers", timed(lambda: load(home, T0)), 0.5, "s")
    report.line("load again, nothing new", timed(lambda: load(home, T0)), 0.2, "s")


REBUILD = """
import json, resource, sys, time
from datetime import datetime
from pathlib import Path
from warehouse.publish import publish
start = time.perf_counter()
done = publish(Path(sys.argv[1]), datetime.fromisoformat(sys.argv[2]), {}, "bench")
seconds = time.perf_counter() - start
whose = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
peak = max(resource.getrusage(who).ru_maxrss for who in whose) / 1024
print(json.dumps([seconds, peak, done.offers]))
"""


def rebuild(report: Report, folder: Path, millions: int) -> float:
    """A whole publish from so many observations in a process of its own; returns its seconds."""
    home = folder / f"m{millions}"
    layout = Layout(home)
    layout.warehouse.mkdir(parents=True)
    fill(layout.work, folder / "spill", millions * 400)
    with reading(layout.work, threads=2) as con:
        parts = [timed(partial(ask, con, sql)) for sql in BARE]
        bare = sum(parts)
    env = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[1])}
    command = [sys.executable, "-c", REBUILD, str(home), NOW[millions].isoformat()]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True, env=env)
    seconds, peak, _ = json.loads(done.stdout)
    note = f"{seconds:.1f} s, bare {bare:.1f} s"
    report.line(
        f"publish from {millions} M, ratio to bare scan-and-aggregate", seconds / bare, 4.0, "×", note
    )
    report.line(f"peak memory of it, {millions} M", peak / 1024, 1.0, "GiB")
    return float(seconds)


def answers(report: Report, folder: Path, millions: int) -> None:
    """What readers wait for on the published file."""
    con, _ = open_latest(folder / f"m{millions}")
    sql = "SELECT offer_id, arg_max(price, observed_at) FROM observations GROUP BY offer_id"
    con.execute(sql).fetchall()
    report.line(
        f"latest per offer from observations, {millions} M",
        timed(lambda: con.execute(sql).fetchall()),
        1.0,
        "s",
    )
    table = "SELECT offer_id, price FROM offers"
    con.execute(table).fetchall()
    report.line(
        "latest per offer from the table", 1000 * timed(lambda: con.execute(table).fetchall()), 20, "ms"
    )
    con.close()


def commands(report: Report, folder: Path, millions: int) -> None:
    """Whole processes, best of five."""
    home = str(folder / f"m{millions}")
    now = (NOW[millions] + timedelta(hours=1)).isoformat()

    def best(*command: str) -> float:
        return min(
            timed(lambda: subprocess.run([sys.executable, *command], capture_output=True, check=True))
            for _ in range(5)
        )

    bare = best("-c", "import duckdb")
    told = best("-m", "suanjia", "--home", home, "--now", now, "cheapest", "--card", "RTX4090")
    report.line(
        "suanjia cheapest, over `import duckdb`", told - bare, 0.4, "s", f"{told:.2f} s and {bare:.2f} s"
    )
    report.line("suanjia --help", best("-m", "suanjia", "--help"), 0.35, "s")


def peers(report: Report, folder: Path) -> None:
    """gpuhunt's query and SpareCores' insert on the same 100,000 rows, in an environment of their own."""
    home = folder / "peers"
    segments(home, 40, distinct=True)
    rows = [
        {
            "sku": f"s{i}-{run}",
            "region": "110000",
            "card": CARDS[i % len(CARDS)],
            "price": (150 + i % 50) / 100,
        }
        for run in range(40)
        for i in range(2500)
    ]
    (folder / "rows.json").write_text(json.dumps(rows), encoding="utf-8")
    ours = timed(lambda: load(home, T0))
    publish(home, T0 + timedelta(hours=1), {}, "bench")
    con, _ = open_latest(home)
    limits = {"max_price": Decimal("1.6"), "max_age": None, "limit": 20}
    asked = question(card="RTX4090", count=1, min_vram=None, region=None, mode="on_demand", **limits)
    query = min(timed(lambda: cheapest(con, asked, T0 + timedelta(hours=1))) for _ in range(5))
    con.close()
    python = folder / "env" / "bin" / "python"
    venv.create(folder / "env", with_pip=True)
    install = [str(python), "-m", "pip", "install", "--quiet", "gpuhunt", "sparecores-crawler"]
    if subprocess.run(install, capture_output=True, check=False).returncode != 0:
        print("peers: not installable here")
        return
    script = str(Path(__file__).with_name("warehouse_peers.py"))
    done = subprocess.run(
        [str(python), script, str(folder / "rows.json")], capture_output=True, text=True, check=True
    )
    theirs = json.loads(done.stdout)
    if theirs["gpuhunt"]:
        note = f"{1000 * theirs['gpuhunt']:.0f} ms and {1000 * query:.0f} ms"
        report.line(
            "gpuhunt's query / ours, 100,000 offers", theirs["gpuhunt"] / query, 10, "×", note, atleast=True
        )
    if theirs["sparecores"]:
        note = f"{theirs['sparecores']:.1f} s and {ours:.2f} s"
        report.line(
            "SpareCores' insert / our load, 100,000 rows",
            theirs["sparecores"] / ours,
            40,
            "×",
            note,
            atleast=True,
        )


def main(argv: list[str] | None = None) -> bool:
    """Print the figures; whether every bar held."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--quick", action="store_true", help="leave the ten million out")
    parser.add_argument(
        "--peers", action="store_true", help="beside gpuhunt and SpareCores (needs a registry)"
    )
    asked = parser.parse_args(argv)
    report = Report()
    folder = Path(tempfile.mkdtemp(prefix="bench-warehouse-"))
    try:
        loads(report, folder)
        one = rebuild(report, folder, 1)
        rebuild(report, folder, 5)
        largest = 5
        if not asked.quick:
            largest = 10
            ten = rebuild(report, folder, 10)
            report.line("growth from 1 M to 10 M (10 = linear)", ten / one, 10.0, "×")
        answers(report, folder, largest)
        commands(report, folder, largest)
        if asked.peers:
            peers(report, folder)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return report.good


if __name__ == "__main__":
    raise SystemExit(0 if main() else 1)
