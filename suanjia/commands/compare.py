"""`suanjia compare`: offers side by side for so many hours."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import click

from reports.numbers import dumps
from suanjia.cli import OK, Failure
from suanjia.settings import Settings

RULES = {
    "converts": "可转包月 / converts to the month",
    "new_order": "须重新下单 / a new order",
    "unknown": "转换规则未知 / conversion rule unknown",
}


@click.command()
@click.argument("offers", nargs=-1, required=True, metavar="OFFER...")
@click.option("--hours", default="100", show_default=True, help="Hours of work. 小时数")
@click.option(
    "--cards", type=click.IntRange(1, 1024), default=1, show_default=True, help="Cards in one machine. 卡数"
)
@click.option("--dataset-gb", help="Size of the data set, GB. 数据集大小")
@click.option(
    "--try-hours", default="24", show_default=True, help="Hours tried before a month is taken. 试用小时"
)
@click.option("--json", "as_json", is_flag=True, help="One JSON array.")
@click.pass_obj
def command(
    settings: Settings,
    /,
    offers: tuple[str, ...],
    hours: str,
    cards: int,
    dataset_gb: str | None,
    try_hours: str,
    as_json: bool,
) -> int:
    """Offers side by side: unit price, hours, storage, traffic, deposit, total. 报价对比。

    OFFER is an id as `cheapest` and `fit` print it.
    """
    from reports.compare import Asked, CompareError, compare, find
    from reports.fit.store import sellables
    from reports.fit.terms import terms_of
    from suanjia.opening import opened

    asked = Asked(
        _positive("--hours", hours),
        cards,
        None if dataset_gb is None else _positive("--dataset-gb", dataset_gb),
        _positive("--try-hours", try_hours),
    )
    with opened(settings) as (con, providers):
        live = list(sellables(con))
    try:
        rows = compare(find(live, offers), live, terms_of(providers), asked, settings.now())
    except CompareError as error:
        raise Failure(str(error)) from None
    click.echo(dumps(rows) if as_json else "\n".join(map(_words, rows)))
    return OK


def _positive(flag: str, text: str) -> Decimal:
    try:
        value = Decimal(text)
    except ArithmeticError:
        value = Decimal("NaN")
    if not value.is_finite() or value <= 0:
        raise Failure(f"{flag}: {text!r} is no number above 0")
    return value


def _words(row: dict[str, Any]) -> str:
    head = f"{row['provider']} {row['region'] or '—'} {row['card']} {row['billing_mode']}"
    if row["total_cny"] is None:
        return f"{head}: 无合计 no total — {row['reason']}"
    parts = row["components"]
    known = {name: "未知 unknown" if value is None else str(value) for name, value in parts.items()}
    lines = [
        f"{head}: {row['total_cny']} 元 / {row['hours']} h × {row['gpu_count']} 卡",
        f"   单价 {row['price_cny_per_card_hour'].normalize():f} 元/卡时；算力 {known['compute']}，"
        f"存储 {known['storage']}，流量 {known['traffic']}，押金 {known['deposit_held']}",
        "   " + "，".join(f"{hours} h {total}" for hours, total in row["totals_for_hours"].items()),
    ]
    trial = row["try_then_month"]
    if trial is not None and trial["total_cny"] is not None:
        lines.append(
            f"   先按量 {trial['try_hours']} h 再包月 try then month: {trial['total_cny']}"
            f"（{RULES[trial['rule']]}；包月超过 {trial['month_pays_above_hours']} h 划算）"
        )
    if row["not_ranked_because"]:
        lines.append(f"   不参与排名 not ranked: {row['not_ranked_because']}")
    return "\n".join(lines)
