"""`suanjia verify`: replay a generation from what was kept, and name whatever differs."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import click

from suanjia.cli import OK, REFUSED, Failure
from suanjia.settings import Settings


@click.command()
@click.option("--generation", metavar="NAME", help="A published file; the newest by default. 世代")
@click.option("--files-only", is_flag=True, help="Only the bytes of segments and evidence. 只查文件")
@click.option("--no-spiders", is_flag=True, help="Do not run the spiders again. 不重跑爬虫")
@click.option("--json", "as_json", is_flag=True, help="One JSON document.")
@click.pass_obj
def command(
    settings: Settings, generation: str | None, files_only: bool, no_spiders: bool, as_json: bool
) -> int:
    """Replay a generation and compare 重算核对: 0 all equal, 5 with one line per thing that differs.

    First the bytes of segments and evidence; then the spiders over the evidence of every crawl whose run
    directory is kept, and every quote sheet from its bytes; then the readings behind every offer and refusal;
    then every published value, the cheapest fits too, from a store built anew.
    """
    from suanjia.provider_files import providers_of
    from warehouse.errors import WarehouseError
    from warehouse.jsonout import dumps

    providers = providers_of(settings)
    found: list[str] = []
    try:
        path = _path(settings.home, generation)
        for what, lines in _steps(settings, path, providers, files_only, no_spiders):
            _say(what)
            for line in lines:
                found.append(line)
                if not as_json:
                    click.echo(line)
    except WarehouseError as error:
        raise Failure(str(error), error.exit_code) from None
    if as_json:
        click.echo(dumps({"generation": path.name, "equal": not found, "differences": found}))
    elif not found:
        click.echo(f"{path.name}: all equal 完全一致")
    return REFUSED if found else OK


def _path(home: Path, name: str | None) -> Path:
    from warehouse.errors import BadRequest
    from warehouse.layout import Layout
    from warehouse.reader import latest_path

    if name is None:
        return latest_path(home)
    file = name if name.endswith(".duckdb") else f"{name}.duckdb"
    path = Layout(home).published / file
    if Path(file).name != file or not path.is_file():
        raise BadRequest(f"no generation is called {name!r}")
    return path


def _steps(
    settings: Settings, path: Path, providers: Mapping[str, Any], files_only: bool, no_spiders: bool
) -> Iterator[tuple[str, Iterator[str]]]:
    from contextlib import closing

    from reports.fit.weekly import tables_again
    from warehouse import verify
    from warehouse.database import reading
    from warehouse.verify_sheets import sheets_apart

    home = settings.home
    damage = list(verify.unreadable(path))
    yield "published 已发布", iter(damage)
    if damage:  # nothing can be compared with a file that is not whole
        return
    with closing(reading(path)) as con:
        yield "files 文件", verify.broken_files(home, con)
        if files_only:
            return
        if not no_spiders:
            from suanjia.replays import crawls_apart

            yield "spiders 爬虫", crawls_apart(home, con, providers, settings.environ)
        yield "sheets 报价表", sheets_apart(home, con, providers)
        yield "readings 读数", verify.read_again(home, con, providers)
        fits = tables_again(con, providers)
    yield "values 数值", verify.values_apart(home, path, providers, fits)


def _say(what: str) -> None:
    if sys.stderr.isatty():
        click.echo(f"… {what}", err=True)
