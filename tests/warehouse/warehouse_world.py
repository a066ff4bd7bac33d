"""Small worlds of offers for the warehouse's tests: hand-made goods, runs that write real segments."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

from catalog.provider_model import Provider
from pipeline.manifest import RunMeta
from pipeline.offer import Offer, Rejection, offer_id
from pipeline.segment import write_segment
from spiders.listing import Listing
from warehouse.load import Loaded, load
from warehouse.publish import Published, publish

# Tuesday of week 48, noon in Shanghai.
T0 = datetime(2026, 11, 24, 4, tzinfo=UTC)
EVIDENCE = "ab" * 32
PROVIDERS = {
    slug: Provider(
        slug=slug, name=slug, **{"class": kind}, status="not_built", reason="made for tests", builtin=True
    )
    for slug, kind in (("alpha", "marketplace"), ("beta", "cloud"), ("gamma", "idc"))
}


def offer(run: str = "r0", at: datetime = T0, **changes: Any) -> Offer:
    """An RTX4090 in Beijing at 2.18 an hour; `changes` are fields of Offer. Price per card-hour follows."""
    values: dict[str, Any] = {
        "offer_id": "",
        "provider": "alpha",
        "provider_class": "marketplace",
        "site": "mainland",
        "region_code": "110000",
        "region_label": "北京A区",
        "zone": None,
        "precision": "city",
        "sku": None,
        "card": "RTX4090",
        "vram_gb": Decimal(24),
        "form": None,
        "interconnect": None,
        "gpu_count": Decimal(1),
        "share": Decimal(1),
        "min_cards": None,
        "max_cards": 8,
        "basis": "card",
        "vcpu": None,
        "ram_gb": None,
        "billing_mode": "on_demand",
        "term_hours": None,
        "price_kind": "list",
        "tier": None,
        "price": Decimal("2.18"),
        "price_high": None,
        "upfront": None,
        "currency": "CNY",
        "per_hours": Decimal(1),
        "is_floor": False,
        "tax": "unknown",
        "listings": 1,
        "price_min": None,
        "price_max": None,
        "stock_idle": None,
        "stock_total": None,
        "in_stock": None,
        "scope": "region",
        "evidence_kind": "realtime",
        "os": None,
        "valid_until": None,
        "observed_at": at,
        "date_precision": "day",
        "trust": "seller",
        "run_id": run,
        "evidence": EVIDENCE,
        "locator": "/data/0",
        "source_url": "https://www.example.com/prices",
        **changes,
    }
    if values["currency"] == "CNY":
        each = (values["price"] / values["per_hours"] / values["gpu_count"]).quantize(
            Decimal("0.000001"), "ROUND_HALF_UP"
        )
        gross = each * Decimal("1.06") if values["tax"] == "excluded" else each
    else:
        each = gross = None
    values.setdefault("price_cny_per_card_hour", each)
    values.setdefault("price_cny_per_card_hour_gross", gross)
    made = Offer(**values)
    return made if made.offer_id else replace(made, offer_id=_identity(made))


def _identity(made: Offer) -> str:
    return offer_id(made)


def rejection(run: str = "r0", at: datetime = T0, **changes: Any) -> Rejection:
    """A listing whose card nobody knows."""
    values: dict[str, Any] = {
        "run_id": run,
        "provider": "alpha",
        "reason": "unknown_card",
        "rule_version": "1",
        "card_text": "RTX 9999",
        "region_text": "北京A区",
        "price_text": "1.00",
        "observed_at": at,
        "evidence": EVIDENCE,
        "locator": "/data/99",
        "source_url": "https://www.example.com/prices",
        **changes,
    }
    return Rejection(**values)


def listing_of(row: Offer | Rejection) -> Listing:
    """The listing that such a row comes from."""
    price = row.price if isinstance(row, Offer) else row.price_text
    return Listing(
        provider=row.provider,
        route="test",
        observed_at=row.observed_at,
        evidence=row.evidence,
        locator=row.locator,
        source_url=row.source_url,
        evidence_kind="realtime",
        scope="region",
        price_text=str(price),
        unit="CNY/unit/hour",
    )


def listings_of(rows: Iterable[Offer | Rejection]) -> list[Listing]:
    """One listing a reading."""
    return [listing_of(row) for row in rows for _ in range(row.listings if isinstance(row, Offer) else 1)]


@dataclass(slots=True)
class World:
    """A data directory that tests fill run by run; `now` moves with what was written."""

    home: Path
    now: datetime = T0
    runs: int = 0
    providers: dict[str, Provider] = field(default_factory=lambda: dict(PROVIDERS))

    def run(
        self,
        offers: Sequence[Offer] = (),
        rejections: Sequence[Rejection] = (),
        **meta: Any,
    ) -> str:
        """Write one segment of the rows; run, provider and times are theirs. Returns run_id."""
        rows: list[Offer | Rejection] = [*offers, *rejections]
        run_id = meta.pop("run_id", rows[0].run_id if rows else f"r{self.runs}")
        provider = meta.pop("provider", rows[0].provider if rows else "alpha")
        start = meta.pop("started_at", min((row.observed_at for row in rows), default=self.now))
        values: dict[str, Any] = {
            "run_id": run_id,
            "provider": provider,
            "kind": "crawl",
            "started_at": start,
            "ended_at": max((row.observed_at for row in rows), default=start),
            "outcome": "ok",
            "complete": meta.get("outcome", "ok") == "ok",
            "parser_version": "1",
            **meta,
        }
        write_segment(self.home, RunMeta(**values), offers, rejections, listings_of(rows))
        self.runs += 1
        self.now = max(self.now, values["ended_at"])
        return str(run_id)

    def load(self, **options: Any) -> Loaded:
        """`suanjia load`."""
        return load(self.home, self.now, **options)

    def publish(self, now: datetime | None = None, **options: Any) -> Published:
        """`suanjia publish` an hour after the last run, or at `now`."""
        return publish(self.home, now or self.now + timedelta(hours=1), self.providers, "test", **options)

    def go(self, now: datetime | None = None, **options: Any) -> Published:
        """Load, then publish."""
        self.load()
        return self.publish(now, **options)


def fill(world: World) -> None:
    """Nine goods once a week for four weeks, each a little dearer."""
    for week in range(4):
        at = T0 + timedelta(days=7 * week)
        world.run(
            [
                offer(
                    f"r{week}",
                    at,
                    sku=f"s{n}",
                    price=Decimal(200 + n + week) / 100,
                    locator=f"/{n}",
                    stock_idle=n,
                )
                for n in range(9)
            ]
        )
