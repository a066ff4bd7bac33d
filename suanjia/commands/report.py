"""`suanjia report`: the weekly issue as files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from suanjia.cli import OK, PARTIAL, REFUSED, Failure
from suanjia.settings import Settings

LANGS = ("zh", "en")


@click.command()
@click.option("--week", metavar="2026-W48", help="ISO week (default: the last frozen one). 哪一周")
@click.option("--lang", default="zh,en", show_default=True, help="Languages of the files in --out. 语言")
@click.option(
    "--out", type=click.Path(path_type=Path, file_okay=False), help="Also write the files here. 输出目录"
)
@click.option(
    "--site", type=click.Path(path_type=Path, file_okay=False), help="Write a static site here. 静态站点"
)
@click.option("--json", "as_json", is_flag=True, help="One JSON document.")
@click.pass_obj
def command(
    settings: Settings, week: str | None, lang: str, out: Path | None, site: Path | None, as_json: bool
) -> int:
    """Build the weekly issue 周报: HTML, text, chart, CSV, XLSX, JSON; kept in reports/<week>/v<vintage>/.

    Ends with 3 when a planned source is missing or coverage is under 90 %.
    """
    from reports.issue.archive import ArchiveError
    from reports.issue.build import build_issue
    from suanjia.homes import is_rebuilt
    from warehouse.errors import WarehouseError
    from warehouse.jsonout import dumps

    langs = _langs(lang)
    try:
        done = build_issue(
            settings.home,
            settings.now(),
            week,
            rebuilt=is_rebuilt(settings.home),
            out=out,
            langs=langs,
            site=site,
        )
    except WarehouseError as error:
        raise Failure(str(error), error.exit_code) from None
    except ArchiveError as error:
        raise Failure(str(error), REFUSED) from None
    cover = done.issue.coverage
    if as_json:
        click.echo(dumps(done.as_dict()))
    else:
        click.echo(done.views["zh"].subject)
        click.echo(done.views["zh"].coverage)
        click.echo(f"{done.folder / 'report.zh.html'}")
    for slug in cover.missing:
        click.echo(f"suanjia: missing 缺席: {slug}", err=True)
    return PARTIAL if cover.missing or cover.low else OK


def _langs(text: str) -> tuple[str, ...]:
    found = tuple(dict.fromkeys(part.strip() for part in text.split(",") if part.strip()))
    wrong: Any = [part for part in found if part not in LANGS]
    if wrong or not found:
        raise Failure(f"--lang {text!r}: a comma list of {', '.join(LANGS)}")
    return found
