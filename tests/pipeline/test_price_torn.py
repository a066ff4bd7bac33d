"""Numbers beside a price that belong to it or do not: torn digits, counts, gifts, nights, glued names."""

from __future__ import annotations

import pytest

from pipeline.reading.price import PriceReading, read
from tests.pipeline.price_line import line

CARD = "RTX4090/24 x1 card "
TORN = (
    "1 200元/月", "1 200.00元/月", "1，200元/月", "1,2000元/月", "1'200元/月", "1 052元/月",
    "2,5元/时", "2. 5元/时", "2 .5元/时", "1.9 8元/时", "1 .98元/时", "1·98元/时",
)  # fmt: skip


@pytest.mark.parametrize("text", TORN)
def test_the_rest_of_a_torn_number_is_no_price(text: str) -> None:
    assert line(read(text, "RTX 4090")) == "reject missing_unit"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1,200元/月", "1200 CNY/month monthly list"),
        ("¥1，200/月", "1200 CNY/month monthly list"),
        ("24G 1.98元/时", "1.98 CNY/hour on_demand list"),
        ("24G，1.98元/时", "1.98 CNY/hour on_demand list"),
        ("显存24 900元/月", "900 CNY/month monthly list"),
        ("编号 12 1.88元/时", "1.88 CNY/hour on_demand list"),
        ("V2 1052元/月", "1052 CNY/month monthly list"),
    ],
)
def test_a_whole_number_beside_another_is_read(text: str, expected: str) -> None:
    assert line(read(text, "RTX 4090")) == CARD + expected


def test_a_sum_is_no_price_of_its_last_part() -> None:
    assert line(read("6800+1500元/月", "RTX 4090 8卡")) == "reject derived_estimate"
    assert line(read("6800元/月+电费", "RTX 4090 8卡")) == "RTX4090/24 x8 server 6800 CNY/month monthly list"


MACHINES = "L40S/48 x8 server 11500 CNY/month monthly list"


@pytest.mark.parametrize(
    ("context", "text"),
    [
        ("型号：L40S*8 | 数量：20台 | 单价(万元/台/月)", "1.15"),
        ("L40S*8 | 数量 20 | 单价(元/台/月)", "11500"),
        ("L40S 8卡 | 数量：5台", "11500元/台/月"),
        ("L40S 8卡，数量20台", "11500元/台/月"),
        ("L40S*8 | 现货数量：16台", "1.15万/月"),
        ("L40S*8 数量: 4套", "1.15万元/套/月"),
        ("数量：12 | L40S 48G*8", "11500元/月"),
    ],
)
def test_a_number_of_machines_counts_no_cards(context: str, text: str) -> None:
    assert line(read(text, context)) == MACHINES


@pytest.mark.parametrize("context", ["RTX 4090 | 数量 8", "RTX 4090 | 数量：20台", "RTX 4090 数量20套"])
def test_a_number_of_machines_leaves_the_cards_open(context: str) -> None:
    assert line(read("7000元/台/月", context)) == "reject ambiguous_card_count"


def test_a_quantity_counts_cards_where_nothing_else_does() -> None:
    assert line(read("3.76元/时", "RTX 4090 | 数量 2")) == (
        "RTX4090/24 x2 server 3.76 CNY/hour on_demand list"
    )


def test_a_column_of_counts_whose_cell_stands_apart() -> None:
    header = "型号 | 显存 | 卡数 | 小时价 | RTX A6000 | 48GB | 2 | 小时价(元)"
    assert line(read("5.60", header)) == "RTXA6000/48 x2 server 5.6 CNY/hour on_demand list"
    two = "型号 | vCPU | 内存 | 显卡数 | RTX A6000 | 16 | 64 | 2 | 小时价(元)"
    assert line(read("5.60", two)) == "reject ambiguous_card_count"


def test_a_bracket_tells_the_share_of_one_card() -> None:
    machine = "RTX4090/24 x8 server 15.84 CNY/hour on_demand list"
    assert line(read("8卡 15.84元/时（单卡1.98）", "RTX 4090")) == machine
    assert line(read("15.84元/时（单卡1.98）", "RTX 4090 8卡")) == machine
    assert line(read("15.84元/时（单卡1.98）", "RTX 4090")) == "reject ambiguous_card_count"


@pytest.mark.parametrize("words", ["8卡起租", "8卡起"])
def test_a_least_number_of_cards(words: str) -> None:
    assert line(read(f"{words} 950元/月", "RTX 4090")) == "RTX4090/24 x8 card 950 CNY/month monthly list"
    assert line(read(f"{words} 7000元/月", "RTX 4090")) == "reject ambiguous_card_count"


@pytest.mark.parametrize(
    "text", ["9w5一个月", "9w5/月", "9.5w一个月", "9.5w每月", "9.5W/台/月", "9万5一个月"]
)
def test_w_is_ten_thousand(text: str) -> None:
    assert line(read(text, "H200 8卡")) == "H200/141 x8 server 95000 CNY/month monthly list"


@pytest.mark.parametrize("text", ["450W 1.98元/时", "功耗350W 1.98元/时", "1600W 1.98元/时"])
def test_w_is_a_watt(text: str) -> None:
    assert line(read(text, "RTX 4090")) == CARD + "1.98 CNY/hour on_demand list"


@pytest.mark.parametrize("text", ["每GPU·小时 5.5 元", "每卡·小时5.5元", "每卡时 5.5元", "每 GPU·时 ¥5.5"])
def test_each_card_hour_before_the_amount(text: str) -> None:
    assert line(read(text, "A100 80G")) == "A100-80G/80 x1 card 5.5 CNY/hour on_demand list"


@pytest.mark.parametrize("text", ["包夜8元", "通宵 8元", "通宵套餐15元"])
def test_a_night_has_no_length(text: str) -> None:
    assert line(read(text, "RTX 3090")) == "reject missing_period"


def test_a_night_beside_a_day() -> None:
    assert line(read("一天15元包夜8元", "RTX 3090")) == "RTX3090/24 x1 card 15 CNY/day daily list"


@pytest.mark.parametrize(
    "text", ["买3个月送1个月 共4680元", "租3个月送半个月 4680元", "买5个月赠1个月：5400元"]
)
def test_months_for_nothing_leave_the_period_open(text: str) -> None:
    assert line(read(text, "RTX 4090")) == "reject discount_only"


def test_months_for_nothing_beside_the_price_of_one() -> None:
    reading = CARD + "1560 CNY/month monthly list"
    assert line(read("买6个月送1个月，1560元/月", "RTX 4090")) == reading


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("AutoDL4090包月1052元/月", "RTX4090/24 x1 card 1052 CNY/month monthly list"),
        ("AutoDLA100包月2999元", "A100/? x1 card 2999 CNY/month monthly list"),
        ("PPIO4090每小时1.64元", "RTX4090/24 x1 card 1.64 CNY/hour on_demand list"),
        ("OpenBayesRTX4090D 1.7元/时", "RTX4090D/24 x1 card 1.7 CNY/hour on_demand list"),
    ],
)
def test_a_card_glued_to_a_sellers_name(text: str, expected: str) -> None:
    assert line(read(text)) == expected


def test_a_price_glued_to_a_sellers_name() -> None:
    assert line(read("AutoDL1052元/月", "RTX 4090")) == CARD + "1052 CNY/month monthly list"
    assert not isinstance(read("方案A1052元/月", "RTX 4090"), PriceReading)  # A1052 may be a name


@pytest.mark.parametrize(
    "text", ["10台62000元/月", "2台共12400元/月", "12400元/月/2台", "12400元/2台/月", "8卡*2节点 12400元/月"]
)
def test_the_sum_of_several_machines_is_no_price_of_one(text: str) -> None:
    assert line(read(text, "RTX 4090 8卡")) == "reject ambiguous_basis"


@pytest.mark.parametrize("words", ["现货20台", "20台起", "库存5台", "仅剩2台", "可供10台", "5台现货", "1台"])
def test_machines_in_stock(words: str) -> None:
    assert line(read(f"{words} 6800元/月", "RTX 4090 8卡")) == (
        "RTX4090/24 x8 server 6800 CNY/month monthly list"
    )


@pytest.mark.parametrize(
    ("header", "text", "expected"),
    [
        ("月价(万元)", "0.68", "6800 CNY/month monthly list"),
        ("月单价/万元", "0.68", "6800 CNY/month monthly list"),
        ("年价(万元)", "7.8", "78000 CNY/year yearly list"),
        ("3年价(万元)", "20.5", "205000 CNY/year*3 reserved list"),
        ("3年费用(元)", "205000", "205000 CNY/year*3 reserved list"),
        ("每月(元)", "6800", "6800 CNY/month monthly list"),
    ],
)
def test_a_period_and_a_scale_in_one_header(header: str, text: str, expected: str) -> None:
    assert line(read(text, f"RTX 4090 8卡 | {header}")) == f"RTX4090/24 x8 server {expected}"


def test_a_move_from_one_price_to_another() -> None:
    assert line(read("6800/月 → 6200/月", "RTX 4090 8卡")) == "reject multiple_offers"
    assert line(read("单卡850 整机6800/月", "RTX 4090")).startswith("reject")


@pytest.mark.parametrize("text", ["1.98/3.96/7.92元/时", "1.98 / 3.96 / 7.92元/时", "¥1.98/3.96/时"])
def test_prices_with_strokes_between(text: str) -> None:
    assert line(read(text, "RTX 4090 | 1卡/2卡/4卡")) == "reject multiple_offers"
