"""The clouds end to end: a spider against its stand-in inside the test process, and what becomes of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from pathlib import Path
from typing import Any
from uuid import uuid4

from catalog.providers import load_providers
from market.facts import provider_facts
from market.server import running
from pipeline.offer import Offer
from pipeline.run import Processed, process
from spiders.config import CrawlConfig
from spiders.listing import Listing
from spiders.outcome import Ending, Judgement, judge
from spiders.registry import spider_class
from tests.spiders.replaying import crawl_here

NOW = datetime.fromisoformat("2026-10-04T20:00:00+08:00")


@dataclass
class Cloud:
    """One crawl of one cloud: what the spider quoted, how it ended, what the pipeline made of it."""

    listings: list[Listing]
    stats: dict[str, Any]
    config: CrawlConfig
    judged: Judgement
    made: Processed

    @property
    def offers(self) -> list[Offer]:
        """Offers that are not held back."""
        return [offer for offer in self.made.offers if offer.quarantine is None]

    def find(self, **wanted: Any) -> list[Offer]:
        """Offers with these values."""
        return [o for o in self.offers if all(getattr(o, k) == v for k, v in wanted.items())]

    def one(self, **wanted: Any) -> Offer:
        """The single offer with these values."""
        found = self.find(**wanted)
        assert len(found) == 1, (wanted, [(o.sku, o.price, o.billing_mode, o.tier) for o in found])
        return found[0]


def crawl_cloud(
    slug: str,
    folder: Path,
    *,
    now: datetime = NOW,
    samples: bool | None = True,
    fault: str | Mapping[str, Any] | None = None,
    origins: Mapping[str, str] | None = None,
    **more: Any,
) -> Cloud:
    """Crawl the stand-in (or `origins`) and run the pipeline over what counts."""
    if origins is None:
        with running(now, [slug], {slug: fault} if fault else None, samples) as served:
            return crawl_cloud(slug, folder, now=now, origins=served, **more)
    values: dict[str, Any] = {
        "provider": slug, "run_id": "run", "run_dir": folder / f"run-{uuid4().hex[:8]}",
        "evidence_dir": folder / "evidence", "now": now, "origins": dict(origins), "only_mapped": True,
        "delay": 0.0, "timeout": 5.0, "time_limit": 60.0,
    }  # fmt: skip
    config = CrawlConfig(**(values | more))
    listings, stats = crawl_here(config, spider_class(slug))
    judged = judge(Ending(stats))
    counted = [listing for listing in listings if listing.route not in judged.dropped]
    return Cloud(listings, stats, config, judged, process(counted, "run", now, load_providers()))


def facts_of(provider: str, prefix: str = "", now: datetime = NOW) -> dict[tuple[str, ...], Decimal]:
    """The newest dated fact of each good whose id starts with `prefix`: (sku, region, mode) → amount."""
    found = {}
    for fact in provider_facts(provider):
        if fact.since <= now.date() and fact.fact_id.startswith(prefix):
            found[fact.sku, fact.region_raw, fact.mode] = fact.amount
    return found
