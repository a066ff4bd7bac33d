"""One mail: multipart/alternative(text, related(html, png)) in pure ASCII; attachments only when asked for.

The same issue, list and recipient give the same bytes, whenever and however often it is built.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from email import policy
from email.headerregistry import Address
from email.message import EmailMessage
from email.utils import format_datetime
from urllib.parse import quote

from warehouse.calendar import SHANGHAI

# Chinese text as base64: the default policy would emit 8bit parts, which not every relay takes.
POLICY = policy.SMTP.clone(cte_type="7bit")
CHART = "chart.png"
_TYPES = {
    ".csv": ("text", "csv"),
    ".xlsx": ("application", "vnd.openxmlformats-officedocument.spreadsheetml.sheet"),
    ".json": ("application", "json"),
}


@dataclass(frozen=True, slots=True)
class Envelope:
    """What stands on the outside. `unsubscribe_url` is the recipient's own, or empty."""

    sender: str
    recipient: str
    subject: str
    week: str
    vintage: int
    lang: str
    at: datetime
    unsubscribe_url: str = ""

    @property
    def domain(self) -> str:
        """The domain of the sender's address."""
        return parse_address(self.sender).domain

    @property
    def list_id(self) -> str:
        return f"suanjia-weekly-{self.lang}.{self.domain}"


class AddressError(ValueError):
    """No mail address; the message shows the text."""


def parse_address(text: str) -> Address:
    """An address, with or without a name. AddressError for anything that could break a header."""
    if any(ord(c) < 32 for c in text):
        raise AddressError(f"{text!r} is no mail address")
    message = EmailMessage()
    try:
        message["To"] = text
        addresses = message["To"].addresses
    except (ValueError, IndexError) as error:
        raise AddressError(f"{text!r} is no mail address: {error}") from None
    if (
        len(addresses) != 1
        or message["To"].defects
        or not addresses[0].username
        or "." not in addresses[0].domain
    ):
        raise AddressError(f"{text!r} is no mail address")
    address: Address = addresses[0]
    if not address.addr_spec.isascii():
        raise AddressError(f"{text!r}: addresses beyond ASCII are not carried by every server")
    return address


def recipient_hash(address: str) -> str:
    """What the ledger keeps of a recipient: 32 hex digits of the lower-case address."""
    return hashlib.sha256(address.strip().lower().encode()).hexdigest()[:32]


def message_id_of(week: str, vintage: int, lang: str, domain: str) -> str:
    """One per week, list (a language is one) and vintage, so that a retry is the same mail."""
    return f"<suanjia.{week}.v{vintage}.{lang}@{domain}>"


def message_id(envelope: Envelope) -> str:
    """The Message-ID of this envelope."""
    return message_id_of(envelope.week, envelope.vintage, envelope.lang, envelope.domain)


def build_message(envelope: Envelope, text: str, html: str, files: Mapping[str, bytes]) -> bytes:
    """The mail as bytes. `files`: `chart.png` (`cid:chart` in the HTML) and attachments by name."""
    message = EmailMessage(policy=POLICY)
    message["From"] = envelope.sender
    message["To"] = envelope.recipient
    message["Subject"] = envelope.subject
    message["Date"] = format_datetime(envelope.at.astimezone(SHANGHAI))
    message["Auto-Submitted"] = "auto-generated"
    message["Content-Language"] = "zh-CN" if envelope.lang == "zh" else "en"
    message.set_content(text)
    message.add_alternative(html, subtype="html")
    related = list(message.iter_parts())[1]
    assert isinstance(related, EmailMessage)
    related.add_related(files[CHART], "image", "png", cid="<chart>", disposition="inline", filename=CHART)
    for name in sorted(set(files) - {CHART}):
        kind, sub = _TYPES[name[name.rindex(".") :]]
        message.add_attachment(files[name], kind, sub, filename=name)
    return _with_fixed_lines(message, envelope)


def mailto(envelope: Envelope) -> str:
    """The way out by mail: to the sender, with the list in the subject."""
    address = quote(parse_address(envelope.sender).addr_spec, safe="@")
    return f"mailto:{address}?subject={quote(f'unsubscribe {envelope.list_id}')}"


def list_headers(envelope: Envelope) -> dict[str, str]:
    """Headers that must stand as they are; the one-click form only where there is an address for it."""
    by_mail = f"<{mailto(envelope)}>"
    headers = {"Message-ID": message_id(envelope), "List-Id": f"<{envelope.list_id}>"}
    if not envelope.unsubscribe_url:
        return {**headers, "List-Unsubscribe": by_mail}
    return {
        **headers,
        "List-Unsubscribe": f"<{envelope.unsubscribe_url}>,\r\n {by_mail}",
        "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
    }


def _with_fixed_lines(message: EmailMessage, envelope: Envelope) -> bytes:
    """The bytes, with boundaries from the Message-ID where the library would draw them by chance, and with
    the list headers, which the library would write as encoded words once they are long."""
    for number, part in enumerate(part for part in message.walk() if part.is_multipart()):
        seed = f"{message_id(envelope)}/{number}"
        part.set_boundary(f"=_{hashlib.sha256(seed.encode()).hexdigest()[:40]}")
    head = "".join(f"{name}: {value}\r\n" for name, value in list_headers(envelope).items())
    return head.encode("ascii") + message.as_bytes(policy=POLICY)
