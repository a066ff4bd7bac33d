"""The real, dated history through import, load and index: what is known to be wrong in it moves nothing."""

from __future__ import annotations

import csv
import json
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from catalog.providers import load_providers
from pipeline.importing import import_sheet
from warehouse.load import load
from warehouse.publish import publish as build

FACTS = Path(__file__).parents[3] / "market" / "data" / "market_facts.csv"
KNOWN_ERROR = "KNOWN ERROR"
NOW = datetime(2026, 11, 30, 10, tzinfo=UTC)
Row = dict[str, str]

pytestmark = pytest.mark.slow


def suanjia(home: Path, *arguments: str, code: tuple[int, ...] = (0,)) -> str:
    """Run the program on a data directory with a frozen clock; its standard output."""
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "suanjia",
            "--home",
            str(home),
            "--now",
            "2026-11-30T18:00:00+08:00",
            *arguments,
        ],
        capture_output=True,
        text=True,
        check=False,
        timeout=240,
    )
    assert done.returncode in code, done.stderr
    return done.stdout


def sql(home: Path, query: str) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = json.loads(suanjia(home, "sql", query, "--format", "json"))
    return rows


def facts() -> list[Row]:
    with FACTS.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def written(path: Path, rows: list[Row]) -> Path:
    """Rows as a sheet."""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    return path


def publish(home: Path, *sheets: list[Row]) -> Path:
    """Import each list of rows as a sheet of its own, then load and publish."""
    for number, rows in enumerate(sheets):
        path = written(home.parent / f"{home.name}-{number}.csv", rows)
        suanjia(home, "import", str(path), code=(0, 3))
    suanjia(home, "load")
    suanjia(home, "publish")
    return home


@pytest.fixture(scope="module")
def history(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data directory with all the facts as they stand."""
    return publish(tmp_path_factory.mktemp("facts") / "home", facts())


def errors() -> list[Row]:
    return [row for row in facts() if row["note"].startswith(KNOWN_ERROR)]


def test_known_errors_are_no_offers_as_they_stand(history: Path) -> None:
    wrong = errors()
    assert len(wrong) == 47
    # 500万 and 55万 for eight RTX 5090 a month, in CNY per card-hour: 856.16 and 94.18.
    found = sql(
        history,
        "SELECT count(*) AS n FROM observations WHERE card = 'RTX5090' AND price_cny_per_card_hour > 50",
    )
    assert found == [{"n": 0}]
    # No published cell knows a price above the dearest honest one of its card.
    high = sql(
        history,
        "SELECT max(w.price) AS top FROM index_key_weeks AS w JOIN index_keys AS k ON k.key_no = w.key_no"
        " WHERE k.card IN ('H100-80G', 'H800-80G') AND w.state = 'kept'",
    )
    assert high[0]["top"] is None or high[0]["top"] < 50
    refused = {row["reason"] for row in sql(history, "SELECT DISTINCT reason FROM rejections")}
    assert "not_an_offer" in refused


CELLS = "SELECT * EXCLUDE (vintage, published_at, n_quarantined) FROM price_index ORDER BY ALL"
LEVELS = "SELECT * FROM price_level ORDER BY ALL"


def published_with(home: Path, lies: list[Row]) -> Path:
    """The facts, and each lie as a sheet of its own: repetition by one seller releases nothing."""
    providers = load_providers(home)
    for number, rows in enumerate([facts(), *([row] for row in lies)]):
        import_sheet(home, written(home.parent / f"{home.name}-{number}.csv", rows), NOW, providers)
    load(home, NOW)
    build(home, NOW, providers, "1")
    return home


def as_seller(rows: list[Row], provider_class: str | None) -> list[Row]:
    """Rows told as a seller's list prices, in a class or in the one they have."""
    told = {"trust": "seller", "price_kind": "list"}
    return [row | told | ({"provider_class": provider_class} if provider_class else {}) for row in rows]


@pytest.mark.parametrize("provider_class", [None, "marketplace", "cloud", "idc", "assessment", "article"])
def test_the_same_rows_as_seller_prices_are_held_or_refused_and_move_nothing(
    history: Path, tmp_path: Path, provider_class: str | None
) -> None:
    lies = as_seller([row for row in errors() if row["amount_low"] in ("5000000", "550000")], provider_class)
    assert len(lies) == 7
    home = published_with(tmp_path / "home", lies)
    refused = "SELECT count(*) AS n FROM rejections WHERE reason = 'implausible' AND provider = 'smm'"
    assert sql(home, refused) == [{"n": 4}]
    told = sql(home, "SELECT quarantine, count(*) AS n FROM observations WHERE provider = 'smm' GROUP BY ALL")
    assert told == [{"quarantine": "level_hold", "n": 3}]
    assert sql(home, CELLS) == sql(history, CELLS)
    assert sql(home, LEVELS) == sql(history, LEVELS)
    assert sql(home, "SELECT count(*) AS n FROM offers WHERE provider = 'smm'") == [{"n": 0}]


def test_an_articles_estimates_move_nothing_though_a_sheet_calls_them_a_sellers(
    history: Path, tmp_path: Path
) -> None:
    # H100 at 105.6, A100 at 18.1, H800 at 58 an hour: nobody sold them by the hour in the month before.
    lies = as_seller([row for row in errors() if row["provider"] == "cmis"], None)
    assert sorted(row["amount_low"] for row in lies) == ["105.6", "18.1", "58"]
    home = published_with(tmp_path / "home", lies)
    assert sql(home, CELLS) == sql(history, CELLS)
    assert sql(home, LEVELS) == sql(history, LEVELS)


def test_a_switch_of_sources_is_visible(history: Path) -> None:
    # RTX 5090 by the month: omniyq until August, compshare in September; no common seller, no link.
    rows = sql(
        history,
        "SELECT week, state, value, flags FROM price_index WHERE series = 'list' AND region_code = 'CN'"
        " AND card = 'RTX5090' AND billing_mode = 'monthly' AND value IS NOT NULL ORDER BY week",
    )
    switched = [row for row in rows if "source_switch" in row["flags"]]
    assert [row["state"] for row in switched] == ["base"]
    assert switched[0]["value"] == 100


def test_a_cell_explains_itself(history: Path) -> None:
    steps = json.loads(suanjia(history, "explain", "cell:list/CN/RTX5090/monthly/2026-W31", "--json"))[
        "steps"
    ]
    told = [step["what"].strip() for step in steps]
    assert told.count("kept 采用") == 1
    seen = [step for step in steps if "observation" in step["what"]]
    # Captured on Monday 07-27 and on the weekend of 08-01, 08-02.
    assert len(seen) == 3
    assert all(step["from"].startswith("obs:") and "2.054795" in step["value"] for step in seen)
    suanjia(history, "explain", seen[0]["from"])
    suanjia(history, "explain", "cell:list/CN/NOCARD/monthly/2026-W31", code=(4,))
    suanjia(history, "explain", "cell:list/CN/RTX5090/monthly", code=(2,))


def test_the_command_shows_series_levels_and_formats(history: Path) -> None:
    cell = ("--region", "全国", "--card", "RTX 5090", "--mode", "monthly")
    rows = json.loads(suanjia(history, "index", *cell, "--json"))
    assert rows[0]["series"] == "list"
    assert {"value", "link", "grade", "coverage", "flags", "vintage"} <= set(rows[0])
    text = suanjia(history, "index", *cell)
    # One key is too thin to print: no figure but the bases.
    assert "suppressed" in text
    lines = suanjia(history, "index", *cell, "--format", "csv").splitlines()
    assert len(lines) == len(rows) + 1
    levels = json.loads(suanjia(history, "index", *cell, "--levels", "--json"))
    assert {row["median"] for row in levels} >= {2.054795, 2.635068}
    some = json.loads(suanjia(history, "index", *cell, "--from", "2026-W31", "--to", "2026-W32", "--json"))
    assert [row["week"] for row in some] == ["2026-07-27", "2026-08-03"]
    suanjia(history, "index", "--card", "RTX9999", code=(2,))
    suanjia(history, "index", "--region", "nowhere", code=(2,))
    suanjia(history, "index", "--from", "soon", code=(2,))
    suanjia(history, "index", "--series", "promo", "--card", "T4", "--mode", "spot", code=(4,))
