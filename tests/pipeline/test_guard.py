"""Texts that a spreadsheet would run, as cells that it does not."""

from __future__ import annotations

import csv
import io

import duckdb
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.guard import guarded, guarded_sql, unguarded
from pipeline.sheet_file import read_file

TEXTS = st.text(st.sampled_from("'=+-@\t\r\n＝＋－＠1.5aé张"), max_size=8)


@given(TEXTS)
def test_guarded_never_runs_and_comes_back(text: str) -> None:
    cell = guarded(text)
    assert unguarded(cell) == text
    plain = cell.removeprefix("-").removeprefix("+").replace(".", "", 1).isdigit()
    assert plain or cell[:1] not in set("=+-@\t\r\n＝＋－＠")


@pytest.mark.parametrize("text", ["", "1.5", "-1.5", "+2", "RTX 4090", "'quoted'", "a=b", "张家口", "5-6"])
def test_numbers_and_words_stay(text: str) -> None:
    assert guarded(text) == text == unguarded(text)


@settings(deadline=None)
@given(st.lists(TEXTS, min_size=1, max_size=20))
def test_the_database_guards_alike(texts: list[str]) -> None:
    with duckdb.connect() as con:
        rows = con.execute(f"SELECT {guarded_sql('x')} FROM (SELECT unnest($1) AS x)", [texts]).fetchall()
    assert [row[0] for row in rows] == [guarded(text) for text in texts]


def test_a_sheet_of_our_own_reads_back() -> None:
    notes = ["=1+1", "@SUM(A1)", "-2+3", "'=x", "＝1", "+1.5", "-3", "plain"]
    out = io.StringIO(newline="")
    writer = csv.writer(out)
    writer.writerow(["observed_on", "provider", "card_raw", "amount_low", "currency", "per", "mode"])
    writer.writerows(["2026-10-01", "x", guarded(note), "2.18", "CNY", "hour", "on_demand"] for note in notes)
    rows = list(read_file("own.csv", out.getvalue().encode()))
    assert [row["card_raw"] for _, _, row in rows if row] == notes
