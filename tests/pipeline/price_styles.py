"""Writes a known offer in the styles that pages use; what the round-trip test reads back."""

from __future__ import annotations

from dataclasses import dataclass, replace
from decimal import ROUND_HALF_UP, Decimal

from hypothesis import strategies as st

D = Decimal
HOURS = {"hour": 1, "day": 24, "week": 168, "month": 730, "quarter": 2190, "year": 8760, "half_year": 4380}
MODES = {
    "hour": "on_demand", "day": "daily", "week": "weekly", "month": "monthly", "quarter": "reserved",
    "half_year": "reserved", "year": "yearly",
}  # fmt: skip

# Spelling, canonical name, memory that the text tells, a price per card-hour at the card's level.
CARDS = [
    ("RTX 4090", "RTX4090", 24, "1.98"), ("4090", "RTX4090", 24, "1.5"),
    ("NVIDIA RTX 4090 24G", "RTX4090", 24, "2.18"),
    ("RTX4090D", "RTX4090D", 24, "1.88"), ("4090-48G", "RTX4090-48G", 48, "3.0"),
    ("RTX 5090", "RTX5090", 32, "2.93"),
    ("A100 80G", "A100-80G", 80, "6.0"), ("A100-40G", "A100-40G", 40, "3.45"),
    ("A100(40G)", "A100-40G", 40, "4.1"),
    ("A800", "A800-80G", 80, "5.88"), ("H100 80GB", "H100-80G", 80, "14.5"), ("H800", "H800-80G", 80, "10.5"),
    ("H20 96G", "H20-96G", 96, "6.98"), ("H20 141GB", "H20-141G", 141, "8.1"), ("L40S", "L40S", 48, "4.5"),
    ("L20", "L20", 48, "3.87"), ("V100 32G", "V100-32G", 32, "2.1"), ("Tesla T4", "T4", 16, "1.35"),
    ("昇腾 910B", "910B", None, "2.7"), ("RTX 3090", "RTX3090", 24, "1.39"),
    ("RTX PRO 6000", "RTXPRO6000", 96, "7.35"),
    ("RTX 6000 Ada", "RTX6000Ada", 48, "5.0"), ("A10", "A10", 24, "3.1"), ("天垓150", "BI-V150", None, "3.0"),
]  # fmt: skip

PERIOD_BEHIND = {
    "hour": ["/小时", "/时", "/h", "/hr", "/hour", "每小时", " / 小时", "／小时", "一小时"],
    "day": ["/天", "/日", "每天", " / 天", "/day"],
    "week": ["/周", "每周", "/week"],
    "month": ["/月", "每月", " / 月", "/个月", "/month", "一个月"],
    "quarter": ["/季", "/季度"],
    "half_year": ["/半年", "/6个月"],
    "year": ["/年", "每年", "/year", "一年"],
}
PERIOD_BEFORE = {
    "hour": ["每小时", "时租", "小时单价："],
    "day": ["日租", "每天", "日租金："],
    "week": ["周租", "每周"],
    "month": ["月租", "月付", "每月", "月租金：", "包月", "月租 "],
    "quarter": ["季付", "包季"],
    "half_year": ["半年付"],
    "year": ["年付", "包年", "年租"],
}
HEADERS = {
    "hour": ["单价(元/小时)", "元/时", "价格（元/h）"],
    "day": ["日租(元/天)"],
    "week": ["元/周"],
    "month": ["价格（元/月）", "单位：元/月", "月租（元）"],
    "quarter": ["元/季"],
    "half_year": ["元/半年"],
    "year": ["年付(元/年)"],
}
RANGE_SIGNS = ["-", "–", "—", "~", "～", "－", " - ", "至", "到"]
COUNTS_BEFORE = ["{n}卡", "{n}×", "{n}*", "{n}x ", "{n} × ", "{n}张", "{zh}卡"]
COUNTS_BEHIND = [" {n}卡", "×{n}", "*{n}", " x{n}", " {n}卡整机", "（{n}卡）", " {zh}卡服务器"]
NUMERALS = {2: "双", 4: "四", 8: "八", 16: "十六"}


@dataclass(frozen=True)
class Offer:
    """What is written and must be read: amounts for one period, for one card or all `cards`."""

    spelling: str
    card: str
    vram_gb: int | None
    cards: int
    basis: str
    per: str
    low: Decimal | None
    high: Decimal | None
    approx: bool = False
    tax: str = "unknown"

    def per_card_hour(self, value: Decimal | None) -> Decimal | None:
        """`value` per card-hour to four decimals."""
        if value is None:
            return None
        cards = self.cards if self.basis == "server" else 1
        return (value / HOURS[self.per] / cards).quantize(D("0.0001"), ROUND_HALF_UP)


def amount(draw: st.DrawFn, value: Decimal, *, myriads: bool) -> str:
    """One number in one of the usual spellings; in 万 where `myriads`."""
    if myriads:
        return f"{format((value / 10000).normalize(), 'f')}{draw(st.sampled_from(['万', ' 万']))}"
    plain = format(value, "f")
    style = draw(st.sampled_from(["plain", "commas", "wide", "zeros"]))
    if style == "commas":
        return f"{value:,}"
    if style == "wide":
        return "".join(chr(ord(char) + 0xFEE0) for char in plain)
    return f"{value:.2f}" if style == "zeros" and "." not in plain else plain


def money(draw: st.DrawFn, offer: Offer, *, signed: bool, per_month: bool) -> str:
    """The amount or range with its currency word or without."""
    ends = [value for value in (offer.low, offer.high) if value is not None]
    if len(ends) == 2 and ends[0] == ends[1]:
        ends = ends[:1]
    whole = all(value == value.quantize(D(100)) and value >= 1000 for value in ends)
    myriads = per_month and whole and draw(st.booleans())
    before, behind = (
        draw(
            st.sampled_from(
                [
                    ("¥", ""),
                    ("￥", ""),
                    ("¥ ", ""),
                    ("", "元"),
                    ("", " 元"),
                    ("RMB ", ""),
                    ("人民币", "元"),
                    ("", "元人民币"),
                ]
            )
        )
        if signed
        else ("", "")
    )
    if len(ends) == 1:
        return f"{before}{amount(draw, ends[0], myriads=myriads)}{behind}"
    sign = draw(st.sampled_from(RANGE_SIGNS))
    if myriads and draw(st.booleans()):  # 万 once, for both ends
        low = format((ends[0] / 10000).normalize(), "f")
        return f"{before}{low}{sign}{amount(draw, ends[1], myriads=True)}{behind}"
    twice = draw(st.booleans()) and before in {"¥", "￥"}
    low, high = (amount(draw, value, myriads=myriads) for value in ends)
    return f"{before}{low}{sign}{before if twice else ''}{high}{behind}"


@st.composite
def offers(draw: st.DrawFn) -> Offer:
    """An offer at a level its card can have."""
    spelling, card, vram, level = draw(st.sampled_from(CARDS))
    per = draw(st.sampled_from(list(HOURS)))
    cards = draw(st.sampled_from([1, 1, 1, 2, 4, 8]))
    basis = "card" if cards == 1 else "server"
    step = D("0.01") if per == "hour" else D(1) if per in {"day", "week"} else D(100)
    value = (D(level) * HOURS[per] * cards * draw(st.sampled_from([D("0.9"), D(1), D("1.1")]))).quantize(step)
    offer = Offer(spelling, card, vram, cards, basis, per, value, value)
    shape = draw(st.sampled_from(["one", "one", "range", "floor", "ceiling"]))
    if shape == "range":
        offer = replace(offer, high=(value * D("1.2")).quantize(step) + step)
    elif shape == "floor":
        offer = replace(offer, high=None)
    elif shape == "ceiling":
        offer = replace(offer, low=None)
    return replace(
        offer,
        approx=draw(st.booleans()),
        tax=draw(st.sampled_from(["unknown", "unknown", "included", "excluded"])),
    )


@st.composite
def written(draw: st.DrawFn, offer: Offer) -> tuple[str, str]:
    """`(context, text)` that says the offer."""
    place = draw(st.sampled_from(["behind", "before", "header"]))
    signed = place != "behind" or draw(st.booleans())
    text = money(draw, offer, signed=signed, per_month=HOURS[offer.per] >= 730)
    if place == "behind":
        # Without a currency word only a Chinese unit tells that the amount is CNY.
        styles = [word for word in PERIOD_BEHIND[offer.per] if signed or not word.isascii()]
        behind = draw(st.sampled_from(styles))
        if behind.startswith("一") and text[-1].isdigit():
            behind = styles[0]
        basis = (
            draw(st.sampled_from(["", "/台"]))
            if offer.basis == "server"
            else draw(st.sampled_from(["", "/卡"]))
        )
        if behind.startswith("/"):
            text += draw(st.sampled_from([basis + behind, behind + basis]))
        else:
            text += behind
        text = _open(draw, offer, text, suffix=behind.startswith("/"))
    else:
        text = _open(draw, offer, text, suffix=True)
        if place == "before":
            text = draw(st.sampled_from(PERIOD_BEFORE[offer.per])) + text
    if offer.tax != "unknown":
        words = {"included": ["（含税）", " 含税"], "excluded": ["（不含税）", " 未税", "，不含税"]}
        text += draw(st.sampled_from(words[offer.tax]))
    name = _named(draw, offer)
    header = draw(st.sampled_from(HEADERS[offer.per])) if place == "header" else ""
    if not header and draw(st.booleans()):
        return draw(
            st.sampled_from(["", "价格表", "GPU 云主机"])
        ), f"{name}{draw(st.sampled_from([' ', '：', ' | ', '  ']))}{text}"
    return " | ".join(part for part in (name, header) if part), text


def _open(draw: st.DrawFn, offer: Offer, text: str, *, suffix: bool) -> str:
    """Floors, ceilings and approximations around the amount."""
    if offer.high is None:
        text = f"{text}起" if suffix and draw(st.booleans()) else f"低至{text}"
    elif offer.low is None:
        text = f"{text}以内" if suffix and draw(st.booleans()) else f"不超过{text}"
    if offer.approx:
        text = f"{text}左右" if suffix and draw(st.booleans()) and offer.high and offer.low else f"约{text}"
    return text


def _named(draw: st.DrawFn, offer: Offer) -> str:
    if offer.cards == 1:
        return draw(st.sampled_from(["{}", "{} 单卡", "单卡 {}"])).format(offer.spelling)
    values = {"n": offer.cards, "zh": NUMERALS[offer.cards]}
    before = [style for style in COUNTS_BEFORE if "zh" not in style or offer.cards > 2]
    behind = [style for style in COUNTS_BEHIND if "zh" not in style or offer.cards > 2]
    if draw(st.booleans()):
        return draw(st.sampled_from(before)).format(**values) + offer.spelling
    return offer.spelling + draw(st.sampled_from(behind)).format(**values)
