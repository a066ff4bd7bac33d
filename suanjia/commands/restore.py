"""`suanjia restore`: fill an empty data directory from a backup."""

from __future__ import annotations

import json
from pathlib import Path

import click

from suanjia.cli import OK, Failure
from suanjia.settings import Settings


@click.command()
@click.argument("file", type=click.Path(path_type=Path, exists=True, dir_okay=False))
@click.option("--json", "as_json", is_flag=True, help="One JSON document.")
@click.pass_obj
def command(settings: Settings, file: Path, as_json: bool) -> int:
    """Fill an empty data directory from FILE 恢复, all of it or nothing; every file is checked.

    A data directory that holds anything is refused. Afterwards: `suanjia load`, then `suanjia publish`.
    """
    from suanjia.keeping.backup import BackupError, restore

    try:
        done = restore(file, settings.home)
    except BackupError as error:
        raise Failure(str(error)) from None
    if as_json:
        click.echo(json.dumps({"home": str(settings.home), "files": done.files, "bytes": done.bytes}))
    else:
        click.echo(f"{settings.home}: {done.files} files, {done.bytes / 1e6:.1f} MB; now: suanjia load")
    return OK
