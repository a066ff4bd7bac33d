"""The ledger: runs, health from runs in a row, bulk files, robots.txt that changes."""

from __future__ import annotations

import os
import sqlite3
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

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
        assert ledger.note_robots("m", [record], START) == []
        assert ledger.note_robots("m", [record], START + timedelta(days=1)) == []
        unreadable = {**record, "sha256": None, "verdict": "unreadable"}
        assert ledger.note_robots("m", [unreadable], START + timedelta(days=2)) == []
        changed = ledger.note_robots("m", [{**record, "sha256": "bb"}], START + timedelta(days=3))
        assert changed == [("https://a.example", "aa", "bb")]
        assert ledger.robots("m") == {"https://a.example": "bb"}


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
