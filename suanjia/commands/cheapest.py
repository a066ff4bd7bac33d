"""`suanjia cheapest`: the cheapest live offers."""

from __future__ import annotations

from decimal import Decimal, InvalidOperation
from typing import Any

import click

from reports.numbers import half_up
from suanjia.cli import NOTHING, OK, Failure
from suanjia.settings import Settings


class Amount(click.ParamType[Decimal]):
    """A positive decimal number."""

    name = "number"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Decimal:
        try:
            number = value if isinstance(value, Decimal) else Decimal(str(value))
        except InvalidOperation:
            number = Decimal("NaN")
        if not number.is_finite() or number <= 0 or number >= 10**9:
            self.fail(f"{value!r} is no positive number", param, ctx)
        return number


@click.command()
@click.option("--card", help="Card, as it is called: RTX4090, A100-80G, 'H100 SXM'. 显卡")
@click.option("--count", type=click.IntRange(1, 1024), help="This many cards in one machine. 单机卡数")
@click.option("--min-vram", type=Amount(), help="GB per card at least; unknown fails. 单卡显存下限")
@click.option("--region", help="Province, city or code; 全国 = national offers. 地区")
@click.option("--mode", default="on_demand", show_default=True, help="Billing mode, or any. 计费方式")
@click.option("--max-price", type=Amount(), help="CNY per card-hour with tax at most. 每卡时上限")
@click.option("--max-age", type=Amount(), help="Hours since the price was seen at most (168). 价格时效上限")
@click.option("--limit", type=click.IntRange(1, 10_000), default=20, show_default=True)
@click.option("--json", "as_json", is_flag=True, help="One JSON array.")
@click.pass_obj
def command(settings: Settings, /, as_json: bool, **flags: Any) -> int:
    """Cheapest live offers 当前最低价.

    With --count only what delivers that many cards in one machine, by the price of the purchase; else by
    price per card-hour. Prices include tax where the source says it is excluded.
    """
    from warehouse import cheapest as room
    from warehouse.errors import WarehouseError
    from warehouse.jsonout import dumps
    from warehouse.reader import open_latest

    try:
        question = room.question(**flags)
        con, generation = open_latest(settings.home)
        try:
            rows = room.cheapest(con, question, settings.now())
            hint = "" if rows else room.why_none(con, question)
        finally:
            con.close()
    except WarehouseError as error:
        raise Failure(str(error), error.exit_code) from None
    if as_json:
        click.echo(dumps(rows))
    elif rows:
        click.echo(_table(rows))
    click.echo(f"suanjia: {hint}" if hint else f"({generation})", err=True)
    return OK if rows else NOTHING


_ENGLISH = {
    "元/时": "CNY an hour",
    "元/卡时": "CNY per card-hour",
    "张": "cards bought",
    "地区": "place",
    "库存": "free cards",
    "时效": "age",
}


def _table(rows: list[dict[str, Any]]) -> str:
    from suanjia.grouped import legend, told_apart, told_below
    from warehouse.textout import table

    lines = [_line(row) for row in rows]
    # A column that says nothing new stays out: the card-hour of single cards, a count of one.
    quiet = {
        "元/卡时": lambda line: line["元/时"] == line["元/卡时"],
        "张": lambda line: line["张"] == "1",
    }
    heads = told_apart(lines, quiet)
    text = table(heads, [[line[name] for name in heads] for line in lines])
    marks = told_below("标记 mark", ((row["rank"], _marks(row)) for row in rows))
    return "\n".join([text, *marks, *legend(heads, _ENGLISH)])


def _line(row: dict[str, Any]) -> dict[str, Any]:
    card = row["card"] if row["form"] is None else f"{row['card']} {row['form']}"
    stock = row["stock_idle"] if row["stock_idle"] is not None else "?" if row["in_stock"] is None else "有"
    return {
        "#": row["rank"],
        "元/时": half_up(row["total_per_hour_cny"], 4),
        "元/卡时": half_up(row["price_cny_per_card_hour_gross"], 4),
        "卡 card": card,
        "张": f"{row['purchase_cards'].normalize():f}",
        "平台 seller": row["provider"],
        "地区": row["region"] or row["region_label"] or "?",
        "计费 mode": row["billing_mode"],
        "库存": stock,
        "时效": f"{row['age_hours']:.0f} h",
    }


def _marks(row: dict[str, Any]) -> str:
    marks = [
        word
        for word, on in (
            ("旧 old", row["old"]),
            ("可能被回收 interruptible", row["billing_mode"] == "spot"),
            ("待核 review", row["review"] is not None),
            ("最近未见 not in last crawl", row["state"] == "missing"),
            (str(row["tier"]), row["tier"] is not None),
        )
        if on
    ]
    return " · ".join(marks)
