"""Two minutes of the soak: simulated weeks with faults, and everything true at the end."""

from __future__ import annotations

import random
import sqlite3
from collections import Counter
from pathlib import Path

import pytest

from benchmarks.soak import READER, Soak, _mails, run


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_two_minutes() -> None:
    soak, wrong = run(minutes=1.5, weeks=4, seed=7)
    assert soak.weeks and sum(soak.faults.values()) > 0
    assert soak.codes["report 0"] + soak.codes["report 3"] >= len(soak.weeks)
    assert wrong == []


def test_a_mail_twice_and_a_mail_missing_are_seen(tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / "ledger.sqlite") as db:
        db.execute("CREATE TABLE mail_outbox (week TEXT, state TEXT)")
        db.execute("INSERT INTO mail_outbox VALUES ('2026-W41', 'sent')")
    soak = Soak(tmp_path, random.Random(1), "", {}, Counter(), weeks=["2026-W41", "2026-W42"])
    mail = (b"Message-ID: <a@b>\r\n\r\n", [READER])
    assert list(_mails(soak, [mail, mail])) == [
        "sent twice: <a@b>",
        "no mail of 2026-W42: []",
    ]
    soak.weeks.pop()
    assert list(_mails(soak, [mail])) == []
