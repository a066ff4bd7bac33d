"""The mail to whoever runs this, when an issue cannot go out: once per week and reason, never to readers."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from email.message import EmailMessage
from email.utils import format_datetime

from reports.mail.message import POLICY, parse_address, recipient_hash
from reports.mail.outbox import OPERATOR, Key, Outbox
from reports.mail.smtp import Line
from warehouse.calendar import SHANGHAI


def tell_operator(
    outbox: Outbox, line: Line, sender: str, week: str, reasons: Sequence[str], now: datetime
) -> str:
    """Send the reasons to the sender's own mailbox; the state of the outbox row."""
    address = parse_address(sender)
    who = recipient_hash(f"{address.addr_spec}|{'|'.join(reasons)}")
    key = Key(OPERATOR, week, 0, who)
    mail_id = f"<suanjia.{week}.failed.{who[:16]}@{address.domain}>"
    outbox.recover()
    state = outbox.claim(key, mail_id, now)
    if state != "claimed":
        return state
    ending = line.send(
        address.addr_spec,
        address.addr_spec,
        failure_message(sender, week, reasons, now, mail_id),
        lambda: outbox.entering_data(key),
    )
    outbox.mark(key, ending.state, now, ending.code, ending.message)
    return ending.state


def failure_message(sender: str, week: str, reasons: Sequence[str], now: datetime, mail_id: str) -> bytes:
    """A short plain mail that says which issue did not go out, and why."""
    message = EmailMessage(policy=POLICY)
    message["From"] = sender
    message["To"] = sender
    message["Subject"] = f"算价 {week} 周报没有发出 / the issue of {week} was not sent"
    message["Date"] = format_datetime(now.astimezone(SHANGHAI))
    message["Auto-Submitted"] = "auto-generated"
    lines = "\n".join(f"- {reason}" for reason in reasons)
    message.set_content(
        f"{week} 的周报没有发给任何读者，原因：\n"
        f"The issue of {week} went to no reader, because:\n\n{lines}\n\n"
        "上一期不会代发。修好后运行：suanjia report && suanjia mail\n"
        "The issue before is not sent in its place. When it is mended: suanjia report && suanjia mail\n"
    )
    return f"Message-ID: {mail_id}\r\n".encode("ascii") + message.as_bytes(policy=POLICY)
