"""`suanjia index`: index and level series of the published generation."""

from __future__ import annotations

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


_ARROWS = {"up": "▲", "down": "▼", "flat": "持平 flat"}


def _table(rows: list[dict[str, Any]]) -> str:
    """One cell: its weeks and a chart; several: the newest week of each."""
    from warehouse.index import query
    from warehouse.textout import table

    one = query.cells(rows) == 1
    heads = [
        "周 week",
        "指数 index",
        "环比 change",
        "",
        "等级 grade",
        "报价 keys",
        "平台 sellers",
        "填补 imputed",
    ]
    heads += ["隔离 held", "覆盖 coverage", "状态 state", "标记 flags"]
    if not one:
        heads = ["序列 series", "地区 region", "卡 card", "计费 mode", *heads]
    lines = []
    for row in rows if one else query.newest(rows):
        value = query.printable(row)
        change = "" if row["link"] is None or value is None else f"{100 * (row['link'] - 1):+.1f}%"
        line = [
            _week(row["week"]),
            "—" if value is None else f"{value:.1f}",
            change,
            _ARROWS.get(row["direction"] or "", ""),
            row["grade"] or "",
            row["n_offers"],
            row["n_providers"],
            row["n_imputed"],
            row["n_quarantined"],
            "" if row["coverage"] is None else f"{100 * row['coverage']:.0f}%",
            row["state"] + (" (provisional)" if row["status"] == "provisional" else ""),
            row["flags"],
        ]
        lines.append(line if one else [row["series"], row["region"], row["card"], row["billing_mode"], *line])
    text = table(heads, lines)
    drawn = query.chart(rows) if one else ""
    return f"{_title(rows[0])}\n{text}\n{drawn}".rstrip() if one else text


def _title(row: dict[str, Any]) -> str:
    return f"{row['series']} · {row['region']} ({row['region_code']}) · {row['card']} · {row['billing_mode']}"


def _levels(rows: list[dict[str, Any]]) -> str:
    from warehouse.textout import table

    heads = [
        "周 week",
        "地区 region",
        "卡 card",
        "计费 mode",
        "类别 class",
        "最低 min",
        "p25",
        "中位 median",
        "p75",
    ]
    heads += ["报价 keys", "平台 sellers", "构成变 mix"]
    lines = [
        [
            _week(row["week"]),
            *(row[name] for name in ("region", "card", "billing_mode", "provider_class")),
            *(f"{row[name]:.2f}" for name in ("min", "p25", "median", "p75")),
            row["n_offers"],
            row["n_providers"],
            "≠" if row["composition_changed"] else "",
        ]
        for row in rows
    ]
    return table(heads, lines)


def _week(monday: Any) -> str:
    year, week, _ = monday.isocalendar()
    return f"{year}-W{week:02d}"
