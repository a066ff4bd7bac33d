"""`suanjia explain`: from a number back to the page."""

from __future__ import annotations

import importlib
from typing import Any

import click

from suanjia.cli import OK, Failure
from suanjia.settings import Settings

# Who explains which ids: module and function (home, connection, generation, id) → steps with `as_dict()`.
ROOMS = {
    "offer": ("warehouse.explain", "explain"),
    "obs": ("warehouse.explain", "explain"),
    "rej": ("warehouse.explain", "explain"),
    "cell": ("warehouse.index.explain", "explain"),
    "fit": ("reports.fit.explain", "explain"),
}


@click.command()
@click.argument("name", metavar="ID")
@click.option("--json", "as_json", is_flag=True, help="One JSON document.")
@click.pass_obj
def command(settings: Settings, name: str, as_json: bool) -> int:
    """Where a number comes from 数字的来历: offer:…, obs:…, rej:…, cell:…, fit:…"""
    from suanjia.wrapped import wrapped
    from warehouse.errors import BadRequest, WarehouseError
    from warehouse.jsonout import dumps
    from warehouse.reader import open_latest

    try:
        kind = name.split(":", 1)[0]
        if kind not in ROOMS:
            raise BadRequest(f"{name!r} is no id; offer:…, obs:…, rej:…, cell:… or fit:…")
        module, function = ROOMS[kind]
        explain: Any = getattr(importlib.import_module(module), function)
        con, generation = open_latest(settings.home)
        try:
            steps = [step.as_dict() for step in explain(settings.home, con, generation, name)]
        finally:
            con.close()
    except WarehouseError as error:
        raise Failure(str(error), error.exit_code) from None
    if as_json:
        click.echo(dumps({"id": name, "steps": steps}))
        return OK
    for step in steps:
        click.echo("\n".join(wrapped(f"{step['what']}: ", str(step["value"]))))
        click.echo("\n".join(wrapped("    ← ", str(step["from"]))))
    return OK
