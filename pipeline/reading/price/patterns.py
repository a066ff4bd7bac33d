"""Patterns of the lexer. Each is anchored where it is used and has no nested repetition."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Final

DIGITS: Final = re.compile(
    r"(?P<noise>"
    r"1[3-9][0-9]{9}(?![0-9])|1[3-9][0-9][- ][0-9]{4}[- ][0-9]{4}(?![0-9])"  # mobile phones
    r"|0[0-9]{2,3}-[0-9]{7,8}(?![0-9])|[48]00-[0-9]{3,4}-[0-9]{3,4}(?![0-9])|[48]00[0-9]{7}(?![0-9])"
    r"|(?:19|20)[0-9]{2} ?年(?! ?[付租费])(?: ?[0-9]{1,2} ?月(?: ?[0-9]{1,2} ?[日号])?)?"
    r"|(?:19|20)[0-9]{2}([-/.])(?:0?[1-9]|1[0-2])\2(?:[12][0-9]|3[01]|0?[1-9])(?![0-9.])"
    r"|(?:19|20)[0-9]{2}[-/](?:0[1-9]|1[0-2])(?![0-9.,万千元块])"
    r"|[0-9]{1,2} ?月 ?[0-9]{1,2} ?[日号]|[0-9]{1,2} ?月份"
    r"|[0-2]?[0-9]:[0-5][0-9](?::[0-5][0-9])?(?![0-9])"
    r"|[0-9]+(?:\.[0-9]+){2,}"  # versions, addresses
    r"|[0-9]{1,4}[*×x][0-9]{1,4}(?:[*×x][0-9]{1,4}){0,2} ?(?:mm|cm)"
    r")"
    r"|(?P<fraction>[0-9]{1,4} ?/ ?[0-9]{1,4})"
    r"(?![0-9.,万元千百%]| ?(?:个[月小季]|小时|分钟|[天日周年月季秒]))"
    r"|(?P<number>[0-9]{1,3}(?:,[0-9]{3})+(?:\.[0-9]+)?(?![0-9])|[0-9]+(?:\.[0-9]+)?|\.[0-9]+)"
)
BANK_FREE: Final = frozenset("壹贰叁肆伍陆柒捌玖拾佰仟")
RATIO_BEHIND: Final = re.compile(r" ?(?:(%|‰)|(折)(?![旧损叠合算线])|(倍)(?!速))")
RATIO_STARTS: Final = frozenset("%‰折倍 ")
PLAIN: Final = re.compile(r"[0-9]+(?:\.[0-9]+)?")
# What may make more of a number than a number: a date, a time, a phone, a fraction, a version, thousands.
GOES_ON: Final = frozenset("-/年月:.,*×x")
ON: Final = frozenset("/年月-0123456789")
SPACED_UNIT: Final = re.compile(r" (?:g|gb|gib|mb|tb|mbps|gbps|ghz)(?![a-z])")
LETTERS: Final = re.compile(r"[a-z]+")
NAME_REST: Final = re.compile(r"[a-z0-9_]*(?:[.\-][a-z0-9_]+)*")
# AutoDL1.98元/时, 套餐A1.98元: a price glued to a name; more digits are the name's own (H264.5元).
GLUED: Final = re.compile(
    r"([0-9]{1,3})\.[0-9]{1,4}"
    r"(?=元|块钱|万|美[元金]|rmb|/ ?(?:卡|张|台|个?小?时|天|日|周|月|季|年|h(?![a-z])|hr|hour))"
)
NUMERAL_RUN: Final = re.compile(
    r"[零一二两三四五六七八九十百千万亿几数]+"
    r"(?:点[零一二两三四五六七八九]{1,4}(?![零一二两三四五六七八九十百千]))?"
)
ONE_PERIOD: Final = re.compile(r"个?(?:小时|月|季度|年|星期|礼拜|周|天|钟头)")
BANK_AMOUNT: Final = re.compile(r"[零壹贰叁肆伍陆柒捌玖拾佰仟万亿]{2,24}(?=[元整圆])")
GIGABYTES: Final = frozenset(("g", "gb", "gib"))
UNITS: Final = frozenset(
    "t tb tib m mb mib kb mbps gbps kbps b u v c ghz mhz hz nm tflops pflops p fps ms ns us bit mm cm".split()
)


def is_discount(low: str, end: int) -> bool:
    """Whether 折 stands at `end` and means a discount (not 折旧, 折合)."""
    return RATIO_BEHIND.match(low, end) is not None and low[end : end + 1] == "折"


_WATTS: Final = 50  # fewer are no card's power
_MOST_MYRIADS: Final = 1000


def is_myriads(value: Decimal, following: str) -> bool:
    """Whether the `w` behind `value` says ten thousands (`7.5w一个月`, `9w5/月`, `3w起`), and not watts.

    `following`: the next two characters.
    """
    if following.isdecimal() and len(following) > 1:
        return False  # 1w25
    return value < _WATTS or value != int(value) or (following[:1] in set("/元每") and value < _MOST_MYRIADS)
