"""Gates: each trips on what it is for and lets a normal day pass; a failed one keeps the last good run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from catalog.provider_model import Expect
from pipeline.gates import GATES, Limits, Verdict, settle
from pipeline.manifest import RunMeta, read_manifest
from pipeline.offer import Offer, Rejection
from pipeline.past import load_past
from pipeline.segment import write_segment
from spiders.listing import Listing
from tests.warehouse.warehouse_world import T0, listings_of, offer, rejection

NO_EXPECTATIONS = Expect()


def hours(n: float) -> datetime:
    return T0 + timedelta(hours=n)


def meta(run: str, at: datetime, **changes: Any) -> RunMeta:
    values: dict[str, Any] = {
        "run_id": run,
        "provider": "alpha",
        "kind": "crawl",
        "started_at": at,
        "ended_at": at,
        "outcome": "ok",
        "complete": True,
        "parser_version": "1",
        "provider_class": "marketplace",
        **changes,
    }
    return RunMeta(**values)


class Shop:
    """A provider that is crawled again and again: each crawl is judged, then written."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.runs = 0

    def crawl(
        self,
        n: int = 20,
        at: datetime = T0,
        price: str = "2.00",
        *,
        rejections: Sequence[Rejection] = (),
        expect: Expect = NO_EXPECTATIONS,
        limits: Limits | None = None,
        goods: dict[str, Any] | None = None,
        extra_listings: int = 0,
        **facts: Any,
    ) -> RunMeta:
        run, provider = f"r{self.runs:03d}", facts.get("provider", "alpha")
        self.runs += 1
        changes = {"provider": provider, "price": Decimal(price), **(goods or {})}
        offers = [offer(run, at, sku=f"s{i:02d}", locator=f"/{i}", **changes) for i in range(n)]
        refused = [replace(row, run_id=run, provider=provider) for row in rejections]
        listings = listings_of([*offers, *refused])
        judged = settle(self.home, meta(run, at, **facts), offers, refused, listings, expect, limits)
        self.write(judged, offers, refused, listings)
        return judged

    def write(
        self,
        judged: RunMeta,
        offers: Sequence[Offer],
        refused: Sequence[Rejection],
        listings: Sequence[Listing],
    ) -> None:
        folder = write_segment(self.home, judged, offers, refused, listings)
        assert read_manifest(folder).run == judged


@pytest.fixture
def shop(tmp_path: Path) -> Shop:
    return Shop(tmp_path)


def verdict(run: RunMeta, gate: str) -> dict[str, Any]:
    return next(v for v in run.verdicts if v["gate"] == gate)


def failed(run: RunMeta) -> list[str]:
    return [str(v["gate"]) for v in run.verdicts if not v["ok"]]


def test_a_normal_day_passes(shop: Shop) -> None:
    for i in range(6):
        done = shop.crawl(20 + i % 2, hours(6 * i), f"2.0{i}", goods={"stock_idle": i})
        assert (done.outcome, done.complete, failed(done), done.message) == ("ok", True, [], None)


def test_empty(shop: Shop) -> None:
    assert shop.crawl(0).outcome == "empty"
    page_changed = shop.crawl(0, rejections=[rejection(reason="no_number")])
    assert (page_changed.outcome, page_changed.complete) == ("layout_changed", False)


def test_minimum_rows_and_regions(shop: Shop) -> None:
    expect = Expect(min_rows=21, regions=("110000",))
    done = shop.crawl(20, expect=expect)
    assert (done.outcome, failed(done)) == ("layout_changed", ["min_rows"])
    assert done.message == "min_rows: 20 of 21"
    assert shop.crawl(21, expect=expect).outcome == "ok"
    far = Expect(regions=("110000", "440000", "130700", "150900"))
    done = shop.crawl(20, expect=far)
    assert failed(done) == ["regions"]
    assert "440000" in verdict(done, "regions")["found"]
    # A city lies in its province; codes that merely begin alike do not.
    assert (
        shop.crawl(20, expect=Expect(regions=("500000",)), goods={"region_code": "510100"}).outcome
        == "partial"
    )
    assert shop.crawl(20, expect=Expect(regions=("440000",)), goods={"region_code": "440100"}).outcome == "ok"


def test_a_list_cut_short_is_partial(shop: Shop) -> None:
    done = shop.crawl(20, declared_total=205)
    assert (done.outcome, done.complete, failed(done)) == ("partial", False, ["declared_total"])
    assert done.message == "declared_total: 20 of 205"
    assert shop.crawl(20, declared_total=20).outcome == "ok"
    assert shop.crawl(20, declared_total=19).outcome == "ok"


def test_doubled_and_skipped_rows_are_partial(shop: Shop) -> None:
    done = shop.crawl(20, declared_total=20, distinct_keys=19)
    assert (done.outcome, failed(done)) == ("partial", ["distinct_keys"])
    assert "count_mismatch: 19 distinct of 20" in str(done.message)


def test_unknown_cards(shop: Shop) -> None:
    few = shop.crawl(99, rejections=[rejection()])
    assert (few.outcome, few.message) == ("ok", "known_cards: 1 of 100 rows name an unknown card (RTX 9999)")
    once = shop.crawl(99, at=hours(1), rejections=[rejection()], message="unknown cards: 1 (RTX 9999)")
    assert once.message == few.message, "told once"
    assert verdict(few, "known_cards")["warn"]
    none = shop.crawl(100, at=hours(3), rejections=[rejection(reason="no_number")])
    assert none.message is None
    one = [rejection(locator=f"/x{i}") for i in range(9)]
    new = shop.crawl(20, at=hours(2), rejections=one)  # a card nobody knows yet sinks no list
    assert "known_cards" not in failed(new)
    assert verdict(new, "known_cards")["warn"]
    several = [rejection(locator=f"/x{i}", card_text=f"RTX 99{i}") for i in range(9)]
    assert "known_cards" in failed(shop.crawl(20, at=hours(4), rejections=several))
    assert "known_cards" in failed(shop.crawl(8, at=hours(5), rejections=one))


def test_a_slipped_unit_fails_against_the_class(shop: Shop) -> None:
    for i, other in enumerate(("beta", "gamma")):
        shop.crawl(5, hours(i), "2.00", provider=other)
    done = shop.crawl(20, hours(3), "2000")
    assert (done.outcome, failed(done)) == ("partial", ["level_bands"])
    assert "RTX4090||on_demand|list × 1000.00" in str(done.message)
    assert shop.crawl(20, hours(4), "5.99").outcome == "ok"
    # Another class is another market.
    assert shop.crawl(20, hours(5), "2000", provider="delta", provider_class="cloud").outcome == "ok"


def test_one_seller_is_no_measure(shop: Shop) -> None:
    shop.crawl(5, hours(0), "2.00", provider="beta")
    assert shop.crawl(20, hours(3), "2000").outcome == "ok"


def test_half_the_rows_gone_is_partial_until_the_runs_agree(shop: Shop) -> None:
    shop.crawl(40, hours(0))
    first = shop.crawl(15, hours(6))
    assert (first.outcome, failed(first)) == ("partial", ["drift_rows"])
    assert failed(shop.crawl(16, hours(12))) == ["drift_rows"]
    third = shop.crawl(16, hours(18))
    assert (third.outcome, third.complete) == ("ok", True)
    assert "agreed by two runs" in verdict(third, "drift_rows")["found"]


@pytest.mark.parametrize(
    ("kind", "least"),
    [("realtime", 21), ("catalog", 32), ("pricing", 32), ("page", 32)],
)
def test_a_list_cut_in_half_is_partial(shop: Shop, kind: str, least: int) -> None:
    """Hosts of a market come and go; a price list that is a fifth shorter overnight was cut."""
    goods = {"evidence_kind": kind, "stock_idle": None}
    shop.crawl(40, hours(0), goods=goods)
    assert failed(shop.crawl(20, hours(6), goods=goods)) == ["drift_rows"]
    assert failed(shop.crawl(least - 1, hours(7), goods=goods)) == ["drift_rows"]
    assert shop.crawl(least, hours(8), goods=goods).outcome == "ok"


@pytest.mark.parametrize(
    ("before", "now", "outcome"),
    [
        (2, 1, "ok"), (3, 2, "ok"), (4, 3, "ok"), (4, 2, "ok"), (10, 6, "ok"),  # goods that are gone
        (6, 3, "partial"), (8, 4, "partial"), (3, 1, "partial"), (18, 12, "partial"), (20, 15, "partial"),
    ],
)  # fmt: skip
def test_a_few_goods_may_go_from_a_short_list(shop: Shop, before: int, now: int, outcome: str) -> None:
    shop.crawl(before, hours(0), goods={"evidence_kind": "page"})
    assert shop.crawl(now, hours(6), goods={"evidence_kind": "page"}).outcome == outcome


def test_runs_that_disagree_confirm_nothing(shop: Shop) -> None:
    shop.crawl(40, hours(0))
    for i, n in enumerate((15, 3, 15, 3, 15)):
        assert shop.crawl(n, hours(6 * i + 6)).outcome == "partial"


def test_prices_that_all_jump_are_partial_for_as_long_as_they_are_repeated(shop: Shop) -> None:
    shop.crawl(20, hours(0), "2.00")
    for i in range(5):
        done = shop.crawl(20, hours(6 * i + 6), "20.0")
        assert (done.outcome, failed(done)) == ("partial", ["drift_price"])
    assert shop.crawl(20, hours(40), "3.90").outcome == "ok"


def test_a_good_run_of_long_ago_is_no_measure(shop: Shop) -> None:
    shop.crawl(40, hours(0), "2.00")
    assert shop.crawl(5, hours(24 * 31), "20.0").outcome == "ok"


def test_a_live_market_that_never_moves_is_stalled(shop: Shop) -> None:
    live = {"stock_idle": 3}
    outcomes = [shop.crawl(20, hours(12 * i), goods=live).outcome for i in range(9)]
    assert outcomes == ["ok"] * 7 + ["partial"] * 2
    moved = shop.crawl(20, hours(12 * 9), goods={"stock_idle": 2})
    assert moved.outcome == "ok"


@pytest.mark.parametrize("goods", [{"stock_idle": None}, {"stock_idle": 3, "evidence_kind": "pricing"}])
def test_a_price_list_may_stand_still(shop: Shop, goods: dict[str, Any]) -> None:
    assert [shop.crawl(20, hours(12 * i), goods=goods).outcome for i in range(10)] == ["ok"] * 10


def test_prices_far_off_the_class_are_told_and_stay(shop: Shop) -> None:
    """Levels of other sellers come from their manifests: two of them make a median."""
    card = {"card": "RTX4090"}
    assert shop.crawl(20, hours(0), "2.00", goods=card).message is None  # the catalog knows the level
    for i, name in enumerate(("beta", "gamma")):
        shop.crawl(20, hours(i), "9.00", provider=name, goods=card)
    done = shop.crawl(20, hours(6), "2.00", goods=card, limits=Limits(level_off=1))
    assert done.outcome == "ok"
    assert done.message is not None
    assert "look: 20 prices (2 against a median of 9 (marketplace);" in done.message


def test_old_rows_are_no_news(shop: Shop) -> None:
    done = shop.crawl(20, hours(0), started_at=hours(169))
    assert (done.outcome, failed(done)) == ("partial", ["age"])
    assert shop.crawl(20, hours(0), started_at=hours(167)).outcome == "ok"


def test_what_the_spider_called_not_ok_stays_so(shop: Shop) -> None:
    done = shop.crawl(20, outcome="blocked")
    assert (done.outcome, done.complete, done.verdicts) == ("blocked", False, ())


def test_sheets_pass_no_gates(shop: Shop) -> None:
    done = shop.crawl(1, declared_total=99, kind="import")
    assert (done.outcome, done.complete, done.verdicts) == ("ok", True, ())


def test_a_failed_run_is_no_measure_for_the_next(shop: Shop) -> None:
    shop.crawl(20, hours(0), "2.00")
    shop.crawl(20, hours(6), "2000")
    past = load_past(shop.home, "alpha", "marketplace", hours(12))
    assert past.last_good is not None
    assert past.last_good.run.run_id == "r000"
    assert past.counts_since_good == (20,)


def test_the_memory_survives_torn_manifests_and_the_future(shop: Shop) -> None:
    shop.crawl(20, hours(0))
    shop.crawl(20, hours(48))
    torn = shop.home / "segments" / "run=zzz" / "provider=alpha"
    torn.mkdir(parents=True)
    (torn / "manifest.json").write_text("{", encoding="utf-8")
    past = load_past(shop.home, "alpha", "marketplace", hours(24))
    assert [at for at, _ in past.fingerprints] == [hours(0)]
    assert load_past(shop.home / "nowhere", "alpha", None, T0).last_good is None


def test_verdicts_are_words_and_numbers() -> None:
    row = Verdict("g", True, "found").as_dict()
    assert row == {"gate": "g", "ok": True, "found": "found", "outcome": "partial", "warn": False}
    assert len({gate.__name__ for gate in GATES}) == len(GATES)


def test_a_page_that_dates_itself_by_the_year_is_old_by_its_own_word(shop: Shop) -> None:
    """Its rows are dated, so nothing current is made of them; the run itself is what was expected."""
    done = shop.crawl(20, hours(0), started_at=hours(24 * 900), goods={"date_precision": "year"})
    assert (done.outcome, failed(done)) == ("ok", [])
    assert "age: newest row is of" in str(done.message)


def test_rows_that_are_no_offers_are_read_too(shop: Shop) -> None:
    # 20 hosts with a price of 25 declared: four without cards, one that is off line
    assert shop.crawl(20, declared_total=25, distinct_keys=25).outcome == "ok"
    assert failed(shop.crawl(20, at=hours(1), declared_total=25, distinct_keys=24)) == [
        "declared_total",
        "distinct_keys",
    ]
