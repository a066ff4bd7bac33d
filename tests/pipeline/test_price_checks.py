"""Page-level checks give verdicts with reasons and change nothing."""

from __future__ import annotations

from decimal import Decimal

import pytest

from catalog.reasons import reasons
from pipeline.reading import checks
from pipeline.reading.checks import Row, check
from pipeline.reading.price import PriceReading, read


def rows(
    *cells: tuple[str, str],
    heading: str = "",
    column: str = "",
    good: str = "",
    provider_class: str | None = None,
) -> list[Row]:
    """Rows read from (context, text) cells; the key is the place in the list."""
    return [
        Row(str(i), read(text, context), heading, column, good, provider_class)
        for i, (context, text) in enumerate(cells)
    ]


def found(given: list[Row]) -> list[tuple[str, str]]:
    return [(verdict.key, verdict.reason) for verdict in check(given)]


def test_the_article_with_lost_digits() -> None:
    """Single-card and machine rows of one heading: three broken alone, two only beside their sibling."""
    pairs = {
        "RTX 4090 24G": ("单卡月租1500-3000元", "整机4卡约6000-10000元/月"),
        "A100 40G": ("单卡月租4000-7000元", "整机8卡约2-5.6万元/月"),
        "H800 80G": ("单卡月租2-1.8万元", "整机8卡约6-14.4万元/月"),
        "A100 80G": ("单卡月租6000-9000元", "整机8卡约8-7.2万元/月"),
        "L20 48G": ("单卡月租3000-5000元", "整机8卡约4-4万元/月"),
    }
    page = [
        Row(f"{card}/{i}", read(text, card), heading=card)
        for card, texts in pairs.items()
        for i, text in enumerate(texts)
    ]
    assert [(v.key, v.reason) for v in check(page)] == [
        ("A100 40G/1", "truncated_range_by_sibling"),
        ("H800 80G/1", "truncated_range_by_sibling"),
    ]
    broken = {row.key for row in page if not isinstance(row.reading, PriceReading)}
    assert broken == {"H800 80G/0", "A100 80G/1", "L20 48G/1"}


def test_a_column_in_another_currency() -> None:
    column = rows(
        ("1 颗 Tesla P40", "1.98 美元/小时起"),
        ("2 颗 Tesla P40", "3.96 美元/小时起"),
        ("4 颗 Tesla P40", "8.01 元/小时起"),
        column="按量计费",
    )
    assert found(column) == [("2", "currency_suspect_by_sibling")]
    assert found(column[:1] + column[2:]) == []  # one against one: neither is the column's


def test_four_cards_cost_four_times_one() -> None:
    good = rows(
        ("1颗 P40", "15.44元/小时"), ("2颗 P40", "30.88元/小时"), ("4颗 P40", "61.76元/小时"), column="h"
    )
    assert found(good) == []
    flat = rows(
        ("1颗 P40", "0.79元/小时"), ("2颗 P40", "0.79元/小时"), ("4颗 P40", "0.79元/小时"), column="h"
    )
    assert found(flat) == [("1", "column_inconsistent"), ("2", "column_inconsistent")]


@pytest.mark.parametrize("factor", ["60", "24", "1000", "0.01"])
def test_a_whole_column_in_the_wrong_unit(factor: str) -> None:
    cards = {"RTX 4090": "2.2", "RTX 3090": "2.1", "A800": "6.5", "L20": "3.3"}
    page = []
    for i, (card, price) in enumerate(cards.items()):
        reading = read(f"{price}元/时", card)
        assert isinstance(reading, PriceReading)
        wrong = _scaled(reading, Decimal(factor))
        page.append(Row(str(i), wrong, column="价格", provider_class="marketplace"))
    assert {v.reason for v in checks.units(page)} == {"unit_suspect"}
    assert len(checks.units(page)) == len(page)
    assert checks.units(page[:2]) == []  # two cards are no column


def test_right_units_are_not_suspected() -> None:
    page = rows(
        ("RTX 4090", "1.98元/时"), ("RTX 3090", "1.39元/时"), ("A800", "5.88元/时"), ("H800", "10.5元/时"),
        column="价格", provider_class="marketplace",
    )  # fmt: skip
    assert found(page) == []


def test_a_year_for_less_than_a_month() -> None:
    good = rows(("RTX 4090", "1.98元/时"), ("RTX 4090", "40元/天"), ("RTX 4090", "1052元/月"), good="a")
    assert found(good) == []
    # dearer by the hour: sellers do that, and the run's message tells it (pipeline.metering)
    assert found(rows(("RTX 4090", "1.98元/时"), ("RTX 4090", "60元/天"), good="a")) == []
    # an old block with a yearly price below the monthly one
    cells = (("RTX 4090", "4300元/月"), ("RTX 4090", "4000元/年"))
    assert found(rows(*cells, good="a")) == [("1", "period_order")]
    assert found([*rows(cells[0], good="a"), *rows(cells[1], good="b")]) == []  # two goods
    spot = rows(("RTX 4090", "1.19元/时"), ("RTX 4090 竞价", "1.98元/时"), good="a")
    assert found(spot) == []


def test_a_machine_with_a_rebate_contradicts_nothing() -> None:
    """Lost digits are found in ranges; a machine that costs less per card is an offer of its own."""
    cells = (("A100 80G", "单卡 6.5元/时"), ("A100 80G 8卡", "36元/时"), ("A100 80G 4卡", "40元/时"))
    assert found(rows(*cells, heading="a", column="b")) == []


def test_levels_within_the_provider_class() -> None:
    def off(given: list[Row], **medians: str) -> list[tuple[str, str]]:
        known = {(card, "idc"): Decimal(value) for card, value in medians.items()}
        return [(v.key, v.reason) for v in checks.level_guard(given, known)]

    honest = rows(("L40S 显卡数 1", "31.28元/小时"), provider_class="cloud")
    assert off(honest) == []
    same = rows(("L40S 显卡数 1", "31.28元/小时"), provider_class="idc")
    assert off(same) == [("0", "implausible")]
    assert found(same) == []  # a level contradicts no page: it is told, not refused
    # the feed error of a 5090 machine at 50万 a month is refused by the reader already
    assert off(rows(("RTX 5090 8卡", "5万/月"), provider_class="idc")) == []
    machine = rows(("RTX 5090 8卡", "5万/月"), provider_class="idc")
    assert off(machine, RTX5090="1.2") == [("0", "implausible")]
    assert off(rows(("GTX 1080 Ti", "0.5元/时"), provider_class="idc")) == []


def test_nothing_is_repaired_and_reasons_are_known() -> None:
    page = rows(
        ("RTX 4090", "4300元/月"), ("RTX 4090", "4000元/年"), good="a", column="b", provider_class="idc"
    )
    before = [row.reading for row in page]
    verdicts = check(page)
    assert [row.reading for row in page] == before
    assert verdicts
    assert all(verdict.reason in reasons() and verdict.detail for verdict in verdicts)


def _scaled(reading: PriceReading, factor: Decimal) -> PriceReading:
    assert reading.native_low is not None
    low = reading.native_low * factor
    return reading._replace(price_low=low, price_high=low, native_low=low, native_high=low)
