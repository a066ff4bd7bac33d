"""What stands beside a GPU and is not its price: other goods, counters, costs; and ranges in words."""

from __future__ import annotations

from pathlib import Path

import pytest

from pipeline.reading import card
from pipeline.reading.price import PriceReading, PriceReject, read
from tests.pipeline.price_line import line

CARD = "RTX4090/24 x1 card "


@pytest.mark.parametrize(
    "text",
    [
        "介于1.88和2.08元/时",
        "介于 1.88 与 2.08 元/小时 之间",
        "价格介于1.88元至2.08元/时之间",
        "在1.88元/时和2.08元/时之间",
        "1.88元/时与2.08元/时之间",
        "从1.88到2.08元/小时",
        "从1.88元到2.08元/小时不等",
        "¥1.88和¥2.08/时之间",
        "1.88跟2.08元/时区间",
    ],
)
def test_a_range_told_in_words(text: str) -> None:
    assert line(read(text, "RTX 4090")) == CARD + "1.88..2.08 CNY/hour on_demand list"


def test_and_alone_is_no_range() -> None:
    assert line(read("1.88元/时和2.08元/时", "RTX 4090")) == "reject multiple_offers"
    assert line(read("介于1.2和1.8万元/月", "A100 80G")) == (
        "A100-80G/80 x1 card 12000..18000 CNY/month monthly list"
    )
    assert line(read("介于1.88和2.08之间", "RTX 4090 | 单价（元/小时）")) == (
        CARD + "1.88..2.08 CNY/hour on_demand list"
    )


COUNTERS = (
    "点赞 3.2万", "阅读 1.2万", "阅读量：1.2万", "浏览量 1.2万", "粉丝 3万", "收藏 1.1万", "播放 1.5万",
    "评论 1.2万",
    "1.2万阅读", "1.2万人看过", "1.2万次播放", "已售 1.2万", "收藏 1200", "阅读 1234", "点赞 320 评论 15",
    "人气 1.3万",
    "热度 2.2万", "下载 1.4万", "转发 1.2万", "端口 22", "端口 6006", "SSH 端口：1022", "4K 60帧",
    "2K 144Hz", "1080P 60帧",
    "第 1200 期", "楼层 12", "字数 3.2万", "USD/CNY 7.12", "海拔 1.3 公里", "限购 2 台", "剩余 3 台",
)  # fmt: skip


@pytest.mark.parametrize(
    "context", ["月租（元） | RTX 4090", "单价（元/小时） | RTX 4090", "A100 80G | 8卡整机 | 月租"]
)
@pytest.mark.parametrize("text", COUNTERS)
def test_counters_are_no_prices(text: str, context: str) -> None:
    assert isinstance(read(text, context), PriceReject)


OTHER_GOODS = (
    "语音识别 0.8元/小时", "图像识别 1.5元/小时", "数字人直播 2元/小时", "文字转语音 1.2元/小时",
    "高防IP 900元/月",
    "站群服务器 900元/月", "站群 1200元/月", "CPU实例 1.5元/小时", "CPU 实例 1.5元/小时",
    "CPU云主机 900元/月", "云盘 2元/小时",
    "云盘 100G 935元/月", "带宽 900元/月", "百兆带宽 1200元/月", "公网IP 1.5元/小时", "比特币 60万元",
    "比特币 1200元/月",
    "主板 1200元", "主板 1200元/月", "显卡 12000元", "电源 1600W 1899元", "内存 64G 899元", "SSD 2T 799元",
    "散热器 1299元",
    "工资 1200元/月", "日薪 40元/天", "时薪 2元/小时", "停车费 2元/小时", "房租 1300元/月", "运费 1200元",
    "教程 1199元",
    "技术服务费 1200元/月", "管理费 1200元/月", "客服 2元/小时", "兼职 2元/小时",
    "香港服务器 E3-1230 16G 1499元/月",
    "成本 0.8 元/小时", "电费 0.8 元/小时", "宽带 1200元/月", "云电脑 1.5元/小时", "企业邮箱 1200元/月",
    "打赏 1200元",
    "快递 1200元", "会议室 1.5元/小时", "健身卡 1200元/月", "话费 1200元/月", "数据标注 1.5元/小时",
)  # fmt: skip


@pytest.mark.parametrize("context", ["RTX 4090", "月租（元） | RTX 4090"])
@pytest.mark.parametrize("text", OTHER_GOODS)
def test_other_goods_in_the_row_of_a_gpu(text: str, context: str) -> None:
    assert isinstance(read(text, context), PriceReject)


@pytest.mark.parametrize(
    "context",
    ["", "RTX 4090", "RTX 4090 | 单价（元/小时）", "RTX 4090 | 月租（元）", "A100 80G | 8卡整机 | 月付(元)"],
)
def test_nothing_else_on_a_page_becomes_a_rent_under_a_header(context: str) -> None:
    """Fees, parts, other services, purchases, news, counters and specifications: one text a line."""
    texts = (Path(__file__).parent / "data" / "no_price_beside.txt").read_text("utf-8").splitlines()
    assert [text for text in texts if not isinstance(read(text, context), PriceReject)] == []


@pytest.mark.parametrize(
    "before",
    [
        "", "张家口 ", "北京A区 ", "西北B区 ", "华北3（张家口） ", "深圳机房 ", "成都电信莲花机房 ",
        "仙宫云 ", "天翼云", "某平台 ",
        "目前报价为", "价格大约在", "标准型 ", "企业客户 ", "老用户 ", "租金高达", "挂牌", "降到", "跌破",
        "仅需", "只要", "合计 ",
        "官方展示", "每卡", "单价：", "本周", "今天 ", "小编实测 ", "批发价 ", "市场价 ",
    ],
)  # fmt: skip
def test_places_sellers_and_fillers_name_no_other_good(before: str) -> None:
    got = read(f"{before}1.98元/时", "RTX 4090")
    assert isinstance(got, PriceReading), got
    assert line(got).startswith(CARD + "1.98")


@pytest.mark.parametrize(
    ("context", "text", "expected"),
    [
        ("", "4090*8 / 512G内存 / 硬盘 2T / 7800元/月", "RTX4090/24 x8 server 7800 CNY/month monthly list"),
        (
            "", "RTX4090 24G×8 双路8358P 内存512G 硬盘3.84T*2 带宽100M 7800元/月",
            "RTX4090/24 x8 server 7800 CNY/month monthly list",
        ),
        ("", "RTX 4090 24G / 16核 64G / 系统盘 50G / 1.98元/小时", CARD + "1.98 CNY/hour on_demand list"),
        ("RTX 4090", "16核 64G 系统盘50G 1.98元/小时", CARD + "1.98 CNY/hour on_demand list"),
        ("RTX 4090", "含100G云盘 1.98元/时", CARD + "1.98 CNY/hour on_demand list"),
        ("RTX 4090", "1.98元/时，数据盘免费50G", CARD + "1.98 CNY/hour on_demand list"),
        ("RTX 4090", "1.98元/时（含系统盘）", CARD + "1.98 CNY/hour on_demand list"),
        ("RTX 4090", "1.98元/小时（不含数据盘）", CARD + "1.98 CNY/hour on_demand list"),
        ("RTX 4090", "1.98元/小时，公网IP另计", CARD + "1.98 CNY/hour on_demand list"),
        ("", "4090 1.98元/时 送公网IP", CARD + "1.98 CNY/hour on_demand list"),
    ],
)  # fmt: skip
def test_parts_of_the_machine_are_no_other_good(context: str, text: str, expected: str) -> None:
    assert line(read(text, context)) == expected


@pytest.mark.parametrize(
    ("context", "text", "expected"),
    [
        ("RTX 4090 8卡", "5.8元/卡/时，整机46.4元/时", "RTX4090/24 x8 card 5.8 CNY/hour on_demand list"),
        ("", "RTX4090 1.9元/卡/时，8卡整机15.2元/时", "RTX4090/24 x8 card 1.9 CNY/hour on_demand list"),
        ("A100 80G 4卡", "整机2万元/月，5000元/卡/月", "A100-80G/80 x4 server 20000 CNY/month monthly list"),
        ("RTX 4090 8卡", "5.8元/卡/时，整机42元/时", "reject multiple_offers"),  # the machine is cheaper
        ("RTX 4090 8卡", "5.8元/卡/时，整机46.4元/天", "reject multiple_offers"),
    ],
)
def test_one_offer_told_per_card_and_per_machine(context: str, text: str, expected: str) -> None:
    assert line(read(text, context)) == expected


@pytest.mark.parametrize("gap", ["<br>", "<br/>", "<br />", "\n", "</p><p>"])
@pytest.mark.parametrize(
    ("context", "text"),
    [
        ("RTX 4090 | 价格（元/小时）", "1.98{}1052元/月"),
        ("RTX 4090 | 价格（元）", "3.5{}1800/月"),
        ("RTX 4090 | 按量 / 包月", "按量 1.98{}包月 1052元/月"),
        ("A100 80G 月租(元/台)", "8卡 2.5万{}4卡 1.3万/月"),
        ("RTX 4090 | 价格", "¥1.98{}¥1052/月"),
    ],
)
def test_two_prices_in_lines_are_two_though_one_has_no_unit(gap: str, context: str, text: str) -> None:
    assert line(read(text.format(gap), context)) == "reject multiple_offers"


@pytest.mark.parametrize(
    ("context", "text", "expected"),
    [
        ("RTX 4090", "¥<br>1.98<br>/时", CARD + "1.98 CNY/hour on_demand list"),
        ("RTX 4090", "1.98<br>元/时", CARD + "1.98 CNY/hour on_demand list"),
        ("RTX 4090", "8<br>7800元/月", CARD + "7800 CNY/month monthly list"),
        ("RTX 4090", "<div>1.98元/时</div><div>起租 1 天</div>", CARD + "1.98 CNY/hour on_demand list"),
        ("RTX 4090", "￥222 元 / 月<br>800", CARD + "222 CNY/month monthly promo"),  # the old price
    ],
)
def test_lines_that_are_one_price(context: str, text: str, expected: str) -> None:
    got = line(read(text, context))
    assert got == expected or (got.startswith("reject") and "7800" in expected)


@pytest.mark.parametrize(
    "text", ["Atlas 900 A2 PoDc", "Atlas 200I A2", "昇腾 A2", "华为A2 服务器", "ATLAS A2"]
)
def test_another_makers_second_generation_is_no_nvidia_a2(text: str) -> None:
    assert "A2" not in str(card.read(text).row())


def test_a2_itself() -> None:
    for text in ("A2", "NVIDIA A2 16G", "英伟达A2", "Tesla A2"):
        assert card.read(text).row()["card"] == "A2", text


FEES = (
    "光模块 1500元/月", "光模块租赁 1500元/月", "视频会员 1500元/月", "视频会员年卡 1.5元/时",
    "流量包 1500元/月", "流量包 1TB 1500元/月", "模型训练服务 1500元/月", "微调服务：5元/小时",
    "人工标注服务 1500元/月", "技术支持服务 1500元/月", "安全加固服务 1200元/月",
    "系统调优服务：1200元/月", "监控服务 1500元/月", "IB网络费 1500元/月", "IB网络费 1500元/台/月",
    "环境费 1500元/月", "硬件维保费 1500元/月", "保险费 1500元/月", "交换机分摊 1500元/月",
    "显卡坞 899元/月", "管理平台 1500元/月", "Kubernetes集群管理 1500元/月", "机柜 20A 1500元/月",
    "机柜(20A) 1500元/月", "机柜租用 1500元/月", "整机柜 10kW 1500元/月", "电力 3kW 1500元/月",
    "BGP带宽 50M独享 1500元/月", "带宽 200M BGP 1500元/月", "IPv4地址 4个 1200元/月",
    "高速存储 100TB 1500元/月",
)  # fmt: skip
OWN = (
    "租赁费", "使用费", "算力费", "显卡费", "GPU费", "资源使用费", "服务器租用费", "节点费用", "上机费",
    "月租费", "GPU租赁服务", "算力服务", "推理服务", "智星云服务", "AutoDL服务", "后付费", "实际扣费",
    "续费", "资费", "含IPv4地址", "含运维服务", "送技术支持服务", "包含光模块", "带光模块", "不含网络费",
)  # fmt: skip


@pytest.mark.parametrize("text", FEES)
def test_fees_services_and_parts_beside_a_card(text: str) -> None:
    """None of them is the card's rent, whatever the period and the level."""
    assert line(read(text, "RTX 4090")) == "reject not_gpu"


@pytest.mark.parametrize(
    "text", [text for text in FEES if text.startswith(("光模块", "视频", "IB", "环境", "安全"))]
)
def test_a_fee_is_no_rent_of_a_card_named_in_the_same_text(text: str) -> None:
    assert line(read(f"RTX 4090 {text}")) == "reject not_gpu"


@pytest.mark.parametrize("words", OWN)
def test_fees_and_services_that_are_the_rent(words: str) -> None:
    assert line(read(f"{words} 1500元/月", "RTX 4090")) == CARD + "1500 CNY/month monthly list"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        *(
            (f"{word} 4.2万元/台/月", "demand_side")
            for word in ("最高限价", "限价", "招标控制价", "最高投标限价")
        ),
        *(
            (f"{word}：35.8万元", "budget_not_price")
            for word in ("中标金额", "成交金额", "合同金额", "项目总金额")
        ),
    ],
)
def test_tenders(text: str, reason: str) -> None:
    """What a buyer allows, and the sum of a contract, are no rent; a bid per machine is."""
    assert line(read(text, "A800 8卡 12个月")) == f"reject {reason}"
    assert line(read("投标报价 4.2万元/台/月", "A800 8卡")) == (
        "A800-80G/80 x8 server 42000 CNY/month monthly list"
    )


@pytest.mark.parametrize(
    "word", ["新用户专享价", "新人专享", "早鸟价", "开业价", "618大促价", "双十一价", "限量价"]
)
def test_words_of_a_campaign(word: str) -> None:
    assert line(read(f"{word} 0.99元/时", "RTX 4090")) == CARD + "0.99 CNY/hour on_demand promo"


@pytest.mark.parametrize("word", ["校园价", "学生专享价", "教育优惠价", "会员专享价"])
def test_words_of_a_member(word: str) -> None:
    assert line(read(f"{word} 1.88元/时", "RTX 4090")) == CARD + "1.88 CNY/hour on_demand member"


def test_a_bare_number_of_another_mode_is_no_old_price() -> None:
    assert line(read("时租2元 包天30 包周180", "RTX 4090")) == CARD + "2 CNY/hour on_demand list"
