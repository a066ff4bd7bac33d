"""Guards over all sources: what every one of them must have, and what none may do."""

from __future__ import annotations

import ast
import csv
import json
from pathlib import Path

import pytest

from catalog.providers import load_providers
from market.sites import all_sites
from pipeline.reading.units import parse_unit
from spiders import fixtures
from spiders.base import SourceSpider
from spiders.config import MIN_DELAY
from spiders.egress import origin_of
from spiders.listing import EVIDENCE_KINDS, SCOPES, Listing
from spiders.registry import class_name, slugs, spider_class
from spiders.settings import BASE, settings_for
from tests.spiders.conftest import NOW, ROOT

PROVIDERS = load_providers()
SOURCES = ROOT / "spiders" / "sources"
MAX_LINES = 60
FORBIDDEN_NAMES = {
    "start_requests", "start", "custom_settings", "download_delay", "update_settings", "from_crawler",
    "allowed_domains", "handle_httpstatus_list", "sleep",
}  # fmt: skip
FORBIDDEN_MODULES = {"requests", "httpx", "aiohttp", "urllib3", "socket", "subprocess", "time", "duckdb"}


def tree(slug: str) -> ast.Module:
    return ast.parse((SOURCES / f"{slug}.py").read_text(encoding="utf-8"))


@pytest.mark.parametrize("slug", slugs())
def test_a_source_is_a_declaration(slug: str) -> None:
    text = (SOURCES / f"{slug}.py").read_text(encoding="utf-8")
    assert len(text.splitlines()) <= MAX_LINES
    assert ast.get_docstring(ast.parse(text)), "what it is, unit, tax, traps, when it was last looked at"
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            assert node.name not in FORBIDDEN_NAMES, f"{slug}: {node.name}"
        assert getattr(node, "attr", "") != "sleep", f"{slug} sleeps"
        if isinstance(node, (ast.Assign, ast.AnnAssign)):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            assert not {getattr(t, "id", "") for t in targets} & FORBIDDEN_NAMES
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            names = [a.name for a in node.names] + [getattr(node, "module", None) or ""]
            assert not {n.partition(".")[0] for n in names} & FORBIDDEN_MODULES


@pytest.mark.parametrize("slug", slugs())
def test_name_file_and_class_agree(slug: str) -> None:
    spider = spider_class(slug)
    assert issubclass(spider, SourceSpider)
    assert (spider.name, spider.__name__) == (slug, class_name(slug))
    assert spider.evidence_kind in EVIDENCE_KINDS
    assert spider.scope in SCOPES


@pytest.mark.parametrize("slug", slugs())
def test_the_allow_list_is_set_and_narrow(slug: str) -> None:
    origins = spider_class(slug).origins
    assert origins
    for origin in origins:
        host = origin.removeprefix("https://")
        assert origin.startswith("https://"), f"{origin}: plain http"
        if host.startswith("*."):
            assert host.count(".") >= 3, f"{origin} allows too much"
        else:
            assert origin_of(origin) == origin
    assert spider_class(slug).custom_settings is None


@pytest.mark.parametrize("slug", slugs())
def test_the_catalog_knows_the_source(slug: str) -> None:
    spider, provider = spider_class(slug), PROVIDERS[slug]
    assert provider.status == "active"
    assert provider.source.spider == slug
    routes = {
        route.name: {name.removeprefix("SUANJIA_") for name in route.needs} for route in provider.routes
    }
    for route in spider.routes:
        if route.extra and route.name not in routes:
            continue  # a second look at a route that the file has
        assert route.name in routes, f"{slug}: route {route.name} is not in the provider file"
        assert set(route.needs) == routes[route.name]
    assert provider.terms.robots.verdict
    assert provider.as_of


@pytest.mark.parametrize("slug", slugs())
def test_it_has_stand_in_fixture_golden_file_and_profile(slug: str) -> None:
    sites = {site.slug: site for site in all_sites()}
    assert slug in sites, "no stand-in in market/sites"
    served = {*sites[slug].origins, *sites[slug].aliases}
    assert {o for o in spider_class(slug).origins if "*" not in o} & served
    meta = fixtures.read_meta(ROOT / "tests" / "fixtures" / slug)
    assert meta["how_made"] in fixtures.HOW
    assert meta["provider"] == slug
    assert (ROOT / "tests" / "golden" / f"{slug}.jsonl").stat().st_size
    profile = json.loads((ROOT / "spiders" / "expected" / f"{slug}.json").read_text(encoding="utf-8"))
    assert set(profile) == {"units", "columns", "content_types"}


@pytest.mark.parametrize("slug", slugs())
def test_every_golden_listing_is_quoted_with_its_provenance(slug: str) -> None:
    spider = spider_class(slug)
    path = ROOT / "tests" / "golden" / f"{slug}.jsonl"
    for line in path.read_text(encoding="utf-8").splitlines():
        listing = Listing.from_json(line)
        assert listing.provider == slug
        assert listing.route in {route.name for route in spider.routes}
        assert len(listing.evidence) == 64
        assert listing.locator
        assert listing.source_url.startswith("https://")
        assert "127.0.0.1" not in line
        if listing.unit is not None:
            assert parse_unit(listing.unit) is not None, listing.unit


def test_every_provider_of_the_facts_is_in_the_catalog() -> None:
    with (ROOT / "market" / "data" / "market_facts.csv").open(encoding="utf-8") as file:
        named = {row["provider"] for row in csv.DictReader(file)}
    assert named <= set(PROVIDERS), f"not in the catalog: {sorted(named - set(PROVIDERS))}"


def test_who_is_not_asked_says_why() -> None:
    for slug, provider in PROVIDERS.items():
        if provider.status in ("closed", "not_built", "excluded"):
            assert provider.reason, slug
            assert provider.as_of or provider.closed_on, slug


def test_no_spider_anywhere_defines_start_requests() -> None:
    for path in (ROOT / "spiders").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            assert getattr(node, "name", "") != "start_requests", path


def test_the_settings_are_those_of_the_table(tmp_path: Path) -> None:
    """What a crawl runs with, against the table: politeness and safety cannot get lost in a refactoring."""
    from scrapy.crawler import Crawler

    from spiders.config import CrawlConfig

    config = CrawlConfig(provider="matpool", run_id="r", run_dir=tmp_path, evidence_dir=tmp_path, now=NOW)
    crawler = Crawler(spider_class("matpool"), settings_for(config))
    effective = crawler.settings
    for name, value in BASE.items():
        if name not in ("DOWNLOAD_DELAY", "DOWNLOAD_TIMEOUT"):
            found = effective.get(name)
            assert (found.copy_to_dict() if hasattr(found, "copy_to_dict") else found) == value, name
    assert effective.getbool("ROBOTSTXT_OBEY")
    assert effective.getfloat("DOWNLOAD_DELAY") >= MIN_DELAY
    assert effective.getint("CONCURRENT_REQUESTS") == 1
    assert 429 not in effective.getlist("RETRY_HTTP_CODES")
    handlers = effective.getdict("DOWNLOAD_HANDLERS")
    assert {scheme for scheme, handler in handlers.items() if handler} == {"http", "https"}
    assert not effective.getbool("TELNETCONSOLE_ENABLED")
    assert not effective.getbool("REMOTE_CONTROL_ENABLED")
    assert effective.getbool("DOWNLOAD_VERIFY_CERTIFICATES")
    assert effective["USER_AGENT"].startswith("suanjia/")


def test_every_active_provider_has_a_spider() -> None:
    wanted = {p.source.spider for p in PROVIDERS.values() if p.status == "active" and p.source.spider}
    assert wanted - set(slugs()) == set()
