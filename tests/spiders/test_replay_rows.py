"""Recorded requests are read line by line as they were written."""

from __future__ import annotations

import json
from pathlib import Path

from spiders.replay_rows import EXCHANGES, read_rows

BREAKS = ("\u2028", "\u2029", "\u0085", "\x0b", "\x0c", "\x1c", "\r")


def test_a_line_break_of_unicode_inside_an_address_parts_no_line(tmp_path: Path) -> None:
    rows = [{"url": f"https://a.example/?q=x{mark}y"} for mark in BREAKS]
    text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    (tmp_path / EXCHANGES).write_text(text, encoding="utf-8")
    assert read_rows(tmp_path) == rows


def test_a_crawl_that_asked_nothing_has_no_rows(tmp_path: Path) -> None:
    assert read_rows(tmp_path) == []
