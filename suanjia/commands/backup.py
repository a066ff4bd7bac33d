"""`suanjia backup`: a verified copy of the data directory, one file."""

from __future__ import annotations

import json
from pathlib import Path

import click

from suanjia import __version__
from suanjia.cli import OK, Failure
from suanjia.settings import Settings


@click.command()
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False))
@click.option("--json", "as_json", is_flag=True, help="One JSON document.")
@click.pass_obj
def command(settings: Settings, file: Path, as_json: bool) -> int:
    """Copy the data directory into FILE 备份, a tar that is read back before it gets its name.

    The working store, locks and the static site stay out: segments are the truth, and `suanjia load` and
    `publish` build the rest from them. FILE is readable by its owner alone: suanjia.toml may hold secrets.
    """
    from suanjia.keeping.backup import BackupError, backup
    from warehouse.errors import WarehouseError

    try:
        done = backup(settings.home, file, settings.now(), __version__)
    except BackupError as error:
        raise Failure(str(error)) from None
    except WarehouseError as error:
        raise Failure(str(error), error.exit_code) from None
    if as_json:
        click.echo(json.dumps({"file": str(file), "files": done.files, "bytes": done.bytes}))
    else:
        click.echo(f"{file}: {done.files} files, {done.bytes / 1e6:.1f} MB, verified 已校验")
    return OK
