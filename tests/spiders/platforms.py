"""The rental platforms end to end inside the test process: a spider against a site, and what comes of it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Any
from uuid import uuid4

from catalog.providers import load_providers
from market.server import running
from pipeline.run import process
from spiders.base import Route, SourceSpider
from spiders.config import CrawlConfig
from spiders.outcome import Ending, judge
from spiders.registry import spider_class
from tests.spiders.clouds import NOW, Cloud
from tests.spiders.replaying import crawl_here
from tests.spiders.site import Answer, serving


def crawl_at(
    spider: type[SourceSpider], folder: Path, origins: Mapping[str, str], *, now: datetime = NOW, **more: Any
) -> Cloud:
    """One crawl of `origins` and the pipeline over what counts."""
    values: dict[str, Any] = {
        "provider": spider.name, "run_id": "run", "run_dir": folder / f"run-{uuid4().hex[:8]}",
        "evidence_dir": folder / "evidence", "now": now, "origins": dict(origins), "only_mapped": True,
        "delay": 0.0, "timeout": 5.0, "time_limit": 60.0,
    }  # fmt: skip
    config = CrawlConfig(**(values | more))
    listings, stats = crawl_here(config, spider)
    judged = judge(Ending(stats))
    counted = [listing for listing in listings if listing.route not in judged.dropped]
    return Cloud(listings, stats, config, judged, process(counted, "run", now, load_providers()))


def crawl_market(
    slug: str,
    folder: Path,
    *,
    spider: type[SourceSpider] | None = None,
    fault: str | Mapping[str, Any] | None = None,
    samples: bool | None = True,
    now: datetime = NOW,
) -> Cloud:
    """One crawl of a stand-in."""
    with running(now, [slug], {slug: fault} if fault else None, samples) as origins:
        return crawl_at(spider or spider_class(slug), folder, origins, now=now)


def crawl_page(slug: str, folder: Path, path: str, body: str) -> Cloud:
    """One crawl of a page written by a test."""
    spider = spider_class(slug)
    with serving({path: Answer(body)}) as site:
        return crawl_at(spider, folder, {spider.origins[0]: site.origin})


def alone(part: type[SourceSpider], slug: str, route: str, *needs: str) -> type[SourceSpider]:
    """A part of a source as a spider of its own: its route without the others."""
    return type(part.__name__, (part,), {"name": slug, "routes": (Route(route, needs=needs),)})


def as_json(value: Any) -> Answer:
    """A JSON answer."""
    return Answer(json.dumps(value, ensure_ascii=False), type="application/json; charset=utf-8")
