"""A crawl as users run it: a real subprocess against local sites."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from spiders.config import CrawlConfig
from spiders.listing import Listing, read_listings

NOW = datetime(2026, 11, 30, 2, 0, tzinfo=UTC)
ROOT = Path(__file__).parents[2]
MARKET_KEYS = {
    "SUANJIA_AUTODL_TOKEN": "market-test-token",
    "SUANJIA_COMPSHARE_PUBLIC_KEY": "market-test-public-key",
    "SUANJIA_COMPSHARE_PRIVATE_KEY": "market-test-private-key",
    "SUANJIA_GONGJI_TOKEN": "market-test-token",
    "SUANJIA_GPUSHARE_TOKEN": "market-test-token",
    "SUANJIA_KSYUN_PUBLIC_KEY": "market-test-public-key",
    "SUANJIA_KSYUN_PRIVATE_KEY": "market-test-private-key",
    "SUANJIA_PPIO_TOKEN": "market-test-token",
    "SUANJIA_UCLOUD_PUBLIC_KEY": "market-test-public-key",
    "SUANJIA_UCLOUD_PRIVATE_KEY": "market-test-private-key",
}


@dataclass
class Crawled:
    """What a child left behind."""

    listings: list[Listing]
    stats: dict[str, Any]
    log: str
    code: int
    config: CrawlConfig

    def kinds(self) -> list[str]:
        return [p["kind"] for p in self.stats.get("problems", [])]


Crawl = Callable[..., Crawled]


@pytest.fixture
def config(tmp_path: Path) -> Callable[..., CrawlConfig]:
    """A configuration without delays; keyword arguments override."""

    def make(provider: str, origins: dict[str, str], **more: Any) -> CrawlConfig:
        values: dict[str, Any] = {
            "provider": provider,
            "run_id": "run-1",
            "run_dir": tmp_path / "run",
            "evidence_dir": tmp_path / "evidence",
            "now": NOW,
            "origins": origins,
            "delay": 0.0,
            "timeout": 5.0,
            "time_limit": 60.0,
        }
        return CrawlConfig(**(values | more))

    return make


@pytest.fixture
def crawl(config: Callable[..., CrawlConfig]) -> Crawl:
    """Run `python -m spiders.child` and read what it wrote."""

    def run(
        provider: str, origins: dict[str, str], env: dict[str, str] | None = None, **more: Any
    ) -> Crawled:
        told = config(provider, origins, **more)
        return run_child(told, env or {})

    return run


def run_child(told: CrawlConfig, env: dict[str, str]) -> Crawled:
    """One child process, its output and its files."""
    done = subprocess.run(
        [sys.executable, "-m", "spiders.child"],
        input=told.to_json(),
        text=True,
        capture_output=True,
        cwd=ROOT,
        env={**os.environ, **env},
        timeout=120,
        check=False,
    )
    stats = told.run_dir / "stats.json"
    listings = told.run_dir / "listings.jsonl"
    return Crawled(
        list(read_listings(listings)) if listings.exists() else [],
        json.loads(stats.read_text(encoding="utf-8")) if stats.exists() else {},
        done.stderr,
        done.returncode,
        told,
    )


def listing(**values: Any) -> Listing:
    """A listing of nobody; keyword arguments override."""
    given: dict[str, Any] = {
        "provider": "nobody", "route": "public", "observed_at": NOW, "evidence": "", "locator": "",
        "source_url": "https://nobody.example/", "evidence_kind": "page", "scope": "national",
    }  # fmt: skip
    return Listing(**(given | values))
