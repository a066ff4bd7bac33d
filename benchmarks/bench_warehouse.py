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
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from functools import partial
from pathlib import Path

from benchmarks.measuring import Report, best_of, busy, timed, tree_peak
from benchmarks.synthetic import CARDS, fill
from benchmarks.warehouse_bare import ask, bare
from tests.warehouse.warehouse_world import T0, World, offer
from warehouse.cheapest import cheapest, question
from warehouse.database import writing
from warehouse.layout import Layout
from warehouse.load import load
from warehouse.publish import publish
from warehouse.reader import open_latest

NOW = {
    1: datetime(2025, 4, 11, tzinfo=UTC),
    5: datetime(2026, 5, 16, tzinfo=UTC),
    10: datetime(2027, 9, 28, tzinfo=UTC),
}


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
    with writing(folder / "insert.duckdb", folder / "spill") as con:
        con.execute("CREATE TABLE t AS SELECT * FROM read_parquet($1) LIMIT 0", [files])
        insert = "INSERT INTO t SELECT * FROM read_parquet($1) ORDER BY observed_at"
        plain = timed(lambda: con.execute(insert, [files]).fetchall())
    many = timed(lambda: load(home, T0))
    report.line(
        "load 100,000 rows (40 segments)", many, 1.0, "s", f"{many / plain:.1f} × bare INSERT … ORDER BY"
    )
    segments(home, 1, first=40)
    report.line("load one run of 2,500 offers", timed(lambda: load(home, T0)), 0.5, "s")
    report.line("load again, nothing new", timed(lambda: load(home, T0)), 0.2, "s")


REBUILD = """
import sys
from datetime import datetime
from pathlib import Path
from warehouse.publish import publish
publish(Path(sys.argv[1]), datetime.fromisoformat(sys.argv[2]), {}, "bench")
"""


def rebuild(report: Report, folder: Path, millions: int) -> float:
    """A whole publish from so many observations in a process of its own; returns its processor seconds."""
    home = folder / f"m{millions}"
    layout = Layout(home)
    layout.warehouse.mkdir(parents=True)
    fill(layout.work, folder / "spill", millions * 400)
    plain, plain_busy, rule = bare(folder, layout.work)
    env = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[1])}
    command = [sys.executable, "-c", REBUILD, str(home), NOW[millions].isoformat()]
    spent = busy()
    start = time.perf_counter()
    process = subprocess.Popen(command, text=True, env=env)
    peak = tree_peak(process)
    seconds = time.perf_counter() - start
    if process.wait() != 0:
        raise RuntimeError("the rebuild failed")
    spent = busy() - spent
    note = f"{seconds:.1f} s and {plain:.1f} s; processor {spent:.1f} s and {plain_busy:.1f} s"
    report.line(
        f"publish from {millions} M / bare scan and aggregate alone", seconds / plain, None, "×", note
    )
    # The same work in bare DuckDB has the rule that holds prices back, and still no chain, check or copy.
    whole = plain + rule
    report.line(
        "  / the same with the rule that holds back", seconds / whole, 4.0, "×", f"bare {whole:.1f} s"
    )
    if millions == 5:
        report.line("full publish from 5 M, process and all", seconds, 20.0, "s")
    report.line(f"peak memory of it and its check, {millions} M", peak, 1.0, "GiB")
    return spent


def answers(report: Report, folder: Path, millions: int) -> None:
    """What readers wait for on the published file, on an open connection, quickest of five."""
    con, _ = open_latest(folder / f"m{millions}")
    for how, sql in (
        ("arg_max", "SELECT offer_id, arg_max(price, observed_at) FROM observations GROUP BY offer_id"),
        (
            "QUALIFY",
            "SELECT offer_id, price, observed_at FROM observations"
            " QUALIFY row_number() OVER (PARTITION BY offer_id ORDER BY observed_at DESC) = 1",
        ),
        ("price_at(now)", f"SELECT * FROM price_at(TIMESTAMPTZ '{NOW[millions].isoformat()}')"),
    ):
        what = f"latest per offer from {millions} M observations, {how}"
        report.line(what, best_of(partial(ask, con, sql)), 1.0, "s")
    table = "SELECT offer_id, price FROM offers"
    report.line("latest per offer from the table", 1000 * best_of(partial(ask, con, table)), 20, "ms")
    con.close()


def commands(report: Report, folder: Path, millions: int) -> None:
    """Whole processes, best of five."""
    home = str(folder / f"m{millions}")
    now = (NOW[millions] + timedelta(hours=1)).isoformat()

    def best(*command: str) -> float:
        return best_of(lambda: subprocess.run([sys.executable, *command], capture_output=True, check=True))

    alone = best("-c", "import duckdb")
    told = best("-m", "suanjia", "--home", home, "--now", now, "cheapest", "--card", "RTX4090")
    report.line(
        "suanjia cheapest, over `import duckdb`", told - alone, 0.4, "s", f"{told:.2f} s and {alone:.2f} s"
    )
    report.line("suanjia --help", best("-m", "suanjia", "--help"), 0.35, "s")


# The question that gpuhunt's catalogue answers, on the published table; gpuhunt knows no limit.
ASKED = """
    SELECT provider, sku, region_code, price, vcpu, ram_gb, gpu_count, card, vram_gb, billing_mode
    FROM offers
    WHERE card = 'RTX4090' AND gpu_count <= 8 AND price <= 1.6
    ORDER BY price
"""


def peers(report: Report, folder: Path) -> None:
    """gpuhunt's query and SpareCores' insert on the same 100,000 rows, in an environment of their own."""
    home = folder / "peers"
    segments(home, 40, distinct=True)
    (folder / "rows.json").write_text(json.dumps(peer_rows(distinct=True)), encoding="utf-8")
    (folder / "again.json").write_text(json.dumps(peer_rows(distinct=False)), encoding="utf-8")
    fresh = timed(lambda: load(home, T0))
    segments(folder / "again", 40)
    again = timed(lambda: load(folder / "again", T0))
    publish(home, T0 + timedelta(hours=1), {}, "bench")
    con, _ = open_latest(home)
    asked = question(
        card="RTX4090",
        count=1,
        min_vram=None,
        region=None,
        mode="on_demand",
        max_price=Decimal("1.6"),
        max_age=None,
        limit=20,
    )
    first = best_of(partial(ask, con, ASKED + "LIMIT 20"))
    everything = best_of(partial(ask, con, ASKED))
    ours = best_of(lambda: cheapest(con, asked, T0 + timedelta(hours=1)))
    con.close()
    python = folder / "env" / "bin" / "python"
    venv.create(folder / "env", with_pip=True)
    install = [str(python), "-m", "pip", "install", "--quiet", "gpuhunt", "sparecores-crawler"]
    if subprocess.run(install, capture_output=True, check=False).returncode != 0:
        print("peers: not installable here")
        return
    script = str(Path(__file__).with_name("warehouse_peers.py"))
    command = [str(python), script, str(folder / "rows.json"), str(folder / "again.json")]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    theirs: dict[str, float | None] = json.loads(done.stdout)
    for name, what, value, bar in (
        ("gpuhunt", "its query / the same in SQL, first 20", first, 10),
        ("gpuhunt", "its query / the same in SQL, all matches", everything, None),
        ("gpuhunt", "its query / `cheapest`: tax, stock, age, sizes too", ours, None),
        ("sparecores", "its insert / our load, 40 runs of 2,500 goods", again, 40),
        # The world that is measured has 2,500 goods; a market of nothing but new ones is shown beside it.
        ("sparecores_distinct", "its insert / our load, 100,000 goods", fresh, None),
    ):
        if (peer := theirs[name]) is not None:
            note = f"{1000 * peer:.0f} ms and {1000 * value:.1f} ms"
            report.line(f"{name.split('_')[0]}: {what}", peer / value, bar, "×", note, atleast=True)


def peer_rows(distinct: bool) -> list[dict[str, object]]:
    """The rows of `segments`, as the peers' script takes them."""
    return [
        {
            "run": run,
            "sku": f"s{i}-{run}" if distinct else f"s{i}",
            "region": "110000",
            "card": CARDS[i % len(CARDS)],
            "price": (150 + i % 50) / 100,
        }
        for run in range(40)
        for i in range(2500)
    ]


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
            report.line("growth from 1 M to 10 M, processor time (10 = linear)", ten / one, 10.0, "×")
        answers(report, folder, largest)
        commands(report, folder, largest)
        if asked.peers:
            peers(report, folder)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return report.good


if __name__ == "__main__":
    raise SystemExit(0 if main() else 1)
