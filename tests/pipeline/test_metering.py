"""A seller's own rules over its prices: verdicts for a person, prices untouched."""

from __future__ import annotations

from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from catalog.providers import load_providers
from pipeline import metering
from pipeline.offer import Offer
from pipeline.run import process
from spiders.listing import Listing

NOW = datetime(2026, 10, 4, 12, tzinfo=UTC)
HOUR, DAY, MONTH = "CNY/card/hour", "CNY/card/day", "CNY/card/month"


def offers(provider: str, *prices: tuple[str, str, str | None], **more: Any) -> list[Offer]:
    """Offers of one card from (amount, unit, mode)."""
    fields: dict[str, Any] = {
        "provider": provider, "route": "page", "observed_at": NOW, "evidence": "", "source_url": "https://x.example/",
        "evidence_kind": "page", "scope": "national", "card_text": "RTX 5090", "price_kind": "list",
    } | more  # fmt: skip
    listings = [
        Listing(**fields, locator=str(n), price_text=amount, unit=unit, mode=mode)
        for n, (amount, unit, mode) in enumerate(prices)
    ]
    made = process(listings, "run", NOW, load_providers())
    assert made.rejections == []
    return made.offers


def reasons(found: list[Offer]) -> list[str]:
    return [verdict.reason for verdict in metering.check(found)]


@pytest.mark.parametrize(
    ("hour", "day", "month", "broken"),
    [
        ("3.30", "72.60", "1980", []),
        ("3.20", "70.53", "1923.60", []),  # the hour is cut, not rounded: 3.206
        ("3.30", "72.60", "2100", ["metering_rule"]),
        ("3.30", "60.00", "1980", ["metering_rule", "period_order"]),
    ],
)
def test_compshare_day_and_month(hour: str, day: str, month: str, broken: list[str]) -> None:
    found = offers("compshare", (hour, HOUR, "on_demand"), (day, DAY, None), (month, MONTH, None))
    assert sorted(reasons(found)) == broken


def test_gongji_spot_is_sixty_per_cent() -> None:
    for spot, broken in (("1.19", []), ("1.20", []), ("1.40", ["metering_rule"])):
        assert reasons(offers("gongji", ("1.98", HOUR, "on_demand"), (spot, HOUR, "spot"))) == broken


def test_matpool_month_is_seventy_per_cent_of_720_hours() -> None:
    for month, broken in (("277.20", []), ("396.00", ["metering_rule"])):
        assert reasons(offers("matpool", ("0.55", HOUR, "on_demand"), (month, MONTH, None))) == broken


def test_a_longer_period_is_cheaper_by_the_hour_at_every_seller() -> None:
    good = offers("omniyq", ("2.00", HOUR, "on_demand"), ("40", DAY, None), ("1000", MONTH, None))
    assert reasons(good) == []
    bad = offers("omniyq", ("2.00", HOUR, "on_demand"), ("40", DAY, None), ("1300", MONTH, None))
    assert reasons(bad) == ["period_order"]


def test_a_month_shown_by_the_hour_is_no_month() -> None:
    assert reasons(offers("compshare", ("1.19", HOUR, "on_demand"), ("1.00", HOUR, "monthly"))) == []


def test_a_discount_above_the_list_price() -> None:
    listed = offers("gongji", ("1.98", HOUR, "on_demand"))
    dearer = offers("gongji", ("2.10", HOUR, "on_demand"), price_kind="public_discount")
    assert reasons(listed + dearer) == ["discount_above_list"]


def test_a_server_by_the_month_is_below_the_on_demand_median() -> None:
    found = offers("omniyq", ("7800", "CNY/server/month", None), count_text="8", card_text="RTX 4090")
    assert metering.servers(found, {}) == []
    assert metering.servers(found, {"RTX4090": Decimal("1.99")}) == []
    (verdict,) = metering.servers(found, {"RTX4090": Decimal("1.30")})
    assert verdict.reason == "period_order"


# No day for less than an hour: such a page contradicts itself, and nothing is made of it.
_LEAST = {HOUR: 2, DAY: 500, MONTH: 5000}


@given(
    st.lists(st.tuples(st.decimals("0.1", "400", places=2), st.sampled_from([HOUR, DAY, MONTH])), max_size=6)
)
def test_order_of_offers_changes_no_verdict(rows: list[tuple[Decimal, str]]) -> None:
    found = offers(
        "compshare",
        *((str(p + _LEAST[u]), u, "on_demand" if u == HOUR else None) for p, u in rows),
    )
    verdicts = metering.check(found)
    assert verdicts == metering.check(list(reversed(found)))
    assert bool(metering.told(verdicts)) == bool(verdicts)
