"""What the two stand-in shops sell. Every host, good and amount is a `rebuilt sample`; amounts are yuan
per month.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from decimal import Decimal


@dataclass(frozen=True, slots=True)
class Area:
    """An area of a city with its lines (id → name)."""

    ident: int
    name: str
    lines: dict[int, str]


@dataclass(frozen=True, slots=True)
class Good:
    """A bare-metal model or a cloud package (`gpu` then is `count*name`)."""

    ident: int
    name: str
    cpu: str
    memory: str
    gpu: str
    month: str
    areas: tuple[int, ...]
    add_on: str = ""
    refused_lines: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class Product:
    """A product: its module, places, goods and stock. `unpriced` units answer 0.00."""

    ident: int
    name: str
    module: str
    cities: dict[str, tuple[Area, ...]]
    goods: tuple[Good, ...]
    floor: str
    description: str = ""
    periods: str = "plain"
    discount: Decimal = Decimal(0)
    unpriced: frozenset[str] = frozenset()
    stock_control: bool = False
    qty: int = 0
    hidden: bool = False


@dataclass(frozen=True, slots=True)
class Shop:
    """A shop: one origin, one name."""

    slug: str
    name: str
    origin: str
    products: tuple[Product, ...] = field(default_factory=tuple)


# Label (the seller may edit it), num, unit, months' worth of money.
PERIODS = {
    "plain": (
        ("月付", 1, "month", "1"),
        ("季付", 3, "month", "3"),
        ("半年付", 6, "month", "6"),
        ("年付", 12, "month", "12"),
    ),
    "edited": (
        ("首月体验", 1, "month", "1"),
        ("两年套餐", 24, "month", "24"),
        ("包年特惠", 12, "month", "12"),
    ),
    "hourly": (("小时", 1, "hour", "0.002"), ("日付", 1, "day", "0.04"), ("月付", 1, "month", "1")),
}

HENGYANG = Area(11, "A区", {101: "电信", 102: "BGP"})
HUIZHOU = Area(12, "惠州机房", {103: "BGP"})
YIZHUANG = Area(21, "亦庄机房", {201: "三线"})
ZHONGWEI = Area(31, "二区", {301: "BGP", 302: "移动"})

DCIM = Product(
    1,
    "GPU裸金属（华南/华中）",
    "mf_dcim",
    {"衡阳": (HENGYANG,), "惠州": (HUIZHOU,)},
    (
        Good(1, "4090八卡", "EPYC 7542*2", "512G", "RTX4090 24G*8", "7600.00", (11, 12)),
        Good(
            2,
            "A100八卡",
            "Gold 6348*2",
            "1024G",
            "8×A100 80G",
            "26800.00",
            (11,),
            refused_lines=frozenset({101}),
        ),
        Good(3, "通用型", "E5-2680v4*2", "128G", "--", "1200.00", (11, 12)),
        Good(4, "存储型", "E5-2650v4*2", "64G", "无", "900.00", (11,)),
        Good(5, "计算型", "Gold 6330*2", "256G", "", "2100.00", (12,), add_on="RTX 4090"),
        Good(6, "L40S四卡", "Gold 6430*2", "512G", "L40S*4", "7200.00", (12,)),
    ),
    "900.00",
)
BEIJING = Product(
    2,
    "北京GPU整机",
    "mf_dcim",
    {"北京": (YIZHUANG,)},
    (Good(21, "H20八卡", "8468*2", "2048G", "H20 96G*8", "39500.00", (21,)),),
    "39500.00",
    periods="edited",
    discount=Decimal("0.05"),
    stock_control=True,
    qty=0,
)
HIDDEN = Product(
    3,
    "内部测试",
    "mf_dcim",
    {"衡阳": (HENGYANG,)},
    (Good(31, "测试机", "E5", "64G", "RTX4090*8", "1.00", (11,)),),
    "1.00",
    hidden=True,
)
CLOUD = Product(
    5,
    "GPU云主机",
    "mf_cloud",
    {"中卫": (ZHONGWEI,)},
    (
        Good(51, "4090单卡", "16", "64", "1*RTX 4090", "1080.00", (31,)),
        Good(52, "4090双卡", "32", "128", "2*RTX 4090", "2160.00", (31,)),
        Good(53, "通用云", "4", "8", "", "90.00", (31,)),
    ),
    "90.00",
    periods="hourly",
    unpriced=frozenset({"hour"}),
)
RESOLD = Product(
    6,
    "转售裸金属",
    "remf_dcim",
    {"衡阳": (HENGYANG,)},
    (Good(61, "4090八卡", "EPYC 7542*2", "512G", "RTX4090*8", "7900.00", (11,)),),
    "7900.00",
    stock_control=True,
    qty=4,
)

SHOPS = (
    Shop("shop_yunsuan_a", "云算A（智简魔方）", "https://www.yunsuan-a.example", (DCIM, BEIJING, HIDDEN)),
    Shop("shop_yunsuan_b", "云算B（智简魔方）", "https://www.yunsuan-b.example", (CLOUD, RESOLD)),
)
