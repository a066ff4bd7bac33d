"""Cost of hours: the hand cases of the sources, and brute force on generated questions."""

from __future__ import annotations

import json
from decimal import Decimal
from fractions import Fraction
from itertools import product
from math import ceil
from typing import Any

import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st

from reports.cost import cheapest, parse_rates
from reports.cost.lines import answer
from reports.cost.modes import CostError
from reports.cost.optimum import Solution
from reports.numbers import dumps

RATES = {"hour": Decimal("2.00"), "day": 36, "week": 210, "month": 720}
LENGTHS = {"prepaid_hour": 1, "day": 24, "week": 168, "month": 730, "year": 8760}


def ask(hours: object, rates: dict[str, Any] = RATES, **more: object) -> dict[str, Any]:
    return answer({"id": "q", "hours": hours, "rates": rates, **more})


def plan(result: dict[str, Any]) -> dict[str, Any]:
    return {row["mode"]: row["units"] for row in result["plan"]}


@pytest.mark.parametrize(
    ("hours", "span", "total", "units"),
    [
        (10, None, "20.00", {"hour": 10}),
        (20, None, "36.00", {"day": 1}),
        (120, None, "180.00", {"day": 5}),
        (144, None, "210.00", {"week": 1}),
        (400, None, "524.00", {"week": 2, "day": 2, "hour": 16}),
        (400, 720, "720.00", {"month": 1}),
        (0, None, "0.00", {}),
        (18, None, "36.00", {"hour": 18}),  # a tie goes to the meter
        (Decimal("18.01"), None, "36.00", {"day": 1}),
    ],
)
def test_hand_cases(hours: object, span: object, total: str, units: dict[str, int]) -> None:
    result = ask(hours, contiguous=span is None, span_hours=span)
    assert result["total"] == Decimal(total)
    assert plan(result) == units


def test_the_four_ways_to_spread_400_hours() -> None:
    """Hour 800, days 1,080, 4 weeks + 2 days 912, month 720 (400 h over 30 days)."""
    spread: dict[str, Any] = {"contiguous": False, "span_hours": 720}
    assert ask(400, {"hour": 2}, **spread)["total"] == 800
    assert ask(400, {"day": 36}, **spread)["total"] == 1080
    assert ask(400, {"day": 36, "week": 210}, **spread)["total"] == 912
    assert ask(400, {"month": 720}, **spread)["total"] == 720


def test_break_even_is_price_over_hourly_rate() -> None:
    assert ask(1)["break_even"] == {"day": 18, "week": 105, "month": 360}
    assert ask(1)["never_pays"] == []
    dear = ask(1, {"hour": 2, "day": 48})
    assert dear["break_even"] == {"day": 24}
    assert dear["never_pays"] == ["day"]  # at 24 h it only ties
    assert ask(1, {"day": 48})["break_even"] == {}


def test_cards_multiply_money_and_not_units() -> None:
    one, eight = ask(400), ask(400, cards=8)
    assert eight["total"] == one["total"] * 8
    assert plan(eight) == plan(one)
    assert [row["cost"] for row in eight["plan"]] == [row["cost"] * 8 for row in one["plan"]]


@pytest.mark.parametrize(
    ("hours", "rates", "more", "total"),
    [
        (Decimal("1.001"), {"hour": 60}, {"granularity_s": 60}, "61.00"),
        (Decimal("0.1"), {"hour": 60}, {"min_hours": 1}, "60.00"),
        (0, {"hour": 60}, {"min_hours": 1}, "0.00"),
        (Decimal("1.5"), {"prepaid_hour": 3}, {}, "6.00"),
        (31, {"hour": 2, "credit:10": 15}, {}, "47.00"),
        (38, {"hour": 2, "credit:10": 15}, {}, "60.00"),  # four packs, two hours left unused
        # Half of the span covered by one 30-day pack: the other half of the work is metered.
        (100, {"hour": 2, "pack:30": 90}, {"contiguous": False, "span_hours": 1440}, "180.00"),
        # 1/3 h of work a day cannot be expressed in decimals; it is billed by the second, half-up once.
        (1, {"hour": 1, "day": Decimal("0.1")}, {"contiguous": False, "span_hours": 72}, "0.30"),
        (10, {"prepaid_hour": 2}, {"contiguous": False, "span_hours": 1000}, "20.00"),
        (100, {"hour": 2, "credit:100": 150}, {"contiguous": False, "span_hours": 1000}, "150.00"),
    ],
)
def test_rules_of_each_mode(hours: object, rates: dict[str, Any], more: dict[str, Any], total: str) -> None:
    assert ask(hours, rates, **more)["total"] == Decimal(total)


@pytest.mark.parametrize(
    ("hours", "rates", "units"),
    [
        (168, {"day": 30, "week": 210}, {"day": 7}),  # same money, shorter longest unit
        (24, {"hour": Decimal("1.5"), "day": 36}, {"hour": 24}),
        (24, {"prepaid_hour": Decimal("1.5"), "hour": Decimal("1.5")}, {"hour": 24}),
        (48, {"pack:2": 72, "day": 36}, {"day": 2}),
        # Same money, same longest unit (a day): the plan with fewer prepaid units.
        (30, {"day": 30, "prepaid_hour": 5}, {"day": 2}),
        (720, {"month": 720, "pack:30": 720}, {"pack:30": 1}),
    ],
)
def test_ties_go_to_the_shorter_commitment(hours: int, rates: dict[str, Any], units: dict[str, int]) -> None:
    assert plan(ask(hours, rates)) == units


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ({"hours": 1, "rates": {"spot": 1}}, "unknown billing mode 'spot'"),
        ({"hours": 1, "rates": {"pack:0": 1}}, "unknown billing mode"),
        ({"hours": 1, "rates": {"pack:x": 1}}, "unknown billing mode"),
        ({"hours": 1, "rates": {}}, "no rate"),
        ({"hours": 1, "rates": {"hour": None}}, "no rate"),
        ({"hours": 1, "rates": {"hour": 0}}, "above 0"),
        ({"hours": 1, "rates": {"hour": -2}}, "above 0"),
        ({"hours": 1, "rates": {"hour": "NaN"}}, "finite"),
        ({"hours": 1, "rates": {"hour": True}}, "not a number"),
        ({"hours": 1, "rates": [1]}, "object"),
        ({"hours": -1, "rates": {"hour": 1}}, "0 or more"),
        ({"hours": "x", "rates": {"hour": 1}}, "not a number"),
        ({"rates": {"hour": 1}}, "hours is missing"),
        ({"hours": 1, "rates": {"hour": 1}, "cards": 0}, "cards"),
        ({"hours": 1, "rates": {"hour": 1}, "cards": 1.5}, "cards"),
        ({"hours": 1, "rates": {"hour": 1}, "granularity_s": 0}, "granularity_s"),
        ({"hours": 1, "rates": {"hour": 1}, "min_hours": -1}, "min_hours"),
        ({"hours": 9, "rates": {"hour": 1}, "contiguous": False}, "span_hours"),
        ({"hours": 9, "rates": {"hour": 1}, "contiguous": False, "span_hours": 8}, "shorter"),
        ({"hours": 9, "rates": {"hour": 1}, "contiguous": "yes"}, "contiguous"),
        ({"hours": 1e9, "rates": {"hour": 1}}, "more than"),
    ],
)
def test_what_cannot_be_answered_says_why(question: dict[str, Any], words: str) -> None:
    result = answer({"id": 7, **question})
    assert result["id"] == 7
    assert words in result["error"]


# --- brute force -------------------------------------------------------------------------------------------


def hours_of(key: str) -> int:
    word, *count = key.split(":")
    return LENGTHS[word] if not count else int(count[0]) * (24 if word == "pack" else 1)


def drawn(key: str, share: Fraction) -> int:
    """Hours that work of this density can draw from one unit before it ends."""
    days = key.split(":")[2:]
    return min(hours_of(key), int(int(days[0]) * 24 * share)) if days else hours_of(key)


def brute(
    hours: Fraction, rates: dict[str, Fraction], span: Fraction | None, grain: Fraction, least: Fraction
) -> tuple[Fraction, Fraction, int] | None:
    """(total, longest unit, prepaid units) or None, by trying every combination of whole units."""
    whole = span if span is not None else hours
    share = hours / whole if hours else Fraction(1)
    keys = [key for key in rates if key != "hour" and drawn(key, share)]
    most = [
        ceil((whole if key.startswith(("pack", *LENGTHS)) else hours) / drawn(key, share)) for key in keys
    ]
    best: tuple[Fraction, Fraction, int] | None = None
    for counts in product(*(range(n + 1) for n in most)):
        calendar = used = money = Fraction(0)
        for key, count in zip(keys, counts, strict=True):
            money += count * rates[key]
            by_use = key.startswith("credit") or (key == "prepaid_hour" and span is not None)
            if by_use:
                used += count * drawn(key, share)
            else:
                calendar += count * drawn(key, share)
        left = hours * max(Fraction(0), 1 - calendar / whole) - used if hours else Fraction(0)
        if left > 0:
            if "hour" not in rates:
                continue
            money += max(least, ceil(left / grain) * grain) * rates["hour"]
        longest = max(
            (Fraction(drawn(k, share)) for k, n in zip(keys, counts, strict=True) if n), default=Fraction(0)
        )
        rank = (money, longest, sum(counts))
        best = rank if best is None or rank < best else best
    return best


prices = st.decimals("0.01", "60", places=2)
some_rates = st.dictionaries(
    st.sampled_from(
        ["hour", "prepaid_hour", "day", "pack:2", "pack:3", "week", "credit:5", "credit:13", "credit:9:1"]
    ),
    prices,
    min_size=1,
    max_size=4,
)


@st.composite
def questions(draw: st.DrawFn) -> dict[str, Any]:
    rates = draw(some_rates)
    if draw(st.booleans()) and "hour" in rates and "day" in rates:
        rates["day"] = rates["hour"] * draw(st.integers(5, 24))  # prices that tie
    hours = draw(st.one_of(st.integers(0, 30), st.decimals("0", "30", places=2)))
    span = draw(st.one_of(st.none(), st.integers(int(hours) + 1, 150)))
    return {
        "rates": rates,
        "hours": hours,
        "span": span,
        "granularity_s": draw(st.sampled_from([1, 60, 3600, 5400, Decimal("0.5")])),
        "min_hours": draw(st.sampled_from([0, 1, Decimal("2.5"), 30])),
    }


@settings(max_examples=400, deadline=None)
@given(questions())
def test_equals_brute_force(question: dict[str, Any]) -> None:
    equals_brute_force(question)


@pytest.mark.slow
@settings(max_examples=5000, deadline=None)
@given(questions())
def test_equals_brute_force_on_thousands(question: dict[str, Any]) -> None:
    equals_brute_force(question)


def equals_brute_force(question: dict[str, Any]) -> None:
    exact = {key: Fraction(value) for key, value in question["rates"].items()}
    span = None if question["span"] is None else Fraction(question["span"])
    hours = Fraction(question["hours"])
    best = brute(
        hours, exact, span, Fraction(question["granularity_s"]) / 3600, Fraction(question["min_hours"])
    )

    def ask_it() -> Solution:
        return cheapest(
            question["hours"],
            parse_rates(question["rates"]),
            span_hours=span,
            granularity_s=question["granularity_s"],
            min_hours=question["min_hours"],
        )

    if best is None:  # packs that end before the work draws an hour from them
        with pytest.raises(CostError, match="cannot cover"):
            ask_it()
        return
    total, longest, units = best
    found = ask_it()
    share = hours / span if span and hours else Fraction(1)
    bought = {line.key: line.units for line in found.purchases if line.key != "hour"}
    assert found.total == total
    assert max((Fraction(drawn(key, share)) for key in bought), default=Fraction(0)) == longest
    assert sum(bought.values()) == units
    assert sum((line.cost for line in found.purchases), Fraction(0)) == total
    for line in found.purchases:
        assert line.cost == line.units * exact[line.key]


@pytest.mark.parametrize(
    ("key", "span", "total"),
    [
        ("credit:100", None, "180.00"),  # two packs of 90
        ("credit:100:30", None, "180.00"),  # 200 hours in a stretch: each pack lasts 100 hours
        ("credit:100:3", None, "270.00"),  # only 72 hours of each in three days: a third pack beats 56 hours
        ("credit:100:30", 2000, "270.00"),  # one hour in ten: 72 hours of each in thirty days
        ("credit:100:7", 2000, "400.00"),  # 16 hours of each for 90: not worth it
    ],
)
def test_packs_of_hours_end(key: str, span: int | None, total: str) -> None:
    result = ask(200, {"hour": 2, key: 90}, contiguous=span is None, span_hours=span)
    assert result["total"] == Decimal(total)


@given(st.integers(1, 2000), st.integers(0, 2000), st.integers(1, 100))
def test_more_hours_never_cost_less_and_more_modes_never_cost_more(hours: int, extra: int, day: int) -> None:
    modes = parse_rates(RATES)
    assert cheapest(hours, modes).total <= cheapest(hours + extra, modes).total
    assert cheapest(hours, parse_rates({**RATES, "pack:10": day * 5})).total <= cheapest(hours, modes).total


# --- the command -------------------------------------------------------------------------------------------


def run(text: str | bytes, *flags: str) -> Any:
    from suanjia.commands.cost import command

    return CliRunner().invoke(command, list(flags), input=text, standalone_mode=False)


def test_command_reads_lines_and_keeps_order_and_ids() -> None:
    lines = [
        {"id": "a", "hours": 400, "contiguous": True, "span_hours": None, "cards": 1, "rates": RATES},
        {"id": "b", "hours": -1, "rates": {"hour": 1}},
        {"id": 3, "hours": 0.1, "rates": {"hour": 0.7}},
    ]
    result = run("\n".join(map(dumps, lines)) + "\n\n")
    answers = [json.loads(line) for line in result.stdout.splitlines()]
    assert [row["id"] for row in answers] == ["a", "b", 3]
    assert answers[0]["total"] == 524
    assert answers[0]["plan"][0] == {"mode": "week", "units": 2, "cost": 420}
    assert "error" in answers[1]
    assert answers[2]["total"] == 0.07
    assert result.return_value == 3


@pytest.mark.parametrize("text", ["{", "[1]", '{"hours": NaN}', b"\xff\xfe"])
def test_command_refuses_what_is_no_json_object(text: str | bytes) -> None:
    result = run(text)
    assert result.exception is not None
    assert getattr(result.exception, "exit_code", None) == 2


def test_command_with_flags() -> None:
    result = run("", "--hours", "400", "--rate", "hour=2", "--rate", "day=36", "--rate", "week=210", "--json")
    assert json.loads(result.stdout)["total"] == 524
    assert (
        "524.00" in run("", "--hours", "400", "--rate", "hour=2", "--rate=day=36", "--rate=week=210").stdout
    )
    assert getattr(run("", "--hours", "1", "--rate", "hour").exception, "exit_code", None) == 2
