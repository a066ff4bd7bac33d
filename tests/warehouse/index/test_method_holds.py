"""The exact decisions 9 and 10 and 14b: holding back, and every way out."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from tests.warehouse.index.market import DAY, Record, at, build, held, key_weeks, reviews, series, values
from warehouse.index import Decision

FIVE = [2.0, 2.0, 2.0, 2.0, 2.0]


def price(day: float, amount: float, provider: str = "a", **fields: Any) -> Record:
    """One observation `day` days after Monday noon of week 0; every day its own run."""
    return {
        "price": amount, "observed_at": at(0) + day * DAY, "run": f"d{day}", "provider": provider, **fields,
    }  # fmt: skip


def history(amounts: list[float] = FIVE, **fields: Any) -> list[Record]:
    """One observation a day by seller h: the median that others are measured against."""
    return [price(day, amount, "h", **fields) for day, amount in enumerate(amounts)]


# 9 — bands of the 30-day median


@pytest.mark.parametrize(
    ("amount", "word", "review"),
    [
        (0.65, "level_hold", False),  # 0.325 of the median of 2.0
        (0.66, None, True),  # 0.33 exactly
        (0.99, None, True),
        (1.0, None, False),  # 0.5 exactly
        (4.0, None, False),  # 2 exactly
        (4.01, None, True),
        (6.0, None, True),  # 3 exactly
        (6.01, "level_hold", False),
    ],
)
def test_bands_around_the_median(amount: float, word: str | None, review: bool) -> None:
    result = build([*history(), price(5, amount)])
    assert held(result).get(6) == word
    assert (6 in reviews(result)) is review


def test_with_four_observations_only_the_absolute_band_holds() -> None:
    assert held(build([*history(FIVE[:4]), price(5, 400.0)])) == {}
    assert held(build([*history(FIVE), price(5, 400.0)])) == {6: "level_hold"}


@pytest.mark.parametrize(("age", "word"), [(30.0, "level_hold"), (30.01, None)])
def test_window_is_thirty_times_24_hours_and_ends_before_the_observation(
    age: float, word: str | None
) -> None:
    # Five observations at one moment, `age` days before: 720 h back is inside, a little more is not.
    rows = [price(0, 2.0, f"h{i}") for i in range(5)] + [price(age, 20.0)]
    assert held(build(rows)).get(6) == word


def test_observations_of_the_same_moment_do_not_measure_each_other() -> None:
    rows = [price(0, 2.0, f"h{i}") for i in range(5)] + [price(0, 20.0)]
    assert held(build(rows)) == {}


@pytest.mark.parametrize(
    "apart",
    [
        {"provider_class": "cloud"},
        {"price_kind": "member"},
        {"billing_mode": "monthly"},
        {"card": "RTX5090"},
        {"share": "0.5", "gpu_count": "0.5"},
    ],
)
def test_medians_are_of_one_card_mode_kind_and_class(apart: Record) -> None:
    assert held(build([*history(), price(5, 20.0, **apart)])) == {}


@pytest.mark.parametrize(
    ("amount", "word"), [(40.0, None), (40.01, "level_hold"), (0.1, None), (0.09, "level_hold")]
)
@pytest.mark.parametrize("other_class", ["cloud", "idc", "assessment", "article"])
def test_a_class_without_a_level_is_held_against_the_sellers(
    amount: float, word: str | None, other_class: str
) -> None:
    # Marketplaces at 2.0: twenty times is 40, a twentieth 0.1; on three days, each its own run.
    odd = [price(5 + day, amount, provider_class=other_class) for day in range(3)]
    assert list(held(build([*history(), *odd])).values()) == ([word] * 3 if word else [])


def test_who_is_no_seller_makes_no_level_for_sellers() -> None:
    rows = history(provider_class="assessment")
    assert held(build([*rows, price(5, 400.0, provider_class="cloud")])) == {}


def test_a_class_with_five_has_its_own_level_however_far_from_the_others() -> None:
    clouds = [price(day, 30.0, "c", provider_class="cloud") for day in range(5)]
    assert held(build([*history(), *clouds, price(5, 45.0, "d", provider_class="cloud")])) == {}


def test_held_prices_do_not_move_the_median() -> None:
    # Thirty held prices at 20 would be the majority; the median stays 2.0 and the thirty-first is held too.
    rows = history() + [price(5 + i / 10, 20.0) for i in range(31)]
    assert set(held(build(rows)).values()) == {"level_hold"}
    assert len(held(build(rows))) == 31


def test_the_other_observations_of_the_week_still_count() -> None:
    rows = [*history(), price(1, 2.2), price(5, 20.0), price(6, 2.2)]
    result = build(rows)
    assert float(key_weeks(result)["a", 0]["price"]) == 2.2
    assert series(result)[0]["n_quarantined"] == 1


# 10 — ways out of a level hold


def test_repetition_never_releases_a_level_hold() -> None:
    # A parsing error repeated on ten days, each day another run.
    rows = history() + [price(5 + i, 20.0) for i in range(10)]
    result = build(rows)
    assert sorted(held(result)) == list(range(6, 16))
    assert "a" not in {
        provider for provider, _ in key_weeks(result) if key_weeks(result)[provider, _]["price"]
    }


@pytest.mark.parametrize(
    ("other", "released"),
    [
        (22.0, True),  # +10 % of 20
        (18.0, True),
        (22.1, False),
        (17.9, False),
    ],
)
def test_an_unheld_price_of_a_second_provider_releases(other: float, released: bool) -> None:
    # The second provider is a cloud: its class has no history, so its price is not held.
    rows = [*history(), price(5, 20.0), price(6, other, "cloud", provider_class="cloud")]
    result = build(rows)
    assert held(result) == ({} if released else {6: "level_hold"})
    # Both prices are of week 0, so a's enters it.
    assert (key_weeks(result)["a", 0]["state"] == "kept") is released


def test_a_second_provider_that_is_held_itself_releases_nothing() -> None:
    rows = [*history(), price(5, 20.0), price(5.5, 20.0, "b")]
    assert held(build(rows)) == {6: "level_hold", 7: "level_hold"}


def test_the_same_provider_in_another_class_releases_nothing() -> None:
    rows = [*history(), price(5, 20.0), price(6, 20.0, provider_class="cloud")]
    assert held(build(rows)) == {6: "level_hold"}


def test_an_article_releases_nothing() -> None:
    rows = [*history(), price(5, 20.0), price(6, 20.0, "press", provider_class="article")]
    assert held(build(rows)) == {6: "level_hold"}


def test_a_second_provider_of_the_last_thirty_days_counts_and_an_older_one_does_not() -> None:
    cloud = price(0, 20.0, "cloud", provider_class="cloud")
    late = [price(20 + i, 2.0, "h") for i in range(5)]
    assert held(build([cloud, *late, price(29, 20.0)])) == {}
    assert held(build([cloud, *late, price(31, 20.0)])) == {7: "level_hold"}


def test_a_release_after_the_freeze_does_not_change_the_week() -> None:
    # Held on Saturday of week 0, confirmed on Tuesday of week 1: week 0 keeps its value, the note is gone.
    rows = [*history(), price(5, 20.0), price(8, 20.0, "cloud", provider_class="cloud"), price(8.5, 20.0)]
    result = build(rows)
    assert held(result) == {}
    assert key_weeks(result)["a", 0]["reason"] == "held"
    assert key_weeks(result)["a", 1]["reason"] == "entered"


# 10 — ways out of an outlier


def week_of_cut(*cuts: tuple[float, float, str], **fields: Any) -> list[Record]:
    """Six steady sellers and seller a at 4.0 in week 0; then a's observations (day, price, run)."""
    rows = [price(7 * w, 2.0 + i, f"s{i}") for w in range(3) for i in range(6)] + [price(0, 4.0)]
    return rows + [price(day, amount) | {"run": run, **fields} for day, amount, run in cuts]


HELD_KEY = 20  # the first cut is observation 20


def test_an_outlier_is_held_with_all_observations_of_its_week() -> None:
    result = build(week_of_cut((7, 2.0, "x"), (8, 2.0, "x")))
    assert held(result) == {20: "outlier", 21: "outlier"}
    assert key_weeks(result)["a", 1]["reason"] == "outlier"
    assert (series(result)[1]["n_quarantined"], series(result)[1]["value"]) == (1, 100.0)


@pytest.mark.parametrize(
    ("second", "released"),
    [
        ((7.5, 2.0, "y"), True),  # another run, twelve hours later
        ((7.49, 2.0, "y"), False),  # too soon
        ((8.0, 2.0, "x"), False),  # the same run
        ((8.0, 2.02, "y"), True),  # within one per cent
        ((8.0, 2.03, "y"), False),
    ],
)
def test_the_same_price_in_a_later_run_releases(second: tuple[float, float, str], released: bool) -> None:
    result = build(week_of_cut((7, 2.0, "x"), second))
    assert (held(result) == {}) is released
    assert key_weeks(result)["a", 1]["reason"] == ("released" if released else "outlier")


def test_one_sheet_that_repeats_a_price_confirms_nothing() -> None:
    rows = week_of_cut(*((7 + day, 2.0, "sheet") for day in range(14)))
    result = build(rows)
    assert len(held(result)) == 14
    assert [row["value"] for row in series(result)] == [100.0, 100.0, 100.0]


def test_a_glitch_inside_a_week_is_not_released_by_the_old_price() -> None:
    # Monday and Wednesday at the old 4.0, Tuesday at 1.5: the mean falls out, and 4.0 does not confirm 1.5.
    result = build(week_of_cut((7, 4.0, "x"), (8, 1.5, "y"), (9, 4.0, "z")))
    assert key_weeks(result)["a", 1]["reason"] == "outlier"


def test_back_at_the_old_price_the_key_goes_on_and_the_glitch_stays_held() -> None:
    result = build(week_of_cut((7, 2.0, "x"), (14, 4.0, "y")))
    assert held(result) == {HELD_KEY: "outlier"}
    assert key_weeks(result)["a", 2]["reason"] == "returned"
    assert values(result) == [100.0, 100.0, 100.0]


def test_a_second_provider_that_came_to_the_same_price_releases() -> None:
    cut = week_of_cut((7, 2.0, "x"))
    # s0 has stood at 2.0 for weeks: that says nothing. A newcomer at 2.0 does.
    assert held(build(cut)) == {HELD_KEY: "outlier"}
    assert held(build([*cut, price(8, 2.01, "new")])) == {}


def test_released_relatives_enter_the_link_but_not_the_classes() -> None:
    # a is cut by half and confirmed in week 1; m is absent: imputed with the six steady ones (1.0), not
    # with a.
    rows = [*week_of_cut((7, 2.0, "x"), (8, 2.0, "y")), price(0, 3.0, "m")]
    result = build(rows)
    assert float(key_weeks(result)["m", 1]["price"]) == 3.0
    # Eight sellers in the link: 0.5^(1/8).
    assert values(result)[1] == pytest.approx(100 * 0.5 ** (1 / 8), abs=1e-6)


@pytest.mark.parametrize("amount", [2.9, 5.6])
def test_small_cells_have_the_absolute_bound(amount: float) -> None:
    # Three relatives: x1.45 passes; x2.8 is beyond ln 2.
    rows = [price(7 * w, 2.0, name) for w in (0, 1) for name in "bc"] + [price(0, 2.0), price(7, amount)]
    assert held(build(rows)) == ({} if amount < 4 else {6: "outlier"})


# 10 — reviewers


def decision(obs: int, action: str, **fields: Any) -> Decision:
    return Decision(obs=obs, action=action, decided_at=at(9), by="ling", reason="seen on the page", **fields)  # type: ignore[arg-type]


def test_a_reviewer_releases_a_level_hold_and_what_repeats_it() -> None:
    rows = [*history(), price(5, 20.0), price(6, 20.1), price(6.5, 21.0)]
    result = build(rows, decisions=[decision(6, "release")])
    # 20.1 is within one per cent, 21.0 is not.
    assert held(result) == {8: "level_hold"}
    assert key_weeks(result)["a", 0]["state"] == "kept"


def test_a_reviewer_releases_an_outlier() -> None:
    result = build(week_of_cut((7, 2.0, "x")), decisions=[decision(HELD_KEY, "release")])
    assert held(result) == {}
    assert key_weeks(result)["a", 1]["reason"] == "released"


def test_a_refused_price_stays_out_whoever_repeats_it() -> None:
    rows = week_of_cut((7, 2.0, "x"), (8, 2.0, "y"), (14, 2.0, "z"))
    result = build(rows, decisions=[decision(HELD_KEY, "refuse", word="outlier")])
    assert held(result) == {20: "outlier", 21: "outlier", 22: "outlier"}
    assert values(result) == [100.0, 100.0, 100.0]


def test_the_last_decision_counts() -> None:
    later = Decision(6, "refuse", at(10), "wei", "a misprint after all")
    rows = [*history(), price(5, 20.0)]
    assert held(build(rows, decisions=[later, decision(6, "release")])) == {6: "level_hold"}


# 14b — conflicts


@pytest.mark.parametrize(
    ("second", "scope", "word"),
    [(2.02, "region", None), (2.021, "region", "conflict"), (3.0, "host", None), (3.0, "pool", None)],
)
def test_two_prices_of_one_good_in_one_run(second: float, scope: str, word: str | None) -> None:
    rows = [price(0, amount, scope=scope) | {"run": "r"} for amount in (2.0, second)]
    assert set(held(build(rows)).values()) == ({word} if word else set())
    assert build(rows).price_index.num_rows == (0 if word else 2)


def test_two_days_of_one_sheet_are_no_conflict() -> None:
    rows = [price(day, 2.0 + day) | {"run": "sheet"} for day in (0, 1)]
    assert held(build(rows)) == {}


def test_the_same_row_twice_is_one_observation() -> None:
    rows = [price(0, 2.0), price(0, 2.0) | {"run": "again"}, price(0, 3.0, sku="x") | {"run": "again"}]
    # One offer at 2.0 and one at 3.0: the key is at 2.5, told twice or not.
    assert float(key_weeks(build(rows))["a", 0]["price"]) == 2.5
    assert timedelta(0) < DAY
