"""The exact decisions 1 to 5 and 13, 14: series, places, coverage, new cards, grades, what stays outside."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
import pytest

from tests.warehouse.index.market import Record, at, build, held, key_weeks, records, series, values
from warehouse.index.grades import NONE, SUPPRESSED, A, B, C, shown_grades
from warehouse.index.method import MethodError, load_method, method_ids, parse_method
from warehouse.index.places import cells_of


def price(week: int, amount: float, **fields: Any) -> Record:
    return {"price": amount, "observed_at": at(week, fields.pop("day", 0)), "run": f"w{week}", **fields}


# 1 — series


def test_each_price_kind_is_a_series_and_rentable_takes_list_offers_in_stock() -> None:
    rows = [
        price(0, 2.0, in_stock=True),
        price(0, 3.0, provider="b", in_stock=False),
        price(0, 4.0, provider="c"),
        price(0, 1.8, price_kind="member", in_stock=True),
        price(0, 1.5, price_kind="promo"),
        price(0, 1.9, price_kind="public_discount"),
        price(0, 1.0, price_kind="floor"),
        price(0, 1.0, price_kind="assessment"),
    ]
    got = {row["series"]: row for row in build(rows).price_index.to_pylist() if row["region_code"] == "CN"}
    assert sorted(got) == ["list", "member", "promo", "public_discount", "rentable"]
    assert {name: row["price_kind"] for name, row in got.items()} == {
        "list": "list", "member": "member", "promo": "promo", "public_discount": "public_discount",
        "rentable": "list",
    }  # fmt: skip
    # Sold out and stock not shown: in the list, not among what can be rented.
    assert (got["list"]["n_offers"], got["rentable"]["n_offers"]) == (3, 1)
    # Of the two keys that show stock one had some.
    assert got["list"]["in_stock_share"] == 0.5


def test_rentable_uses_only_prices_seen_in_stock() -> None:
    # In stock at 2.0, dearer but sold out on the next day: rentable 2.0, list sqrt(2 x 3) = 2.449490.
    rows = [price(0, 2.0, in_stock=True), price(0, 3.0, in_stock=False, day=1)]
    result = build(rows)
    assert float(key_weeks(result)["a", 0]["price"]) == pytest.approx(2.449490, abs=1e-6)
    assert float(key_weeks(result, "rentable")["a", 0]["price"]) == 2.0


def test_sold_out_all_week_is_missing_for_a_time() -> None:
    # a: sold out in week 1 at a new price; b and c fall 10 %, so a is imputed 2.0 x 0.9 = 1.8 and the link
    # is 0.9.
    rows = [price(0, 2.0, in_stock=True), price(1, 2.5, in_stock=False)]
    for name in "bc":
        rows += [price(0, 2.0, provider=name, in_stock=True), price(1, 1.8, provider=name, in_stock=True)]
    result = build(rows)
    assert key_weeks(result)["a", 1] | {"week": None} == {
        "series": "list", "key_no": 0, "week": None,
        "state": "imputed", "reason": "sold_out", "rung": "region",
        "price": key_weeks(result)["a", 1]["price"], "previous": key_weeks(result)["a", 1]["previous"],
    }  # fmt: skip
    assert float(key_weeks(result)["a", 1]["price"]) == 1.8
    assert values(result)[1] == 90.0


# 2 — places


@pytest.mark.parametrize(
    ("code", "scope", "cells"),
    [
        ("CN", "national", ("CN",)),
        ("440300", "region", ("CN", "440000", "440300")),
        ("440306", "zone", ("CN", "440000", "440300")),
        ("440000", "region", ("CN", "440000")),
        ("110000", "region", ("CN", "110000")),
        ("110105", "region", ("CN", "110000")),
        ("110100", "region", ("CN", "110000")),
        ("440300", "national", ("CN",)),
        ("CN-N", "region", ("CN",)),
        (None, "pool", ("CN",)),
        ("429004", "region", ("CN", "420000", "429004")),
        ("810000", "region", ("810000",)),
        ("810001", "national", ("810000",)),
        ("820000", "region", ("820000",)),
        ("US", "region", ("US",)),
    ],
)
def test_cells_of_a_place(code: str | None, scope: str, cells: tuple[str, ...]) -> None:
    assert cells_of(code, scope) == cells


def test_nation_holds_every_mainland_offer_and_nothing_else() -> None:
    rows = [
        price(0, 2.0, region_code="130728"),
        price(0, 2.1, provider="b", region_code="CN", scope="national"),
        price(0, 2.2, provider="c", region_code=None, region_label="L20专区", scope="pool"),
        price(0, 2.3, provider="d", region_code="810000"),
        price(0, 2.4, provider="e", region_code=None, region_label="海外"),
        price(0, 2.5, provider="f", site="international", region_code="110000"),
    ]
    got = {
        row["region_code"]: (row["n_offers"], row["region"])
        for row in build(rows, regions={"130700": "张家口市"}).price_index.to_pylist()
        if row["series"] == "list"
    }
    assert got == {
        "CN": (3, "全国"),
        "130000": (1, "130000"),
        "130700": (1, "张家口市"),
        "810000": (1, "810000"),
    }


# 3 — planned sources, coverage, base week


def test_coverage_counts_active_sources_that_have_been_asked() -> None:
    def crawl(week: int, provider: str, complete: bool) -> Record:
        return {
            "run": f"{provider}{week}", "provider": provider, "kind": "crawl", "started_at": at(week),
            "complete": complete,
        }  # fmt: skip

    rows = [price(w, 2.0, provider="a", run=f"a{w}") for w in range(3)]
    rows += [price(w, 2.0, provider="b", run=f"b{w}") for w in (1, 2)]
    for row in rows:
        row["run"] = f"{row['provider']}{(row['observed_at'] - at(0)).days // 7}"
    runs = [crawl(0, "a", True), crawl(1, "a", True), crawl(2, "a", False)]
    runs += [crawl(1, "b", True), crawl(2, "b", True), crawl(1, "shut", True), crawl(1, "dead", False)]
    result = build(rows, runs, providers={"shut": "closed"})
    # Week 0: a of a. Week 1: a and b of a, b, dead. Week 2: a broke off, dead was not asked again: b of
    # three.
    assert [row["coverage"] for row in series(result)] == pytest.approx([1, 2 / 3, 1 / 3], abs=1e-6)


def test_a_seller_known_by_sheets_is_planned_until_its_sheet_has_expired() -> None:
    rows = [price(w, 2.0) for w in range(7)] + [price(0, 2.0, provider="b")]
    rows += [price(0, 2.0, provider="c", valid_until=at(1, 1))]
    # b: thirty days after Monday of week 0 is Wednesday of week 4. c: until Tuesday of week 1.
    got = [row["coverage"] for row in series(build(rows))]
    assert got == pytest.approx([1, 1 / 3, 1 / 2, 1 / 2, 1 / 2, 1, 1], abs=1e-6)


def test_base_is_100_in_the_first_week_whatever_the_coverage() -> None:
    rows = [
        price(0, 2.0, provider="b"),
        price(1, 4.0, region_code="440300"),
        price(2, 4.4, region_code="440300"),
    ]
    rows += [price(1, 2.0, provider="b"), price(2, 2.0, provider="b")]
    city = series(build(rows), region_code="440300")
    assert [(row["state"], row["value"]) for row in city] == [
        ("base", 100.0),
        ("suppressed", pytest.approx(110.0)),
    ]
    assert city[0]["link"] is None
    assert city[0]["grade"] is None


# 4 — new cards


def test_a_card_that_comes_later_waits_three_weeks() -> None:
    rows = [price(w, 2.0) for w in range(7)]
    rows += [price(w, 5.0 + w, card="RTX5090") for w in range(2, 7)]
    result = build(rows)
    assert next(row["week"] for row in series(result, card="RTX4090")) == at(0).date()
    new = series(result, card="RTX5090")
    # First seen in week 2; candidate in weeks 2, 3, 4; base in week 5 at 10.0, then 11.0.
    assert [(row["week"], row["state"], row["value"]) for row in new] == [
        (at(5).date(), "base", 100.0),
        (at(6).date(), "suppressed", pytest.approx(110.0)),
    ]
    # Its level is shown from the first day.
    levels = [row for row in result.price_level.to_pylist() if row["card"] == "RTX5090"]
    assert min(row["week"] for row in levels) == at(2).date()


def test_a_card_of_the_first_week_is_not_new_elsewhere() -> None:
    rows = [price(0, 2.0), price(1, 2.0), price(1, 3.0, provider="b", region_code="440000")]
    assert [row["state"] for row in series(build(rows), region_code="440000")] == ["base"]


# 5 — grades


def shown(raw: list[int]) -> list[int]:
    """The grades shown for a run of raw ones."""
    before, now, out = np.array([NONE]), np.array([NONE]), []
    for grade in raw:
        now = shown_grades(np.array([grade]), before, now)
        before = np.array([grade])
        out.append(int(now[0]))
    return out


@pytest.mark.parametrize(
    ("raw", "want"),
    [
        ([A, A, B, A, A], [A, A, B, B, A]),  # down at once, up after two weeks running
        ([C, B, A, A], [C, C, B, A]),  # two better weeks show the lower of the two
        ([A, SUPPRESSED, SUPPRESSED, SUPPRESSED], [A, C, SUPPRESSED, SUPPRESSED]),
        ([A, SUPPRESSED, A, SUPPRESSED, A], [A, C, C, C, C]),  # one change, no flicker
        ([SUPPRESSED, A, A], [SUPPRESSED, SUPPRESSED, A]),  # the first graded week shows as it is
        ([C, SUPPRESSED, C, C], [C, C, C, C]),
        ([B, C, B, C, B], [B, C, C, C, C]),
        ([SUPPRESSED, C, SUPPRESSED, C, C], [SUPPRESSED, SUPPRESSED, SUPPRESSED, SUPPRESSED, C]),
    ],
)
def test_hysteresis(raw: list[int], want: list[int]) -> None:
    assert shown(raw) == want


def test_grades_start_with_the_first_link() -> None:
    weeks = [{f"p{i}": 2.0 + i for i in range(9)} for _ in range(3)]
    got = [(row["state"], row["grade"]) for row in series(build(records(weeks)))]
    assert got == [("base", None), ("published", "A"), ("published", "A")]


def test_imputed_relatives_do_not_make_the_median() -> None:
    # Four keys fall by 20 % and four stay; e to h are absent in week 1 and come back in week 2 at their old
    # prices. Observed in both weeks are a to d alone: fewer than five relatives, so only the absolute bound
    # holds and the return (1 / 0.8 = +25 % on the imputed price) passes. With the imputed relatives in the
    # MAD it would not be so.
    down = dict.fromkeys("abcd", 2.0)
    stay = dict.fromkeys("efgh", 3.0)
    weeks = [down | stay, dict.fromkeys(down, 1.6), dict.fromkeys(down, 1.6) | stay]
    result = build(records(weeks))
    # Week 1: all eight at 0.8, four of them imputed (2.4). Week 2: exp((4 ln 1 + 4 ln 1.25) / 8) = 1.118034.
    assert values(result) == pytest.approx([100, 80, 80 * 1.25**0.5], abs=1e-6)
    assert held(result) == {}


# 13, 14 — precision, currency, and what else stays outside


@pytest.mark.parametrize(
    "outside",
    [
        {"date_precision": "month"},
        {"date_precision": "year"},
        {"currency": "USD"},
        {"provider_class": "assessment"},
        {"provider_class": "article"},
        {"trust": "aggregator"},
        {"share": "0.5", "gpu_count": "0.5"},
        {"is_floor": True},
        {"price": 0.049},
        {"price": 500.01},
        {"site": "international"},
    ],
)
def test_what_never_enters_a_cell(outside: Record) -> None:
    rows = [price(w, 2.0) for w in (0, 1)]
    other = [price(w, 8.0 / (w + 1), provider="b") | outside for w in (0, 1)]
    result = build(rows + other)
    assert values(result) == [100.0, 100.0]
    assert series(result)[0]["n_offers"] == 1


@pytest.mark.parametrize("edge", [0.05, 500.0])
def test_the_ends_of_the_absolute_band_are_inside(edge: float) -> None:
    assert series(build([price(0, edge)]))[0]["n_offers"] == 1


def test_slices_never_meet_whole_cards_in_a_median() -> None:
    rows = [price(0, 2.0), price(0, 9.0, share="0.25", gpu_count="0.25")]
    level = build(rows).price_level.to_pylist()
    assert {float(row["median"]) for row in level} == {2.0}


# 4, rule 3 of the method — keys


def test_key_is_the_median_of_its_offers_at_the_last_moment_of_the_day() -> None:
    def offer(sku: str, amount: float, hours: float, run: str) -> Record:
        return {"sku": sku, "price": amount, "observed_at": at(0, 0, hours), "run": run, "kind": "crawl"}

    rows = [offer("x", 9.0, 8, "r1"), offer("y", 9.0, 8, "r1")]
    rows += [offer("x", 2.0, 20, "r2"), offer("y", 3.0, 20.01, "r2")]
    runs = [{"run": run, "kind": "crawl", "started_at": at(0)} for run in ("r1", "r2")]
    # The evening crawl has 2.0 and 3.0: their median is 2.5; the morning is not the day's last word.
    assert float(key_weeks(build(rows, runs))["a", 0]["price"]) == 2.5


def test_count_classes_terms_forms_and_tiers_are_different_keys() -> None:
    variants: list[Record] = [
        {"gpu_count": 1}, {"gpu_count": 2}, {"gpu_count": 7}, {"gpu_count": 8}, {"gpu_count": 16},
        {"form": "SXM"}, {"tier": "secure"}, {"zone": "z"}, {"term_hours": 2190},
    ]  # fmt: skip
    result = build([price(0, 2.0 + i / 10, **variant) for i, variant in enumerate(variants)])
    # 2 and 7 cards are one class; everything else stands alone.
    assert series(result)[0]["n_offers"] == len(variants) - 1


def test_another_bundle_makes_another_good() -> None:
    rows = [
        price(0, 2.0, vcpu=16, ram_gb=64),
        price(1, 3.0, vcpu=32, ram_gb=64),
        price(2, 3.3, vcpu=32, ram_gb=64),
    ]
    for name in "bcd":
        rows += [price(w, 2.0, provider=name, vcpu=16) for w in range(3)]
    result = build(rows)
    # Week 1: a comes with twice the vCPU, so its +50 % is no price change; week 2: four keys, one up 10 %.
    assert values(result) == pytest.approx([100, 100, 100 * 1.1**0.25], abs=1e-6)
    assert key_weeks(result)["a", 1]["reason"] == "bundle_changed"


# Method files


def test_a_method_version_is_frozen() -> None:
    assert load_method("1.0.0").digest == "1681f664da64644dda7dc6c91abb2128690690daf59e9ba36ad72f7350eb17ba"
    assert method_ids()[0] == "1.0.0"


def test_an_unknown_or_broken_method_is_refused() -> None:
    with pytest.raises(MethodError, match=r"9\.9\.9"):
        load_method("9.9.9")
    with pytest.raises(MethodError, match="unknown sections"):
        parse_method(b'id = "x"\nvalid_from = 2026-01-01\n[typo]\n', "x")


def test_empty_and_late_clock() -> None:
    assert build([], now=datetime(2026, 1, 1, tzinfo=UTC)).price_index.num_rows == 0
    assert build([price(0, 2.0)], now=at(0) - timedelta(hours=1)).price_index.num_rows == 0
