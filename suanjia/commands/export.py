"""`suanjia export`: the published tables as files."""

from __future__ import annotations

from pathlib import Path

import click

from suanjia.cli import OK, PARTIAL, Failure
from suanjia.settings import Settings

FORMATS = ("parquet", "csv", "xlsx")


@click.command()
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@click.option(
    "--format", "forms", default="parquet", show_default=True, help="Comma list of parquet, csv, xlsx."
)
@click.option("--json", "as_json", is_flag=True, help="One JSON document.")
@click.pass_obj
def command(settings: Settings, folder: Path, forms: str, as_json: bool) -> int:
    """Write the published tables as files 导出. The same generation gives the same bytes.

    In CSV a text that a spreadsheet would run as a formula has an apostrophe before it; `suanjia import`
    takes it off again.
    """
    from warehouse.errors import WarehouseError
    from warehouse.export import export
    from warehouse.jsonout import dumps
    from warehouse.reader import open_latest

    wanted = list(dict.fromkeys(form.strip() for form in forms.split(",")))
    if unknown := [form for form in wanted if form not in FORMATS]:
        raise Failure(f"{unknown[0]!r} is no format; one of {', '.join(FORMATS)}")
    written: list[str] = []
    left_out: list[str] = []
    try:
        con, generation = open_latest(settings.home)
        try:
            for form in wanted:
                done = export(con, folder, form)
                written += [str(path) for path in done.files]
                left_out += done.left_out
        finally:
            con.close()
    except WarehouseError as error:
        raise Failure(str(error), error.exit_code) from None
    for sentence in left_out:
        click.echo(f"suanjia: left out {sentence}", err=True)
    if as_json:
        click.echo(dumps({"generation": generation, "files": written, "left_out": left_out}))
    else:
        click.echo("\n".join(written))
    return PARTIAL if left_out else OK
