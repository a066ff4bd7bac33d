"""`suanjia cost`: the cheapest way to buy H hours from a set of billing modes."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

import click

from reports.cost.lines import FIELDS, answer
from reports.numbers import dumps, loads
from suanjia.cli import OK, PARTIAL, Failure

EPILOG = """Without flags: JSON Lines on stdin, one answer a line on stdout.

\b
{"id":1,"hours":400,"contiguous":true,"cards":1,"rates":{"hour":2.00,"day":36,"week":210,"month":720}}

Rates are per card for one whole unit: hour, prepaid_hour, day, week, month, year, pack:N (N days),
credit:N (a pack of N card-hours), credit:N:D (to be used within D days). 无参数时从标准输入逐行读 JSON。
"""


@click.command(epilog=EPILOG)
@click.option("--hours", help="Hours of work. 任务小时数")
@click.option("--span-hours", help="The work is spread over this span. 分散在多少小时内")
@click.option("--cards", default="1", help="Cards (1). 卡数")
@click.option("--rate", "rates", multiple=True, metavar="MODE=PRICE", help="Price of one unit per card.")
@click.option("--granularity-s", help="Seconds that the hourly meter rounds up to (1).")
@click.option("--min-hours", help="Least hours billed when the meter is used (0).")
@click.option("--json", "as_json", is_flag=True, help="JSON Lines (always so for questions on stdin).")
def command(as_json: bool, rates: tuple[str, ...], hours: str | None, **flags: str | None) -> int:
    """Cheapest way to buy hours from billing modes. 按时、日、周、月、包怎样买最便宜。"""
    if hours is None:
        if rates:
            raise Failure("--rate needs --hours")
        return _from_stdin()
    question = {"hours": hours, "rates": _rates(rates), "contiguous": flags["span_hours"] is None, **flags}
    result = answer(question)
    if "error" in result:
        raise Failure(result["error"])
    del result["id"]
    click.echo(dumps(result) if as_json else _words(result))
    return OK


def _from_stdin() -> int:
    if sys.stdin.isatty():
        raise Failure("give --hours and --rate, or JSON Lines on stdin (see --help)")
    code = OK
    for number, question in _questions():
        unknown = sorted(set(question) - FIELDS)
        if unknown:
            click.echo(f"suanjia: line {number}: ignored {', '.join(unknown)}", err=True)
        result = answer(question)
        click.echo(dumps(result))
        code = PARTIAL if "error" in result else code
    return code


def _questions() -> Iterator[tuple[int, dict[str, Any]]]:
    for number, raw in enumerate(sys.stdin.buffer, 1):
        if not raw.strip():
            continue
        try:
            question = loads(raw.decode("utf-8"))
        except ValueError as error:
            raise Failure(f"line {number} is not JSON: {error}") from None
        if not isinstance(question, dict):
            raise Failure(f"line {number} is not a JSON object")
        yield number, question


def _rates(pairs: tuple[str, ...]) -> dict[str, str]:
    rates = {}
    for pair in pairs:
        mode, sign, price = pair.partition("=")
        if not sign:
            raise Failure(f"--rate {pair!r} is not MODE=PRICE such as day=36")
        rates[mode.strip()] = price.strip()
    return rates


def _words(result: dict[str, Any]) -> str:
    from warehouse.textout import table

    rows = [[row["mode"], row["units"].normalize(), f"{row['cost']:>10.2f}"] for row in result["plan"]]
    rows.append(["合计 total", None, f"{result['total']:>10.2f}"])
    lines = [table(("计费 mode", "数量 units", "    元 CNY"), rows)]
    for mode, exact in result["break_even"].items():
        hours = f"{exact.normalize():f}"
        if mode in result["never_pays"]:
            lines.append(f"{mode}: 怎么都不划算 / never pays (costs as much as {hours} h)")
        else:
            lines.append(f"{mode}: 用满 {hours} 小时以上划算 / pays above {hours} h")
    return "\n".join(lines)
