"""`suanjia alerts`: look at the rules of alerts.toml, tell what crossed."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import click

from suanjia.cli import NOTHING, OK, PARTIAL, Failure
from suanjia.settings import Settings

if TYPE_CHECKING:
    from reports.alerts.watch import Sick


@click.command()
@click.option("--json", "as_json", is_flag=True, help="One JSON array: every rule and what became of it.")
@click.pass_obj
def command(settings: Settings, as_json: bool) -> int:
    """Look at the alert rules and tell what crossed 提醒: one message per crossing, confirmed prices only.

    Rules stand in alerts.toml of the data directory. Messages go to SUANJIA_NOTIFY, or by mail to the
    sender's own mailbox; without either they are printed. 3: a channel did not take one; it is tried again.
    """
    from dataclasses import asdict

    from reports.alerts.rules import FILE, RulesError, read_rules
    from reports.alerts.run import run_rules
    from reports.alerts.tell import teller
    from reports.mail.deliver import MailSettings, MailSettingsError
    from reports.mail.smtp import SmtpSettingsError
    from reports.notify.channels import NotifySettingsError
    from warehouse.errors import WarehouseError
    from warehouse.jsonout import dumps
    from warehouse.locks import held
    from warehouse.reader import open_latest

    path = settings.home / FILE
    if not path.is_file():
        raise Failure(f"there are no rules: write {path}", NOTHING)
    wanted = MailSettings(
        smtp_url=settings.text("smtp_url"),
        mail_from=settings.text("mail_from"),
        mail_to=settings.text("mail_to"),
        unsubscribe_url=settings.text("unsubscribe_url"),
        timeout=settings.number("timeout") or 30.0,
        notify=settings.text("notify"),
    )
    problems: list[str] = []
    try:
        rules = read_rules(path)
        tell: Callable[[str, str], bool] = teller(wanted, settings.now(), problems)
        with held(settings.home / "locks" / "alerts.lock", "an alerts"):
            con, _ = open_latest(settings.home)
            try:
                found = run_rules(con, settings.home, rules, settings.now(), _sick(settings), tell)
            finally:
                con.close()
    except (RulesError, MailSettingsError, SmtpSettingsError, NotifySettingsError) as error:
        raise Failure(str(error)) from None
    except WarehouseError as error:
        raise Failure(str(error), error.exit_code) from None
    if as_json:
        click.echo(dumps([asdict(one) for one in found]))
    else:
        for one in found:
            click.echo(f"{one.outcome:<9} {one.rule}" + (f" {one.subject}" if one.subject else ""))
            if one.outcome in {"told", "not_told"}:
                click.echo("  " + one.body.replace("\n", "\n  "))
    for problem in problems:
        click.echo(f"suanjia: {problem}", err=True)
    return PARTIAL if problems else OK


def _sick(settings: Settings) -> dict[str, Sick]:
    """How every source that was ever crawled here has been doing."""
    from catalog.providers import load_providers
    from reports.alerts.watch import Sick
    from suanjia.ledger import Ledger

    found = {}
    with Ledger(settings.home, look=True) as ledger:
        for slug in load_providers(settings.home):
            health = ledger.health(slug)
            if health.state != "never":
                found[slug] = Sick(health.bad_in_a_row, health.kind or "", health.since)
    return found
