"""`suanjia review`: what is held back, and a person's decision about it."""

from __future__ import annotations

import click

from suanjia.cli import NOTHING, OK, Failure
from suanjia.settings import Settings


@click.command()
@click.option("--release", "released", multiple=True, metavar="OBS", help="Let an observation count. 放行")
@click.option(
    "--refuse", "refused", multiple=True, metavar="OBS", help="Keep it, and its repetitions, out. 否决"
)
@click.option("--by", help="Your name. 复核人")
@click.option("--reason", help="Why. 理由")
@click.option("--limit", type=click.IntRange(1, 100_000), default=100, show_default=True)
@click.option("--json", "as_json", is_flag=True, help="One JSON array.")
@click.pass_obj
def command(
    settings: Settings,
    released: tuple[str, ...],
    refused: tuple[str, ...],
    by: str | None,
    reason: str | None,
    limit: int,
    as_json: bool,
) -> int:
    """List what is held back; release or refuse with name and reason 复核.

    A decision takes effect at the next publish.
    """
    from warehouse import jsonout, textout
    from warehouse.errors import WarehouseError
    from warehouse.reader import open_latest
    from warehouse.review import decide, held_back

    try:
        con, generation = open_latest(settings.home)
        try:
            if released or refused:
                done = decide(settings.home, con, settings.now(), released, refused, by, reason)
                rows = [{"id": r.id, "action": r.action, "by": r.by, "reason": r.reason} for r in done]
            else:
                rows = held_back(con, limit)
        finally:
            con.close()
    except WarehouseError as error:
        raise Failure(str(error), error.exit_code) from None
    if as_json:
        click.echo(jsonout.dumps(rows))
    elif rows:
        click.echo(textout.table(list(rows[0]), [list(row.values()) for row in rows]))
    if not rows:
        click.echo(f"suanjia: nothing is held back in {generation}", err=True)
    return OK if rows else NOTHING
