"""`suanjia probe`: the first thing to run with a network. Visits each source once and compares."""

from __future__ import annotations

import json
from typing import Any

import click

from suanjia.cli import NOTHING, OK, PARTIAL, REFUSED, Failure
from suanjia.settings import Settings


@click.command()
@click.argument("names", nargs=-1, metavar="[PROVIDER]...")
@click.option("--record", "recording", is_flag=True, help="Save a scrubbed fixture of what was seen.")
@click.option("--json", "as_json", is_flag=True, help="One JSON document (an array for several providers).")
@click.pass_obj
def command(settings: Settings, names: tuple[str, ...], recording: bool, as_json: bool) -> int:
    """Visit each source once and say what is not as expected 探测."""
    from suanjia import robots_log
    from suanjia.crawl import crawl
    from suanjia.crawl_plan import Plan, new_run_id
    from suanjia.homes import is_rebuilt
    from suanjia.ledger import Ledger
    from suanjia.probe import record, report
    from suanjia.provider_files import named, providers_of

    providers = providers_of(settings)
    slugs = named(providers, names) or [slug for slug, p in providers.items() if p.status == "active"]
    if not slugs:
        click.echo("suanjia: no provider to visit", err=True)
        return NOTHING
    if recording and is_rebuilt(settings.home):
        raise Failure("this data directory holds the rebuilt market: record into another --home", REFUSED)
    settings.origins()
    plan = Plan(settings, providers, slugs, limit=1)
    rows: list[dict[str, Any]] = []
    results = crawl(plan, new_run_id(settings.now(), "probe"))
    with Ledger(settings.home) as ledger:
        for result in results:
            row = report(result, providers[result.provider], robots_log.known(ledger, result.provider))
            if recording and row["verdict"] in ("as_expected", "changed"):
                row["recorded"] = record(result, plan, ledger)
            rows.append(row)
    if as_json:
        click.echo(json.dumps(rows[0] if len(rows) == 1 else rows, ensure_ascii=False))
    else:
        for row in rows:
            _say(row)
    return OK if all(row["verdict"] == "as_expected" for row in rows) else PARTIAL


def _say(row: dict[str, Any]) -> None:
    click.echo(f"{row['provider']:<16} {row['verdict']:<12} robots {row['robots']}")
    if row["message"]:
        click.echo(f"{'':<16} {row['message']}")
    for change in row["changes"]:
        click.echo(f"{'':<16} {change['field']}: expected {change['expected']}, found {change['found']}")
    for sample in row["sample"]:
        price = sample.get("price_cny_per_card_hour")
        shown = f"{price} CNY/card/h" if price is not None else f"rejected: {sample.get('rejected')}"
        click.echo(f"{'':<16} e.g. {sample['card']} {shown} ({sample['locator']})")
    if row.get("recorded"):
        click.echo(f"{'':<16} recorded in {row['recorded']}")
