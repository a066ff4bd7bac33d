"""`suanjia providers`: who is asked, how, what it needs, and how it has been doing."""

from __future__ import annotations

import json
from typing import Any

import click

from suanjia.cli import OK, Failure
from suanjia.settings import Settings


@click.command()
@click.option("--status", help="Only those of this status (active, closed, not_built …).")
@click.option("--json", "as_json", is_flag=True, help="A JSON array.")
@click.pass_obj
def command(settings: Settings, status: str | None, as_json: bool) -> int:
    """List providers, routes and source health 供应商."""
    rows = [row for row in _rows(settings) if status in (None, row["status"])]
    if as_json:
        click.echo(json.dumps(rows, ensure_ascii=False))
        return OK
    for row in rows:
        health = row["health"]
        state = f"{health['state']}"
        if health["bad_in_a_row"]:
            state += f" ({health['bad_in_a_row']} × {health['kind']} since {health['since'][:10]})"
        ok = (row["last_ok"] or "never")[:16].replace("T", " ")
        click.echo(f"{row['slug']:<16} {row['class']:<12} {row['status']:<10} last ok {ok:<17} {state}")
        for file in row["robots"]:
            if file["review"]:
                click.echo(f"{'':<16} robots.txt of {file['origin']} has changed 待复核: {file['review']}")
        for route in row["routes"]:
            needs = f", needs {' '.join(route['needs'])}" if route["needs"] else ""
            click.echo(f"{'':<16} {route['name']}: {route['kind']}, {route['known_as']}{needs}")
        if row["notes"]:
            click.echo(f"{'':<16} {row['notes']}")
    return OK


def _rows(settings: Settings) -> list[dict[str, Any]]:
    from suanjia.ledger import Ledger, LedgerError
    from suanjia.provider_files import providers_of

    providers = providers_of(settings)
    try:
        with Ledger(settings.home, look=True) as ledger:
            return [_row(provider, ledger) for provider in providers.values()]
    except LedgerError as error:
        raise Failure(str(error)) from None


def _row(provider: Any, ledger: Any) -> dict[str, Any]:
    from suanjia import robots_log

    health = ledger.health(provider.slug)
    verified = ledger.verified(provider.slug)
    notes = [*([f"{provider.status}: {provider.reason}"] if provider.reason else []), *provider.notes]
    return {
        "slug": provider.slug,
        "name": provider.name,
        "class": provider.class_,
        "status": provider.status,
        "routes": [
            {
                "name": route.name,
                "kind": route.kind,
                "needs": list(route.needs),
                "known_as": verified.get(route.name, route.known_as),
            }
            for route in provider.routes
        ],
        "last_ok": health.last_ok.isoformat() if health.last_ok else None,
        "last_outcome": health.last_outcome,
        "notes": "; ".join(notes),
        "robots": robots_log.seen(ledger, provider.slug),
        "health": {
            "state": health.state,
            "bad_in_a_row": health.bad_in_a_row,
            "kind": health.kind,
            "since": health.since.isoformat() if health.since else None,
            "message": health.message,
        },
    }
