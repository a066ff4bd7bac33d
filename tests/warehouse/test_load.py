"""The loader: every segment once, whole, in the order of time; what it cannot trust is named and left out."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from datetime import timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from pipeline.manifest import file_sha256
from tests.warehouse.warehouse_world import T0, World, offer, rejection
from warehouse.database import writing
from warehouse.errors import Refused
from warehouse.layout import Layout
from warehouse.load import Loaded
from warehouse.locks import held


def store(world: World, sql: str) -> list[tuple[object, ...]]:
    layout = Layout(world.home)
    with writing(layout.work, layout.spill) as con:
        return con.execute(sql).fetchall()


def crawl(
    world: World, name: str, hours: float, price: str = "2.18", goods: int = 3, provider: str = "alpha"
) -> None:
    at = T0 + timedelta(hours=hours)
    rows = [
        offer(name, at, provider=provider, vcpu=Decimal(i), price=Decimal(price) + i, locator=f"/{i}")
        for i in range(goods)
    ]
    world.run(rows, [rejection(name, at, provider=provider)])


def test_every_segment_enters_once(world: World) -> None:
    crawl(world, "r0", 0)
    crawl(world, "r1", 6)
    assert world.load() == Loaded(2, 6)
    assert world.load() == Loaded(0, 0)
    crawl(world, "r2", 12)
    assert world.load() == Loaded(1, 3)
    assert store(world, "SELECT count(*), count(DISTINCT obs) FROM store.fact") == [(9, 9)]
    assert store(world, "SELECT count(*) FROM store.good") == [(3,)]
    assert store(world, "SELECT count(*) FROM store.rejection") == [(3,)]
    assert store(world, "SELECT run_id, offers, rejections, parsed FROM store.run ORDER BY run") == [
        ("r0", 3, 1, 4),
        ("r1", 3, 1, 4),
        ("r2", 3, 1, 4),
    ]


def test_facts_stand_in_the_order_of_time_within_a_load(world: World) -> None:
    for i, hours in enumerate((12, 0, 6)):
        crawl(world, f"r{i}", hours)
    world.load()
    times = [t for (t,) in store(world, "SELECT observed_at FROM store.fact ORDER BY rowid")]
    assert times == sorted(times)  # type: ignore[type-var]


def test_small_batches_load_the_same(world: World, tmp_path: Path) -> None:
    other = World(tmp_path / "other")
    for part in (world, other):
        for i in range(5):
            crawl(part, f"r{i}", i)
    world.load()
    other.load(batch_rows=1)
    sql = (
        "SELECT * EXCLUDE (loaded_at) FROM store.fact JOIN store.good USING (good) JOIN store.run USING (run)"
        " ORDER BY obs"
    )
    assert store(world, sql) == store(other, sql)


def test_unknown_is_not_different_from_unknown(world: World) -> None:
    """A good with NULLs in it is one good in every run, and what changes beside the identity is a new row."""
    for i in range(3):
        world.run([offer(f"r{i}", T0 + timedelta(hours=i))])
    world.run([offer("r3", T0 + timedelta(hours=3), max_cards=4)])
    world.load()
    assert store(world, "SELECT max_cards FROM store.good ORDER BY good") == [(4,), (8,)]
    assert store(world, "SELECT count(DISTINCT offer_id) FROM store.good") == [(1,)]


@pytest.mark.parametrize("damage", ["bytes", "gone", "manifest", "swapped", "text"])
def test_a_damaged_segment_is_named_and_left_out(world: World, damage: str) -> None:
    crawl(world, "r0", 0)
    crawl(world, "r1", 6)
    folder = world.home / "segments" / "run=r1" / "provider=alpha"
    good = world.home / "segments" / "run=r0" / "provider=alpha"
    match damage:
        case "bytes":
            body = bytearray((folder / "offers.parquet").read_bytes())
            body[len(body) // 2] ^= 1
            (folder / "offers.parquet").write_bytes(body)
        case "gone":
            (folder / "rejections.parquet").unlink()
        case "manifest":
            (folder / "manifest.json").write_text("{", encoding="utf-8")
        case "swapped":
            shutil.copy(good / "manifest.json", folder / "manifest.json")
        case "text":
            (folder / "offers.parquet").write_text("not parquet", encoding="utf-8")
    done = world.load()
    assert (done.segments, done.rows) == (1, 3)
    assert len(done.refused) == 1
    assert "run=r1/provider=alpha" in done.refused[0]
    assert store(world, "SELECT run_id FROM store.run") == [("r0",)]


def changed(folder: Path, **values: Any) -> None:
    """Give the manifest other values (`run__kind` for one inside), and hashes of the files as they are."""
    path = folder / "manifest.json"
    told = json.loads(path.read_text("utf-8"))
    told["sha256"] = {name: file_sha256(folder / name) for name in told["sha256"]}
    for name, value in values.items():
        *parts, last = name.split("__")
        inner = told
        for part in parts:
            inner = inner[part]
        inner[last] = value
    path.write_text(json.dumps(told), encoding="utf-8")


def column(folder: Path, name: str, values: Callable[[list[Any]], list[Any]]) -> None:
    """Write other values into a column of the offers."""
    table = pq.read_table(folder / "offers.parquet")
    i = table.schema.get_field_index(name)
    made = pa.array(values(table[name].to_pylist()), table.schema.field(i).type)
    field = table.schema.field(i).with_nullable(True)
    pq.write_table(table.set_column(i, field, made), folder / "offers.parquet")
    changed(folder)


@pytest.mark.parametrize(
    "values",
    [
        {"counts__offers": 2},
        {"counts__offers": "3"},
        {"counts__rejections": 2, "counts__parsed": 5},
        {"counts__kept": 2},
        {"counts__kept": 2, "counts__held": 1},
        {"counts__parsed": 9},
        {"counts": {}},
        {"sha256": {}},
        {"run__outcome": "great"},
        {"run__kind": "guess"},
        {"run__started_at": "2026-11-24T04:00:00"},
        {"run__verdicts": ["age"]},
        {"run__verdicts": [{}]},
    ],
    ids=str,
)
def test_a_manifest_that_its_rows_contradict_takes_nobody_else_down(
    world: World, values: dict[str, Any]
) -> None:
    for i in range(3):
        crawl(world, f"r{i}", i)
    changed(world.home / "segments" / "run=r1" / "provider=alpha", **values)
    done = world.load()
    assert (done.segments, done.rows) == (2, 6)
    assert ["run=r1/provider=alpha" in told for told in done.refused] == [True]
    assert world.publish().offers == 3


@pytest.mark.parametrize("damage", ["empty", "column", "negative", "other run", "unknown", "absent"])
def test_rows_that_the_store_cannot_hold_take_nobody_else_down(world: World, damage: str) -> None:
    for i in range(5):
        crawl(world, f"r{i}", i)
    folder = world.home / "segments" / "run=r1" / "provider=alpha"
    match damage:
        case "empty":
            (folder / "offers.parquet").write_bytes(b"")
            changed(folder)
        case "column":
            table = pq.read_table(folder / "offers.parquet").drop(["tax"])
            pq.write_table(table, folder / "offers.parquet")
            changed(folder)
        case "negative":
            column(folder, "price", lambda prices: [-price for price in prices])
        case "other run":
            column(folder, "run_id", lambda names: ["r2", *names[1:]])
        case "unknown":
            column(folder, "billing_mode", lambda modes: [None, *modes[1:]])
        case "absent":
            column(folder, "zone", lambda zones: ["", *zones[1:]])
            column(folder, "offer_id", lambda ids: [ids[1], *ids[1:]])
    done = world.load()
    assert (done.segments, done.rows) == (4, 12)
    assert ["run=r1/provider=alpha" in told for told in done.refused] == [True]
    assert store(world, "SELECT run_id FROM store.run ORDER BY run") == [("r0",), ("r2",), ("r3",), ("r4",)]
    assert world.load().segments == 0


def test_a_mended_segment_enters_later(world: World) -> None:
    crawl(world, "r0", 0)
    manifest = world.home / "segments" / "run=r0" / "provider=alpha" / "manifest.json"
    kept = manifest.read_text("utf-8")
    manifest.unlink()
    assert world.load() == Loaded(0, 0)
    manifest.write_text(kept, encoding="utf-8")
    assert world.load() == Loaded(1, 3)


def test_a_crawl_that_is_not_ok_is_kept_but_not_usable(world: World) -> None:
    world.run([offer("r0")], outcome="partial")
    world.run([offer("i0")], kind="import", outcome="partial")
    world.load()
    rows = store(world, "SELECT run_id, usable, complete FROM store.run ORDER BY run_id")
    assert rows == [("i0", True, False), ("r0", False, False)]


def test_twins_are_marked(world: World) -> None:
    """The same good twice at one moment of a run; a sheet may hold a good on many days."""
    world.run([offer("r0"), offer("r0", price=Decimal(3), locator="/1")])
    days = [offer("i0", T0 - timedelta(days=i), locator=f"row {i}") for i in range(3)]
    world.run(days, kind="import", started_at=T0)
    world.load()
    rows = store(
        world,
        "SELECT run_id, count(*), bool_or(twin) FROM store.fact JOIN store.run USING (run)"
        " GROUP BY 1 ORDER BY 1",
    )
    assert rows == [("i0", 3, False), ("r0", 2, True)]


def test_an_empty_run_is_a_run(world: World) -> None:
    world.run([], outcome="blocked", provider="beta", run_id="r0")
    assert world.load() == Loaded(1, 0)
    assert store(world, "SELECT provider, outcome, offers FROM store.run") == [("beta", "blocked", 0)]


def test_nothing_to_load_makes_no_store(world: World) -> None:
    assert world.load() == Loaded(0, 0)
    assert not Layout(world.home).work.exists()


def test_a_second_loader_waits_and_then_names_the_holder(world: World) -> None:
    crawl(world, "r0", 0)
    layout = Layout(world.home)
    with held(layout.load_lock, "a load"), pytest.raises(Refused, match=r"process \d+"):
        world.load(wait=0.2)
    assert world.load() == Loaded(1, 3)
