"""`suanjia index`: index and level series of the published generation."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from suanjia.cli import NOTHING, OK, Failure
from suanjia.settings import Settings


@click.command()
@click.option("--region", help="全国, a province or a city, by name or code. 地区")
@click.option("--card", help="Card, as it is called. 显卡")
@click.option("--mode", default="on_demand", show_default=True, help="Billing mode, or any. 计费方式")
@click.option(
    "--series",
    default="list",
    show_default=True,
    help="list, member, public_discount, promo, rentable, or any. 序列",
)
@click.option("--from", "first", metavar="WEEK", help="First week: 2026-W40 or a date. 起始周")
@click.option("--to", "last", metavar="WEEK", help="Last week. 截止周")
@click.option("--levels", is_flag=True, help="What a card-hour costs (median of sellers) instead. 价格水平")
@click.option("--format", "form", type=click.Choice(("table", "csv", "json")), default="table")
@click.option("--json", "as_json", is_flag=True, help="One JSON array of rows; the same as --format json.")
@click.pass_obj
def command(settings: Settings, /, form: str, as_json: bool, levels: bool, **flags: str | None) -> int:
    """Weekly index of list prices 周度指数, base week of each cell = 100.

    With a card and a region: the series and its chart. Otherwise the newest week of every cell. A value
    that is too thin to print is shown as —; JSON and CSV carry every column of the table.
    """
    from warehouse.errors import WarehouseError
    from warehouse.index import query
    from warehouse.jsonout import dumps
    from warehouse.reader import open_latest
    from warehouse.textout import csv_text

    try:
        question = _question(flags)
        con, generation = open_latest(settings.home)
        try:
            rows = (query.level_rows if levels else query.index_rows)(con, question)
        finally:
            con.close()
    except WarehouseError as error:
        raise Failure(str(error), error.exit_code) from None
    if as_json or form == "json":
        click.echo(dumps(rows))
    elif form == "csv":
        names = list(rows[0]) if rows else []
        click.echo(csv_text(names, [list(row.values()) for row in rows]), nl=False)
    elif rows:
        click.echo(_levels(rows) if levels else _table(rows))
    click.echo(f"({generation})" if rows else "suanjia: no such series 没有符合条件的序列", err=True)
    return OK if rows else NOTHING


def _question(flags: dict[str, str | None]) -> Any:
    from warehouse.index import query
    from warehouse.index.explain import parse_week

    series, mode, first, last = (flags[name] for name in ("series", "mode", "first", "last"))
    return query.check(
        query.Question(
            series=None if series == "any" else series,
            region=flags["region"],
            card=flags["card"],
            mode=None if mode == "any" else mode,
            first=parse_week(first) if first else None,
            last=parse_week(last) if last else None,
        )
    )


_ARROWS = {"up": "▲", "down": "▼"}
# What is usually nothing: said below the table of the lines that have it.
_BELOW: tuple[tuple[str, Callable[[dict[str, Any]], str]], ...] = (
    ("标记 flags", lambda row: (row["flags"] or "").replace(",", ", ")),
    ("填补 imputed", lambda row: str(row["n_imputed"] or "")),
    ("待核 held", lambda row: str(row["n_quarantined"] or "")),
    (
        "来源覆盖 coverage",
        lambda row: "" if row["coverage"] in (None, 1) else f"{100 * row['coverage']:.0f}%",
    ),
)
_SAME_LEVEL = ("卡 card", "计费 mode", "类别 class")
_ENGLISH = {
    "地区": "place",
    "指数": "index",
    "环比": "week on week",
    "等级": "grade",
    "报价": "offers",
    "平台": "sellers",
    "最低": "lowest",
    "中位": "median",
    "报价/平台": "offers/sellers",
}
_SHARED = ("序列 series", "计费 mode", "周 week")


def _table(rows: list[dict[str, Any]]) -> str:
    """One cell: its weeks and a chart; several: the newest week of each."""
    from suanjia.grouped import legend, told_apart, told_below
    from warehouse.index import query
    from warehouse.textout import table

    one = query.cells(rows) == 1
    shown = rows if one else query.newest(rows)
    lines = [_line(place, row, one) for place, row in enumerate(shown, 1)]
    shared = [name for name in _SHARED if name in lines[0] and len({line[name] for line in lines}) == 1]
    heads = told_apart(lines, dict.fromkeys(shared, _always))
    above = _title(rows[0]) if one else " · ".join(lines[0][name] for name in shared)
    below = [
        line
        for name, say in _BELOW
        for line in told_below(name, ((n, say(r)) for n, r in enumerate(shown, 1)))
    ]
    if any(row["status"] == "provisional" for row in shown):
        below.append("* 初值，下一期周报之前可能变动 provisional until the next issue is due")
    text = [above, table(heads, [[line[name] for name in heads] for line in lines]), *below]
    text += legend(heads, _ENGLISH)
    drawn = query.chart(rows) if one else ""
    return "\n".join(part for part in (*text, drawn) if part).rstrip()


def _always(_: dict[str, Any]) -> bool:
    return True


def _line(place: int, row: dict[str, Any], one: bool) -> dict[str, Any]:
    from warehouse.index import query

    value = query.printable(row)
    change = "" if row["link"] is None or value is None else f"{100 * (row['link'] - 1):+.1f}%"
    cell = {
        "序列 series": row["series"],
        "地区": row["region"],
        "卡 card": row["card"],
        "计费 mode": row["billing_mode"],
    }
    return {
        "#": place,
        **({} if one else cell),
        "周 week": _week(row["week"]),
        "指数": "—" if value is None else f"{value:.1f}",
        "环比": _ARROWS.get(row["direction"] or "", "") + change,
        "等级": row["grade"] or "",
        "报价": row["n_offers"],
        "平台": row["n_providers"],
        "状态 state": row["state"] + ("*" if row["status"] == "provisional" else ""),
    }


def _title(row: dict[str, Any]) -> str:
    return f"{row['series']} · {row['region']} ({row['region_code']}) · {row['card']} · {row['billing_mode']}"


def _levels(rows: list[dict[str, Any]]) -> str:
    from suanjia.grouped import legend, told_apart
    from warehouse.textout import table

    lines = [
        {
            "周 week": _week(row["week"]),
            "地区": row["region"],
            "卡 card": row["card"],
            "计费 mode": row["billing_mode"],
            "类别 class": row["provider_class"],
            "最低": f"{row['min']:.2f}",
            "p25": f"{row['p25']:.2f}",
            "中位": f"{row['median']:.2f}",
            "p75": f"{row['p75']:.2f}",
            "报价/平台": f"{row['n_offers']}/{row['n_providers']}"
            + (" ≠" if row["composition_changed"] else ""),
        }
        for row in rows
    ]
    shared = [name for name in _SAME_LEVEL if len({line[name] for line in lines}) == 1]
    heads = told_apart(lines, dict.fromkeys(shared, _always))
    text = table(heads, [[line[name] for name in heads] for line in lines])
    below = ["≠ 卖家或商品与上周不同 other sellers or goods than the week before"]
    changed = any(row["composition_changed"] for row in rows)
    above = " · ".join(["元/卡时 CNY per card-hour", *(lines[0][name] for name in shared)])
    return "\n".join([above, text, *(below if changed else []), *legend(heads, _ENGLISH)])


def _week(monday: Any) -> str:
    year, week, _ = monday.isocalendar()
    return f"{year}-W{week:02d}"
