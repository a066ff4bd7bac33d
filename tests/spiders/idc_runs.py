"""Crawls of declared sellers and shops inside the test process, on the stand-in market or local pages."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from catalog.providers import read_provider
from market.server import running
from pipeline.offer import Offer, Rejection
from pipeline.run import Processed, process
from spiders.config import CrawlConfig
from spiders.listing import Listing
from spiders.registry import declared_class
from tests.spiders.replaying import crawl_here
from tests.spiders.site import Answer, serving

FROZEN = datetime.fromisoformat("2026-10-05T10:00:00+08:00")
FILES = Path(__file__).parent / "idc"
# Provider files whose pages are those of another site of the market.
SITES = {"idc_table_rows": "idc_table", "idc_table_columns": "idc_table", "idc_sold_out": "idc_no_price"}
ORIGIN = "https://www.idc.example"


@dataclass(frozen=True)
class Idc:
    """What a crawl of one provider file gave."""

    listings: list[Listing]
    stats: Mapping[str, Any]
    made: Processed

    @property
    def offers(self) -> list[Offer]:
        return self.made.offers

    @property
    def rejections(self) -> list[Rejection]:
        return self.made.rejections

    @property
    def kinds(self) -> list[str]:
        return [problem["kind"] for problem in self.stats["problems"]]

    @property
    def messages(self) -> str:
        return " ".join(problem["message"] for problem in self.stats["problems"])

    def prices(self) -> list[tuple[str, str, str]]:
        """(card, billing mode, price), sorted."""
        return sorted((o.card, o.billing_mode, f"{o.price.normalize():f}") for o in self.offers)

    def reasons(self) -> list[str]:
        return sorted(rejection.reason for rejection in self.rejections)


def crawl_file(file: Path, origins: Mapping[str, str], where: Path, **more: Any) -> Idc:
    """Crawl what a provider file declares, and interpret it."""
    provider = read_provider(file)
    config = CrawlConfig(
        provider=provider.slug, run_id="run-1", run_dir=where / "run", evidence_dir=where / "evidence",
        now=FROZEN, origins=dict(origins), delay=0.0, timeout=5.0, provider_file=str(file), **more,
    )  # fmt: skip
    listings, stats = crawl_here(config, declared_class(file))
    return Idc(listings, stats, process(listings, "run-1", FROZEN, {provider.slug: provider}))


def crawl_market(slug: str, where: Path, fault: Any = None) -> Idc:
    """Crawl one of the files beside the tests against its stand-in site."""
    site = SITES.get(slug, slug)
    with running(FROZEN, [site], samples=True) as origins:
        if fault is not None:
            origins.fault(site, fault)
        return crawl_file(FILES / f"{slug}.toml", origins, where)


def crawl_pages(toml: str, pages: Mapping[str, str | bytes | Answer], where: Path) -> Idc:
    """Crawl pages of `ORIGIN`, path → body, with the `[source]` and `[read]` of a provider file."""
    file = where / "providers" / "idc_mine.toml"
    file.parent.mkdir(parents=True, exist_ok=True)
    head = f'slug = "idc_mine"\nname = "某某算力"\nclass = "idc"\nhomepage = "{ORIGIN}"\nstatus = "active"\n'
    file.write_text(head + toml, encoding="utf-8")
    routes = {
        path: body if isinstance(body, Answer) or callable(body) else Answer(body, type="text/html")
        for path, body in pages.items()
    }
    with serving(routes) as site:
        return crawl_file(file, {ORIGIN: site.origin}, where)


def page(body: str, head: str = "") -> str:
    """A page around a body."""
    return f'<html><head><meta charset="utf-8">{head}</head><body>{body}</body></html>'
