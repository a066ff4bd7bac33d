"""`suanjia providers`: who is asked, how, what it needs, and how it has been doing."""

from __future__ import annotations

import json
from typing import Any

import click

from suanjia.cli import OK, Failure
from suanjia.settings import Settings
from suanjia.wrapped import wrapped


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
        ok = (row["last_ok"] or "never")[:16].replace("T", " ")
        head = f"{row['slug']:<16} {row['class']:<12} {row['status']:<10} last ok 上次成功 {ok:<17}"
        told = [(head, health["state"])]
        if health["bad_in_a_row"]:
            told.append(
                ("    ", f"{_bad(health)}; 最近一次 the last: {health['message'] or row['last_outcome']}")
            )
        told += [
            ("    ", f"robots.txt of {file['origin']} has changed 待复核: {file['review']}")
            for file in row["robots"]
            if file["review"]
        ]
        for route in row["routes"]:
            needs = f", needs 需要 {' '.join(route['needs'])}" if route["needs"] else ""
            told.append(("    ", f"{route['name']}: {route['kind']}, {route['known_as']}{needs}"))
        if row["notes"]:
            told.append(("    ", row["notes"]))
        click.echo("\n".join(line for start, text in told for line in wrapped(start, text)))
    click.echo("\n".join(wrapped("", _KNOWN_AS)), err=True)
    return OK


_KNOWN_AS = (
    "documented: 按公开资料写成，未做线上核实 written from documents, not seen live here; "
    "verified_live: `suanjia probe` 在那天看到与预期一致 was as expected on that day"
)


def _bad(health: dict[str, Any]) -> str:
    """`连续 5 次不成 5 bad runs in a row since 2026-10-05, mostly failed`."""
    count = health["bad_in_a_row"]
    runs = "bad run" if count == 1 else "bad runs in a row"
    kind = health["kind"] if count == 1 else f"mostly {health['kind']}"
    return f"连续 {count} 次未成功 {count} {runs} since {health['since'][:10]}, {kind}"


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
