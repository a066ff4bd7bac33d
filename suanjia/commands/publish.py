"""`suanjia publish`: build, check and publish a generation."""

from __future__ import annotations

from typing import Any

import click

from suanjia import __version__
from suanjia.cli import OK, Failure
from suanjia.settings import Settings

_NOTHING: dict[str, Any] = {
    "generation": None,
    "vintage": None,
    "offers": 0,
    "cells": 0,
    "held": 0,
    "refused_by": None,
}


@click.command()
@click.option("--json", "as_json", is_flag=True, help="One JSON document.")
@click.pass_obj
def command(settings: Settings, as_json: bool) -> int:
    """Build, check and publish a generation 发布. Readers are never blocked; nothing new ends with 4."""
    from functools import partial

    from catalog.providers import ProviderFileError, load_providers
    from reports.fit import weekly
    from reports.fit.job import JobError
    from warehouse.errors import Refused, WarehouseError
    from warehouse.jsonout import dumps
    from warehouse.publish import publish

    home, now = settings.home, settings.now()
    try:
        providers = load_providers(home)
        done = publish(
            home,
            now,
            providers,
            __version__,
            extra_tables=partial(weekly.extra_tables, now=now, providers=providers, home=home),
            extra_inputs=weekly.extra_inputs(home),
            keep=int(settings.number("keep_generations")),
        )
    except (ProviderFileError, JobError) as error:
        raise Failure(str(error)) from None
    except WarehouseError as error:
        if as_json:
            click.echo(dumps({**_NOTHING, "refused_by": str(error) if isinstance(error, Refused) else None}))
        raise Failure(str(error), error.exit_code) from None
    found = {key: getattr(done, key) for key in ("generation", "vintage", "offers", "cells", "held")}
    if as_json:
        click.echo(dumps({**_NOTHING, **found}))
    else:
        click.echo(
            "{generation}: {offers} offers 报价, {cells} index rows 指数,"
            " 历史待核 {held} held over all weeks".format(**found)
        )
    return OK
