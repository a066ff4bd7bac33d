"""`suanjia probe`: says exactly what has changed, and keeps what it saw when told to."""

from __future__ import annotations

import json
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from market.server import running
from spiders.fixtures import read_meta
from tests.suanjia.cli import NOW, said, suanjia

CLOCK = datetime.fromisoformat(NOW)

# provider, fault → verdict, field that must be named (part), what was expected, what was found (parts)
CASES = {
    ("matpool", None): ("as_expected", "", "", ""),
    ("matpool", "changed_field"): ("changed", "machine/hardware/priceMillicent", "number", "unitPrice"),
    ("matpool", "changed_unit"): ("changed", "machine/hardware/priceMillicent", "number", "priceCent"),
    ("matpool", "login_page"): ("auth_needed", "Content-Type", "application/json", "text/html"),
    ("matpool", "robots_disallow"): ("robots", "", "", ""),
    ("matpool", "rate_limited"): ("blocked", "", "", ""),
    ("matpool", "gone"): ("gone", "", "", ""),
    ("matpool", "server_error"): ("failed", "", "", ""),
    ("ctyun", "changed_header"): ("changed", "column 按需价格", "按需价格（元/小时）", "按量计费（元/小时）"),
    ("ctyun", "changed_field"): ("changed", "column 显卡类型", "显卡类型", "加速卡"),
    ("ctyun", "changed_unit"): ("changed", "unit", "CNY/instance/hour", "day 元"),
    ("ctyun", "captcha"): ("blocked", "", "", ""),
    ("aliyun", "changed_unit"): ("changed", "unit", "CNY/instance", "USD/instance"),
    ("aliyun", "changed_field"): ("changed", "hours", "list", "hourly"),
}
QUICK = {
    ("matpool", None),
    ("matpool", "changed_field"),
    ("ctyun", "changed_header"),
    ("ctyun", "changed_unit"),
}


def visit(home: Path, slug: str, fault: str | None, *options: str, **more: Any) -> tuple[int, Any]:
    with running(CLOCK, [slug], faults={slug: fault} if fault else None) as origins:
        done = suanjia(home, "probe", slug, "--json", *options, origins=dict(origins), **more)
    assert "Traceback" not in done.stderr
    return done.returncode, said(done)


@pytest.mark.parametrize(
    "case", [c if c in QUICK else pytest.param(c, marks=pytest.mark.slow) for c in CASES], ids=str
)
def test_what_changed_is_named(tmp_path: Path, case: tuple[str, str | None]) -> None:
    verdict, field, expected, found = CASES[case]
    code, row = visit(tmp_path, *case)
    assert row["verdict"] == verdict, row
    assert code == (0 if verdict == "as_expected" else 3)
    assert set(row) >= {"provider", "verdict", "robots", "changes"}
    if field:
        named = [c for c in row["changes"] if field in c["field"]]
        assert named, row["changes"]
        assert expected in named[0]["expected"]
        assert found in named[0]["found"]
    elif verdict == "as_expected":
        assert row["changes"] == []
        assert row["sample"][0]["price_cny_per_card_hour"] > 0
    assert not list(tmp_path.rglob("manifest.json")), "a probe publishes nothing"


def test_one_page_is_asked(tmp_path: Path) -> None:
    with running(CLOCK, ["matpool"]) as origins:
        suanjia(tmp_path, "probe", "matpool", "--json", origins=dict(origins))
        asked = [entry["path"] for entry in origins.log]
    assert len(asked) == 2  # robots.txt and the first of two pages
    assert asked[0] == "/robots.txt"


def test_a_changed_robots_file_is_a_change(tmp_path: Path) -> None:
    with running(CLOCK, ["matpool"]) as origins:
        suanjia(tmp_path, "crawl", "matpool", origins=dict(origins))
    code, row = visit(tmp_path, "matpool", "robots_delay")
    assert (code, row["verdict"]) == (3, "changed")
    assert [c["field"] for c in row["changes"]] == ["robots.txt of https://matgo.cn"]


def test_recording(tmp_path: Path) -> None:
    code, row = visit(tmp_path, "matpool", None, "--record")
    assert code == 0
    folder = Path(row["recorded"])
    meta = read_meta(folder)
    assert meta["how_made"] == "recorded"
    assert meta["frozen_time"] == "2026-10-05T02:00:00+00:00"
    assert meta["redacted"] == []
    assert meta["requests"][1]["url"].startswith("https://matgo.cn/api/machine_pools")
    files = [json.loads(line)["file"] for line in (folder / "exchanges.jsonl").read_text().splitlines()]
    assert all((folder / name).is_file() for name in files)
    shown = next(p for p in said(suanjia(tmp_path, "providers", "--json")) if p["slug"] == "matpool")
    assert shown["routes"][0]["known_as"] == "verified_live 2026-10-05"


def test_a_source_that_says_no_is_not_recorded(tmp_path: Path) -> None:
    _, row = visit(tmp_path, "matpool", "login_page", "--record")
    assert "recorded" not in row
    assert not (tmp_path / "fixtures").exists()
