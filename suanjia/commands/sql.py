"""`suanjia sql`: read-only SQL on the published generation."""

from __future__ import annotations

import click

from suanjia.cli import OK, Failure
from suanjia.settings import Settings


class _Query(click.Command):
    """A query may begin with a comment, `-- …`, which looks like an option: no option has a blank in it."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        def commented(word: str) -> bool:
            return word.startswith("--") and any(map(str.isspace, word))

        queries = [] if "--" in args else [word for word in args if commented(word)]
        rest = [word for word in args if word not in queries]
        return super().parse_args(ctx, [*rest, "--", *queries] if queries else args)


@click.command(cls=_Query)
@click.argument("query")
@click.option(
    "--format", "form", type=click.Choice(["table", "csv", "json"]), default="table", show_default=True
)
@click.option("--json", "as_json", is_flag=True, help="The same as --format json.")
@click.option(
    "--seconds", type=click.FloatRange(0.1, 3600), default=30.0, show_default=True, help="Time limit."
)
@click.pass_obj
def command(settings: Settings, query: str, form: str, as_json: bool, seconds: float) -> int:
    """Run one SELECT on the published generation 查询. Tables and columns: docs/sql.md."""
    from warehouse import jsonout, textout
    from warehouse.errors import WarehouseError
    from warehouse.query import select

    try:
        answer = select(settings.home, query, seconds)
    except WarehouseError as error:
        raise Failure(str(error), error.exit_code) from None
    if as_json or form == "json":
        click.echo(jsonout.dumps([dict(zip(answer.names, row, strict=False)) for row in answer.rows]))
    elif form == "csv":
        click.echo(textout.csv_text(answer.names, answer.rows), nl=False)
    else:
        click.echo(textout.table(answer.names, answer.rows))
        click.echo(f"({len(answer.rows)} rows, {answer.generation})", err=True)
    return OK
