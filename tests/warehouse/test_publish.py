"""Publishing: named, checked, pointer last; what is refused changes nothing."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from datetime import date, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pytest

from tests.warehouse.warehouse_world import T0, World, offer
from warehouse import build as build_room
from warehouse import check, publish
from warehouse.calendar import generation_name, generations, monday_of, week_label
from warehouse.comments import columns, tables
from warehouse.database import reading, writing
from warehouse.errors import NoGeneration, NothingToDo, Refused, WarehouseError
from warehouse.layout import Layout
from warehouse.locks import held
from warehouse.reader import latest_path, open_latest
from warehouse.reviews import Review, append_review

Ask = Callable[..., list[tuple[Any, ...]]]


def seen(world: World) -> dict[str, bytes]:
    """Everything in the published folder, by name."""
    folder = Layout(world.home).published
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())} if folder.is_dir() else {}


@pytest.fixture
def filled(world: World) -> World:
    """A world with one loaded run."""
    world.run([offer("r0")])
    world.load()
    return world


def test_first_generation(filled: World, ask: Ask, checked: None) -> None:
    done = filled.publish()
    assert done.generation == "index-2026-W48-v0001.duckdb"
    assert (done.vintage, done.offers, done.held) == (1, 1, 0)
    assert sorted(seen(filled)) == ["LATEST", "index-2026-W48-v0001.duckdb"]
    assert seen(filled)["LATEST"] == b"index-2026-W48-v0001.duckdb\n"
    row = ask(
        "SELECT name, week, vintage, built_at, code_version, method_version, duckdb_version FROM generation"
    )
    assert row == [
        (
            "index-2026-W48-v0001.duckdb",
            date(2026, 11, 23),
            1,
            T0 + timedelta(hours=1),
            "test",
            "1.0.0",
            duckdb.__version__,
        )
    ]
    mode = stat.S_IMODE(latest_path(filled.home).stat().st_mode)
    assert mode == 0o444


def test_nothing_new_is_no_new_file(filled: World) -> None:
    filled.publish()
    before = seen(filled)
    with pytest.raises(NothingToDo, match="nothing new since index-2026-W48-v0001"):
        filled.publish(T0 + timedelta(hours=9))
    assert seen(filled) == before
    # Another week is another generation, of its own count.
    assert filled.publish(T0 + timedelta(days=6)).generation == "index-2026-W49-v0001.duckdb"


@pytest.mark.parametrize("change", ["run", "fx", "review", "providers", "code", "extra"])
def test_whatever_goes_in_makes_a_new_vintage(filled: World, change: str) -> None:
    filled.publish()
    options: dict[str, Any] = {}
    match change:
        case "run":
            filled.run([offer("r1", T0 + timedelta(minutes=9))])
            filled.load()
        case "fx":
            (filled.home / "fx_rates.csv").write_text("date,pair,rate,source\n2026-11-24,USD/CNY,7.1,x\n")
        case "review":
            name = "obs:0123456789abcdef/20261124T040000.000000Z/2.180000"
            append_review(filled.home / "reviews.jsonl", Review(name, "refuse", "me", "x", T0))
        case "providers":
            filled.providers["alpha"] = filled.providers["alpha"].model_copy(update={"name": "Alpha"})
        case "code":
            done = publish.publish(filled.home, filled.now + timedelta(hours=1), filled.providers, "next")
            assert done.vintage == 2
            return
        case "extra":
            options = {"extra_inputs": {"workloads": "abc"}}
    assert filled.publish(**options).generation == "index-2026-W48-v0002.duckdb"


@pytest.mark.slow
def test_the_last_ones_are_kept(filled: World) -> None:
    for i in range(5):
        filled.publish(extra_inputs={"n": str(i)}, keep=3)
    names = [path.name for path in generations(Layout(filled.home).published)]
    assert names == [f"index-2026-W48-v{i:04d}.duckdb" for i in (3, 4, 5)]
    assert latest_path(filled.home).name == names[-1]
    # Numbers are never used twice, even when older files are gone.
    assert filled.publish(extra_inputs={"n": "x"}, keep=1).vintage == 6


def test_nothing_loaded_and_nothing_published(world: World) -> None:
    with pytest.raises(NothingToDo, match="suanjia load"):
        world.publish()
    with pytest.raises(NoGeneration, match="suanjia publish"):
        open_latest(world.home)
    world.home.joinpath("published").mkdir(parents=True, exist_ok=True)
    for text in ("", "nowhere.duckdb\n", "../warehouse/work.duckdb\n", "\xff"):
        (world.home / "published" / "LATEST").write_text(text, encoding="latin-1")
        with pytest.raises(NoGeneration):
            open_latest(world.home)


@pytest.mark.parametrize("name", ["index-2026-W48-v0001.duckdb.wal", "index-2026-W47-v0009.duckdb.wal"])
def test_a_stale_wal_is_refused_and_nothing_changes(filled: World, name: str) -> None:
    folder = Layout(filled.home).published
    folder.mkdir()
    (folder / name).write_bytes(b"ghost rows")
    before = seen(filled)
    with pytest.raises(Refused, match=name) as caught:
        filled.publish()
    assert caught.value.exit_code == 5
    assert seen(filled) == before
    (folder / name).unlink()
    assert filled.publish().vintage == 1


def test_a_wal_beside_the_published_file_is_not_read(filled: World) -> None:
    filled.publish()
    path = latest_path(filled.home)
    path.with_name(path.name + ".wal").write_bytes(b"ghost")
    with pytest.raises(Refused, match="move it away"):
        open_latest(filled.home)


@pytest.mark.parametrize("left", [0, 7, 5000])
def test_a_damaged_generation_is_named_and_made_anew_once_it_is_away(filled: World, left: int) -> None:
    filled.publish()
    path = latest_path(filled.home)
    path.chmod(0o644)
    path.write_bytes(path.read_bytes()[:left])
    with pytest.raises(WarehouseError, match=r"index-2026-W48-v0001\.duckdb cannot be read"):
        open_latest(filled.home)
    with pytest.raises(WarehouseError, match=r"index-2026-W48-v0001\.duckdb cannot be read"):
        filled.publish()
    path.rename(filled.home / "damaged")
    assert filled.publish().offers == 1


def test_a_wal_that_appears_during_the_build_stops_the_rename(
    filled: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = Layout(filled.home).published

    def plant(draft: Path, built: object) -> None:
        (folder / "index-2026-W48-v0001.duckdb.wal").write_bytes(b"ghost")

    monkeypatch.setattr("warehouse.publish._check", plant)
    with pytest.raises(Refused):
        filled.publish()
    assert [name for name in seen(filled) if not name.endswith(".wal")] == []


def test_a_second_builder_waits_and_then_names_the_holder(filled: World) -> None:
    layout = Layout(filled.home)
    with held(layout.publish_lock, "a publish"), pytest.raises(Refused, match=rf"process {os.getpid()}\b"):
        filled.publish(wait=0.2)
    with held(layout.load_lock, "a load"), pytest.raises(Refused, match="a load is already running"):
        filled.publish(wait=0.2)
    assert [name for name in seen(filled) if name != "LATEST"] == []
    assert filled.publish().vintage == 1


def test_what_a_dead_builder_left_is_swept(filled: World) -> None:
    folder = Layout(filled.home).published
    folder.mkdir()
    for name in (".index-2026-W48-v0001.build-1", ".index-2026-W48-v0001.build-1.wal"):
        (folder / name).write_bytes(b"half")
    filled.publish()
    assert sorted(seen(filled)) == ["LATEST", "index-2026-W48-v0001.duckdb"]


def test_a_store_with_a_tail_in_its_wal_loses_nothing(filled: World, ask: Ask) -> None:
    """A loader killed after its commit leaves a write-ahead log; the copy must hold what is in it."""
    layout = Layout(filled.home)
    config = {"storage_compatibility_version": "v1.4.0"}
    child = os.fork()
    if child == 0:  # pragma: no cover - the child dies without closing the file
        con = duckdb.connect(str(layout.work), config=config)
        con.execute("PRAGMA disable_checkpoint_on_shutdown")
        con.execute(
            "INSERT INTO store.rejection SELECT 1, 'rej:0', 'x', '1', NULL, NULL, NULL, now(), '', '', ''"
        )
        os._exit(0)
    os.waitpid(child, 0)
    assert layout.work.with_name("work.duckdb.wal").exists()
    filled.publish()
    assert ask("SELECT rejection_id FROM rejections") == [("rej:0",)]


@pytest.fixture(scope="module")
def good_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A generation that passed its checks."""
    world = World(tmp_path_factory.mktemp("good"))
    world.run([offer("r0")])
    world.go()
    return latest_path(world.home)


def break_it(good_file: Path, folder: Path, sql: str) -> list[str]:
    """Problems that the checks find in a copy of the file in which `sql` was run."""
    path = folder / "copy.duckdb"
    path.write_bytes(good_file.read_bytes())
    with reading(path) as con:
        counts = build_room.table_counts(con)
    with writing(path, folder) as con:
        con.execute(sql)
        con.execute("CHECKPOINT")
    return list(check.problems(path, counts))


@pytest.mark.parametrize(
    ("sql", "word"),
    [
        ("DELETE FROM offers", "row counts"),
        ("UPDATE offers SET card = 'NoSuchCard'", "not in cards"),
        ("UPDATE offers SET provider = 'nobody'", "not in providers"),
        ("UPDATE offers SET billing_mode = 'hourly'", "billing_mode hourly"),
        ("UPDATE offers SET price_kind = 'guess'", "price_kind guess"),
        ("UPDATE offers SET provider_class = 'shop'", "provider_class shop"),
        ("UPDATE offers SET evidence_kind = 'hearsay'", "evidence_kind hearsay"),
        ("UPDATE offers SET state = 'delisted'", "state delisted"),
        ("UPDATE offers SET price = 0", "costs 0"),
        ("UPDATE offers SET price_cny_per_card_hour_gross = -1", "costs"),
        ("INSERT INTO offers SELECT * FROM offers", "stands twice"),
        ("UPDATE store.fact SET run = 99", "has no good, run or source"),
        ("UPDATE store.run SET parsed = 99", "does not add up"),
        ("UPDATE store.run SET offers = 7, kept = 7, parsed = 7", "counts 7 offers, holds 1"),
        ("INSERT INTO store.note SELECT 99, NULL, NULL, false, NULL, NULL, NULL", "no observation 99"),
        ("ALTER TABLE offers ALTER price TYPE DOUBLE", "not DECIMAL"),
        ("ALTER TABLE offers ALTER observed_at TYPE TIMESTAMP", "not TIMESTAMPTZ"),
        ("COMMENT ON COLUMN offers.card IS NULL", "offers.card has no comment"),
        ("COMMENT ON TABLE offers IS NULL", "offers has no comment"),
        ("COMMENT ON VIEW observations IS NULL", "observations has no comment"),
        ("DELETE FROM generation", "generation has 0 rows"),
    ],
)
def test_checks_find_what_is_wrong(good_file: Path, tmp_path: Path, sql: str, word: str) -> None:
    assert any(word in problem for problem in break_it(good_file, tmp_path, sql))


def test_checks_find_nothing_in_a_good_file(good_file: Path, tmp_path: Path) -> None:
    assert break_it(good_file, tmp_path, "SELECT 1") == []


def test_a_failed_check_publishes_nothing(
    filled: World, monkeypatch: pytest.MonkeyPatch, checked: None
) -> None:
    real = build_room.build

    def broken(path: Path, *args: Any, **options: Any) -> build_room.Built:
        done = real(path, *args, **options)
        with writing(path, Layout(filled.home).spill) as con:
            con.execute("UPDATE offers SET card = 'NoSuchCard'")
        return done

    monkeypatch.setattr("warehouse.publish.build", broken)
    with pytest.raises(Refused, match="NoSuchCard"):
        filled.publish()
    assert seen(filled) == {}


def test_a_damaged_draft_publishes_nothing(
    filled: World, monkeypatch: pytest.MonkeyPatch, checked: None
) -> None:
    real = build_room.build

    def damaged(path: Path, *args: Any, **options: Any) -> build_room.Built:
        done = real(path, *args, **options)
        body = bytearray(path.read_bytes())
        for at in range(len(body) // 3, len(body), 4096):
            body[at] ^= 0xFF
        path.write_bytes(body)
        return done

    monkeypatch.setattr("warehouse.publish.build", damaged)
    with pytest.raises(Refused, match="did not pass its checks"):
        filled.publish()
    assert seen(filled) == {}


def test_every_table_and_column_says_what_it_means(filled: World) -> None:
    filled.publish()
    con, _ = open_latest(filled.home)
    try:
        assert [c for c in columns(con) if not c.comment] == []
        assert [name for name, comment in tables(con).items() if not comment] == []
        promised = {
            "offers",
            "observations",
            "rejections",
            "price_index",
            "price_level",
            "cheapest_fit",
            "runs",
        }
        promised |= {
            "providers",
            "cards",
            "card_aliases",
            "regions",
            "region_aliases",
            "fx_rates",
            "workloads",
        }
        assert promised | {"generation"} <= set(tables(con))
    finally:
        con.close()


def test_extra_tables_come_from_other_rooms(filled: World, ask: Ask) -> None:
    def fits(con: duckdb.DuckDBPyConnection) -> dict[str, pa.Table]:
        name = con.execute("SELECT offer_id FROM offers").fetchall()[0][0]
        row = {"week": date(2026, 11, 23), "workload": "w", "rank": 1, "offer_id": name, "provider": "alpha"}
        return {
            "cheapest_fit": pa.Table.from_pylist(
                [{**row, "card": "RTX4090", "total_cny_p50": Decimal("12.30")}]
            ),
            "workloads": pa.Table.from_pylist([{"name": "w", "spec": "{}"}]),
        }

    filled.publish(extra_tables=fits)
    assert ask("SELECT workload, total_cny_p50, provider FROM cheapest_fit") == [
        ("w", Decimal("12.3"), "alpha")
    ]
    with pytest.raises(ValueError, match="no table that is handed in"):
        filled.publish(extra_tables={"offers": pa.table({"a": [1]})}, extra_inputs={"x": "y"})


def test_names_of_weeks() -> None:
    # Monday 00:00 in Shanghai is Sunday 16:00 UTC; the year of a week is the ISO one.
    sunday = T0.replace(year=2026, month=12, day=27, hour=15, minute=59)
    assert week_label(monday_of(sunday)) == "2026-W52"
    assert week_label(monday_of(sunday + timedelta(minutes=1))) == "2026-W53"
    assert week_label(date(2027, 1, 4)) == "2027-W01"
    assert generation_name(date(2026, 11, 23), 3) == "index-2026-W48-v0003.duckdb"
