"""`suanjia demo`: the whole chain on the stand-in market."""

from __future__ import annotations

from pathlib import Path

import click

from suanjia.cli import INTERNAL, OK, REFUSED, Failure
from suanjia.settings import Settings


@click.command()
@click.option("--out", type=click.Path(path_type=Path), help="Where the report goes besides its archive.")
@click.pass_obj
def command(settings: Settings, out: Path | None) -> int:
    """Import, crawl, load, publish and report on the stand-in market 在模拟市场上跑完整条链路.

    The sites are rebuilt, the prices are real list prices with their dates; the clock stands at 2026-10-05.
    """
    from suanjia.demo import CLOCK, DemoFailed, run
    from suanjia.homes import WrongHome

    clock = settings.frozen_now or CLOCK
    target = out or settings.home / "report"
    try:
        run(settings.home, clock, target, lambda text: click.echo(text, err=True))
    except WrongHome as error:
        raise Failure(str(error), REFUSED) from None
    except DemoFailed as error:
        raise Failure(str(error), INTERNAL) from None
    page = target / "report.zh.html"
    if not page.is_file():
        raise Failure(f"no report at {page}", INTERNAL)
    click.echo(
        f"report 周报    {page}\n"
        f"in English     {target / 'report.en.html'}\n"
        f'database       {settings.home / "published"} (suanjia --home {settings.home} sql "...")\n'
        "The sites were rebuilt, the prices are real list prices with their dates.\n"
        "站点为重建，价格为真实且有日期的挂牌价。"
    )
    return OK
