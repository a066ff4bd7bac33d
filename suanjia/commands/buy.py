"""`suanjia buy`: rent or buy, as a range of break-even hours with its inputs shown."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from typing import Any

import click

from pipeline.reading.card import CardReject, read
from reports.buy import GUIDE_CARD, GUIDE_SERVER, BuyError, Inputs, Range, report
from reports.numbers import dumps
from suanjia.cli import OK, Failure
from suanjia.settings import Settings

HELP = {
    "price": "Price of the server, CNY. 整机价",
    "cards": "Cards in it. 卡数",
    "residual": "Share of the price left at the end. 残值率",
    "months": "Months of use. 使用月数",
    "capital": "Cost of capital a year, share. 资金成本",
    "hosting": "Hosting a month, CNY. 托管费",
    "kw": "Peak power, kW. 功率",
    "pue": "PUE of the room.",
    "tariff": "CNY per kWh. 电价",
    "load": "Share of peak power, 0..1. 负载",
    "staff": "Staff a month, CNY. 人工",
}
VERDICTS = {
    "never": "任何小时数都不划算 / owning never pays",
    "sometimes_never": "仅在有利假设下划算 / owning pays only under the favourable inputs",
    "above_hours": "超过该小时数自购更省 / owning pays above these hours",
    "own_cheaper": "整月使用时自购更省 / owning is cheaper than a rented month",
    "rent_cheaper": "整月租用更省 / a rented month is cheaper",
    "depends_on_inputs": "取决于假设 / depends on the inputs",
}


def _input_options(function: Any) -> Any:
    for name in reversed(HELP):
        function = click.option(f"--{name}", metavar="N or A..B", help=HELP[name])(function)
    return function


@click.command()
@click.option("--card", "card_text", default=GUIDE_CARD, show_default=True, help="The card. 卡型")
@click.option("--region", help="Region of the rents (name or code; default the whole mainland). 地区")
@click.option(
    "--hourly", metavar="N or A..B", help="Hourly rent per card, CNY; default: the published level."
)
@click.option(
    "--monthly", metavar="N or A..B", help="Monthly rent per card, CNY a month; default: published."
)
@_input_options
@click.option("--json", "as_json", is_flag=True, help="One JSON document.")
@click.pass_obj
def command(
    settings: Settings,
    /,
    card_text: str,
    region: str | None,
    hourly: str | None,
    monthly: str | None,
    as_json: bool,
    **inputs: str | None,
) -> int:
    """Hours a month from which a server of your own beats rented cards. 自购还是租用。

    Each input is a number or a range; the answer is the range they span.
    """
    reading = read(card_text)
    if isinstance(reading, CardReject) or reading.card is None:
        raise Failure(f"--card {card_text!r} names no one card of the catalogue")
    try:
        server = _server(reading.card, inputs)
        rents, sources = _given(hourly, monthly)
        if not rents:
            rents, sources = _published(settings, reading.card, region)
        result = {"card": reading.card, "region": region or "CN", **report(server, rents, sources)}
    except BuyError as error:
        raise Failure(str(error)) from None
    click.echo(dumps(result) if as_json else _words(result))
    return OK


def _server(card: str, inputs: dict[str, str | None]) -> Inputs:
    given = {name: Range.parse(text) for name, text in inputs.items() if text is not None}
    if card != GUIDE_CARD and "price" not in given:
        raise BuyError(f"--price is missing: what does a server of {card} cost?")
    return replace(GUIDE_SERVER, **given)


def _given(hourly: str | None, monthly: str | None) -> tuple[dict[str, Range], dict[str, str]]:
    rents = {}
    if hourly:
        rents["on_demand"] = Range.parse(hourly)
    if monthly:
        rents["monthly"] = Range.parse(monthly).per_hour_of_month()
    return rents, dict.fromkeys(rents, "given")


def _published(settings: Settings, card: str, region: str | None) -> tuple[dict[str, Range], dict[str, str]]:
    from reports.levels import published_rents
    from suanjia.opening import opened

    with opened(settings) as (con, _):
        rents, sources = published_rents(con, card, region)
    return dict(rents), dict(sources)


def _words(result: dict[str, Any]) -> str:
    from suanjia.wrapped import wrapped

    lines = [
        f"{result['card']} 自有成本 own: {_span(result['own_cny_per_card_month'])} 元/卡/月 a card and month"
    ]
    for rent in result["rent"]:
        lines += wrapped(
            f"{rent['mode']}: ", f"{_span(rent['cny_per_card_hour'])} 元/卡时（{rent['source']}）"
        )
        if "break_even_hours_per_month" in rent:
            hours = _span(rent["break_even_hours_per_month"])
            lines.append(f"  盈亏平衡 break-even: 每月 {hours} 小时 h/month（一个月 730 h）")
        if "cny_per_card_month" in rent:
            lines.append(f"  整月 a month: {_span(rent['cny_per_card_month'])} 元/卡")
        lines.append(f"  {VERDICTS[rent['verdict']]}")
    rule = result["rule_300_350"]
    lines += wrapped(
        "300–350 h: ", f"{_span(rule['holds_for_cny_per_card_hour'])} 元/卡时；{rule['condition_zh']}"
    )
    lines += wrapped("  ", rule["condition_en"])
    inputs = ", ".join(f"{name} {value}" for name, value in result["inputs"].items())
    lines += wrapped("输入 inputs: ", inputs)
    lines += wrapped("未计入 not counted: ", ", ".join(result["not_counted"]))
    return "\n".join(lines)


def _span(both: list[Decimal]) -> str:
    """`246–606`; one number where both are the same."""
    low, high = both
    return f"{low:f}" if low == high else f"{low:f}–{high:f}"
