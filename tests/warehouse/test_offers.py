"""What `offers` holds: the latest unheld observation of what is live, its state, its age."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Any

from tests.warehouse.warehouse_world import T0, World, offer, rejection

Ask = Callable[..., list[tuple[Any, ...]]]


def hours(n: float) -> datetime:
    return T0 + timedelta(hours=n)


def good(run: str, at: datetime, sku: str, price: str = "2.18", **changes: Any) -> Any:
    return offer(run, at, sku=sku, price=Decimal(price), locator=f"/{sku}", **changes)


def test_the_latest_price_wins(world: World, ask: Ask) -> None:
    world.run([good("r0", hours(0), "a", "2.00")])
    world.run([good("r1", hours(6), "a", "2.10")])
    world.go(hours(8))
    assert ask("SELECT price, state, age_hours, run_id, region, province, city FROM offers") == [
        (Decimal("2.10"), "active", 2.0, "r1", "北京", "北京", "北京")
    ]


def test_the_latest_price_wins_whatever_was_loaded_first(world: World, ask: Ask) -> None:
    world.run([good("r1", hours(6), "a", "2.10")])
    world.load()
    world.run([good("r0", hours(0), "a", "2.00")])
    world.go(hours(8))
    assert ask("SELECT price FROM offers") == [(Decimal("2.10"),)]


def test_absent_from_one_complete_run_is_missing_from_two_delisted(world: World, ask: Ask) -> None:
    world.run([good("r0", hours(0), "a"), good("r0", hours(0), "b")])
    world.run([good("r1", hours(6), "a")])
    world.go(hours(7))
    assert ask("SELECT sku, state FROM offers ORDER BY 1") == [("a", "active"), ("b", "missing")]
    world.run([good("r2", hours(12), "a")])
    world.go(hours(13))
    assert ask("SELECT sku, state FROM offers") == [("a", "active")]
    assert ask("SELECT sku, state FROM offers_past") == [("b", "delisted")]


def test_a_run_that_is_not_complete_takes_nothing_away(world: World, ask: Ask) -> None:
    world.run([good("r0", hours(0), "a"), good("r0", hours(0), "b")])
    for i in (1, 2, 3):
        world.run([good(f"r{i}", hours(6 * i), "a", "9.99")], outcome="partial")
    world.go(hours(20))
    assert ask("SELECT sku, state, price FROM offers ORDER BY 1") == [
        ("a", "active", Decimal("2.18")),
        ("b", "active", Decimal("2.18")),
    ]
    assert ask("SELECT count(*) FROM observations WHERE NOT usable") == [(3,)]
    assert ask("SELECT last_outcome, stale_since FROM providers WHERE provider = 'alpha'") == [
        ("partial", hours(0))
    ]


def test_another_providers_runs_take_nothing_away(world: World, ask: Ask) -> None:
    world.run([good("r0", hours(0), "a")])
    for i in (1, 2):
        world.run([good(f"r{i}", hours(6 * i), "x", provider="beta", provider_class="cloud")])
    world.go(hours(20))
    assert ask("SELECT state FROM offers WHERE sku = 'a'") == [("active",)]


def test_an_offer_that_comes_back_is_active_again(world: World, ask: Ask) -> None:
    world.run([good("r0", hours(0), "a"), good("r0", hours(0), "b")])
    world.run([good("r1", hours(6), "a")])
    world.run([good("r2", hours(12), "a")])
    world.run([good("r3", hours(18), "a"), good("r3", hours(18), "b", "2.50")])
    world.go(hours(19))
    assert ask("SELECT sku, state, price FROM offers ORDER BY 1") == [
        ("a", "active", Decimal("2.18")),
        ("b", "active", Decimal("2.50")),
    ]


def test_pages_of_one_run_do_not_miss_each_others_goods(world: World, ask: Ask) -> None:
    """The last page is read minutes after the first: that run is the one in which both were seen."""
    world.run([good("r0", hours(0), "a"), good("r0", hours(0.1), "b")], complete=True)
    world.go(hours(1))
    assert ask("SELECT sku, state FROM offers ORDER BY 1") == [("a", "active"), ("b", "active")]


def test_a_sheet_takes_nothing_away_unless_it_is_complete(world: World, ask: Ask) -> None:
    world.run([good("i0", hours(0), "a"), good("i0", hours(0), "b")], kind="import", complete=False)
    world.run([good("i1", hours(24), "a")], kind="import", complete=False)
    world.go(hours(25))
    assert ask("SELECT sku, state FROM offers ORDER BY 1") == [("a", "active"), ("b", "active")]
    world.run([good("i2", hours(48), "a")], kind="import", complete=True)
    world.go(hours(49))
    assert ask("SELECT sku, state FROM offers ORDER BY 1") == [("a", "active"), ("b", "missing")]


def test_a_complete_sheet_of_history_says_nothing_about_later_goods(world: World, ask: Ask) -> None:
    world.run([good("r0", hours(0), "b")])
    at = hours(-240)
    world.run([good("i0", at, "a")], kind="import", complete=True, started_at=hours(1), ended_at=hours(1))
    world.go(hours(2))
    assert ask("SELECT state FROM offers WHERE sku = 'b'") == [("active",)]


# Age in hours, hours until its validity ends, whether it is live.
LIVE: tuple[tuple[float, float | None, bool], ...] = (
    (29.9 * 24, None, True),
    (30 * 24, None, True),
    (30.1 * 24, None, False),
    (60 * 24, 1, True),
    (60 * 24, -1, False),
    (1, -0.5, False),
    (1, 0, True),
)


def test_thirty_days_or_until_valid_until(world: World, ask: Ask) -> None:
    for i, (age, valid, _) in enumerate(LIVE):
        until = None if valid is None else hours(valid)
        row = good(f"i{i}", hours(-age), f"n{i}", valid_until=until)
        world.run([row], kind="import", complete=False)
    world.go(hours(0))
    live = [f"n{i}" for i, (_, _, is_live) in enumerate(LIVE) if is_live]
    assert ask("SELECT sku FROM offers ORDER BY 1") == [(sku,) for sku in live]
    assert ask("SELECT count(*) FROM offers_past") == [(len(LIVE) - len(live),)]
    assert ask("SELECT count(*) FROM observations") == [(len(LIVE),)]


NEVER: tuple[dict[str, Any], ...] = (
    {"date_precision": "month"},
    {"date_precision": "year"},
    {"trust": "article"},
    {"provider_class": "assessment"},
    {"provider_class": "article"},
)


def test_what_is_never_an_offer(world: World, ask: Ask) -> None:
    rows = [good("i0", hours(0), f"n{i}", **changes) for i, changes in enumerate(NEVER)]
    world.run([*rows, good("i0", hours(0), "yes")], kind="import", complete=False)
    world.go(hours(1))
    assert ask("SELECT sku FROM offers") == [("yes",)]
    assert ask("SELECT count(*) FROM observations") == [(len(NEVER) + 1,)]


def test_an_observation_of_the_future_is_not_yet_an_offer(world: World, ask: Ask) -> None:
    world.run([good("r0", hours(0), "a", "2.00")])
    world.run([good("r1", hours(6), "a", "2.10")])
    world.go(hours(3))
    assert ask("SELECT price FROM offers") == [(Decimal("2.00"),)]


def test_names_of_places(world: World, ask: Ask) -> None:
    places = {"a": "130700", "b": "110108", "c": "CN", "d": "CN-N", "e": None, "f": "US", "g": "440000"}
    world.run([good("r0", hours(0), sku, region_code=code) for sku, code in places.items()])
    world.go(hours(1))
    assert ask("SELECT sku, region, province, city FROM offers ORDER BY sku") == [
        ("a", "张家口", "河北", "张家口"),
        ("b", "海淀", "北京", "北京"),
        ("c", "全国", None, None),
        ("d", "华北", None, None),
        ("e", None, None, None),
        ("f", "US", None, None),
        ("g", "广东", "广东", None),
    ]


def test_a_sighting_told_twice_is_one(world: World, ask: Ask) -> None:
    """Invariant 4 across files: the same row in a second sheet changes no number."""
    for i in range(2):
        rows = [good(f"i{i}", hours(0), "a"), good(f"i{i}", hours(-24), "a", "2.00")]
        world.run(rows, kind="import", complete=False)
    world.go(hours(1))
    assert ask("SELECT count(*) FROM observations") == [(2,)]
    assert ask("SELECT sum(kept + rejections + quarantined - parsed) FROM runs") == [(0,)]


def test_runs_add_up(world: World, ask: Ask) -> None:
    world.run([good("r0", hours(0), "a", listings=3)], [rejection("r0", hours(0))])
    world.go(hours(1))
    assert ask("SELECT offers, kept, rejections, quarantined, parsed FROM runs") == [(1, 3, 1, 0, 4)]


def test_providers_known_from_sheets_alone_are_listed(world: World, ask: Ask) -> None:
    world.run([good("i0", hours(0), "a", provider="nobody_knows")], kind="import", complete=False)
    world.go(hours(1))
    rows = ask(
        "SELECT provider, class, status, live_offers, last_ok_at FROM providers"
        " WHERE provider = 'nobody_knows'"
    )
    assert rows == [("nobody_knows", "marketplace", None, 1, hours(0))]


def test_a_sheet_without_one_good_row_makes_nothing_fresh(world: World, ask: Ask) -> None:
    world.run([good("r0", hours(0), "a")])
    world.run([good("r1", hours(6), "a")], outcome="partial")
    world.run([], [rejection("i0", hours(7))], kind="import", outcome="empty", complete=False)
    world.go(hours(8))
    told = ask("SELECT last_outcome, last_ok_at, stale_since FROM providers WHERE provider = 'alpha'")
    assert told == [("empty", hours(0), hours(0))]


def test_price_at_answers_as_of(world: World, ask: Ask) -> None:
    world.run([good("r0", hours(0), "a", "2.00")])
    world.load()
    world.run([good("r1", hours(6), "a", "2.10")])
    world.go(hours(8))
    at = "SELECT price FROM price_at($1)"
    assert ask(at, [hours(3)]) == [(Decimal("2.00"),)]
    assert ask(at, [hours(6)]) == [(Decimal("2.10"),)]
    assert ask(at, [hours(-1)]) == []
    known = "SELECT price FROM price_known_at($1, $2)"
    assert ask(known, [hours(8), hours(1)]) == [(Decimal("2.00"),)]
    assert ask(known, [hours(8), hours(9)]) == [(Decimal("2.10"),)]


def test_an_absurdly_old_price_is_history_and_stops_no_publish(world: World, ask: Ask) -> None:
    world.run([good("r0", hours(0), "a"), good("r0", hours(0), "b")])
    old = [good("i0", datetime(year, 11, 24, tzinfo=UTC), "a", "3.00") for year in (1, 202, 1677, 1969)]
    world.run(old, kind="import", started_at=hours(1), complete=False)
    world.go(hours(2))
    assert ask("SELECT sku, price FROM offers ORDER BY 1") == [("a", Decimal("2.18")), ("b", Decimal("2.18"))]
    assert ask(
        "SELECT count(*) FROM observations WHERE observed_at < TIMESTAMPTZ '2000-01-01 00:00:00+00'"
    ) == [(4,)]
    assert ask("SELECT DISTINCT week FROM price_index") == [(date(2026, 11, 23),)]


def test_price_at_says_of_one_moment_what_offers_say(world: World, ask: Ask) -> None:
    """A sheet corrected by a later one, a good told at two prices, and one that no seller offers."""
    for number, price in enumerate(("2.10", "2.00", "2.05")):
        world.run(
            [good(f"i{9 - number}", hours(0), "a", price)],
            kind="import",
            complete=False,
            started_at=hours(number),
        )
    world.run([good("r0", hours(0), "b", price, scope="host", provider="beta") for price in ("3.00", "3.02")])
    world.run([good("i0", hours(0), "c", provider="press", provider_class="article")], kind="import")
    world.go(hours(8))
    told = "SELECT sku, price, run_id FROM {} ORDER BY sku"
    assert ask(told.format("offers")) == [("a", Decimal("2.05"), "i7"), ("b", Decimal("3.00"), "r0")]
    assert ask(told.format("price_at((SELECT built_at FROM generation))")) == ask(told.format("offers"))


def test_a_spot_price_no_cheaper_than_the_hour_is_kept_and_flagged(world: World, ask: Ask) -> None:
    world.run(
        [
            good("r0", hours(0), "a", "1.98"),
            good("r0", hours(0), "a", "2.10", billing_mode="spot"),
            good("r0", hours(0), "b", "1.98"),
            good("r0", hours(0), "b", "1.98", billing_mode="spot"),
            good("r0", hours(0), "c", "1.98"),
            good("r0", hours(0), "c", "1.20", billing_mode="spot"),
            good("r0", hours(0), "d", "2.10", billing_mode="spot"),  # nothing to hold it against
        ]
    )
    world.go(hours(1))
    assert ask("SELECT sku, price, review FROM offers WHERE billing_mode = 'spot' ORDER BY 1") == [
        ("a", Decimal("2.10"), "spot_ge_ondemand"),
        ("b", Decimal("1.98"), "spot_ge_ondemand"),
        ("c", Decimal("1.20"), None),
        ("d", Decimal("2.10"), None),
    ]
    assert ask("SELECT count(*) FROM observations WHERE quarantine IS NOT NULL") == [(0,)]
