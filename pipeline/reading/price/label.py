"""What an amount is said to be for: `语音识别 0.8元/小时` names another good, whatever the row is about.

Only the word that stands directly before the amount is asked. A word that no table knows is a seller, a place
or a filler, of which there is no end; other goods are known by name (`thing` in the tables).
"""

from __future__ import annotations

from typing import Final

from pipeline.reading.price.amounts import Amount
from pipeline.reading.price.bare import known_tail
from pipeline.reading.price.found import Scan
from pipeline.reading.price.lexer import CARD, MULTIPLIER, NOISE, NUMBER, SIGN, SIZE, WORD, Token
from pipeline.reading.price.words import other_rows, own_fees, things, things_beside

_STEPPED_OVER: Final = frozenset(("noun", "approx", "floor", "ceil", "current", "original", "member", "bare"))
_SIGNS: Final = frozenset(":(≈~<>≤≥")
_SYSTEMS: Final = frozenset(("windows", "raid", "虚拟机"))  # editions of a machine as well as goods
_INCLUDED: Final = frozenset("含送赠带附免包加+")
_INSIDE: Final = frozenset("含送赠")
_TAILS: Final = ("单价", "价格", "费用", "费", "扩容", "超量")
_REACH: Final = 8  # characters
_LOOSE: Final = " :("
_SOLD: Final = ("租赁", "租用", "出租", "套餐", "分摊", "年卡", "月卡")
_FEES: Final = ("服务费", "服务", "费")
_HIRED: Final = frozenset(("租", "租用", "租赁", "出租"))
_LONGEST: Final = 24  # characters of a label that are looked at
_FILLER: Final = 4  # characters, or tokens, between a part's name and its price
_PARTS: Final = 64  # tokens of a machine's description
_APART: Final = ("免费", "另计", "另付", "另收", "另购", "单独", "另算", "自备", "不限")


def named_apart(found: Scan, amount: Amount, *, own_period: bool) -> str | None:
    """The reason that the word before `amount` gives: another good, or what something costs its owner."""
    if not found.text[: amount.start].strip():
        return None
    if amount.first and _cost_alone(found, amount):
        return "budget_not_price"
    if not own_period and amount.first == 1 and found.tokens[0].value == "显卡":
        return "purchase_price"  # 显卡 12000元 in a column of rents
    return "not_gpu" if _other_good(found, amount, own_period=own_period) else None


def other_row(context: Scan) -> bool:
    """`RTX 4090 | 数据盘扩容`: the last cell before the price names another good."""
    above, mark, label = context.text.rpartition("|")
    label = label.strip().lower()
    if not mark or any(hit.start > len(above) for hit in context.hits):
        return False
    for tail in _TAILS:
        label = label.removesuffix(tail)
    return label.endswith(other_rows()) and label[0] not in _INCLUDED and not any(c.isdigit() for c in label)


def _cost_alone(found: Scan, amount: Amount) -> bool:
    """`成本 0.4 元/小时`: nothing but 成本 says what the amount is."""
    tokens = found.tokens
    i = amount.first
    while i and (tokens[i - 1].kind == SIGN or "approx" in tokens[i - 1].tags):
        i -= 1
    return i == 1 and tokens[0].value == "成本" and not found.text[: tokens[0].start].strip()


def _other_good(found: Scan, amount: Amount, *, own_period: bool) -> bool:
    """Whether the word before `amount` names another good.

    A text that names its card is believed where it gives the period too (`own_period`): a toll or a phone has
    none. So is an amount per card or machine.
    """
    tokens = found.tokens
    sized = amount.first > 0 and tokens[amount.first - 1].kind == SIZE
    stop = tokens[amount.first - 1].start if sized else amount.start  # 流量包 1TB
    if _beside(found.text[max(0, stop - _LONGEST) : stop]):
        return True
    if amount.unit.card or amount.unit.server:
        return False
    named = any(token.kind == CARD for token in tokens[: amount.first])
    if not named and "processor" in found.flags and "server" in found.flags:
        return True  # 香港服务器 E3-1230 16G 499元/月
    i = amount.first
    while i and _stepped_over(tokens[i - 1]):
        i -= 1
    stop = tokens[i].start
    while i and _short(found, i):
        i -= 1
    end = tokens[i - 1].end if i else 0
    label = found.text[end:stop].strip(_LOOSE)
    if not label and i and "id" in tokens[i - 1].tags and (not own_period or tokens[i - 1].value in things()):
        return True  # P40 手机 4488元
    # Not the label alone: 房 of 房租 is no word of the tables, 租 is.
    before = _plain_name(found.text[:stop].rstrip(_LOOSE).lower())
    if not label:
        if named or not i:
            return False
        return (
            _is_other(found, i - 1)
            or _core_or_memory(found, i - 1)
            or _part(found, i, own_period=own_period)
            or (_thing_at(before, tokens[i - 1]) and (i < 2 or tokens[i - 2].kind != SIZE))  # 64G 1T NVMe
        )
    if named and own_period:
        return False
    if i and tokens[i - 1].kind in {CARD, MULTIPLIER} and tokens[i - 1].end == end and len(label) == 1:
        return False
    if not named and len(label) <= _FILLER and _part(found, i, own_period=own_period):
        return True  # 带宽 50M独享
    longest = _longest(before, things())
    return longest > 0 and known_tail(before) < longest and before[:-longest][-1:] not in _INCLUDED


def _beside(label: str) -> bool:
    """`RTX 4090 光模块 1500元/月`, `环境费 300元/台/月`: a name that decides whatever the text is about."""
    goods = _plain_name(label.rstrip(_LOOSE).lower())
    if goods.endswith(things_beside()):
        return goods[: -_longest(goods, things_beside())][-1:] not in _INCLUDED
    return goods.endswith(_FEES) and _unknown_fee(goods)


def _plain_name(text: str) -> str:
    """`光模块租赁` without the word for how it is sold."""
    if not text.endswith(_SOLD) or text.endswith(things()):
        return text
    return text.removesuffix(next(tail for tail in _SOLD if text.endswith(tail)))


def _unknown_fee(label: str) -> bool:
    """`安全加固服务`, `环境费`: a fee or a service, and not the rent's own (`租赁费`, `算力服务`)."""
    head = label.removesuffix(next(tail for tail in _FEES if label.endswith(tail)))
    told = not head[-1:].isalpha() or head[-1:].isascii() or head.endswith(own_fees())
    return not told and _INSIDE.isdisjoint(head[-_REACH:])


def _longest(text: str, names: tuple[str, ...]) -> int:
    if not text.endswith(names):  # the quick look: the tables are long
        return 0
    return max(len(name) for name in names if text.endswith(name))


def _thing_at(before: str, last: Token) -> bool:
    """`通用型云主机`, `专家咨询`: a good whose name ends with a word of the tables, or is one that counts."""
    if last.kind not in {WORD, NOISE} or not before.endswith(things()):
        return False
    least = len(last.value) + bool(last.tags)
    return any(len(thing) >= least and before.endswith(thing) for thing in things())


def included(found: Scan, i: int) -> bool:
    """`含100G云盘`, `送公网IP`, `数据盘免费50G`, `系统盘另计`: the price is not of what token `i` names."""
    tokens, text = found.tokens, found.text
    start = tokens[i].start
    if i and tokens[i - 1].kind == SIZE and start - tokens[i - 1].end <= 1:
        start = tokens[i - 1].start
    end = tokens[i].end
    before, behind = text[max(0, start - _REACH) : start].rstrip(), text[end : end + _REACH].lstrip(" :")
    return before[-1:] in _INCLUDED or behind.startswith(_APART)


def of_a_machine(found: Scan, i: int) -> bool:
    """`4090 / 16核 64G / 系统盘 50G / 1.98元/时`: one part of a machine whose others are listed."""
    tokens = found.tokens
    beside = [tokens[j] for j in (i - 1, i + 1) if 0 <= j < len(tokens)]
    if i + 2 < len(tokens) and tokens[i + 1].kind == SIGN and tokens[i + 1].value == ":":
        beside.append(tokens[i + 2])
    if not any(token.kind == SIZE for token in beside):
        return False
    earlier = tokens[max(0, i - _PARTS) : i]
    listed = any(
        token.tags.get("basis") == "other:core" or "ram" in token.tags or "paths" in token.tags
        for token in earlier
    )
    return listed or any(
        token.kind == CARD and token.value.count is not None and token.value.count > 1 for token in earlier
    )


def _stepped_over(token: Token) -> bool:
    if token.kind == WORD:
        return not _STEPPED_OVER.isdisjoint(token.tags) and len(token.value) > 1
    return token.kind == SIGN and token.value in _SIGNS


def _short(found: Scan, i: int) -> bool:
    """`运费`, `股价`, `房租`: one character that the tables know at the end of a word that they do not."""
    token = found.tokens[i - 1]
    if token.kind != WORD or len(token.value) > 1 or "cur" in token.tags:
        return False
    before = found.text[found.tokens[i - 2].end if i > 1 else 0 : token.start]
    return before[-1:].isalnum()


def _is_other(found: Scan, i: int) -> bool:
    """`带宽 300元/月`, `Kafka 实例 2元/小时`: the known name of another good directly before the amount."""
    if i and found.tokens[i].tags.get("basis") in {"instance", "server"}:
        i -= 1
    token = found.tokens[i]
    return (
        token.kind == WORD
        and token.tags.get("reject.any") == "not_gpu"
        and token.value not in _SYSTEMS
        and not included(found, i)
    )


def _core_or_memory(found: Scan, i: int) -> bool:
    """`内存 0.05元/小时`, not the `64G内存` of a machine."""
    token = found.tokens[i]
    if "ram" not in token.tags and token.tags.get("basis") != "other:core":
        return False
    return i == 0 or found.tokens[i - 1].kind not in {SIZE, NUMBER}


def _part(found: Scan, i: int, *, own_period: bool) -> bool:
    """`内存 64G 899元`, `机柜 20A 4800元/月`, `BGP带宽 10M`: a part and its size, and nothing else."""
    tokens = found.tokens
    first = i
    while first and i - first <= _FILLER and _about_part(found, first - 1):
        first -= 1
    if not first or any(token.kind != NOISE for token in tokens[: first - 1]):
        return False
    if _is_other(found, first - 1):
        return True
    return i == 2 and tokens[1].kind == SIZE and "ram" in tokens[0].tags and not own_period


def _about_part(found: Scan, i: int) -> bool:
    """Sizes, names of units that no table knows (`20A`, `10kW`), brackets and words for hiring."""
    token = found.tokens[i]
    if token.kind == NUMBER:
        return i + 1 < len(found.tokens) and found.tokens[i + 1].kind == NOISE
    if token.kind == SIGN:
        return token.value in "()"
    return token.kind in {SIZE, NOISE} or token.value in _HIRED
