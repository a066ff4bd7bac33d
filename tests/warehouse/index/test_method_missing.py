"""The exact decisions 6 to 8 and 12: absence, the class ladder, outages, flags."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from tests.warehouse.index.market import Record, at, build, key_weeks, series, values
from warehouse.index import IndexResult


def price(week: int, amount: float, provider: str = "a", **fields: Any) -> Record:
    return {"price": amount, "observed_at": at(week), "run": f"w{week}", "provider": provider, **fields}


def crawl(week: int, provider: str, complete: bool = True) -> Record:
    return {
        "run": f"{provider}{week}", "provider": provider, "kind": "crawl",
        "started_at": at(week) - timedelta(minutes=5), "complete": complete,
    }  # fmt: skip


def crawled(week: int, amount: float, provider: str, **fields: Any) -> Record:
    return price(week, amount, provider, **fields) | {"run": f"{provider}{week}"}


def states(result: IndexResult, provider: str) -> list[tuple[int, str, str, str | None]]:
    """(week, state, reason, rung) of a provider's key."""
    return [
        (week, row["state"], row["reason"], row["rung"])
        for (name, week), row in sorted(key_weeks(result).items())
        if name == provider
    ]


OTHERS = "bcd"


def steady(weeks: int, **fields: Any) -> list[Record]:
    """Three sellers that never move."""
    return [price(week, 2.0, name, **fields) for week in range(weeks) for name in OTHERS]


# 6 — absence


def test_an_absent_key_is_imputed_four_weeks_and_then_leaves() -> None:
    result = build([price(0, 2.0), *steady(7)])
    assert [(week, state, reason) for week, state, reason, _ in states(result, "a")] == [
        (0, "kept", "entered"),
        (1, "imputed", "provider_outage"),
        (2, "imputed", "provider_outage"),
        (3, "imputed", "provider_outage"),
        (4, "imputed", "provider_outage"),
        (5, "dropped", "too_long"),
    ]
    assert [row["n_imputed"] for row in series(result)] == [0, 1, 1, 1, 1, 0, 0]


def test_a_key_back_in_the_fourth_week_is_linked_and_after_an_exit_it_enters_anew() -> None:
    # Back after four imputed weeks at 2.2: (1.1)^(1/4) = 1.024114. Back after five: a new key, no movement.
    early = build([price(0, 2.0), price(5, 2.2), *steady(6)])
    assert values(early)[5] == pytest.approx(100 * 1.1**0.25, abs=1e-6)
    late = build([price(0, 2.0), price(6, 2.2), *steady(7)])
    assert values(late) == [100.0] * 7
    assert states(late, "a")[-1][1:3] == ("kept", "entered")


@pytest.mark.parametrize(
    ("complete", "kind", "leaves"),
    [(True, "crawl", 2), (False, "crawl", None), (True, "import", 2), (False, "import", None)],
)
def test_two_complete_runs_without_a_key_end_it_at_once(
    complete: bool, kind: str, leaves: int | None
) -> None:
    # Provider a keeps selling zone y; zone x is in the run of week 0 only.
    rows = [crawled(0, 2.0, "a", zone="x"), *(crawled(w, 2.0, "a", zone="y") for w in range(4)), *steady(4)]
    runs = [crawl(w, "a", complete) | {"kind": kind} for w in range(4)]
    result = build(rows, runs)
    names = {row["key_no"]: row["key_name"] for row in result.index_keys.to_pylist()}
    told = [
        ((row["week"] - at(0).date()).days // 7, row["state"], row["reason"])
        for row in result.index_key_weeks.to_pylist()
        if "|x|" in names[row["key_no"]] and row["series"] == "list"
    ]
    # Week 1 brings the first complete run without it, week 2 the second.
    gone = [(0, "kept", "entered"), (1, "imputed", "absent"), (2, "dropped", "gone")]
    kept = [(0, "kept", "entered"), *((w, "imputed", "absent") for w in (1, 2, 3))]
    assert told == (gone if leaves == 2 else kept)


def test_a_held_or_sold_out_price_is_no_absence() -> None:
    # Zone x of provider a is sold out in weeks 1 to 3 of complete runs: seen, so imputed and not gone.
    rows = [crawled(0, 2.0, "a", in_stock=True)]
    rows += [crawled(w, 2.0, "a", in_stock=False) for w in (1, 2, 3)]
    result = build([*rows, *steady(4)], [crawl(w, "a") for w in range(4)])
    assert [row[1:3] for row in states(result, "a")] == [("kept", "entered"), *[("imputed", "sold_out")] * 3]


# 7 — the ladder


def test_first_rung_same_provider_pooled_with_three_keys() -> None:
    # a: zones p, q, r fall 10 %, zone x is absent: 2.0 x 0.9 = 1.8, although b to d stay.
    rows = [price(0, 2.0, zone="x"), *steady(2)]
    rows += [price(w, 2.0 - 0.2 * w, zone=zone) for zone in "pqr" for w in (0, 1)]
    result = build(rows)
    told = next(r for r in result.index_key_weeks.to_pylist() if r["state"] == "imputed")
    assert (told["rung"], float(told["price"])) == ("provider", 1.8)
    # Two-stage: a = 0.9, the others 1: 0.9^(1/4).
    assert values(result)[1] == pytest.approx(100 * 0.9**0.25, abs=1e-6)


def test_two_keys_of_the_provider_are_too_few_and_the_region_comes_next() -> None:
    # Beijing: a's zones p, q fall 10 %, b stays: two-stage sqrt(0.9) = 0.948683. Guangdong (c, d) falls by
    # a half.
    rows = [price(0, 2.0, zone="x"), price(0, 2.0, "b"), price(1, 2.0, "b")]
    rows += [price(w, 2.0 - 0.2 * w, zone=zone) for zone in "pq" for w in (0, 1)]
    rows += [price(w, 2.0 - w, name, region_code="440000") for name in "cd" for w in (0, 1)]
    result = build(rows)
    told = next(
        r for r in result.index_key_weeks.to_pylist() if r["state"] == "imputed" and r["series"] == "list"
    )
    assert told["rung"] == "region"
    assert float(told["price"]) == pytest.approx(2 * 0.9**0.5, abs=1e-6)


def test_a_thin_region_takes_the_nation() -> None:
    # Beijing has one other key (b, -10 %): not two. Nation: b 0.9, c 0.8, d 0.8 -> (0.576)^(1/3) = 0.832034.
    rows = [price(0, 2.0), price(0, 2.0, "b"), price(1, 1.8, "b")]
    rows += [price(w, 2.0 - 0.4 * w, name, region_code="440000") for name in "cd" for w in (0, 1)]
    result = build(rows)
    told = next(
        r for r in result.index_key_weeks.to_pylist() if r["state"] == "imputed" and r["series"] == "list"
    )
    assert (told["rung"], float(told["price"])) == ("nation", pytest.approx(2 * 0.576 ** (1 / 3), abs=1e-6))
    # The nation's link is that movement too; Beijing's is the mean of b and the imputed a.
    assert values(result)[1] == pytest.approx(100 * 0.576 ** (1 / 3), abs=1e-6)
    assert values(result, region_code="110000")[1] == pytest.approx(
        100 * (0.9 * 0.576 ** (1 / 3)) ** 0.5, abs=1e-6
    )


def test_without_a_class_the_key_leaves() -> None:
    result = build([price(0, 2.0), price(0, 2.0, "b"), price(1, 2.2, "b"), price(2, 2.2, "b"), price(2, 3.0)])
    assert states(result, "a") == [
        (0, "kept", "entered", None),
        (1, "dropped", "no_class", None),
        (2, "kept", "entered", None),
    ]
    assert values(result) == pytest.approx([100, 110, 110], abs=1e-6)


def test_quarantined_keys_are_in_no_class() -> None:
    # Week 1: x absent; b, c, d, e fall 10 %; f jumps tenfold and is held: x is imputed with 0.9, not with
    # f's move.
    rows = [price(0, 2.0, "x")]
    rows += [price(w, 2.0 - 0.2 * w, name) for name in "bcde" for w in (0, 1)]
    rows += [price(0, 2.0, "f"), price(1, 5.9, "f")]
    result = build(rows)
    told = key_weeks(result)
    assert told["f", 1]["reason"] == "outlier"
    assert float(told["x", 1]["price"]) == 1.8
    assert float(told["f", 1]["price"]) == 1.8


# 8 — outages


def test_a_city_in_outage_is_null_and_links_to_its_last_prices() -> None:
    # Shenzhen: 2.0, nothing, 2.4. The nation goes 10 % down and 10 % down meanwhile; nothing of it comes
    # down here.
    rows = [price(0, 2.0, "s", region_code="440300"), price(2, 2.4, "s", region_code="440300")]
    rows += [price(w, 2.0 * 0.9**w, name) for name in OTHERS for w in range(3)]
    result = build(rows)
    city = series(result, region_code="440300")
    assert [(row["state"], row["value"]) for row in city] == [
        ("base", 100.0), ("outage", None), ("suppressed", pytest.approx(120.0, abs=1e-6)),
    ]  # fmt: skip
    assert city[1]["flags"] == "provider_outage"
    # In the nation s is imputed (1.8) and comes back at 2.4; the others 0.9: (0.9^3 x 2.4/1.8)^(1/4).
    assert values(result)[1] == 90.0
    assert values(result)[2] == pytest.approx(90 * (0.9**3 * 2.4 / 1.8) ** 0.25, abs=1e-5)


def test_an_outage_of_everything_changes_nothing_and_is_linked_over() -> None:
    rows = [price(w, 2.0 * 1.1 ** (w > 0), name) for name in "abc" for w in (0, 3)]
    got = series(build(rows))
    assert [row["state"] for row in got] == ["base", "outage", "outage", "indicative"]
    assert got[3]["value"] == pytest.approx(110.0, abs=1e-6)
    assert got[3]["link"] == pytest.approx(1.1, abs=1e-8)


def test_outage_rows_stop_after_a_year_and_the_link_still_spans_the_gap() -> None:
    rows = [price(w, 2.0 + 0.2 * (w > 0), name) for name in "abc" for w in (0, 80)]
    got = series(build(rows))
    assert [row["state"] for row in got] == ["base", *["outage"] * 53, "indicative"]
    assert got[-1]["value"] == pytest.approx(110.0, abs=1e-6)
    assert got[-1]["week"] == at(80).date()


def test_the_running_week_is_no_outage_yet() -> None:
    rows = [price(0, 2.0), price(1, 2.0, "b", region_code="440000")]
    during = build(rows, now=at(1, 2))
    assert [row["week"] for row in series(during, region_code="110000")] == [at(0).date()]
    after = build(rows, now=at(2, 0, 1))
    assert [row["state"] for row in series(after, region_code="110000")] == ["base", "outage"]


def test_a_provider_in_outage_is_imputed_and_flagged() -> None:
    # a is down in week 1; zone-wise absence of one key of b (whose other key is seen) is no provider outage.
    rows = [price(0, 2.0), *steady(2), price(0, 2.0, "b", zone="z")]
    got = series(build(rows))[1]
    assert got["n_imputed"] == 2
    assert got["flags"] == "provider_outage"
    assert "provider_outage" not in series(build([*steady(2), price(0, 2.0, "b", zone="z")]))[1]["flags"]


# 12 — flags


def test_composition_is_flagged_when_keys_come_or_go() -> None:
    rows = [*steady(3), price(1, 9.0), price(2, 9.0)]
    assert [row["flags"] for row in series(build(rows))] == ["", "composition", ""]


def test_a_single_provider_is_flagged() -> None:
    rows = [price(w, 2.0, zone=zone) for zone in "pqrst" for w in (0, 1)]
    row = series(build(rows))[1]
    assert (row["flags"], row["grade"], row["state"]) == ("single_provider", "C", "indicative")


def test_a_switch_of_sources_breaks_the_series_visibly() -> None:
    # a alone in weeks 0 and 1, b alone from week 2 on, at twice the price: no link, a new base, a flag.
    rows = [price(w, 2.0) for w in (0, 1)] + [price(w, 4.0, "b") for w in (2, 3)]
    got = series(build(rows))
    assert [(row["state"], row["value"], row["link"]) for row in got] == [
        ("base", 100.0, None),
        ("suppressed", 100.0, 1.0),
        ("base", 100.0, None),
        ("suppressed", 100.0, 1.0),
    ]
    assert "source_switch" in got[2]["flags"]
    assert "source_switch" not in got[3]["flags"]


def test_a_switch_bridged_by_imputation_is_flagged_and_not_printed() -> None:
    # Shenzhen: a in weeks 0, 1, then b; the nation (c, d, e) bridges a, but every key in the link is imputed.
    rows = [price(w, 2.0, region_code="440300") for w in (0, 1)]
    rows += [price(w, 4.0, "b", region_code="440300") for w in (2, 3)]
    rows += [price(w, 2.0, name) for name in "cde" for w in range(4)]
    city = series(build(rows), region_code="440300")
    assert (city[2]["state"], "source_switch" in city[2]["flags"]) == ("suppressed", True)
    assert city[2]["n_imputed"] == city[2]["n_offers"] == 1
