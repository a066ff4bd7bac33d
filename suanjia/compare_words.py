"""What `suanjia compare` says to a person: one column an offer, as buyers draw the table."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from decimal import Decimal
from typing import Any

from reports.fit.sellable import STATIC_RULES
from suanjia.wrapped import wrapped
from warehouse.textout import table

RULES = {
    "converts": "可转包月 / converts to the month",
    "new_order": "须重新下单 / a new order",
    "unknown": "转换规则未知 / conversion rule unknown",
}
PARTS = {
    "compute": "算力 compute",
    "storage": "存储 storage",
    "traffic": "流量 traffic",
    "deposit_held": "押金 deposit",
}
QUESTIONS = {
    "vpc": "VPC",
    "encryption_at_rest": "存储加密 encryption at rest",
    "destruction_certificate": "销毁证明 destruction certificate",
    "data_agreement": "数据协议 data agreement",
    "response_minutes": "响应时间 response time",
    "interconnect": "互联 interconnect",
    "bgp": "BGP",
    "test_address": "测试地址 test address",
    "elastic_scaling": "弹性扩容 elastic scaling",
    "vram_cap": "显存上限 VRAM cap",
    "invoice": "发票 invoice",
    "docker_inside": "可用 Docker inside",
}
ANSWERS = {True: "是 yes", False: "否 no"}
Row = dict[str, Any]


def compare_words(rows: Sequence[Row]) -> str:
    """The offers side by side, then what a cell cannot hold."""
    heads = ("", *(f"#{place}" for place in range(1, len(rows) + 1)))
    lines = [table(heads, [[head, *(say(row) for row in rows)] for head, say in _lines(rows)])]
    places: dict[str, list[str]] = {}
    for place, row in enumerate(rows, 1):
        for note in _notes(row):
            places.setdefault(note, []).append(f"#{place}")
    for note, told in places.items():
        lines += wrapped(f"{', '.join(told)} ", note)
    return "\n".join(lines)


def _lines(rows: Sequence[Row]) -> list[tuple[str, Callable[[Row], str]]]:
    usual = next((list(row["totals_for_hours"]) for row in rows if row["total_cny"] is not None), [])
    return [
        ("平台 seller", lambda row: str(row["provider"])),
        ("地区 region", lambda row: row["region"] or "—"),
        ("卡 card", _card),
        ("计费 mode", lambda row: str(row["billing_mode"])),
        ("单价 CNY/card-h", lambda row: _plain(row["price_cny_per_card_hour"])),
        ("小时 hours", lambda row: _plain(row["hours"])),
        *((head, _part(name)) for name, head in PARTS.items()),
        ("合计 total CNY", lambda row: _money(row["total_cny"], "无 none")),
        ("先试后包月 try, month", _trial),
        *((f"算力 {hours} h", _usual(hours)) for hours in usual),
        ("时效 age h", lambda row: f"{row['age_hours']:.0f}" + (" 旧 old" if row["old"] else "")),
    ]


def _card(row: Row) -> str:
    count = f"{row['gpu_count']}×" if "gpu_count" in row else ""
    return f"{count}{row['card']} {row['form'] or ''}".rstrip()


def _part(name: str) -> Callable[[Row], str]:
    return lambda row: "—" if row["components"] is None else _money(row["components"][name], "未知 unknown")


def _usual(hours: str) -> Callable[[Row], str]:
    return lambda row: "—" if row["total_cny"] is None else _money(row["totals_for_hours"][hours], "—")


def _trial(row: Row) -> str:
    trial = row.get("try_then_month")
    return "—" if trial is None else _money(trial["total_cny"], "—")


def _money(value: Decimal | None, unknown: str) -> str:
    return unknown if value is None else f"{value:.2f}"


def _plain(value: Decimal | None) -> str:
    return "—" if value is None else f"{value.normalize():f}"


def _notes(row: Row) -> list[str]:
    notes = []
    if row["total_cny"] is None:
        notes.append(f"无合计 no total: {row['reason']}")
    if row["not_ranked_because"]:
        rule = row["not_ranked_because"]
        notes.append(f"不参与排名 not ranked: {STATIC_RULES.get(rule, rule)}")
    trial = row.get("try_then_month")
    if trial is not None and trial["total_cny"] is None:
        notes.append(f"无法先试后包月 no month to go over to: {trial['reason']}")
    elif trial is not None:
        notes.append(
            f"先按量 {trial['try_hours']} h 再包月 then the month: {RULES[trial['rule']]}; "
            f"包月超过 {trial['month_pays_above_hours']} h 划算 / a month pays above that"
        )
    notes += [f"注 note: {note}" for note in row.get("notes", ())]
    return [*notes, *_checklist(row.get("checklist", {}))]


def _checklist(answers: dict[str, Any]) -> list[str]:
    """What is known of the buyer's questions, and which are still to be asked."""
    if not answers:
        return []
    known = [
        f"{QUESTIONS[name]} {ANSWERS.get(fact['answer'], fact['answer'])}"
        for name, fact in answers.items()
        if fact
    ]
    ask = [QUESTIONS[name] for name, fact in answers.items() if not fact]
    lines = [f"已知 known: {'; '.join(known)}"] if known else []
    return lines + ([f"要问 to ask: {', '.join(ask)}"] if ask else [])
