"""`suanjia compare`: offers side by side for so many hours."""

from __future__ import annotations

from decimal import Decimal

import click

from reports.numbers import dumps
from suanjia.cli import OK, Failure
from suanjia.settings import Settings


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
    from reports.compare import Asked, CompareError, checklist_of, compare, find
    from reports.fit.store import sellables
    from reports.fit.terms import terms_of
    from suanjia.compare_words import compare_words
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
    for row in rows:
        row["checklist"] = checklist_of(providers.get(row["provider"]))
    click.echo(dumps(rows) if as_json else compare_words(rows))
    return OK


def _positive(flag: str, text: str) -> Decimal:
    try:
        value = Decimal(text)
    except ArithmeticError:
        value = Decimal("NaN")
    if not value.is_finite() or value <= 0:
        raise Failure(f"{flag}: {text!r} is no number above 0")
    return value
