"""`suanjia mail`: the weekly issue, one message a recipient."""

from __future__ import annotations

import stat
from typing import TYPE_CHECKING, Any

import click

from suanjia.cli import NOTHING, OK, PARTIAL, REFUSED, Failure
from suanjia.settings import Settings

if TYPE_CHECKING:
    from reports.mail.deliver import Delivery, Prepared

EXAMPLE = "suanjia@example.org"
_STATES = {
    "sent": "已发 sent",
    "before": "此前已发 sent before",
    "retry": "稍后再试 to be tried again",
    "failed": "未送达 failed",
    "unknown": "结果不明 unknown",
    "waiting": "等下次再试 waiting",
    "claimed": "正在发送 claimed",
}


@click.command()
@click.option("--week", metavar="2026-W48", help="ISO week (default: the last frozen one). 哪一周")
@click.option(
    "--dry-run", is_flag=True, help="Build and check, show what would be sent, send nothing. 试运行"
)
@click.option("--correction", is_flag=True, help="Also to readers who have an earlier vintage. 更正再发")
@click.option("--outbox", is_flag=True, help="List what was sent to whom (by hash). 发件记录")
@click.option(
    "--settle",
    nargs=2,
    metavar="HASH STATE",
    help="Settle an `unknown` mail after asking the server's log: sent, retry or failed. 人工确认",
)
@click.option("--json", "as_json", is_flag=True, help="One JSON document.")
@click.pass_obj
def command(
    settings: Settings,
    week: str | None,
    dry_run: bool,
    correction: bool,
    outbox: bool,
    settle: tuple[str, str] | None,
    as_json: bool,
) -> int:
    """Send the weekly issue 发送周报, one message a reader; run twice, nothing is sent twice.

    0 all sent, now or before; 3 some not; 5 no issue of that week, or one that does not pass the gate: then
    the sender's own mailbox is told, and no reader gets anything.
    """
    from reports.mail.deliver import MailSettings, MailSettingsError, deliver, prepare
    from reports.mail.recipients import RecipientsError
    from reports.mail.smtp import SmtpSettingsError
    from reports.notify.channels import NotifySettingsError
    from warehouse.errors import WarehouseError

    try:
        if outbox or settle:
            return _ledger(settings, week, settle, as_json)
        if dry_run:
            return _dry(
                settings, prepare(settings.home, settings.now(), week, settings.text("mail_to")), as_json
            )
        _secret_is_kept(settings)
        wanted = MailSettings(
            smtp_url=settings.text("smtp_url"),
            mail_from=settings.text("mail_from"),
            mail_to=settings.text("mail_to"),
            unsubscribe_url=settings.text("unsubscribe_url"),
            notify=settings.text("notify"),
            timeout=settings.number("timeout") or 30.0,
        )
        return _told(deliver(settings.home, settings.now(), week, wanted, correction), as_json)
    except WarehouseError as error:
        raise Failure(str(error), error.exit_code) from None
    except (MailSettingsError, RecipientsError, SmtpSettingsError, NotifySettingsError) as error:
        raise Failure(str(error)) from None


def _secret_is_kept(settings: Settings) -> None:
    """A password may stand in the environment, or in a file that nobody else can read."""
    value = settings.values.get("smtp_url")
    if value is None or value.origin != "suanjia.toml" or "@" not in value.text:
        return
    path = settings.home / "suanjia.toml"
    if stat.S_IMODE(path.stat().st_mode) & 0o077:
        raise Failure(f"{path} holds a password and others may read it: chmod 600 {path}")


def _dry(settings: Settings, ready: Prepared, as_json: bool) -> int:
    from reports.mail.message import AddressError, parse_address
    from warehouse.jsonout import dumps

    files = []
    if ready.copies and ready.issue is not None:
        folder = settings.home / "mail" / ready.week
        folder.mkdir(parents=True, exist_ok=True)
        sender = settings.text("mail_from") or EXAMPLE
        try:
            parse_address(sender)
        except AddressError as error:
            raise Failure(f"SUANJIA_MAIL_FROM: {error}") from None
        for lang, copy in ready.copies.items():
            path = folder / f"preview.v{ready.issue.vintage}.{lang}.eml"
            path.write_bytes(copy.mail(sender, sender))
            files.append(path)
    if as_json:
        vintage = None if ready.issue is None else ready.issue.vintage
        told = {"week": ready.week, "vintage": vintage, "recipients": len(ready.readers), "sent": 0}
        click.echo(
            dumps({**told, "files": [str(f) for f in files], "refused_by": list(ready.refused) or None})
        )
    elif files:
        click.echo(
            f"{ready.copies['zh'].subject}\n{len(ready.readers)} 位收件人 recipients; 未发送 nothing sent"
        )
        for path in files:
            click.echo(str(path))
    for reason in ready.refused:
        click.echo(f"suanjia: refused 拒发: {reason}", err=True)
    return REFUSED if ready.refused else OK


def _told(done: Delivery, as_json: bool) -> int:
    from warehouse.jsonout import dumps

    if as_json:
        vintage = None if done.issue is None else done.issue.vintage
        told: dict[str, Any] = {"week": done.week, "vintage": vintage, "recipients": done.readers}
        told["notified"] = sum(one.ok for one in done.notified)
        click.echo(dumps({**told, **done.tally.as_dict(), "refused_by": list(done.refused) or None}))
    elif not done.refused:
        counts = done.tally.as_dict().items()
        words = ", ".join(f"{number} {_STATES[name]}" for name, number in counts if number)
        click.echo(f"{done.subject}\n{words or 'nobody to send to 没有收件人'}")
    for reason in done.refused:
        click.echo(f"suanjia: refused 拒发: {reason}", err=True)
    if done.told_operator:
        click.echo(f"suanjia: mail to the sender's own mailbox: {done.told_operator}", err=True)
    for who, state, words in done.tally.told:
        click.echo(f"suanjia: {who[:12]}: {_STATES[state]}: {words}", err=True)
    for one in done.notified:
        click.echo(f"suanjia: {one.kind}: {'told 已通知' if one.ok else one.message}", err=True)
    if done.refused:
        return REFUSED
    if not all(one.ok for one in done.notified):
        return PARTIAL
    if not done.readers and not done.by_mail:
        return OK
    if not done.readers:
        click.echo("suanjia: no recipients: set SUANJIA_MAIL_TO or write recipients.csv", err=True)
        return NOTHING
    return OK if done.tally.complete else PARTIAL


def _ledger(settings: Settings, week: str | None, settle: tuple[str, str] | None, as_json: bool) -> int:
    from reports.mail.outbox import Outbox
    from suanjia.wrapped import wrapped
    from warehouse.jsonout import dumps
    from warehouse.textout import cell

    with Outbox(settings.home) as outbox:
        if settle is not None:
            prefix, state = settle
            rows = [e for e in outbox.entries(week) if e.recipient_hash.startswith(prefix)]
            rows = [entry for entry in rows if entry.state == "unknown"]
            if state not in {"sent", "retry", "failed"} or len(rows) != 1:
                raise Failure(f"{len(rows)} unknown mails begin with {prefix!r}; states: sent, retry, failed")
            outbox.mark(rows[0].key, state, settings.now(), None, "settled by a person")
        names = (
            "week",
            "list",
            "vintage",
            "recipient_hash",
            "state",
            "attempts",
            "last_at",
            "code",
            "message",
        )
        entries = [{name: getattr(entry, name) for name in names} for entry in outbox.entries(week)]
    if as_json:
        click.echo(dumps(entries))
    else:
        for entry in entries:
            code = "" if entry["code"] is None else f"{entry['code']} "
            told = f"{entry['week']} v{entry['vintage']} {_STATES[entry['state']]}"
            tried = f"试了 {entry['attempts']} 次 tried, {cell(entry['last_at'])}"
            click.echo(entry["recipient_hash"])
            click.echo("\n".join(wrapped("    ", f"{told} · {tried} · {code}{entry['message'] or ''}")))
    return OK if entries else NOTHING
