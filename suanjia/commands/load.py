"""`suanjia load`: new segments into the store."""

from __future__ import annotations

import click

from suanjia.cli import OK, PARTIAL, Failure
from suanjia.settings import Settings


@click.command()
@click.option("--json", "as_json", is_flag=True, help="One JSON document.")
@click.pass_obj
def command(settings: Settings, as_json: bool) -> int:
    """Bring new segments into the warehouse 入库. What is known already is left alone."""
    from suanjia.provider_files import providers_of
    from warehouse.errors import WarehouseError
    from warehouse.jsonout import dumps
    from warehouse.load import load

    providers_of(settings)  # a provider file that does not fit is said before anything runs
    try:
        done = load(settings.home, settings.now())
    except WarehouseError as error:
        raise Failure(str(error), error.exit_code) from None
    for sentence in done.refused:
        click.echo(f"suanjia: left out {sentence}", err=True)
    if as_json:
        click.echo(dumps({"segments": done.segments, "rows": done.rows}))
    else:
        click.echo(f"{done.segments} segments 段, {done.rows} rows 行")
    return PARTIAL if done.refused else OK
