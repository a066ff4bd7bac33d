"""What stands before and behind an amount in its clause: which price it is, for which period, how exact."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from pipeline.reading.price.amounts import Amount, Reader
from pipeline.reading.price.found import Scan
from pipeline.reading.price.lexer import NUMBER, RATIO, SIGN, WORD, Token
from pipeline.reading.price.unit import periods_of

_BREAKS: Final = frozenset(",;|(。、!?·")
_DAY: Final = 24
_GIFTS: Final = frozenset(("送", "赠", "赠送"))
_ROLES: Final = (
    "original", "current", "member", "teaser", "renewal", "stat", "saving", "deposit", "onetime", "conv",
    "night",
)  # fmt: skip


def assign(found: Scan, reader: Reader, amounts: list[Amount]) -> None:
    """Give every amount its role, lead period and modifiers."""
    for i, amount in enumerate(amounts):
        if _negative(reader, amount.first):
            amount.role = "negative"
            continue
        _lead(found, reader, amount, amounts[i - 1] if i else None)
        _trail(found, reader, amount, amounts[i + 1] if i + 1 < len(amounts) else None)


def _negative(reader: Reader, first: int) -> bool:
    """`-1.98元`, `¥-1.98`: a minus; a separator has a word before it, a bullet a space behind."""
    if not (first and reader.sign(first - 1, "-") and reader.near(first, 0)):
        return False
    return first == 1 or reader.sign(first - 2, "|:(") or reader.has(first - 2, "cur")


def _lead(found: Scan, reader: Reader, amount: Amount, before: Amount | None) -> None:
    """What the words before an amount, in its own clause, say about it."""
    low = before.last if before is not None else 0
    start = amount.first
    while start > low:
        token = found.tokens[start - 1]
        if token.kind == SIGN and token.value in _BREAKS and not _inside_unit(reader, start - 1):
            break
        start -= 1
    at, amount.lead_from = amount.start, start
    amount.bracketed = reader.sign(start - 1, "(") if start else False
    for i in range(start, amount.first):
        token = found.tokens[i]
        if token.kind == WORD:
            _lead_word(found, reader, amount, i, token, adjacent=at - token.end <= 1)
        elif token.kind == RATIO and token.value[0] == "discount":
            amount.discount, amount.floor = token.value[1], False
        elif (
            token.kind == NUMBER
            and reader.has(i + 1, "per")
            and i + 1 < amount.first
            and token.value is not None
        ):
            _lead_span(found, reader, amount, i, token)
        elif token.kind == SIGN and at - token.end <= 1:
            _lead_sign(found, amount, i, token, before)
    if (
        before is not None
        and (amount.bracketed or amount.approx)
        and not amount.role
        and None not in {amount.currency, before.currency}
        and amount.currency != before.currency
    ):
        amount.role = "conv"  # $0.79/h（约¥5.6）; ¥5/h，约$0.7
    _other_mode(found, reader, amount, start, before)


def _inside_unit(reader: Reader, i: int) -> bool:
    """The dot of `每卡·小时 5.5元`."""
    return reader.sign(i, "·") and reader.has(i + 1, "per") and reader.has(i - 1, "single")


def _other_mode(found: Scan, reader: Reader, amount: Amount, start: int, before: Amount | None) -> None:
    """`1.98（抢占 1.19）`: in a bracket behind a price, the price of another mode in the same unit."""
    if (
        before is None
        or amount.lead_mode is None
        or amount.unit.per is not None
        or amount.role not in {"", "conv"}
    ):
        return
    if start and reader.sign(start - 1, "("):
        amount.role = "other"
        amount.lead_per = None


def _lead_word(found: Scan, reader: Reader, amount: Amount, i: int, token: Token, *, adjacent: bool) -> None:
    tags = token.tags
    if len(token.value) > 1 or adjacent:
        for role in _ROLES:
            if role in tags:
                amount.role = role
    if tags.get("floor") == "before":
        amount.floor = True
    if tags.get("ceil") == "before":
        amount.ceil = True
    if tags.get("approx") == "before":
        amount.approx = True
    if "lead" in tags:
        amount.lead_per, amount.lead_count = tags["lead"], 1
        if token.value[0] == "年" and i and found.tokens[i - 1].kind == NUMBER and reader.near(i, 0):
            amount.lead_count = periods_of(found.tokens[i - 1], 1)  # 3年费 20万元
    if "mode" in tags:
        mode, _, period = tags["mode"].partition(":")
        per, _, count = period.partition("*")
        amount.lead_mode = mode
        if per and "term" not in tags:
            n = int(count or 1)
            if i and found.tokens[i - 1].kind == NUMBER and reader.near(i, 0):
                n = periods_of(found.tokens[i - 1], n)
            amount.lead_per, amount.lead_count = per, n
    if "single" in tags:  # 每卡时 5.5元, 每卡·小时 5.5元
        j = i + 2 if _inside_unit(reader, i + 1) else i + 1
        if reader.has(j, "per") and reader.near(j, 0):
            amount.lead_per, amount.lead_count = found.tokens[j].tags["per"], 1
    if (
        token.value in _GIFTS
        and amount.unit.per is None
        and _period_in(found.tokens[i + 1 : amount.first][:3])
    ):
        amount.role = "saving"  # 买3个月送1个月 4680元: of how many months?
    if "past" in tags and i and any("from" in found.tokens[j].tags for j in range(max(0, i - 2), i)):
        amount.role = "past"
    if tags.get("per") == "half_year" and adjacent:  # 半年8800元
        amount.lead_per, amount.lead_count = "half_year", 1
    if "each" in tags or (token.kind == WORD and "per" in tags and reader.sign(i - 1, "/")):
        j = i + 1 if "each" in tags else i
        if reader.has(j, "per"):
            amount.lead_per, amount.lead_count = found.tokens[j].tags["per"], 1


def _period_in(tokens: Sequence[Token]) -> bool:
    return any("per" in token.tags for token in tokens)


def _lead_span(found: Scan, reader: Reader, amount: Amount, i: int, token: Token) -> None:
    """`1年380元`, `租用1个月：2000元`: the period; `五年租期`: a commitment."""
    per = found.tokens[i + 1].tags["per"]
    following = found.tokens[i + 2].tags if i + 2 < len(found.tokens) else {}
    if "term" in following or (i and "term" in found.tokens[i - 1].tags) or "minimum" in following:
        return
    if token.value != int(token.value) or not 0 < token.value <= 400:
        return
    if found.text[found.tokens[i + 1].start] == "月" and token.value > 1:
        return
    if (
        per == "hour"
        and token.value == _DAY
        and found.text[found.tokens[i + 1].end : amount.start].strip(" :")
    ):
        return  # 24小时客服 3.98元/时
    if per in {"hour", "minute", "second"} and token.value > 1:
        amount.role = "run"
        return
    amount.lead_per, amount.lead_count = per, int(token.value)


def _lead_sign(found: Scan, amount: Amount, i: int, token: Token, before: Amount | None) -> None:
    value = token.value
    if value in ">≥":
        amount.floor = True
    elif value in "<≤":
        amount.ceil = True
    elif value in "~≈":
        if before is None or (value == "~" and amount.currency == before.currency):
            amount.approx = True
        else:
            amount.role = "conv"
    elif value in "→=" and before is not None:
        moved = value == "→" and before.unit.per == amount.unit.per
        amount.role = amount.role if moved else "conv"  # 6800元/月 → 6200元/月: two prices


def _trail(found: Scan, reader: Reader, amount: Amount, after: Amount | None) -> None:
    """Words glued behind an amount (`¥1.88/时会员价`) or in a bracket of their own (`2997元(原价)`)."""
    limit = after.first if after is not None else len(found.tokens)
    i = amount.last
    bracket = reader.sign(i, "(")
    if bracket:
        i += 1
    end = amount.end + (2 if bracket else 0)
    while i < limit and i < amount.last + 6:
        token = found.tokens[i]
        if token.kind == SIGN and token.value in _BREAKS | {")"}:
            break
        if bracket and after is not None and i + 1 == limit:
            break
        if token.kind == WORD and (
            bracket or (token.start - end <= 1 and (after is None or token.start == amount.end))
        ):
            for role in ("original", "current", "member", "stat", "deposit"):
                if role in token.tags and len(token.value) > 1 and not amount.role:
                    amount.role = role
        elif (
            token.kind == RATIO and token.value[0] == "discount" and bracket and not reader.has(i - 1, "mode")
        ):
            amount.discount = token.value[1]
        i += 1
