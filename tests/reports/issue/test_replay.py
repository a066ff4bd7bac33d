"""Invariants 1 and 10 of cases.md: replaying an archive gives every index value and the mail again, byte for
byte, and the order of its rows changes nothing."""

from __future__ import annotations

import csv
import hashlib
import os
import random
import shutil
import subprocess
import sys
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from reports.issue.archive import vintages
from reports.mail.compose import Copy
from spiders.config import CrawlConfig
from spiders.evidence import EvidenceStore
from spiders.replay_rows import EXCHANGES
from suanjia import crawl
from suanjia.cli import cli
from warehouse.reader import open_latest

pytestmark = pytest.mark.slow

NOW = "2026-11-30T10:00:00+08:00"
HEAD = (
    "observed_at",
    "provider",
    "card_raw",
    "amount_low",
    "currency",
    "per",
    "mode",
    "region_raw",
    "source_url",
)
CARDS = {"RTX 4090": "2.00", "A100 80GB": "6.50", "RTX 3090": "1.30"}
SELLERS = {"autodl": "", "matpool": "", "aliyun": "北京", "ctyun": "广州", "tencent": "张家口"}


def sheet() -> list[tuple[str, ...]]:
    """Three weeks of five sellers; every price moves a little, one row has no unit and one no known card."""
    rows = []
    for week in range(3):
        day = datetime.fromisoformat("2026-11-15T12:00:00+08:00") + timedelta(weeks=week)
        for place, (seller, region) in enumerate(SELLERS.items()):
            for card, price in CARDS.items():
                amount = f"{float(price) * (1 + place / 10) * (1 - week / 50):.2f}"
                url = f"https://www.example.com/{seller}"
                rows.append((day.isoformat(), seller, card, amount, "CNY", "hour", "on_demand", region, url))
    rows.append((day.isoformat(), "autodl", "RTX 4090", "9.99", "CNY", "", "on_demand", "", ""))
    rows.append((day.isoformat(), "autodl", "RTX 9999", "9.99", "CNY", "hour", "on_demand", "", ""))
    return rows


def run(home: Path, *args: str) -> None:
    command = [sys.executable, "-m", "suanjia", "--home", str(home), "--now", NOW, *args]
    done = subprocess.run(
        command, env={"PATH": os.environ["PATH"]}, capture_output=True, text=True, check=False
    )
    assert done.returncode in {0, 3}, done.stderr


def imported(home: Path, rows: list[tuple[str, ...]]) -> Path:
    """A data directory made from a sheet, up to the published generation."""
    path = home.parent / "sheet.csv"
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8", newline="") as out:
        csv.writer(out).writerows([HEAD, *rows])
    run(home, "import", str(path))
    return published(home)


def published(home: Path) -> Path:
    for step in ("load", "publish", "report"):
        run(home, step)
    return home


def index(home: Path) -> list[tuple[Any, ...]]:
    """Every published value, without the times of the build."""
    con, _ = open_latest(home)
    try:
        return con.execute("SELECT * EXCLUDE (published_at) FROM price_index ORDER BY ALL").fetchall()
    finally:
        con.close()


def parts(home: Path, week: str = "2026-W48") -> dict[str, bytes]:
    """Every part of the issue, and the mail in both languages."""
    (issue,) = vintages(home, week)
    found = {path.name: path.read_bytes() for path in issue.folder.iterdir() if path.name != "manifest.json"}
    for lang in ("zh", "en"):
        found[f"{lang}.eml"] = Copy.of(issue, lang).mail("w@example.com", "r@example.com")
    return found


@pytest.fixture(scope="module")
def first(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return imported(tmp_path_factory.mktemp("first") / "home", sheet())


def test_the_issue_stands_on_an_index_and_on_fits(first: Path) -> None:
    text = parts(first)["report.zh.txt"].decode()
    assert "RTX4090 按量" in text
    assert "本期没有最低价匹配" not in text
    assert len(index(first)) > 20


def test_replaying_the_segments_gives_every_value_and_the_mail(first: Path, tmp_path: Path) -> None:
    again = tmp_path / "home"
    for name in ("segments", "evidence"):
        if (first / name).is_dir():
            shutil.copytree(first / name, again / name)
    published(again)
    assert index(again) == index(first)
    assert parts(again) == parts(first)


def test_the_order_of_the_rows_changes_no_byte(first: Path, tmp_path: Path) -> None:
    rows = sheet()
    random.Random(7).shuffle(rows)
    shuffled = imported(tmp_path / "home", rows)
    assert index(shuffled) == index(first)
    assert parts(shuffled) == parts(first)


def test_another_price_is_another_mail(first: Path, tmp_path: Path) -> None:
    rows = [(*row[:3], "1.11", *row[4:]) if row[1:3] == ("autodl", "RTX 4090") else row for row in sheet()]
    other = imported(tmp_path / "home", rows)
    assert index(other) != index(first)
    assert parts(other)["zh.eml"] != parts(first)["zh.eml"]


# from evidence: what the sites answered, and the sheets as they were given

CRAWLED = ("autodl", "ctyun", "matpool")
SUNDAYS = ("2026-09-27", "2026-10-04")


def call(home: Path, now: str, *args: str) -> None:
    """A command in this process, so that a test may change what it is made of."""
    done = CliRunner().invoke(cli, ["--home", str(home), "--now", now, *args], standalone_mode=False)
    assert done.exception is None, (args, done.output, done.exception)
    assert done.return_value in {None, 0, 3, 4}, (args, done.output)


def crawled(home: Path) -> Path:
    """Two Sunday evenings on the stand-in market, one sheet, published with its issue."""
    path = home.parent / "sheet.csv"
    if not path.exists():
        path.parent.mkdir(parents=True)
        with path.open("w", encoding="utf-8", newline="") as out:
            csv.writer(out).writerows(
                [HEAD, *((f"{day}T12:00:00+08:00", "tencent", "RTX 4090", "2.10", *REST) for day in SUNDAYS)]
            )
    for day in SUNDAYS:
        call(home, f"{day}T20:00:00+08:00", "crawl", "--market", *CRAWLED)
    for step in (("import", str(path)), ("load",), ("publish",), ("report",)):
        call(home, "2026-10-05T10:00:00+08:00", *step)
    return home


REST = ("CNY", "hour", "on_demand", "广州", "https://www.example.com/tencent")


def test_replaying_the_evidence_gives_every_value_and_the_mail(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The spiders run again over the answers they were given, and nobody else is asked."""
    first = crawled(tmp_path / "first" / "home")
    again = tmp_path / "again" / "home"
    again.parent.mkdir()
    sheet_kept = hashlib.sha256((tmp_path / "first" / "sheet.csv").read_bytes()).hexdigest()
    (again.parent / "sheet.csv").write_bytes(EvidenceStore(first / "evidence").read(sheet_kept))
    (tmp_path / "first" / "sheet.csv").unlink()
    shutil.copytree(first / "evidence", again / "evidence")
    original = crawl._Crawler._config

    def from_evidence(self: Any, slug: str, started: datetime) -> CrawlConfig:
        answers = first / "runs" / self.run_id / slug
        assert (answers / EXCHANGES).is_file()
        config = original(self, slug, started)
        return replace(config, replay=str(answers), origins={}, only_mapped=False)

    monkeypatch.setattr(crawl._Crawler, "_config", from_evidence)
    crawled(again)
    assert len(index(first)) > 20
    assert index(again) == index(first)
    assert parts(again, "2026-W40") == parts(first, "2026-W40")
