"""`suanjia review`: what is held back, and a person's decision about it."""

from __future__ import annotations

from typing import Any

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
    """List what waits for a person 复核: prices held back, robots.txt that has changed.

    Release or refuse with name and reason; a decision about a price takes effect at the next publish. A
    changed robots.txt is released once it has been read; to stop asking the source, exclude it.
    """
    from suanjia import robots_log

    asked = (*released, *refused)
    files = [name for name in asked if name.startswith(robots_log.PREFIX)]
    if files and set(files) & set(refused):
        raise Failure('to stop asking a source set status = "excluded" in its provider file')
    if files and len(files) < len(asked):
        raise Failure("decide about prices and about robots.txt one after the other")
    rows = _robots(settings, files, by, reason)
    held: list[dict[str, Any]] = []
    generation = "this data directory"
    if not files:
        held, generation = _prices(settings, released, refused, by, reason, limit, bool(rows))
        rows = held if asked else rows + held
    _show(rows, as_json)
    if not rows:
        click.echo(f"suanjia: nothing is held back in {generation}", err=True)
    return OK if rows else NOTHING


def _robots(settings: Settings, files: list[str], by: str | None, reason: str | None) -> list[dict[str, Any]]:
    """The changes of robots.txt that wait, or the decisions made now."""
    from suanjia import robots_log
    from suanjia.ledger import Ledger, LedgerError

    try:
        with Ledger(settings.home, look=True) as ledger:
            if not files:
                return robots_log.waiting(ledger)
            robots_log.settle(ledger, files, by, reason, settings.now())
    except (LedgerError, robots_log.ReviewError) as error:
        raise Failure(str(error)) from None
    return [{"id": name, "action": "release", "by": by, "reason": reason} for name in files]


def _prices(
    settings: Settings,
    released: tuple[str, ...],
    refused: tuple[str, ...],
    by: str | None,
    reason: str | None,
    limit: int,
    enough: bool,
) -> tuple[list[dict[str, Any]], str]:
    """(held observations or the decisions made now, name of the generation). With `enough`, a home without a
    generation has none and is no error."""
    from warehouse.errors import NoGeneration, WarehouseError
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
        if isinstance(error, NoGeneration) and enough and not (released or refused):
            return [], "this data directory"
        raise Failure(str(error), error.exit_code) from None
    return rows, generation


def _show(rows: list[dict[str, Any]], as_json: bool) -> None:
    from suanjia.wrapped import wrapped
    from warehouse import jsonout, textout

    if as_json:
        click.echo(jsonout.dumps(rows))
        return
    for row in rows:
        told = [
            f"{name} {text}" for name, value in row.items() if name != "id" and (text := textout.cell(value))
        ]
        click.echo("\n".join([str(row["id"]), *wrapped("    ", " · ".join(told))]))
