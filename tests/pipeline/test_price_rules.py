"""The writing rules of the fact sheets: numbers, counts, billing words, promotions, what is no offer.

Sources: public pages and documents collected 2024-2026 (regional IDCs and rental platforms); the forms are
quoted, prices are real or of a real size.
"""

from __future__ import annotations

import pytest

from pipeline.reading.price import PriceReading, PriceReject, read
from tests.pipeline.price_line import line

CARD = "RTX 4090"
SINGLE = "A100 80G 单卡"
ALONE = "A100-80G/80 x1 card "


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1.2-1.8万元/月", "12000..18000 CNY/month monthly list"),  # 万 applies to both ends
        ("1.2万~1.8万/月", "12000..18000 CNY/month monthly list"),
        ("1.2万元至1.8万元/月", "12000..18000 CNY/month monthly list"),
        ("9千到1.2万每月", "9000..12000 CNY/month monthly list"),  # each end its own multiplier
        ("6000-10000元/月", "6000..10000 CNY/month monthly list"),
        ("$2-2.5K/月", "2000..2500 USD/month monthly list"),
        ("15,600-17,040 元/月", "15600..17040 CNY/month monthly list"),
        ("¥18,000-¥25,000/月", "18000..25000 CNY/month monthly list"),  # the sign on both ends
        *((f"6000{sign}8000元/月", "6000..8000 CNY/month monthly list") for sign in "-–—~～－―至到"),
        ("¥5.5–6/GPU-h", "5.5..6 CNY/hour on_demand list"),  # the dash of GPU-h is no range
        ("5.5元/卡时", "5.5 CNY/hour on_demand list"),
        ("5.5元/卡/时", "5.5 CNY/hour on_demand list"),
        ("5.5元/卡·小时", "5.5 CNY/hour on_demand list"),
        ("5.5 / GPU 小时", "5.5 CNY/hour on_demand list"),
        ("9400/月", "9400 CNY/month monthly list"),  # no currency word
        ("31.27/时", "31.27 CNY/hour on_demand list"),
        *((f"5.5元{unit}", "5.5 CNY/hour on_demand list") for unit in ("/h", "/hr", "/小时", "/时")),
        ("每小时 10 元内", "..10 CNY/hour on_demand list"),
        ("132元/张/天", "132 CNY/day daily list"),  # order of basis and period is free
        ("9400元/月/卡", "9400 CNY/month monthly list"),
        ("9400元/卡/月", "9400 CNY/month monthly list"),
        ("0.1元/分钟", "0.1 CNY/minute on_demand list"),
        ("$0.000222/s", "0.000222 USD/second on_demand list"),
        ("60000元/半年", "60000 CNY/month*6 reserved list"),
        ("2年120000元", "120000 CNY/year*2 reserved list"),
        ("3个月28200元", "28200 CNY/month*3 reserved list"),
        ("30 天包 3900元", "3900 CNY/day*30 pack list"),
        ("5.5元/时起", "5.5.. CNY/hour on_demand floor"),
        ("低至5.5元/时", "5.5.. CNY/hour on_demand floor"),
        ("5.5+元/时", "5.5.. CNY/hour on_demand floor"),
        ("5.5元/时以内", "..5.5 CNY/hour on_demand list"),
        ("约5.5元/时", "5.5 CNY/hour on_demand list ~"),
        ("≈5.5元/时", "5.5 CNY/hour on_demand list ~"),
        ("~5.5元/时", "5.5 CNY/hour on_demand list ~"),
        ("5.5元/时上下", "5.5 CNY/hour on_demand list ~"),
        ("¥2,750/月/卡 ≈ ¥3.77/h", "2750 CNY/month monthly list"),  # behind ≈ is a conversion
        ("¥5.5/h (~$0.77)", "5.5 CNY/hour on_demand list"),
        ("¥5.5/h（中位 ¥6.19）", "5.5 CNY/hour on_demand list"),  # a statistic widens no range
        ("每小时5块钱", "5 CNY/hour on_demand list"),
        ("五块二一小时", "5.2 CNY/hour on_demand list"),
        *((f"{sign}5.5/时", "5.5 CNY/hour on_demand list") for sign in ("￥", "¥", "RMB ", "CNY ", "人民币")),
        ("5.5元人民币/时", "5.5 CNY/hour on_demand list"),
        *((f"{sign}5.5/时", "5.5 USD/hour on_demand list") for sign in ("$", "US$", "USD ")),
        ("5.5美元/时", "5.5 USD/hour on_demand list"),
        ("HK$9400/月", "9400 HKD/month monthly list"),
        ("港币9400元/月", "9400 HKD/month monthly list"),  # 元 behind 港币
    ],
)
def test_numbers_units_and_ranges(text: str, expected: str) -> None:
    assert line(read(text, SINGLE)) == ALONE + expected


@pytest.mark.parametrize(
    "text",
    [
        "几千到数万元/月",
        "七八千/月",
        "数千元",
        "上百元/月",
        "几十元",
        "千元级",
        "万元级",
        "一两块一小时",
        "十几元/时",
    ],
)
def test_words_for_no_number(text: str) -> None:
    assert line(read(text, CARD)) == "reject vague_number"


def test_a_hong_kong_room_does_not_make_hong_kong_dollars() -> None:
    assert "2800 CNY/month" in line(read("2800元/月", "香港节点 A10"))
    assert "2800 HKD/month" in line(read("港币2800元/月", "香港节点 A10"))


@pytest.mark.parametrize(
    ("context", "text", "expected"),
    [
        ("双路 E5-2680v4 / RTX 3090 24G", "999元/月", "RTX3090/24 x1 card 999 CNY/month monthly list"),
        ("RTX 3090 双路", "999元/月", "reject ambiguous_card_count"),
        ("单卡", "天垓100（1.49元/时）", "BI-V100/? x1 card 1.49 CNY/hour on_demand list"),
        ("单卡", "MTT S5000（8.00元/时）", "MTT-S5000/80 x1 card 8 CNY/hour on_demand list"),
        ("昇腾 910B", "3.00元/时(可租7/16)", "910B/? x1 card 3 CNY/hour on_demand list"),
        ("RTX 4090 16核/64G", "1.98元/时", "RTX4090/24 x1 card 1.98 CNY/hour on_demand list"),
        ("训练 7B 模型 | RTX 4090", "1.98元/时", "RTX4090/24 x1 card 1.98 CNY/hour on_demand list"),
        ("8卡", "32 台 A100 80G 3.2万元/台/月", "A100-80G/80 x8 server 32000 CNY/month monthly list"),
        ("RTX 4090 8卡 万兆网络", "7000元/月", "RTX4090/24 x8 server 7000 CNY/month monthly list"),
        ("A100 8卡 vram 640GB", "2.5万/月", "A100-80G/80 x8 server 25000 CNY/month monthly list"),
        ("GPU 显存 48GB | 2颗 | Tesla P40", "30.88元/小时", "P40/24 x2 server 30.88 CNY/hour on_demand list"),
        ("1/4 T4 vGPU", "3.39元/小时", "reject fractional_gpu"),
        ("沐曦 C500（整卡 64GB）", "32GB 版 ¥2.00/小时", "reject fractional_gpu"),
        ("32GB vGPU", "4.5元/小时", "reject fractional_gpu"),
        (
            "H20 96G",
            "火山8卡整机约42/时/卡",
            "H20-96G/96 x8 card 42 CNY/hour on_demand list ~",
        ),  # the slash wins
        ("H800或A800 8卡", "6万/月", "reject multiple_cards"),
        ("3090/4090", "2元/时", "reject multiple_cards"),
        ("元/h", "L40S ¥4.98 · L20 ¥4.00 · A800 ¥7.80", "reject multiple_offers"),
        ("GN10Xp.2XLARGE40 | 1x A100 40GB", "28元/小时", "reject card_sku_conflict"),
        ("PRO 6000 48GB", "5.98元/时", "reject card_vram_conflict"),
        ("T4 40GB", "3元/时", "reject card_vram_conflict"),
        ("A100", "6.5元/时", "A100/? x1 card 6.5 CNY/hour on_demand list"),
        ("V100", "1.98元/时", "V100/? x1 card 1.98 CNY/hour on_demand list"),
        ("H20", "7元/时", "H20/? x1 card 7 CNY/hour on_demand list"),
        ("H100", "7.6万/月", "reject ambiguous_card_count"),  # 万 a month is a machine, of unknown size
        ("H100 8卡", "7.6万/台/月", "H100-80G/80 x8 server 76000 CNY/month monthly list"),
        ("H100 8卡", "230万元/台", "reject purchase_price"),  # 万元/台 without 月 is a sale
        ("H100", "25万元/张", "reject purchase_price"),
    ],
)
def test_cards_and_counts(context: str, text: str, expected: str) -> None:
    assert line(read(text, context)) == expected


@pytest.mark.parametrize(
    ("word", "text", "mode"),
    [
        *(
            (word, "1.98元/时", "on_demand")
            for word in ("按量", "按需", "按小时", "后付费", "弹性", "按时", "按量付费", "payg")
        ),
        *((word, "40元/天", "daily") for word in ("包日", "日租", "按天", "日付")),
        *((word, "280元/周", "weekly") for word in ("包周", "周付")),
        *((word, "1100元/月", "monthly") for word in ("包月", "月付", "月租", "月结")),
        *((word, "3300元/季", "reserved") for word in ("季付", "包季")),
        ("半年付", "6600元", "reserved"),
        *(
            (word, "1100元/月", "reserved")
            for word in ("一年長租", "五年租期", "预留", "三年合约", "签约一年")
        ),
        *((word, "12000元/年", "yearly") for word in ("包年", "年付")),
        *(
            (word, "1.19元/时", "spot")
            for word in ("竞价", "抢占式", "SPOT 实例", "Job 批处理（抢占式）", "闲时")
        ),
        ("包时", "1.62元/时", "prepaid_hour"),
        ("30 天包", "1039元", "pack"),
        ("Serverless", "1.98元/时", "serverless"),
        # how finely the meter counts is no unit and no mode of its own
        ("按秒计费", "1.98元/时", "on_demand"),
        # prepaid prices shown per hour: the tab says the mode
        ("包月", "1.44元/时", "monthly"),
        ("包年", "1.2元/时", "yearly"),
        # the unit decides where the word covers both, or where all tabs are listed
        ("包年包月*", "1100元/月", "monthly"),
        ("按量计费 | 包日 | 包周 | 包月", "1.98元/时", "on_demand"),
        # a badge is no contract
        ("长租特惠 | 按量计费", "1.98元/时", "on_demand"),
    ],
)
def test_billing_words(word: str, text: str, mode: str) -> None:
    for context, cell in ((f"{CARD} 单卡 | {word}", text), (f"{CARD} 单卡", f"{word} {text}")):
        got = read(cell, context)
        assert isinstance(got, PriceReading), (context, cell, got)
        assert got.mode == mode


def test_a_cells_own_unit_overrides_its_column() -> None:
    assert line(read("¥3-5/小时", f"月费用 | {CARD}")) == "RTX4090/24 x1 card 3..5 CNY/hour on_demand list"


@pytest.mark.parametrize(
    ("context", "text", "expected"),
    [
        (CARD, "原价¥2,999/月 现价¥1,999/月", "1999 CNY/month monthly promo"),
        (CARD, "特惠价 1999元/月（原价2999元/月）", "1999 CNY/month monthly promo"),
        (CARD, "<del>2999元</del> 1999元/月", "1999 CNY/month monthly promo"),
        (CARD, "￥1999 元 / 月 2999", "1999 CNY/month monthly promo"),  # a bare old price behind
        (CARD, "限时3折 899元/月（原价2997元/月）", "899 CNY/month monthly promo"),
        (CARD, "会员最低享9.5折 ¥1.88/时", "1.88 CNY/hour on_demand member"),
        (CARD, "￥2.18/时 会员￥2.08/时", "2.18 CNY/hour on_demand list +on_demand:member:2.08"),
        (CARD, "2年35,040元（省2,000元）", "35040 CNY/year*2 reserved list"),  # a saving is no price
        (CARD, "1999元/月 押金2000元", "1999 CNY/month monthly list"),  # nor is a deposit
        (CARD, "1999元/月 含税", "1999 CNY/month monthly list included"),
        (CARD, "1999元/月 不含税", "1999 CNY/month monthly list excluded"),
    ],
)
def test_promotions_tax_deposit(context: str, text: str, expected: str) -> None:
    assert line(read(text, context)) == f"RTX4090/24 x1 card {expected}"


@pytest.mark.parametrize(
    ("reason", "texts"),
    [
        ("discount_only", ["3.5 折", "季付九五折，年付九折", "1-3 年 8.5 折", "约 40% 价格", "包年付10个月"]),
        ("teaser_price", ["首月99元，次月起1999元/月", "首月9.9元"]),
        ("inconsistent", ["原价3.03元/时 会员9.5折 2.39元/时", "¥1.2/小时 ≈ ¥20/天"]),
        ("free_trial", ["免费", "试用", "首月0元"]),
        ("quote_required", ["面议", "询价", "电询", "定制咨询", "在线购买", "价格请咨询客服", "联系客服"]),
        ("login_required", ["登录后可见", "需登录查看具体GPU价格"]),
        ("no_number", ["￥-.--/时", "¥NaN/月", "--", "-", "&nbsp;", "", "16/16 售罄"]),
        ("no_number", ["已于8月16日22:00下线", "价格待补", "暂不可得"]),
        ("js_calculator", ["以控制台为准", "只指向纯前端价格计算器"]),
        ("budget_not_price", ["预算控制在300元/天以内", "单次成本 ¥2-4", "仅用3块钱成本 + 2小时"]),
        ("demand_side", ["买方出价 5.3 万/月", "居间报价 5.3万/月", "求租 4090 2000元/月"]),
        ("revenue_not_price", ["每张卡赚1000美元/月", "每小时可赚进1.5美元"]),
        ("ratio_not_price", ["包月价的1.5-2倍", "贵10%-20%"]),
        ("derived_estimate", ["1.49×8×24×30×0.7/10000≈0.60 万元/月"]),
        ("truncated_range", ["4-4万元/月", "2-1.8万元/月", "3000-2000元/月"]),
        ("not_gpu", ["¥0.00003/GB/h", "¥0.01/GB/日", "¥0.15/小时（无卡模式）"]),
        ("not_gpu", ["¥0.2/GB/月", "带宽 100元/M/月", "IP加一个1000元/年"]),
        ("missing_unit", ["16416", '"35000"', "1.98"]),
        ("missing_period", ["¥1.98", "1.98元"]),
        ("implausible", ["500.0万/月", "300元/时"]),
        ("purchase_price", ["¥16,999", "二手 9000元", "购买约 1.5~2 万(一次性)"]),
        ("not_rental", ["电费（8卡满负荷约1万元/月）", "约2.5-3.5万元/月（含折旧人工）"]),
    ],
)  # fmt: skip
def test_what_is_not_an_offer(reason: str, texts: list[str]) -> None:
    for text in texts:
        got = read(text, CARD)
        assert isinstance(got, PriceReject), (text, got)
        assert got.reject == reason, (text, got)


def test_pictures_and_calculators() -> None:
    assert line(read("<img src=price.png>", CARD)) == "reject price_in_image"
    assert line(read("", f"{CARD} | <img src=price.png>")) == "reject price_in_image"
    assert line(read('<img alt="GPU 包月价格限时 3.5 折">')) == "reject discount_only"
    assert line(read("0", "计算器结果 <strong id=Month>0</strong><img alt=元/月>")) == "reject js_calculator"


@pytest.mark.parametrize(
    ("text", "money"),
    [
        ('{"pmothod":"1","cprice":"299","cycle":"1"}', (299, "month", 1)),
        ('{"pmothod":"1","cprice":"5999","cycle":"12"}', (5999, "year", 1)),
        ('{"pmothod":"1","cprice":"900","cycle":"3"}', (900, "quarter", 1)),
        ('{"pmothod":"1","cprice":"1700","cycle":"6"}', (1700, "month", 6)),
        ('{"pmothod":"1","cprice":"9999","cycle":"24"}', (9999, "year", 2)),
        ('{"pmothod":"1","cprice":"0,5999","cycle":"1,12"}', (5999, "year", 1)),
    ],
)
def test_prices_in_a_shops_script(text: str, money: tuple[int, str, int]) -> None:
    """Cycles count months; a price of 0 is a period that is not sold."""
    got = read(text, "成都服务器 CPU 机型")
    assert isinstance(got, PriceReject) and got.money is not None
    assert (got.reject, got.money.price_low, got.money.per, got.money.per_count) == ("not_gpu", *money)
    sold = read(text, "RTX 3090 8卡")
    assert isinstance(sold, (PriceReading, PriceReject))


def test_names_of_one_good_only() -> None:
    """Names that look alike stay apart: 4090, 4090D and their 48G, L40 and L40S, 910B and 910C, H20 sizes."""
    texts = {
        "4090": "RTX4090", "4090 D": "RTX4090D", "4090-48G": "RTX4090-48G", "4090 D 48G": "RTX4090D-48G",
        "L40": "L40", "L40S": "L40S", "910B": "910B", "910C": "910C", "H20 96G": "H20-96G",
        "H20 141G": "H20-141G",
        "RTX 6000 Ada": "RTX6000Ada", "RTX PRO 6000": "RTXPRO6000", "Quadro RTX 6000": "QuadroRTX6000",
        "RTX A6000": "RTXA6000",
    }  # fmt: skip
    for text, card in texts.items():
        got = read(f"{text} 3.3元/时")
        assert isinstance(got, PriceReading), (text, got)
        assert got.card == card
