"""An extra route that fails costs its own prices for that run; it makes none of them gone."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from market.server import running
from tests.suanjia.cli import said, suanjia

CONSOLE = {"kind": "server_error", "path": "querynew"}
BY_ROUTE = """
SELECT evidence_kind, state, count(*) AS n FROM offers WHERE provider = 'ctyun' GROUP BY ALL ORDER BY ALL
"""


def week(home: Path, at: str, fault: dict[str, Any] | None) -> dict[str, Any]:
    """Crawl, load and publish at a moment; what the crawl said of the source."""
    with running(datetime.fromisoformat(at), ["ctyun"], {"ctyun": fault} if fault else None) as origins:
        (row,) = said(suanjia(home, "crawl", "ctyun", "--json", now=at, origins=origins))["providers"]
    for command in ("load", "publish"):
        assert suanjia(home, command, now=at).returncode == 0
    assert isinstance(row, dict)
    return row


def asked(home: Path, sql: str) -> Any:
    return said(suanjia(home, "sql", sql, "--json", now="2026-10-08T10:00:00+08:00"))


@pytest.mark.slow
def test_offers_of_a_route_that_failed_are_neither_missing_nor_gone(tmp_path: Path) -> None:
    assert week(tmp_path, "2026-10-05T10:00:00+08:00", None)["outcome"] == "ok"
    whole = asked(tmp_path, BY_ROUTE)
    for day in (6, 7):
        told = week(tmp_path, f"2026-10-0{day}T10:00:00+08:00", CONSOLE)
        assert told["outcome"] == "ok"
        assert "price left out" in told["message"]
    assert asked(tmp_path, "SELECT complete FROM runs ORDER BY run_id") == [
        {"complete": True}, {"complete": False}, {"complete": False}
    ]  # fmt: skip
    # Nothing has aged towards its end, and the route that was read is as young as the last crawl.
    assert asked(tmp_path, BY_ROUTE) == whole
    ages = "SELECT evidence_kind, max(observed_at)::DATE::VARCHAR AS day FROM offers GROUP BY 1 ORDER BY 1"
    assert {row["evidence_kind"]: row["day"] for row in asked(tmp_path, ages)} == {
        "catalog": "2026-10-05", "pricing": "2026-10-07"
    }  # fmt: skip
    assert week(tmp_path, "2026-10-08T10:00:00+08:00", None)["outcome"] == "ok"
    assert asked(tmp_path, BY_ROUTE) == whole
