"""`suanjia crawl`: run spiders, their listings through the pipeline into segments."""

from __future__ import annotations

import json
import signal
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import click

from suanjia.cli import NOTHING, OK, PARTIAL, REFUSED, Failure
from suanjia.settings import Settings


@click.command()
@click.argument("names", nargs=-1, metavar="[PROVIDER]...")
@click.option("--due", is_flag=True, help="Those whose last good run is a period old (the default).")
@click.option("--all", "every", is_flag=True, help="Every active provider.")
@click.option("--market", is_flag=True, help="Ask the stand-in market instead of the real sites.")
@click.option("--json", "as_json", is_flag=True, help="One JSON document.")
@click.pass_obj
def command(
    settings: Settings, names: tuple[str, ...], due: bool, every: bool, market: bool, as_json: bool
) -> int:
    """Crawl providers 采集."""
    from suanjia.crawl import crawl
    from suanjia.crawl_plan import Plan, new_run_id, tidy
    from suanjia.homes import WrongHome, claim

    if names and (due or every):
        raise Failure("name providers, or give --due or --all, not both")
    slugs, providers = _choose(settings, names, every)
    run_id = new_run_id(settings.now())
    if not slugs:
        click.echo("suanjia: nothing is due", err=True)
        return _show([], run_id, as_json, NOTHING)
    try:
        claim(settings.home, rebuilt=market)
    except WrongHome as error:
        raise Failure(str(error), REFUSED) from None
    with _origins(settings, slugs, market) as origins, _interruptible():
        plan = Plan(settings, providers, slugs, origins)
        with _progress(len(slugs)) as step:
            results = crawl(plan, run_id, step)
    tidy(settings)
    return _show([r.shown() for r in results], run_id, as_json, _code(results, names))


def _choose(settings: Settings, names: tuple[str, ...], every: bool) -> tuple[list[str], Mapping[str, Any]]:
    from suanjia.crawl_plan import due as are_due
    from suanjia.ledger import Ledger, LedgerError
    from suanjia.provider_files import named, providers_of

    providers = providers_of(settings)
    if names:
        return named(providers, names), providers
    if every:
        return [slug for slug, p in providers.items() if p.status == "active"], providers
    try:
        with Ledger(settings.home) as ledger:
            return are_due(providers, ledger, settings.now()), providers
    except LedgerError as error:
        raise Failure(str(error)) from None


def _code(results: list[Any], names: tuple[str, ...]) -> int:
    """0 all ok, 3 some not, 4 none gave offers. A provider whose key is not set spoils 0 only when named."""
    counted = [r for r in results if names or not (r.outcome == "auth_needed" and not r.requests)]
    if not any(r.offers for r in results):
        return NOTHING
    return OK if all(r.outcome == "ok" for r in counted) else PARTIAL


def _show(rows: list[dict[str, Any]], run_id: str, as_json: bool, code: int) -> int:
    if as_json:
        click.echo(json.dumps({"run_id": run_id, "providers": rows}, ensure_ascii=False))
        return code
    from suanjia.wrapped import wrapped

    width = max((len(row["provider"]) for row in rows), default=0)
    for row in rows:
        click.echo(
            f"{row['provider']:<{width}}  {row['outcome']:<14} {row['offers']:>5} offers 报价 "
            f"{row['rejections']:>3} rejected 拒绝 {row['requests']:>3} asked 请求 {row['seconds']:>5.1f} s"
        )
        if row["message"]:
            start = " " * (width + 2)
            # A log keeps a message on one line; a terminal gets it in lines of its width.
            lines = wrapped(start, row["message"]) if sys.stdout.isatty() else [start + row["message"]]
            click.echo("\n".join(lines))
    return code


@contextmanager
def _origins(settings: Settings, slugs: list[str], market: bool) -> Iterator[Mapping[str, str] | None]:
    """The stand-in market, running for as long as the crawl; None for the real one."""
    if not market:
        settings.origins()  # a bad SUANJIA_ORIGINS is said before anything runs
        yield None
        return
    from market.server import running
    from market.sites import all_sites

    served = {site.slug for site in all_sites()}
    with running(settings.now(), [slug for slug in slugs if slug in served], samples=None) as origins:
        yield origins


@contextmanager
def _interruptible() -> Iterator[None]:
    """TERM ends a crawl like Ctrl-C does: its children are ended and nothing half-done is kept."""

    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, stop)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


@contextmanager
def _progress(total: int) -> Iterator[Callable[[Any], None]]:
    """A bar on a terminal, nothing elsewhere."""
    if not sys.stderr.isatty():
        yield lambda _: None
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("crawl 采集", total=total)
        yield lambda result: bar.update(task, advance=1, description=f"{result.provider} {result.outcome}")
