"""The probe: one polite visit a source, compared with what its spider expects, field by field."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from catalog.providers import Provider
from pipeline.offer import Offer
from pipeline.run import process
from spiders import fixtures
from spiders.evidence import EvidenceStore
from spiders.listing import Listing, read_listings
from suanjia.crawl_plan import Plan, Result, robots_verdict
from suanjia.ledger import Ledger

VERDICTS = ("as_expected", "changed", "blocked", "robots", "auth_needed", "gone", "failed")
_SAMPLES = 3
_VERDICT_OF = {
    "blocked": "blocked",
    "robots": "robots",
    "auth_needed": "auth_needed",
    "gone": "gone",
    "layout_changed": "changed",
    "empty": "changed",
    "failed": "failed",
}


def report(result: Result, provider: Provider, known_robots: Mapping[str, str]) -> dict[str, Any]:
    """The document of `probe --json` for one source.

    `known_robots` are the hashes of robots.txt that the last crawls saw.
    """
    stats = result.stats
    changes = list(stats.get("drift") or [])
    changes += _robots_changes(stats, provider, known_robots)
    if result.outcome in ("layout_changed", "empty") and not changes:
        changes.append({"field": "answer", "expected": "prices", "found": result.message})
    verdict = _VERDICT_OF.get(result.outcome) or ("changed" if changes else "as_expected")
    if result.outcome == "partial" and verdict == "as_expected":
        verdict = "changed"
        changes.append({"field": "answer", "expected": "a whole list", "found": result.message})
    return {
        "provider": result.provider,
        "verdict": verdict,
        "robots": robots_verdict(stats) or "unknown",
        "changes": changes,
        "robots_sha256": {r["origin"]: r["sha256"] for r in stats.get("robots") or []},
        "statuses": stats.get("statuses") or {},
        "sample": _sample(result, provider),
        "message": result.message,
    }


def _robots_changes(
    stats: Mapping[str, Any], provider: Provider, known: Mapping[str, str]
) -> list[dict[str, str]]:
    changes = []
    for record in stats.get("robots") or []:
        before, now = known.get(record["origin"]), record["sha256"]
        if before and now and before != now:
            changes.append(
                {"field": f"robots.txt of {record['origin']}", "expected": before, "found": str(now)}
            )
    stated, found = provider.terms.robots.verdict, robots_verdict(stats)
    same = {"allowed": ("allowed", "none"), "none": ("allowed", "none"), "disallowed": ("disallowed",)}
    if stated in same and found in ("allowed", "none", "disallowed") and found not in same[stated]:
        changes.append({"field": "robots verdict", "expected": stated, "found": found})
    return changes


def _sample(result: Result, provider: Provider) -> list[dict[str, Any]]:
    """The first readings, as the pipeline understands them."""
    path = result.run_dir / "listings.jsonl" if result.run_dir else None
    listings: list[Listing] = []
    if path is not None and path.is_file():
        for listing in read_listings(path):
            listings.append(listing)
            if len(listings) == _SAMPLES:
                break
    if not listings:
        return []
    made = process(listings, "probe", listings[0].observed_at, {provider.slug: provider})
    rows: list[dict[str, Any]] = [_offer(offer) for offer in made.offers]
    rows += [
        {"card": r.card_text, "price": r.price_text, "rejected": r.reason, "locator": r.locator}
        for r in made.rejections
    ]
    return rows


def _offer(offer: Offer) -> dict[str, Any]:
    per_hour = offer.price_cny_per_card_hour
    return {
        "card": offer.card,
        "region": offer.region_label,
        "billing_mode": offer.billing_mode,
        "price_kind": offer.price_kind,
        "price": float(offer.price),
        "per_hours": float(offer.per_hours),
        "price_cny_per_card_hour": None if per_hour is None else float(per_hour),
        "locator": offer.locator,
    }


def record(result: Result, plan: Plan, ledger: Ledger) -> str | None:
    """Save what the visit saw as a fixture under the data directory; returns its folder.

    Routes that answered as expected count as verified from this day on. None where there was nothing to save.
    """
    if result.run_dir is None or not result.stats.get("responses"):
        return None
    home, now = plan.settings.home, plan.settings.now()
    folder = fixtures.save(
        result.run_dir,
        EvidenceStore(home / "evidence"),
        home / "fixtures" / result.provider,
        provider=result.provider,
        frozen_time=now,
        how_made="recorded",
        more={"routes": result.stats.get("routes") or [], "through": plan.settings.origins()},
    )
    ledger.verify(result.provider, result.stats.get("routes") or [], now)
    return str(folder)
