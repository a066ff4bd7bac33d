"""One call for `suanjia mail` and the scheduler: gate, send, and tell the operator what could not go out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from reports.issue.archive import Archived, ArchiveError, read_part, vintages
from reports.issue.clock import issue_week
from reports.mail.compose import Copy
from reports.mail.failure import tell_operator
from reports.mail.gate import refusals
from reports.mail.message import AddressError, parse_address
from reports.mail.outbox import Outbox
from reports.mail.recipients import Recipient, recipients
from reports.mail.send import Tally, send_issue
from reports.mail.smtp import Line, parse_url
from reports.notify.announce import announce
from reports.notify.channels import Told, channels
from reports.numbers import loads
from reports.render.words import LANGS
from warehouse.calendar import SHANGHAI
from warehouse.locks import held


class MailSettingsError(ValueError):
    """A setting is missing or cannot be used; the message names it."""


@dataclass(frozen=True, slots=True)
class MailSettings:
    """What sending needs. `mail_to` is used where there is no recipients.csv; `timeout` bounds each step.

    `notify` is a comma list of Apprise addresses; with it alone, only the groups are told.
    """

    smtp_url: str
    mail_from: str
    mail_to: str
    unsubscribe_url: str
    timeout: float
    notify: str = ""


@dataclass(frozen=True, slots=True)
class Delivery:
    """What came of it. `refused`: why nothing was sent to readers; `issue` None where there is none."""

    week: str
    issue: Archived | None
    readers: int
    refused: tuple[str, ...] = ()
    tally: Tally = field(default_factory=Tally)
    told_operator: str | None = None
    subject: str = ""
    notified: tuple[Told, ...] = ()
    by_mail: bool = True


@dataclass(frozen=True, slots=True)
class Prepared:
    """An issue that may or may not be sent, and to whom."""

    week: str
    issue: Archived | None
    copies: Mapping[str, Copy]
    readers: tuple[Recipient, ...]
    refused: tuple[str, ...]


def prepare(home: Path, now: datetime, week: str | None, mail_to: str) -> Prepared:
    """Look at the week's issue without sending anything. RecipientsError for a bad list of readers."""
    asked = issue_week(week, now)
    readers = tuple(recipients(home, mail_to, now.astimezone(SHANGHAI).date()))
    kept = vintages(home, asked.label)
    if asked.running:
        return Prepared(
            asked.label, None, {}, readers, (f"{asked.label} is still running; it is not frozen",)
        )
    if not kept:
        return Prepared(asked.label, None, {}, readers, (f"no issue of {asked.label}: run `suanjia report`",))
    try:
        found = tuple(refusals(home, kept[-1]))
        copies = {lang: Copy.of(kept[-1], lang) for lang in LANGS}
    except ArchiveError as error:
        return Prepared(asked.label, kept[-1], {}, readers, (str(error),))
    return Prepared(asked.label, kept[-1], copies, readers, found)


def deliver(
    home: Path, now: datetime, week: str | None, settings: MailSettings, correction: bool = False
) -> Delivery:
    """Send what is due. MailSettingsError, RecipientsError, SmtpSettingsError, NotifySettingsError."""
    places = channels(settings.notify)
    by_mail = bool(settings.smtp_url.strip()) or not places
    line = _line(settings) if by_mail else None
    with held(home / "locks" / "mail.lock", "a mail"), Outbox(home) as outbox:
        ready = prepare(home, now, week, settings.mail_to)
        readers = len(ready.readers)
        if ready.refused or ready.issue is None:
            told = None
            if line is not None:
                with line:
                    told = tell_operator(outbox, line, settings.mail_from, ready.week, ready.refused, now)
            return Delivery(ready.week, ready.issue, readers, ready.refused, told_operator=told)
        tally = Tally()
        if line is not None:
            url = settings.unsubscribe_url.strip()
            with line:
                tally = send_issue(
                    outbox, line, ready.copies, ready.readers, settings.mail_from, url, now, correction
                )
        data = loads(read_part(ready.issue, "report.json").decode())
        notified = tuple(announce(outbox, places, data, ready.issue.vintage, now, correction))
    subject = ready.copies["zh"].subject
    return Delivery(
        ready.week, ready.issue, readers, (), tally, subject=subject, notified=notified, by_mail=by_mail
    )


def _line(settings: MailSettings) -> Line:
    """The connection, after every setting was looked at."""
    server = parse_url(_needed(settings.smtp_url, "SUANJIA_SMTP_URL"))
    try:
        own_name = parse_address(_needed(settings.mail_from, "SUANJIA_MAIL_FROM")).domain
    except AddressError as error:
        raise MailSettingsError(f"SUANJIA_MAIL_FROM: {error}") from None
    url = settings.unsubscribe_url
    if url and not (url.startswith("https://") and "{token}" in url and url.isascii() and " " not in url):
        raise MailSettingsError("SUANJIA_UNSUBSCRIBE_URL must be an https address with {token} in it")
    return Line(server, settings.timeout, own_name)


def _needed(text: str, name: str) -> str:
    if not text.strip():
        raise MailSettingsError(f"{name} is not set 未设置 (docs/issue.md, Mail)")
    return text.strip()
