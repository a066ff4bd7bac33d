"""The level rule against a plain reading of it, observation by observation, on generated sightings."""

from __future__ import annotations

from fractions import Fraction
from statistics import median

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from warehouse.index.bands import Bands
from warehouse.index.calendar import DAY_US, HOUR_US
from warehouse.index.level_hold import NEVER, Observations, Verdicts, hold_levels
from warehouse.index.method import LevelHold, load_method

RULE = load_method().level_hold
PRICES = (
    300_000,
    330_000,
    400_000,
    1_000_000,
    1_050_000,
    1_100_000,
    2_000_000,
    2_100_000,
    3_000_000,
    3_300_000,
    25_000_000,  # beyond twenty times any of the former
    60_000,
)
BARRED = st.sampled_from([False] * 9 + [True])
SIGHTING_PARTS = (
    st.integers(0, 60 * 4),  # quarter days: several at one moment, and more than one window
    st.integers(0, 4),  # group; two of them make a unit, the last is no seller
    st.integers(0, 3),  # provider
    st.sampled_from(PRICES),
    BARRED,
)
SIGHTING = st.tuples(*SIGHTING_PARTS)


def observations(sightings: list[tuple[int, int, int, int, bool]]) -> Observations:
    rows = sorted(sightings, key=lambda s: s[0])
    columns = [np.array([row[i] for row in rows], dtype=np.int64) for i in range(4)]
    return Observations(
        time=columns[0] * (DAY_US // 4) + 20_000 * DAY_US,
        group=columns[1],
        provider=columns[2],
        price=columns[3],
        barred=np.array([row[4] for row in rows], dtype=bool),
        freed=np.zeros(len(rows), dtype=bool),
        unit_of_group=np.arange(5) // 2,
        pool_of_group=np.array([0, 0, 1, 1, 0]),
    )


def plain(obs: Observations, rule: LevelHold) -> Verdicts:
    """The rule as it is written, in quadratic time."""
    n = len(obs.time)
    held, review = np.zeros(n, dtype=bool), np.zeros(n, dtype=bool)
    released = np.full(n, NEVER)
    window = rule.window_hours * HOUR_US
    verdicts: dict[int, str] = {}

    def near(x: int, y: int) -> bool:
        other = obs.unit_of_group[obs.group[x]] == obs.unit_of_group[obs.group[y]]
        tolerance = Fraction(rule.release_within) * int(obs.price[y])
        return bool(
            other
            and obs.provider[x] != obs.provider[y]
            and abs(int(obs.price[x]) - int(obs.price[y])) <= tolerance
        )

    for time in sorted(set(obs.time.tolist())):
        now = [i for i in range(n) if obs.time[i] == time and not obs.barred[i]]
        for i in now:
            past = [
                j
                for j in range(n)
                if time - window <= obs.time[j] < time
                and not obs.barred[j]
                and (not held[j] or released[j] // DAY_US < time // DAY_US)
            ]
            own = [int(obs.price[j]) for j in past if obs.group[j] == obs.group[i]]
            pool = obs.pool_of_group[obs.group[i]]
            pooled = [int(obs.price[j]) for j in past if obs.unit_of_group[obs.group[j]] == pool]
            verdicts[i] = "pass"
            if len(own) >= rule.min_observations:
                ratio = int(obs.price[i]) / Fraction(median(own))
                if not Fraction(rule.hold_below) <= ratio <= Fraction(rule.hold_above):
                    verdicts[i] = "hold"
                elif not Fraction(rule.review_below) <= ratio <= Fraction(rule.review_above):
                    verdicts[i] = "review"
            elif len(pooled) >= rule.min_observations:
                ratio, most = int(obs.price[i]) / Fraction(median(pooled)), Fraction(rule.across_classes)
                verdicts[i] = "pass" if 1 / most <= ratio <= most else "hold"
        first = dict(verdicts)
        for i in now:
            if first[i] == "hold" and any(
                near(j, i)
                and time - window <= obs.time[j] <= time
                and first[j] != "hold"
                and not obs.barred[j]
                for j in first
                if not held[j]
            ):
                verdicts[i] = "pass"
        for i in now:
            held[i] = verdicts[i] == "hold"
            review[i] = verdicts[i] == "review"
        for i in range(n):
            if held[i] and released[i] == NEVER and any(near(j, i) and not held[j] for j in now):
                released[i] = time
    return Verdicts(held, review, released)


@settings(max_examples=150, deadline=None)
@given(st.lists(SIGHTING, min_size=1, max_size=70))
def test_the_fast_way_is_the_plain_way(sightings: list[tuple[int, int, int, int, bool]]) -> None:
    obs = observations(sightings)
    fast, slow = hold_levels(obs, RULE), plain(obs, RULE)
    assert np.array_equal(fast.held, slow.held)
    assert np.array_equal(fast.review, slow.review)
    assert np.array_equal(fast.released_at, slow.released_at)


NEAR = st.lists(
    st.tuples(
        *SIGHTING_PARTS[:3], st.sampled_from([1_000_000, 1_050_000, 1_500_000, 2_000_000, 40_000_000]), BARRED
    ),
    min_size=1,
    max_size=40,
)


@settings(max_examples=150, deadline=None)
@given(NEAR)
def test_of_a_quiet_pool_nothing_is_told(sightings: list[tuple[int, int, int, int, bool]]) -> None:
    obs = observations(sightings)
    spreads = [(int(mine.min()), int(mine.max())) for g in range(5) if len(mine := obs.price[obs.group == g])]
    assume(Bands(RULE).quiet(spreads))
    slow = plain(obs, RULE)
    assert not slow.held.any()
    assert not slow.review.any()


@pytest.mark.parametrize(
    ("spreads", "quiet"),
    [
        ([(1_000_000, 2_000_000)], True),
        ([(1_000_000, 2_000_001)], False),
        ([(1_000_000, 2_000_000), (20_000_000, 20_000_000)], True),
        ([(1_000_000, 1_000_000), (20_000_001, 20_000_001)], False),
        ([(7, 7)], True),
    ],
)
def test_a_pool_is_quiet_inside_every_band(spreads: list[tuple[int, int]], quiet: bool) -> None:
    assert Bands(RULE).quiet(spreads) is quiet


@settings(max_examples=50, deadline=None)
@given(st.lists(SIGHTING, min_size=2, max_size=50), st.randoms(use_true_random=False))
def test_the_order_within_a_moment_does_not_matter(
    sightings: list[tuple[int, int, int, int, bool]], random: np.random.RandomState
) -> None:
    shuffled = sightings.copy()
    random.shuffle(shuffled)
    for way in (sightings, shuffled):
        way.sort(key=lambda s: s[0])
    a, b = hold_levels(observations(sightings), RULE), hold_levels(observations(shuffled), RULE)

    def told(way: list[tuple[int, int, int, int, bool]], verdicts: Verdicts) -> list[tuple[object, ...]]:
        return sorted(
            zip(
                way,
                verdicts.held.tolist(),
                verdicts.review.tolist(),
                verdicts.released_at.tolist(),
                strict=True,
            )
        )

    assert told(sightings, a) == told(shuffled, b)
