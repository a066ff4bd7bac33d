"""The ledger: runs, health from runs in a row, bulk files, robots.txt that changes."""

from __future__ import annotations

import os
import sqlite3
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from suanjia import robots_log
from suanjia.ledger import BAD_RUNS, Ledger, LedgerError

START = datetime(2026, 10, 5, 2, tzinfo=UTC)


def run(ledger: Ledger, number: int, outcome: str, message: str = "") -> datetime:
    at = START + timedelta(days=number)
    ledger.start(f"run-{number}", "matpool", at)
    ledger.finish(f"run-{number}", "matpool", at, outcome, message=message, offers=number)
    return at


def test_health_counts_bad_runs_in_a_row(tmp_path: Path) -> None:
    with Ledger(tmp_path) as ledger:
        assert ledger.health("matpool").state == "never"
        run(ledger, 0, "failed")
        good = run(ledger, 1, "ok")
        assert ledger.health("matpool").state == "good"
        first = run(ledger, 2, "failed", "timeout")
        health = ledger.health("matpool")
        assert (health.state, health.bad_in_a_row, health.since) == ("shaky", 1, first)
        run(ledger, 3, "layout_changed")
        run(ledger, 4, "layout_changed", "field gone")
        health = ledger.health("matpool")
        assert BAD_RUNS == 3
        assert (health.state, health.bad_in_a_row, health.kind) == ("broken", 3, "layout_changed")
        assert (health.since, health.last_ok, health.message) == (first, good, "field gone")
        run(ledger, 5, "ok")
        assert ledger.health("matpool").state == "good"


def test_interrupted_runs_say_nothing_about_the_source(tmp_path: Path) -> None:
    with Ledger(tmp_path) as ledger:
        run(ledger, 0, "ok")
        ledger.start("run-9", "matpool", START + timedelta(days=9), pid=999_999)
        assert ledger.interrupt_stale() == 1
        assert ledger.runs("matpool")[0].state == "interrupted"
        assert ledger.health("matpool").state == "good"
        ledger.start("run-10", "matpool", START + timedelta(days=10), pid=os.getpid())
        assert ledger.interrupt_stale() == 0


def test_files_and_robots(tmp_path: Path) -> None:
    record = {
        "origin": "https://a.example",
        "status": 200,
        "sha256": "aa",
        "verdict": "rules",
        "crawl_delay": None,
    }
    with Ledger(tmp_path) as ledger:
        ledger.remember_files("aliyun", {"https://x/f": {"version": "2", "evidence": "ab"}}, START)
        ledger.remember_files("aliyun", {"https://x/f": {"version": "3", "evidence": "cd"}}, START)
        assert ledger.known_files("aliyun") == {"https://x/f": {"version": "3", "evidence": "cd"}}
        assert robots_log.note(ledger, "m", [record], START) == []
        assert robots_log.note(ledger, "m", [record], START + timedelta(days=1)) == []
        for day, sha in ((2, None), (3, "the page of a 503")):
            unreadable = {**record, "sha256": sha, "status": sha and 503, "verdict": "unreadable"}
            assert robots_log.note(ledger, "m", [unreadable], START + timedelta(days=day)) == []
        assert robots_log.note(ledger, "m", [record], START + timedelta(days=4)) == []
        assert robots_log.waiting(ledger) == []
        changed = robots_log.note(ledger, "m", [{**record, "sha256": "bb"}], START + timedelta(days=5))
        assert changed == [("https://a.example", "aa", "bb")]
        assert robots_log.known(ledger, "m") == {"https://a.example": "bb"}
        gone = {**record, "sha256": "some 404 page", "status": 404, "verdict": "none"}
        assert robots_log.note(ledger, "m", [gone], START + timedelta(days=6)) == [
            ("https://a.example", "bb", "none")
        ]
        again = {**gone, "sha256": "another 404 page"}
        assert robots_log.note(ledger, "m", [again], START + timedelta(days=7)) == []
        assert robots_log.known(ledger, "m") == {}
        items = robots_log.waiting(ledger)
        assert [item["id"] for item in items] == ["robots:m/a.example/none", "robots:m/a.example/bb"]
        (file,) = robots_log.seen(ledger, "m")
        assert (file["verdict"], file["status"]) == ("none", 404) and file["review"].startswith("robots:m/")
        for by, why in ((None, "read"), ("me", " ")):
            with pytest.raises(robots_log.ReviewError, match="needs"):
                robots_log.settle(ledger, [items[0]["id"]], by, why, START)
        with pytest.raises(robots_log.ReviewError, match="does not wait"):
            robots_log.settle(ledger, [items[0]["id"], "robots:m/x/y"], "me", "read", START)
        assert len(robots_log.waiting(ledger)) == 2
        robots_log.settle(ledger, [item["id"] for item in items], "me", "read it", START)
        assert robots_log.waiting(ledger) == [] and robots_log.seen(ledger, "m")[0]["review"] is None


def test_verified_routes_carry_the_day_in_shanghai(tmp_path: Path) -> None:
    with Ledger(tmp_path) as ledger:
        ledger.verify("m", ["pools"], datetime(2026, 10, 4, 17, tzinfo=UTC))
        assert ledger.verified("m") == {"pools": "verified_live 2026-10-05"}


def test_bad_files_and_columns_are_named(tmp_path: Path) -> None:
    with Ledger(tmp_path) as ledger:
        ledger.start("r", "m", START)
        with pytest.raises(ValueError, match="colour"):
            ledger.finish("r", "m", START, "ok", colour="red")
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken" / "ledger.sqlite").write_bytes(b"not a database at all, really" * 10)
    with pytest.raises(LedgerError, match=r"ledger\.sqlite"):
        Ledger(tmp_path / "broken")
    newer = tmp_path / "newer"
    newer.mkdir()
    with sqlite3.connect(newer / "ledger.sqlite") as db:
        db.execute("PRAGMA user_version = 99")
    db.close()
    with pytest.raises(LedgerError, match="newer version"):
        Ledger(newer)


def test_a_ledger_that_cannot_be_written_is_looked_at(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Ledger(tmp_path) as ledger:
        run(ledger, 0, "ok")
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    with Ledger(tmp_path, look=True) as ledger:
        assert ledger.health("matpool").state == "good"
        with pytest.raises(sqlite3.OperationalError, match="readonly"):
            run(ledger, 1, "ok")
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before
