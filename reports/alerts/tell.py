"""Where an alert goes: every channel of SUANJIA_NOTIFY, else the sender's own mailbox, else just printed."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from email.message import EmailMessage
from email.utils import format_datetime
from hashlib import sha256

from reports.mail.deliver import MailSettings, MailSettingsError
from reports.mail.message import POLICY, AddressError, parse_address
from reports.mail.smtp import Line, parse_url
from reports.notify.channels import channels
from warehouse.calendar import SHANGHAI


def teller(settings: MailSettings, now: datetime, problems: list[str]) -> Callable[[str, str], bool]:
    """A function that sends (title, body) and says whether anybody took it; what went wrong is appended.

    The settings are looked at here, before any rule is: NotifySettingsError, SmtpSettingsError,
    MailSettingsError.
    """
    places = channels(settings.notify)
    if places:

        def to_groups(title: str, body: str) -> bool:
            told = [place.tell(title, body) for place in places]
            problems.extend(f"{one.kind}: {one.message}" for one in told if not one.ok)
            return any(one.ok for one in told)

        return to_groups
    if not settings.smtp_url.strip():
        return lambda title, body: True
    server = parse_url(settings.smtp_url)
    try:
        sender = parse_address(settings.mail_from)
    except AddressError as error:
        raise MailSettingsError(f"SUANJIA_MAIL_FROM: {error}") from None

    def by_mail(title: str, body: str) -> bool:
        mail_id = sha256(f"{title}\n{body}\n{now.isoformat()}".encode()).hexdigest()[:32]
        message = EmailMessage(policy=POLICY)
        message["From"] = message["To"] = settings.mail_from
        message["Subject"] = title
        message["Date"] = format_datetime(now.astimezone(SHANGHAI))
        message["Auto-Submitted"] = "auto-generated"
        message.set_content(body)
        raw = f"Message-ID: <alert.{mail_id}@{sender.domain}>\r\n".encode("ascii") + message.as_bytes(
            policy=POLICY
        )
        with Line(server, settings.timeout, sender.domain) as line:
            ending = line.send(sender.addr_spec, sender.addr_spec, raw, lambda: None)
        if ending.state != "sent":
            problems.append(f"mail: {ending.state}: {ending.message}")
        # An answer that was lost may stand for a mail that was taken: not sent again.
        return ending.state in {"sent", "unknown"}

    return by_mail
