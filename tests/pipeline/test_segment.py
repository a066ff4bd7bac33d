"""Segments: whole or not there, the same bytes for the same rows, nothing dropped on the way."""

from __future__ import annotations

import json
import random
from dataclasses import fields, replace
from datetime import UTC, datetime, timedelta, timezone
from decimal import Decimal
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.columns import MOMENT, MONEY, quantized, schema_of, table_of
from pipeline.manifest import Manifest, RunMeta, SegmentError, read_manifest, segment_dirs
from pipeline.offer import Offer, Rejection
from pipeline.segment import read_listing, write_segment
from spiders.listing import Listing
from tests.warehouse.warehouse_world import EVIDENCE, T0, listings_of, offer, rejection


def meta(**changes: object) -> RunMeta:
    values: dict[str, object] = {
        "run_id": "r0",
        "provider": "alpha",
        "kind": "crawl",
        "started_at": T0,
        "ended_at": T0,
        "outcome": "ok",
        "complete": True,
        "parser_version": "1",
        **changes,
    }
    return RunMeta(**values)  # type: ignore[arg-type]


def rows(n: int) -> list[Offer]:
    return [offer(vcpu=Decimal(i), locator=f"/data/{i}", price=Decimal("2.18") + i) for i in range(n)]


def files(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


def test_schema_follows_the_dataclasses() -> None:
    schema = schema_of(Offer)
    assert schema.names == [f.name for f in fields(Offer)]
    assert schema.field("price").type == MONEY == pa.decimal128(18, 6)
    assert not schema.field("price").nullable
    assert schema.field("price_high").nullable
    assert schema.field("observed_at").type == MOMENT == pa.timestamp("us", "UTC")
    assert schema_of(Listing).field("extra").type == pa.string()
    assert schema_of(Rejection).names == [f.name for f in fields(Rejection)]


def test_written_rows_come_back_with_exact_types(tmp_path: Path) -> None:
    made = [offer(price=Decimal("0.1") + Decimal("0.2"), valid_until=T0 + timedelta(microseconds=1))]
    folder = write_segment(tmp_path, meta(), made, [], listings_of(made))
    back = pq.read_table(folder / "offers.parquet", partitioning=None).to_pylist()
    assert back[0]["price"] == Decimal("0.300000")
    assert back[0]["valid_until"] == T0 + timedelta(microseconds=1)
    assert back[0]["provider"] == "alpha"
    assert read_listing(folder, EVIDENCE, "/data/0")[0]["price_text"] == "0.3"


def test_order_of_rows_changes_no_byte(tmp_path: Path) -> None:
    made, refused = rows(40), [rejection(locator=f"/data/x{i}") for i in range(7)]
    seen = listings_of([*made, *refused])
    first = write_segment(tmp_path / "a", meta(), made, refused, seen)
    for seed in range(3):
        shuffle = random.Random(seed)
        for part in (made, refused, seen):
            shuffle.shuffle(part)
        again = write_segment(tmp_path / f"b{seed}", meta(), made, refused, seen)
        assert files(again) == files(first)


def test_the_same_moment_in_another_zone_is_the_same_byte(tmp_path: Path) -> None:
    shanghai = timezone(timedelta(hours=8))
    a = write_segment(tmp_path / "a", meta(), [offer()], [], listings_of([offer()]))
    there = offer(observed_at=T0.astimezone(shanghai))
    b = write_segment(
        tmp_path / "b", meta(started_at=T0.astimezone(shanghai)), [there], [], listings_of([there])
    )
    assert files(a) == files(b)


def test_manifest_says_what_it_must(tmp_path: Path) -> None:
    made = [*rows(2), replace(offer(sku="x"), quarantine="conflict")]
    refused = [rejection()]
    run = meta(declared_total=4, distinct_keys=4, requests=3, robots_verdict="allowed", message="hello")
    folder = write_segment(tmp_path, run, made, refused, listings_of([*made, *refused]))
    told = json.loads((folder / "manifest.json").read_text("utf-8"))
    assert told["counts"] == {"listings": 4, "parsed": 4, "offers": 3, "rejections": 1, "kept": 2, "held": 1}
    assert told["schema_version"] == 1
    assert set(told["sha256"]) == {"offers.parquet", "rejections.parquet", "listings.parquet"}
    words = "run_id provider kind started_at ended_at outcome complete parser_version declared_total"
    words += " distinct_keys requests robots_verdict message"
    assert set(words.split()) <= set(told["run"])
    assert read_manifest(folder) == Manifest.from_json((folder / "manifest.json").read_text("utf-8"))
    assert read_manifest(folder).run == run


def test_writing_the_same_again_is_no_op_and_other_content_an_error(tmp_path: Path) -> None:
    folder = write_segment(tmp_path, meta(), rows(2), [], listings_of(rows(2)))
    before = (folder / "manifest.json").stat().st_ino
    assert write_segment(tmp_path, meta(), rows(2), [], listings_of(rows(2))) == folder
    assert (folder / "manifest.json").stat().st_ino == before
    with pytest.raises(SegmentError, match="other content"):
        write_segment(tmp_path, meta(), rows(3), [], listings_of(rows(3)))
    assert [path.name for path in folder.parent.iterdir()] == ["provider=alpha"]


def test_a_folder_without_manifest_is_not_seen_and_makes_room(tmp_path: Path) -> None:
    torn = tmp_path / "segments" / "run=r0" / "provider=alpha"
    torn.mkdir(parents=True)
    (torn / "offers.parquet").write_bytes(b"half")
    (torn.parent / ".provider=beta.1-x.tmp").mkdir()
    assert list(segment_dirs(tmp_path)) == []
    write_segment(tmp_path, meta(), rows(1), [], listings_of(rows(1)))
    assert [(run, provider) for run, provider, _ in segment_dirs(tmp_path)] == [("r0", "alpha")]


@pytest.mark.parametrize(
    ("changes", "made", "word"),
    [
        ({"run_id": "../x"}, [], "no name"),
        ({"provider": "Alpha"}, [], "no name"),
        ({"kind": "guess"}, [], "kind"),
        ({"outcome": "fine"}, [], "outcome"),
        ({"run_id": "r1"}, [offer()], "holds a row of r0/alpha"),
        ({}, [offer(provider="beta")], "holds a row of r0/beta"),
        ({"readings": 2}, [offer()], "1 kept"),
        ({}, [replace(offer(), price=Decimal("NaN"))], "price"),
        ({}, [replace(offer(), price=Decimal("1e13"))], "price"),
        ({}, [replace(offer(), observed_at=datetime(2026, 1, 1))], "no time zone"),
        ({}, [replace(offer(), card=None)], "card"),
    ],
)
def test_what_may_not_be_written(
    tmp_path: Path, changes: dict[str, object], made: list[Offer], word: str
) -> None:
    with pytest.raises(SegmentError, match=word):
        write_segment(tmp_path, meta(**changes), made, [], listings_of(made))
    assert list(segment_dirs(tmp_path)) == []
    assert not list(tmp_path.rglob("*.tmp"))


def test_nothing_is_dropped_in_silence(tmp_path: Path) -> None:
    with pytest.raises(SegmentError, match=r"1 kept \+ 0 rejected \+ 0 held is not 2 parsed"):
        write_segment(tmp_path, meta(), [offer()], [], [*listings_of([offer()]), *listings_of([rejection()])])


@pytest.mark.parametrize(
    "text", ["", "{}", "[]", '{"schema_version": 2}', '{"schema_version": 1, "run": 3}', "\x00"]
)
def test_a_torn_manifest_is_an_error_of_its_own(tmp_path: Path, text: str) -> None:
    (tmp_path / "manifest.json").write_text(text, encoding="utf-8")
    with pytest.raises(SegmentError):
        read_manifest(tmp_path)


@given(st.binary(max_size=200))
def test_any_bytes_as_manifest_end_in_a_segment_error_or_a_manifest(body: bytes) -> None:
    try:
        Manifest.from_json(body.decode("utf-8", "replace"))
    except SegmentError:
        return


@settings(max_examples=50)
@given(
    st.decimals(min_value=Decimal("0.0000001"), max_value=Decimal("99999999999"), allow_nan=False),
    st.datetimes(min_value=datetime(2000, 1, 1), max_value=datetime(2100, 1, 1)),
)
def test_numbers_and_times_survive(value: Decimal, moment: datetime) -> None:
    made = replace(offer(), price=value, observed_at=moment.replace(tzinfo=UTC))
    back = table_of(Offer, [made]).to_pylist()[0]
    assert back["price"] == quantized(value, "price")
    assert abs(back["price"] - value) <= Decimal("0.0000005")
    assert back["observed_at"] == moment.replace(tzinfo=UTC)
