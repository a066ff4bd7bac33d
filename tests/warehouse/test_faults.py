"""What happens to the store when processes die, disks fill and others are in the way."""

from __future__ import annotations

import errno
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from datetime import timedelta
from decimal import Decimal
from pathlib import Path

import duckdb
import pytest

from tests.warehouse.warehouse_world import T0, World, offer
from warehouse.calendar import generations
from warehouse.database import enough_space, reading, writing
from warehouse.errors import WarehouseError
from warehouse.export import export
from warehouse.layout import Layout
from warehouse.locks import held
from warehouse.reader import latest_path, open_latest

READER = """
import sys, time
from pathlib import Path
from warehouse.reader import open_latest
home, reads, last, seen = Path(sys.argv[1]), 0, "", set()
print("ready", flush=True)
while not (home / "stop").exists():
    con, name = open_latest(home)
    told = con.execute("SELECT name FROM generation").fetchall()[0][0]
    n, prices, low, at = con.execute(
        "SELECT count(*), count(DISTINCT price), min(price), max(observed_at) FROM offers").fetchall()[0]
    again, newest = con.execute(
        "SELECT arg_max(price, observed_at), max(observed_at) FROM observations").fetchall()[0]
    con.close()
    assert at == newest, (at, newest)
    assert told == name, (told, name)
    assert (n, prices) == (40, 1), (n, prices)
    assert low == again, (low, again)
    assert name >= last, (name, last)
    last, reads = name, reads + 1
    seen.add(name)
print(reads, len(seen), flush=True)
"""


def child(code: str, *args: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", code, *args], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


def wait_for(process: subprocess.Popen[str], word: str) -> None:
    assert process.stdout is not None
    line = process.stdout.readline().strip()
    if line != word:
        raise AssertionError(process.communicate()[1] or line)


def crawl(world: World, i: int, goods: int = 40) -> None:
    """Run i: every good at 2 CNY and i thousandths."""
    at = T0 + timedelta(minutes=i)
    price = Decimal(2) + Decimal(i) / 1000
    world.run([offer(f"r{i:04d}", at, sku=f"s{n}", price=price, locator=f"/{n}") for n in range(goods)])


def store_counts(world: World) -> list[tuple[int, ...]]:
    layout = Layout(world.home)
    with writing(layout.work, layout.spill) as con:
        return con.execute(
            "SELECT (SELECT count(*) FROM store.run),"
            " (SELECT count(DISTINCT (run_id, provider)) FROM store.run),"
            " count(*), count(DISTINCT obs), count(DISTINCT (good, run)) FROM store.fact"
        ).fetchall()


@pytest.mark.slow
def test_readers_loop_through_thirty_publishes(world: World) -> None:
    crawl(world, 0)
    world.go()
    readers = [child(READER, str(world.home)) for _ in range(2)]
    for reader in readers:
        wait_for(reader, "ready")
    for i in range(1, 31):
        crawl(world, i)
        world.go(keep=3)
    (world.home / "stop").touch()
    for reader in readers:
        out, err = reader.communicate(timeout=60)
        assert reader.returncode == 0, err
        reads, generations_seen = map(int, out.split())
        assert reads >= 30
        assert generations_seen >= 10


def test_a_reader_that_stays_open_is_no_hindrance(world: World) -> None:
    crawl(world, 0)
    world.go()
    code = (
        "import sys; from pathlib import Path; from warehouse.reader import open_latest\n"
        "con, name = open_latest(Path(sys.argv[1])); print('ready', flush=True); sys.stdin.readline()\n"
        "print(name, con.execute('SELECT min(price) FROM offers').fetchall()[0][0])\n"
    )
    reader = subprocess.Popen(
        [sys.executable, "-c", code, str(world.home)],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    wait_for(reader, "ready")
    here, first = open_latest(world.home)
    crawl(world, 1)
    world.go(keep=1)
    # The open ones keep what they had, even where the file has gone; new ones see the new file.
    assert here.execute("SELECT min(price) FROM offers").fetchall() == [(Decimal("2.000"),)]
    there, second = open_latest(world.home)
    assert there.execute("SELECT min(price) FROM offers").fetchall() == [(Decimal("2.001"),)]
    assert (first, second) == ("index-2026-W48-v0001.duckdb", "index-2026-W48-v0002.duckdb")
    here.close()
    there.close()
    out, err = reader.communicate("go\n", timeout=60)
    assert out == "index-2026-W48-v0001.duckdb 2.000000\n", err


LOADER = """
import sys
from datetime import datetime, UTC
from pathlib import Path
from warehouse.load import load
print("ready", flush=True)
load(Path(sys.argv[1]), datetime.now(UTC), batch_rows=1)
print("done", flush=True)
"""


@pytest.mark.slow
def test_loader_killed_at_twenty_random_moments(world: World) -> None:
    """Every segment is a transaction of its own here, so that kills fall between and inside of them."""
    luck = random.Random(20261124)
    made = killed = 0
    for _ in range(20):
        for _ in range(12):
            crawl(world, made, goods=25)
            made += 1
        loader = child(LOADER, str(world.home))
        wait_for(loader, "ready")
        time.sleep(luck.uniform(0, 0.8))
        loader.send_signal(signal.SIGKILL)
        killed += loader.wait() == -signal.SIGKILL
        loader.communicate()
        counts = store_counts(world)[0] if Layout(world.home).work.exists() else (0,) * 5
        assert counts[0] == counts[1]
        assert counts[2] == counts[3] == counts[4] == counts[0] * 25  # whole segments or none of one
    world.load()
    assert killed >= 10
    assert store_counts(world) == [(made, made, made * 25, made * 25, made * 25)]


BUILDER = """
import sys
from datetime import datetime, timedelta, UTC
from pathlib import Path
from tests.warehouse.warehouse_world import PROVIDERS
from warehouse.publish import publish
now = datetime.fromisoformat(sys.argv[2])
print("ready", flush=True)
publish(Path(sys.argv[1]), now, PROVIDERS, "test", extra_inputs={"n": sys.argv[3]})
print("done", flush=True)
"""


@pytest.mark.slow
def test_builder_killed_at_twenty_random_moments(world: World) -> None:
    for i in range(8):
        crawl(world, i)
    world.go()
    store = store_counts(world)
    published = {latest_path(world.home).name}
    luck = random.Random(20261125)
    now = (world.now + timedelta(hours=1)).isoformat()
    killed = 0
    for i in range(20):
        builder = child(BUILDER, str(world.home), now, str(i))
        wait_for(builder, "ready")
        time.sleep(luck.uniform(0, 1.5))
        builder.send_signal(signal.SIGKILL)
        killed += builder.wait() == -signal.SIGKILL
        builder.communicate()
        # Whatever the moment: the pointer names a whole file, and no reader sees anything else.
        con, name = open_latest(world.home)
        assert con.execute("SELECT name, (SELECT count(*) FROM offers) FROM generation").fetchall() == [
            (name, 40)
        ]
        con.close()
        for path in generations(Layout(world.home).published):
            with reading(path) as whole:
                assert whole.execute("SELECT count(*) FROM observations").fetchall() == [(320,)]
            published.add(path.name)
    assert killed >= 10
    assert store_counts(world) == store
    last = world.publish(extra_inputs={"n": "last"})
    assert last.vintage == len(published) + 1  # no number was used twice or lost
    assert [p.name for p in Layout(world.home).published.iterdir() if p.name.startswith(".")] == []


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 24 MB."""
    where = tmp_path / "small"
    where.mkdir()
    if os.geteuid() != 0 or shutil.which("mount") is None:
        pytest.skip("mounting a small tmpfs needs root")
    done = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=24m", "tmpfs", str(where)],
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        pytest.skip(f"no tmpfs here: {done.stderr.strip()}")
    yield where
    subprocess.run(["umount", "-l", str(where)], check=True)


def test_a_full_disk_loses_nothing(small_disk: Path) -> None:
    world = World(small_disk / "home")
    for i in range(4):
        crawl(world, i, goods=200)
    world.go()
    before = latest_path(world.home)
    for i in range(4, 8):
        crawl(world, i, goods=200)
    ballast = small_disk / "ballast"
    free = shutil.disk_usage(small_disk).free
    ballast.write_bytes(b"x" * (free - 200_000))
    with pytest.raises(WarehouseError, match="no space"):
        world.load()
    with pytest.raises(WarehouseError, match="no space"):
        world.publish(extra_inputs={"n": "full"})
    con, name = open_latest(world.home)
    assert con.execute("SELECT count(*) FROM observations").fetchall() == [(800,)]
    con.close()
    assert name == before.name
    ballast.unlink()
    assert world.go().vintage == 2
    assert store_counts(world) == [(8, 8, 1600, 1600, 1600)]


@pytest.mark.parametrize("form", ["parquet", "csv", "xlsx"])
def test_an_export_on_a_full_disk_is_one_sentence(world: World, small_disk: Path, form: str) -> None:
    crawl(world, 0, goods=200)
    world.go()
    (small_disk / "ballast").write_bytes(b"x" * (shutil.disk_usage(small_disk).free - 8_192))
    con, _ = open_latest(world.home)
    with pytest.raises(WarehouseError, match="export: no space"):
        export(con, small_disk / "out", form)
    con.close()
    assert not list((small_disk / "out").glob(".*"))


@pytest.mark.parametrize("number", [errno.EROFS, errno.EACCES])
def test_a_disk_that_may_not_be_written_is_one_sentence(number: int) -> None:
    with pytest.raises(WarehouseError, match=r"load: work\.duckdb: .+"), enough_space("load"):
        raise OSError(number, os.strerror(number), "work.duckdb")


def test_a_segment_on_a_full_disk_is_no_segment(small_disk: Path) -> None:
    world = World(small_disk / "home")
    (small_disk / "ballast").write_bytes(b"x" * (shutil.disk_usage(small_disk).free - 20_000))
    with pytest.raises(OSError, match="No space left"):
        crawl(world, 0, goods=2000)
    (small_disk / "ballast").unlink()
    assert world.load().segments == 0
    crawl(world, 0, goods=2000)
    assert world.load().rows == 2000


@pytest.mark.slow
def test_second_load_and_publish_wait_thirty_seconds_and_name_the_holder(world: World) -> None:
    crawl(world, 0)
    world.load()
    layout = Layout(world.home)
    command = [sys.executable, "-m", "suanjia", "--home", str(world.home)]
    start = time.monotonic()
    with held(layout.load_lock, "a load"), held(layout.publish_lock, "a publish"):
        both = [
            subprocess.Popen([*command, word], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            for word in ("load", "publish")
        ]
        told = [process.communicate(timeout=120) for process in both]
    assert time.monotonic() - start >= 30
    for process, (out, err), word in zip(both, told, ("a load", "a publish"), strict=True):
        assert (process.returncode, out) == (5, "")
        assert err == f"suanjia: {word} is already running as process {os.getpid()}; try again\n"
    assert not layout.latest.exists()


def test_a_holder_that_dies_leaves_no_lock(world: World) -> None:
    layout = Layout(world.home)
    code = (
        "import sys, time; from pathlib import Path; from warehouse.locks import held\n"
        "with held(Path(sys.argv[1]), 'a load'):\n    print('ready', flush=True); time.sleep(60)\n"
    )
    holder = child(code, str(layout.load_lock))
    wait_for(holder, "ready")
    holder.kill()
    holder.communicate()
    crawl(world, 0)
    assert world.load(wait=1).segments == 1


def test_a_store_that_somebody_opened_is_refused_with_a_sentence(world: World) -> None:
    crawl(world, 0)
    world.load()
    crawl(world, 1)
    code = (
        "import sys, duckdb, time\n"
        "con = duckdb.connect(sys.argv[1], read_only=True); print('ready', flush=True); time.sleep(60)\n"
    )
    other = child(code, str(Layout(world.home).work))
    wait_for(other, "ready")
    try:
        with pytest.raises(WarehouseError, match=r"work\.duckdb is open elsewhere"):
            world.load()
    finally:
        other.kill()
        other.communicate()
    assert world.load().segments == 1


def test_a_damaged_store_is_said(world: World) -> None:
    crawl(world, 0)
    world.load()
    Layout(world.home).work.write_bytes(b"not a database" * 1000)
    crawl(world, 1)
    with pytest.raises(WarehouseError, match=r"work\.duckdb"):
        world.load()
    assert duckdb.__version__


@pytest.mark.parametrize("place", [0.3, 0.6])
def test_a_store_with_other_bytes_is_said_and_no_segment_is_blamed(world: World, place: float) -> None:
    for i in range(3):
        crawl(world, i, goods=3000)
    world.load()
    crawl(world, 3, goods=3000)
    path = Layout(world.home).work
    body = bytearray(path.read_bytes())
    at = int(len(body) * place)
    body[at : at + len(body) // 3] = bytes(len(body) // 3)
    path.write_bytes(body)
    with pytest.raises(WarehouseError, match=r"Corrupt database file.*move warehouse/work\.duckdb away"):
        world.publish()
    try:
        assert world.load().refused == ()
    except WarehouseError as error:
        assert "Corrupt database file" in str(error)
    path.unlink()
    path.with_name("work.duckdb.wal").unlink(missing_ok=True)
    world.go()
    assert store_counts(world) == [(4, 4, 12000, 12000, 12000)]
