"""Two minutes of the soak: simulated weeks with faults, and everything true at the end."""

from __future__ import annotations

import sqlite3
from datetime import timedelta
from pathlib import Path

import pytest

from benchmarks.soak import KILLS, run
from benchmarks.soak_checks import _files, _memory, owed, posted
from benchmarks.soak_diary import START, Soak


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_two_minutes() -> None:
    soak, wrong, figures = run(minutes=1.5, weeks=3, seed=7)
    assert wrong == [], (wrong, figures)
    assert soak.deaths and len(soak.deaths) <= KILLS
    codes, met = soak.total("codes"), soak.total("met")
    assert codes["crawl 0"] > 0 and sum(met.values()) > 5, (codes, met)
    # What the minutes sufficed for is owed in full.
    assert len(owed(soak)) == (soak.reached - START - timedelta(hours=10)) // timedelta(weeks=1)


def test_a_mail_twice_and_a_mail_missing_are_seen(tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / "ledger.sqlite") as db:
        db.execute("CREATE TABLE mail_outbox (list TEXT, week TEXT, state TEXT, message_id TEXT)")
        db.execute("INSERT INTO mail_outbox VALUES ('weekly', '2026-W41', 'sent', '<a.v1@b>')")
        db.execute("INSERT INTO mail_outbox VALUES ('operator', '2026-W41', 'sent', '<f@b>')")
    mail = b"Message-ID: <a.v1@b>\r\n\r\n"
    assert list(posted(tmp_path, ["2026-W41"], [mail])) == []
    assert list(posted(tmp_path, ["2026-W41", "2026-W42"], [mail, mail])) == [
        "sent twice: <a.v1@b>",
        "no mail of 2026-W42: []",
        "2 mails of 1 weeks",
    ]
    assert list(posted(tmp_path, ["2026-W41"], [])) == ["2026-W41 counts as sent, nothing arrived"]
    odd = b"Message-ID: <dead@b>\r\nSubject: silence\r\n\r\n"
    assert list(posted(tmp_path, ["2026-W41"], [mail, odd])) == ["a mail nobody should get: silence"]


def test_growth_is_seen(tmp_path: Path) -> None:
    flat = [{"pid": 1, "rss_mb": 200.0, "fds": 9, "threads": 2} for _ in range(100)]
    assert list(_memory(flat)) == []
    loading = [{**day, "rss_mb": 85.0, "modules": 300} for day in flat[:40]]
    assert list(_memory([*loading, *({**day, "modules": 900} for day in flat)])) == []
    leak = [{**day, "rss_mb": 200.0 + n} for n, day in enumerate(flat)]
    assert [line.split()[0] for line in _memory(leak)] == ["rss_mb"]
    fds = [{**day, "fds": 9 + n // 10} for n, day in enumerate(flat)]
    assert [line.split()[0] for line in _memory(fds)] == ["fds"]
    soak = Soak(tmp_path / "home", 1)
    for folder in (soak.home / "segments", soak.home / "published", soak.tmp):
        folder.mkdir(parents=True)
    soak.diary = [{"files": {"evidence": 50, "segments": 4 * n, "site": n}} for n in range(200)]
    assert list(_files(soak)) == []
    soak.diary = [{"files": {"evidence": 50 + n}} for n in range(200)]
    (soak.tmp / "suanjia-x").mkdir()
    assert [line.split(":")[0] for line in _files(soak)] == [
        "left in the temporary folder",
        "files of evidence",
    ]
