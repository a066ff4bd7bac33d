"""One browser crawl at a time on a data directory, whoever starts it; plain crawls do not wait for it."""

from __future__ import annotations

import threading
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

import suanjia.crawl as crawling
from catalog.providers import load_providers
from suanjia.crawl_plan import Plan, Result
from suanjia.settings import Settings

NOW = datetime.fromisoformat("2026-10-05T10:00:00+08:00")


@pytest.mark.parametrize(
    ("slugs", "at_once"), [(("gpufree", "openbayes", "lanrui"), 1), (("matpool", "ctyun", "omniyq"), 2)]
)
def test_browser_crawls_take_turns(
    slugs: tuple[str, ...], at_once: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    running, most, lock = [0], [0], threading.Lock()

    def pretend(self: Any, slug: str, started: datetime) -> Result:
        with lock:
            running[0] += 1
            most[0] = max(most[0], running[0])
        time.sleep(0.3)
        with lock:
            running[0] -= 1
        return Result(slug, "failed", "pretended")

    monkeypatch.setattr(crawling._Crawler, "_crawl", pretend)
    settings = Settings(tmp_path, frozen_now=NOW, environ={})
    plans = [Plan(settings, load_providers(), [slug]) for slug in slugs]
    # Three commands on the same data directory, each in a thread with a ledger and locks of its own.
    with ThreadPoolExecutor(3) as pool:
        done = list(pool.map(lambda plan: crawling.crawl(plan, "run"), plans))
    assert [result.message for results in done for result in results] == ["pretended"] * 3
    assert most[0] == 1 if at_once == 1 else most[0] >= at_once
