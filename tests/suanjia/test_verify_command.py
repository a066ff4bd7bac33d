"""`suanjia verify` over real crawls of the stand-in market: equal, and whatever was touched is named."""

from __future__ import annotations

import json
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import duckdb
import pytest

pytestmark = pytest.mark.slow


def suanjia(home: Path, hour: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [
            sys.executable,
            "-m",
            "suanjia",
            "--home",
            str(home),
            "--now",
            f"2026-11-{hour}:00+08:00",
            *arguments,
        ],
        capture_output=True,
        text=True,
        check=False,
        timeout=280,
    )


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two weekly crawls of a JSON API and of a versioned file, and a generation of each week."""
    home = tmp_path_factory.mktemp("verify") / "home"
    for day in ("16", "23"):
        done = suanjia(home, f"{day}T10:00", "crawl", "--market", "matpool", "aliyun")
        assert done.returncode == 0, done.stderr
        assert suanjia(home, f"{day}T10:30", "load").returncode == 0
        assert suanjia(home, f"{day}T10:40", "publish").returncode == 0
    return home


def verify(home: Path, *arguments: str) -> tuple[int, dict[str, Any]]:
    done = suanjia(home, "23T11:00", "verify", "--json", *arguments)
    assert done.stdout, done.stderr
    return done.returncode, json.loads(done.stdout)


def test_everything_replays_from_the_evidence(home: Path) -> None:
    code, told = verify(home)
    assert (code, told["equal"], told["differences"]) == (0, True, [])
    first = sorted(path.name for path in (home / "published").glob("index-*.duckdb"))[0]
    code, told = verify(home, "--generation", first, "--no-spiders")
    assert (code, told["generation"]) == (0, first)


def test_a_listing_that_the_page_does_not_say_is_named(home: Path) -> None:
    path = next((home / "runs").glob("*/matpool/listings.jsonl"))
    kept = path.read_text(encoding="utf-8")
    lines = kept.splitlines()
    row = json.loads(lines[0])
    lines[0] = json.dumps(row | {"price_text": "0.01"}, ensure_ascii=False, sort_keys=True)
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    try:
        code, told = verify(home)
    finally:
        path.write_text(kept, encoding="utf-8")
    assert code == 5
    assert len(told["differences"]) == 2
    assert all(f"runs/{path.parts[-3]}/matpool/listings.jsonl" in line for line in told["differences"])
    assert any("read then, not now" in line and "0.01" in line for line in told["differences"])


def tampered(home: Path, statement: str) -> tuple[int, list[str]]:
    """What `verify` says of a published file that somebody changed; the file is put back."""
    path = home / "published" / (home / "published" / "LATEST").read_text(encoding="utf-8").strip()
    kept = path.read_bytes()
    path.chmod(0o644)
    try:
        with closing(duckdb.connect(str(path))) as con:
            con.execute(statement)
        code, told = verify(home, "--no-spiders")
    finally:
        path.write_bytes(kept)
    return code, told["differences"]


def test_a_cheapest_fit_that_the_offers_do_not_give_is_named(home: Path) -> None:
    code, found = tampered(home, "UPDATE cheapest_fit SET total_cny_p50 = 0.01 WHERE rank = 1")
    assert code == 5
    assert found
    assert all(": cheapest_fit: " in line and "total_cny_p50 0.01, in the replay" in line for line in found)
    code, found = tampered(home, "DELETE FROM cheapest_fit WHERE rank = 2")
    assert code == 5
    assert all(line.endswith("only in the replay") for line in found)


def test_an_unknown_generation_is_bad_input(home: Path) -> None:
    done = suanjia(home, "23T11:00", "verify", "--generation", "../secret")
    assert done.returncode == 2
    assert "no generation" in done.stderr


def test_without_a_generation_there_is_nothing_to_verify(tmp_path: Path) -> None:
    assert suanjia(tmp_path, "23T11:00", "verify").returncode == 4
