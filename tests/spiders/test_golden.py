"""Golden files: what each spider makes of a fixture, reviewed by a person.

A source without a golden file fails. `pytest --golden-write tests/spiders/test_golden.py` writes fixture
(from the stand-in market, labelled `rebuilt`), golden file and profile where they are missing or differ,
and fails: look at the difference, then commit it. CI refuses the flag. A fixture recorded by `suanjia probe
--record` goes to `tests/fixtures/<slug>` as it is and is never overwritten from here.
"""

from __future__ import annotations

import json
from datetime import datetime
from pathlib import Path

import pytest

from market.server import running
from market.sites import _autodl_market, _compshare_api, gpushare
from spiders import fixtures
from spiders.config import CrawlConfig
from spiders.evidence import EvidenceStore
from spiders.registry import needs_browser, slugs, spider_class
from tests.spiders.conftest import MARKET_KEYS, ROOT, run_child
from tests.spiders.replaying import crawl_here

FIXTURES = ROOT / "tests" / "fixtures"
GOLDEN = ROOT / "tests" / "golden"
EXPECTED = ROOT / "spiders" / "expected"
FROZEN = datetime.fromisoformat("2026-10-05T10:00:00+08:00")
# A page that has nothing to sell any more shows its form in a year when it had.
EARLIER = {"lanrui": datetime.fromisoformat("2024-05-01T10:00:00+08:00")}


@pytest.fixture(autouse=True)
def keys(monkeypatch: pytest.MonkeyPatch) -> None:
    """The keys that the stand-ins accept, so that golden files hold the keyed routes too."""
    for name, value in MARKET_KEYS.items():
        monkeypatch.setenv(name, value)


def _smaller(slug: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A market of hundreds of hosts is as well shown by a few."""
    if slug == "autodl":
        few = tuple((*region[:3], min(region[3], 3)) for region in _autodl_market.REGIONS)
        monkeypatch.setattr(_autodl_market, "REGIONS", few)
    if slug == "compshare":
        zones = [zone._replace(cards=" ".join(zone.cards.split()[:2])) for zone in _compshare_api.ZONES]
        monkeypatch.setattr(_compshare_api, "ZONES", zones)
    if slug == "gpushare":
        few = {card: (price, min(hosts, 3)) for card, (price, hosts) in gpushare.CARDS.items()}
        monkeypatch.setattr(gpushare, "CARDS", few)


@pytest.mark.parametrize("slug", slugs())
def test_golden(
    slug: str, tmp_path: Path, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    writing = request.config.getoption("--golden-write")
    folder, golden, profile = FIXTURES / slug, GOLDEN / f"{slug}.jsonl", EXPECTED / f"{slug}.json"
    known = json.loads(profile.read_text(encoding="utf-8")) if profile.is_file() else None
    if writing:
        profile.unlink(missing_ok=True)  # else the crawls would be measured against the old one
    if not (folder / fixtures.META).is_file():
        if not writing:
            pytest.fail(f"{slug} has no fixture: run pytest --golden-write, review, commit")
        _smaller(slug, monkeypatch)
        _rebuild(slug, folder, tmp_path)
    made, found = _replay(slug, folder, tmp_path)
    wanted = golden.read_text(encoding="utf-8") if golden.is_file() else None
    if writing:
        text = json.dumps(found, ensure_ascii=False, sort_keys=True, indent=1)
        profile.write_text(text + "\n", encoding="utf-8")
    if made == wanted and found == known:
        return
    if writing:
        golden.parent.mkdir(exist_ok=True)
        golden.write_text(made, encoding="utf-8")
        pytest.fail(f"{slug}: golden file written; review it, commit it, run again without the flag")
    if wanted is None or known is None:
        pytest.fail(f"{slug} has no golden file: run pytest --golden-write, review, commit")
    assert made.splitlines() == wanted.splitlines()
    assert found == known


def _rebuild(slug: str, folder: Path, tmp_path: Path) -> None:
    """A fixture from the stand-in market."""
    frozen = EARLIER.get(slug, FROZEN)
    with running(frozen, [slug]) as origins:
        config = _config(slug, tmp_path / "rebuild", origins=dict(origins), delay=0.0, now=frozen)
        done = run_child(config, {})
    assert done.stats.get("problems") == [], (done.stats.get("problems"), done.log[-2000:])
    assert done.listings, f"{slug}: the stand-in gave no listing"
    fixtures.save(
        config.run_dir,
        EvidenceStore(config.evidence_dir),
        folder,
        provider=slug,
        frozen_time=frozen,
        how_made="rebuilt",
    )


def _replay(slug: str, folder: Path, tmp_path: Path) -> tuple[str, dict[str, object]]:
    """Golden text and profile that the fixture gives now."""
    frozen = datetime.fromisoformat(fixtures.read_meta(folder)["frozen_time"])
    config = _config(slug, tmp_path / "replay", replay=str(folder), now=frozen)
    listings, stats = crawl_here(config, spider_class(slug))
    assert stats["problems"] == []
    profile = {
        "units": {route: sorted(units) for route, units in stats["units"].items()},
        "columns": stats["columns"],
        "content_types": stats["content_types"],
    }
    return "".join(listing.to_json() + "\n" for listing in listings), profile


def _config(slug: str, where: Path, **more: object) -> CrawlConfig:
    values: dict[str, object] = {
        "provider": slug,
        "run_id": "golden",
        "run_dir": where / "run",
        "evidence_dir": where / "evidence",
        "now": FROZEN,
        "delay": 3.0,
    }
    return CrawlConfig(**(values | more))  # type: ignore[arg-type]


def test_browser_sources_are_told_from_their_text() -> None:
    for slug in slugs():
        assert needs_browser(slug) == spider_class(slug).needs_browser
