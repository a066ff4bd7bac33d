"""Replaying a generation: equal when nothing was touched, and every touched thing is named."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path

import duckdb
import openpyxl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner

from catalog.providers import load_providers
from pipeline.importing import import_sheet
from suanjia.cli import cli
from warehouse import verify
from warehouse.database import reading
from warehouse.load import load
from warehouse.publish import publish
from warehouse.reader import latest_path
from warehouse.verify_sheets import sheets_apart

NOW = datetime(2026, 11, 30, 2, tzinfo=UTC)
HEAD = "observed_on,provider,region_raw,card_raw,amount_low,currency,per,mode\n"


def sheet(folder: Path, name: str, weeks: range, sellers: str, step: float = 0.1) -> Path:
    """A quote sheet: each seller's 4090 in Beijing, a little dearer every week from 2026-10-05 on."""
    rows = [
        f"{(datetime(2026, 10, 5) + timedelta(weeks=w)):%Y-%m-%d},{seller},北京,RTX 4090,"
        f"{2 + i * 0.3 + step * w:.2f},CNY,hour,on_demand"
        for w in weeks
        for i, seller in enumerate(sellers)
    ]
    path = folder / name
    path.write_text(HEAD + "\n".join(rows) + "\n", encoding="utf-8")
    return path


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A data directory with one published generation of five weeks and four sellers."""
    home = tmp_path / "home"
    providers = load_providers(home)
    import_sheet(home, sheet(tmp_path, "first.csv", range(5), "pqrs"), NOW, providers)
    load(home, NOW)
    publish(home, NOW, providers, "1.0")
    return home


def differences(home: Path) -> list[str]:
    return list(_all(home, latest_path(home)))


def _all(home: Path, path: Path) -> Iterator[str]:
    providers = load_providers(home)
    with closing(reading(path)) as con:
        yield from verify.broken_files(home, con)
        yield from sheets_apart(home, con, providers)
        yield from verify.read_again(home, con, providers)
    yield from verify.values_apart(home, path, providers)


def tamper(home: Path, statement: str) -> None:
    """Change the published file behind everybody's back."""
    path = latest_path(home)
    path.chmod(0o644)
    with closing(duckdb.connect(str(path))) as con:
        con.execute(statement)


def test_an_untouched_generation_is_equal(home: Path) -> None:
    assert differences(home) == []


@pytest.mark.slow
def test_later_generations_replay_with_their_vintages(home: Path, tmp_path: Path) -> None:
    providers = load_providers(home)
    later = NOW + timedelta(days=1)
    import_sheet(home, sheet(tmp_path, "late.csv", range(3), "t", 0.5), later, providers)
    load(home, later)
    publish(home, later, providers, "1.0")
    with closing(reading(latest_path(home))) as con:
        corrected = con.execute("SELECT count(*) FROM price_index WHERE vintage = 2").fetchall()[0][0]
    assert corrected > 0
    assert differences(home) == []
    # The first generation is still what it was, although the store has grown.
    first = sorted(latest_path(home).parent.glob("index-*.duckdb"))[0]
    assert list(_all(home, first)) == []


@pytest.mark.slow
def test_a_changed_value_is_named_by_its_cell(home: Path) -> None:
    tamper(
        home,
        "UPDATE price_index SET value = 111.1"
        " WHERE region_code = 'CN' AND series = 'list' AND week = '2026-10-19'",
    )
    found = differences(home)
    assert len(found) == 1
    assert "price_index: list/CN/RTX4090/on_demand/list/2026-10-19: value 111.1, in the replay 1" in found[0]
    assert found[0].startswith(f"published/{latest_path(home).name}")


def test_a_whole_file_can_be_read(home: Path) -> None:
    assert list(verify.unreadable(latest_path(home))) == []


@pytest.mark.parametrize("place", [0.1, 0.5, 0.9])
def test_a_published_file_with_other_bytes_is_named(home: Path, place: float) -> None:
    path = latest_path(home)
    path.chmod(0o644)
    body = bytearray(path.read_bytes())
    at = int(len(body) * place)
    body[at : at + 200_000] = bytes(200_000)
    path.write_bytes(body)
    done = CliRunner().invoke(cli, ["--home", str(home), "verify", "--json"], standalone_mode=False)
    told = json.loads(done.stdout)
    assert (done.return_value, told["equal"]) == (5, False)
    assert all(line.startswith(f"published/{path.name}: ") for line in told["differences"])


@pytest.mark.parametrize("left", [0, 5000])
def test_a_published_file_that_was_cut_is_named(home: Path, left: int) -> None:
    path = latest_path(home)
    path.chmod(0o644)
    path.write_bytes(path.read_bytes()[:left])
    (told,) = verify.unreadable(path)
    assert told.startswith(f"published/{path.name}: cannot be read")


def test_a_missing_and_an_invented_row_are_named(home: Path) -> None:
    tamper(home, "DELETE FROM price_level WHERE region_code = 'CN' AND week = '2026-10-05'")
    tamper(home, "INSERT INTO index_keys SELECT 99, 'ghost', 'p', 'RTX4090', 'on_demand', 'list', 'CN'")
    found = differences(home)
    assert any(
        "price_level: CN/RTX4090/on_demand/list/marketplace/2026-10-05: only in the replay" in f
        for f in found
    )
    assert any("index_keys: ghost: only here" in line for line in found)


def segments(home: Path) -> Path:
    return next((home / "segments").glob("run=*/provider=p"))


def test_a_flipped_byte_in_a_segment_is_named(home: Path) -> None:
    path = segments(home) / "offers.parquet"
    body = bytearray(path.read_bytes())
    body[len(body) // 2] ^= 1
    path.write_bytes(bytes(body))
    with closing(reading(latest_path(home))) as con:
        found = list(verify.broken_files(home, con))
    name = f"segments/{path.parent.parent.name}/provider=p/offers.parquet"
    assert found == [f"{name}: its bytes are not those of the manifest"]


def test_a_lost_segment_and_lost_evidence_are_named(home: Path) -> None:
    shutil.rmtree(segments(home))
    kept = next(path for path in (home / "evidence").rglob("*") if path.is_file())
    kept.unlink()
    with closing(reading(latest_path(home))) as con:
        found = list(verify.broken_files(home, con))
    assert any("provider=p" in line for line in found)
    assert any(line.startswith("evidence/") and line.endswith("is not there") for line in found)


def test_evidence_with_other_bytes_is_named(home: Path) -> None:
    kept = next(path for path in (home / "evidence").rglob("*") if path.is_file())
    kept.chmod(0o644)
    kept.write_bytes(kept.read_bytes()[:-3])
    with closing(reading(latest_path(home))) as con:
        found = list(verify.broken_files(home, con))
    assert len(found) == 1
    assert found[0].startswith("evidence/")


def rewritten(home: Path, part: str, column: str, value: object) -> list[str]:
    """What reading the sheets again says when one value of a segment's first row is another."""
    path = segments(home) / f"{part}.parquet"
    table = pq.read_table(path)
    rows = table.to_pylist()
    rows[0][column] = value
    pq.write_table(pa.Table.from_pylist(rows, table.schema), path)
    with closing(reading(latest_path(home))) as con:
        return list(sheets_apart(home, con, load_providers(home)))


def test_an_offer_that_the_sheet_does_not_say_is_named(home: Path) -> None:
    found = rewritten(home, "offers", "price", Decimal("0.01"))
    assert [line.split(": ")[1] for line in found] == ["read then, not now", "read now, not then"]
    assert "provider=p/offers.parquet" in found[0]
    assert "0.01" in found[0]


@pytest.mark.parametrize("suffix", [".csv", ".jsonl", ".xlsx", ".tsv"])
def test_sheets_of_every_kind_are_read_again(tmp_path: Path, suffix: str) -> None:
    # No row names the file: each has an address of its own, and the kind is told by the bytes.
    names = [*HEAD.strip().split(","), "source_url"]
    values = [
        "2026-11-02",
        "p",
        "北京",
        "RTX 4090",
        "2.10",
        "CNY",
        "hour",
        "on_demand",
        "https://p.example/q",
    ]
    refused = [*values[:4], "-1", *values[5:]]
    path = tmp_path / f"quotes{suffix}"
    rows = [dict(zip(names, row, strict=True)) for row in (values, refused)]
    if suffix == ".xlsx":
        book = openpyxl.Workbook()
        for row in (names, values, refused):
            book.active.append(row)
        book.save(path)
    elif suffix == ".jsonl":
        path.write_text("\n".join(json.dumps(row, ensure_ascii=False) for row in rows), encoding="utf-8")
    else:
        comma = "\t" if suffix == ".tsv" else ","
        path.write_text("\n".join(comma.join(row) for row in (names, values, refused)), encoding="utf-8")
    home = tmp_path / "home"
    providers = load_providers(home)
    told = import_sheet(home, path, NOW, providers, complete=suffix == ".csv")
    assert (told.offers, len(told.rejections)) == (1, 1)
    load(home, NOW)
    publish(home, NOW, providers, "1.0")
    with closing(reading(latest_path(home))) as con:
        assert list(sheets_apart(home, con, providers)) == []
    assert rewritten(home, "rejections", "reason", "unit_unknown") != []
