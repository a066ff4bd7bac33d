"""A new version of the method in published generations: never backwards, linked or broken in sight of all."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, date, datetime, timedelta
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

from catalog.providers import load_providers
from pipeline.importing import import_sheet
from warehouse import verify
from warehouse.database import reading
from warehouse.index import method as methods
from warehouse.load import load
from warehouse.publish import publish
from warehouse.reader import latest_path

HEAD = "observed_on,provider,region_raw,card_raw,amount_low,currency,per,mode\n"
MONDAY = date(2026, 8, 31)
CHANGE = MONDAY + timedelta(weeks=10)
BEFORE = datetime(2026, 11, 8, 2, tzinfo=UTC)  # the last Sunday of the old version
AFTER = datetime(2026, 11, 24, 2, tzinfo=UTC)


@pytest.fixture
def second_version(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """1.1.0 beside 1.0.0: a seller's jump by half needs confirming, and counts from the eleventh week on."""
    folder = tmp_path / "methods"
    folder.mkdir()
    old = (files("warehouse") / "index" / "methods" / "1.0.0.toml").read_text(encoding="utf-8")
    (folder / "1.0.0.toml").write_text(old, encoding="utf-8")
    new = old.replace('id = "1.0.0"', 'id = "1.1.0"').replace("few_ratio = 2.0", "few_ratio = 1.4")
    new = new.replace("valid_from = 2018-01-01", f"valid_from = {CHANGE}")
    (folder / "1.1.0.toml").write_text(new, encoding="utf-8")
    monkeypatch.setattr(methods, "_folder", lambda: folder)
    methods.load_method.cache_clear()
    yield folder
    methods.load_method.cache_clear()


def price(seller: str, week: int) -> float:
    """p, q, r creep up; t is half as dear again every other week; u sells another card."""
    if seller == "t":
        return 3.0 if week % 2 else 2.0
    return 2.0 + "pqrtu".index(seller) * 0.1 + 0.01 * week


def sheet(path: Path, weeks: range) -> Path:
    rows = [
        f"{MONDAY + timedelta(weeks=w)},{seller},北京,{'RTX 3090' if seller == 'u' else 'RTX 4090'},"
        f"{price(seller, w):.2f},CNY,hour,on_demand"
        for w in weeks
        for seller in ("pqrtu" if w >= 1 else "pqrt")
    ]
    path.write_text(HEAD + "\n".join(rows) + "\n", encoding="utf-8")
    return path


def published(home: Path, now: datetime, weeks: range) -> None:
    providers = load_providers(home)
    import_sheet(home, sheet(home.parent / f"{weeks.start}.csv", weeks), now, providers)
    load(home, now)
    publish(home, now, providers, "1.0")


def rows(home: Path, card: str = "RTX4090") -> list[dict[str, Any]]:
    """The nation's list index of a card."""
    where = f"card = '{card}' AND series = 'list' AND region_code = 'CN'"
    with closing(reading(latest_path(home))) as con:
        table = con.sql(f"SELECT * FROM price_index WHERE {where} ORDER BY week").to_arrow_table()
    return list(table.to_pylist())


@pytest.mark.slow
def test_a_change_of_the_method_is_linked_and_seen_on_every_value(
    tmp_path: Path, second_version: Path
) -> None:
    home = tmp_path / "home"
    published(home, BEFORE, range(10))
    old = rows(home)
    assert {row["method_version"] for row in old} == {"1.0.0"}
    published(home, AFTER, range(10, 12))
    now = rows(home)
    # What was published stands as it was, with its date and vintage; what comes has the new id.
    told = ("value", "link", "state", "vintage", "published_at", "note", "flags", "method_version")
    assert [[row[name] for name in told] for row in now[:10]] == [[row[name] for name in told] for row in old]
    assert [row["method_version"] for row in now] == ["1.0.0"] * 10 + ["1.1.0"] * 2
    assert [row["week"] for row in now if "method_change" in row["flags"]] == [CHANGE]
    assert now[10]["note"] == "method 1.0.0 to 1.1.0"
    # By the old version t's jumps by half count; by the new one they wait, and t moves with its class.
    assert now[10]["value"] == pytest.approx(now[9]["value"] * now[10]["link"], abs=1e-6)
    assert now[11]["value"] == pytest.approx(now[10]["value"] * now[11]["link"], abs=1e-6)
    assert now[9]["link"] > 1.1
    assert [now[w]["link"] for w in (10, 11)] == pytest.approx([1.002, 1.004], abs=2e-3)
    assert [now[w]["n_quarantined"] for w in (9, 10, 11)] == [0, 0, 1]
    # Nothing of this is a correction.
    with closing(reading(latest_path(home))) as con:
        assert con.execute("SELECT count(*) FROM index_revisions").fetchall() == [(0,)]
        generation = con.execute("SELECT method_version FROM generation").fetchall()
        kept = con.execute(
            "SELECT w.week, w.state FROM index_key_weeks AS w JOIN index_keys AS k ON k.key_no = w.key_no"
            " WHERE w.series = 'list' AND k.provider = 't' AND w.week >= $1 ORDER BY w.week",
            [CHANGE - timedelta(weeks=1)],
        ).fetchall()
    assert generation == [("1.1.0",)]
    assert [state for _, state in kept] == ["kept", "kept", "quarantined"]
    assert list(verify.values_apart(home, latest_path(home), load_providers(home))) == []


@pytest.mark.slow
def test_a_cell_too_young_for_an_overlap_breaks(tmp_path: Path, second_version: Path) -> None:
    # u's card came in the second week and waits three: its base is in week 4, six weeks before the change.
    home = tmp_path / "home"
    published(home, AFTER, range(12))
    told = [(row["state"], row["value"], row["flags"]) for row in rows(home, card="RTX3090")]
    assert len(told) == 8
    assert told[0][:2] == told[6][:2] == ("base", 100.0)
    assert "method_change" in told[6][2]
    assert [row["method_version"] for row in rows(home, card="RTX3090")] == ["1.0.0"] * 6 + ["1.1.0"] * 2


def test_a_version_counts_from_its_monday_on(second_version: Path) -> None:
    assert methods.in_force(CHANGE - timedelta(days=1)).id == "1.0.0"
    assert methods.in_force(CHANGE).id == "1.1.0"
    assert methods.in_force(date(2001, 1, 1)).id == "1.0.0"
    assert [m.id for m in methods.lineage(methods.in_force(CHANGE))] == ["1.0.0", "1.1.0"]
    content = (second_version / "1.1.0.toml").read_text(encoding="utf-8")
    tuesday = content.replace(f"valid_from = {CHANGE}", f"valid_from = {CHANGE + timedelta(days=1)}")
    with pytest.raises(methods.MethodError, match="Monday"):
        methods.parse_method(tuesday.encode(), "1.1.0")
