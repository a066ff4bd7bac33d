"""A crawl or an import holds the prices of each page against each other before they become offers."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from random import Random
from typing import Any

from catalog.providers import load_providers
from pipeline.page import off_level
from pipeline.run import Processed, process
from spiders.listing import Listing

AT = datetime(2026, 10, 4, 12, tzinfo=UTC)
PROVIDERS = load_providers()
HOUR, MONTH, YEAR = "CNY/card/hour", "CNY/server/month", "CNY/server/12 month"


def listing(n: int, price: str, **fields: Any) -> Listing:
    known: dict[str, Any] = {
        "provider": "omniyq", "route": "page", "observed_at": AT, "evidence": "e" * 64, "locator": f"/{n}",
        "source_url": "https://www.omniyq.com/h-col-104.html", "evidence_kind": "page", "scope": "national",
    }  # fmt: skip
    return Listing(price_text=price, **(known | fields))


def run(*listings: Listing) -> Processed:
    made = process(listings, "run", AT, PROVIDERS)
    assert made.parsed == sum(offer.listings for offer in made.offers) + len(made.rejections)
    return made


def refused(*listings: Listing) -> dict[str, str]:
    """Locator → reason; the same whatever the order of the rows."""
    found = {r.locator: r.reason for r in run(*listings).rejections}
    mixed = list(listings)
    Random(7).shuffle(mixed)
    assert {r.locator: r.reason for r in run(*mixed).rejections} == found
    return found


def article(*cells: tuple[str, str], **fields: Any) -> list[Listing]:
    return [listing(i, text, context=heading, **fields) for i, (heading, text) in enumerate(cells)]


LOST = (
    ("RTX 4090 24G", "单卡月租1500-3000元"),
    ("RTX 4090 24G", "整机4卡约6000-10000元/月"),
    ("A100 40G", "单卡月租4000-7000元"),
    ("A100 40G", "整机8卡约2-5.6万元/月"),
    ("H800", "单卡月租2-1.8万元"),
    ("H800", "整机8卡约6-14.4万元/月"),
)


def test_lost_digits_are_found_beside_the_single_card() -> None:
    """The article whose cleaner ate digits: one pair is whole, one machine row and one whole pair are not."""
    assert refused(*article(*LOST)) == {
        "/3": "truncated_range_by_sibling",
        "/4": "truncated_range",
        "/5": "truncated_range_by_sibling",
    }


def test_rows_of_other_pages_places_and_days_are_no_siblings() -> None:
    single, machine = article(*LOST[2:4])
    assert refused(single, machine) == {"/1": "truncated_range_by_sibling"}
    for apart in ({"evidence": "f" * 64}, {"region_text": "北京"}, {"observed_at": AT - timedelta(days=7)}):
        moved = article(*LOST[2:4], **apart)[0]
        assert refused(moved, machine) == {}, apart


def test_one_cell_in_another_currency() -> None:
    cells = [
        ("1 颗 Tesla P40", "1.98 美元/小时"),
        ("2 颗 Tesla P40", "3.96 美元/小时"),
        ("4 颗 Tesla P40", "8.01 元/小时"),
    ]
    page = article(*((f"{card} | 按量计费", text) for card, text in cells))
    assert refused(*page) == {"/2": "currency_suspect_by_sibling"}
    assert refused(*page[1:]) == {}


def test_a_price_that_does_not_grow_with_the_cards() -> None:
    flat = [listing(n, "7800", unit=MONTH, card_text="RTX 4090", count_text=str(n)) for n in (1, 2, 4, 8)]
    assert refused(*flat) == {f"/{n}": "column_inconsistent" for n in (2, 4, 8)}
    rebate = [
        listing(n, str(price), unit=MONTH, card_text="RTX 4090", count_text=str(n))
        for n, price in ((1, 1300), (2, 2300), (4, 4200), (8, 7800))
    ]
    assert refused(*rebate) == {}


def test_a_whole_column_in_another_unit() -> None:
    levels = {"RTX 4090": "1.33", "RTX 5090": "2.01", "L40S": "2.05", "H800": "11.82"}

    def column(factor: int) -> list[Listing]:
        """Yuan read as cents, or right."""
        return [
            listing(i, str(Decimal(v) * factor), unit=HOUR, mode="on_demand", card_text=card)
            for i, (card, v) in enumerate(levels.items())
        ]

    assert Counter(refused(*column(100)).values()) == {"unit_suspect": 3, "implausible": 1}
    assert refused(*column(1)) == {}


def test_a_year_for_less_than_a_month() -> None:
    month = listing(0, "7800", unit=MONTH, card_text="RTX 4090", count_text="8")
    for year, reason in (("7500", {"/1": "period_order"}), ("80000", {})):
        long = listing(1, year, unit=YEAR, card_text="RTX 4090", count_text="8")
        assert refused(month, long) == reason
        other = listing(1, year, unit=YEAR, card_text="RTX 4090", count_text="8", region_text="北京")
        assert refused(month, other) == {}


def test_levels_are_told_and_never_refused() -> None:
    offers = run(listing(0, "9.9", unit=HOUR, mode="on_demand", card_text="RTX 4090")).offers
    assert len(offers) == 1
    (verdict,) = off_level(offers, {})  # the catalog's level of idc
    assert verdict.reason == "implausible"
    assert off_level(offers, {"RTX4090": Decimal("3.0")}) == []
    slice_ = run(listing(0, "0.9", unit=HOUR, mode="on_demand", card_text="T4", share_text="0.25")).offers
    assert off_level(slice_, {"T4": Decimal("100")}) == []
