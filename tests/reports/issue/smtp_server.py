"""A real SMTP server for tests: takes mail, or answers as a bad day would."""

from __future__ import annotations

import asyncio
import datetime as dt
import ipaddress
import socket
import ssl
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from email import message_from_bytes, policy
from email.message import EmailMessage
from pathlib import Path
from typing import Any

from aiosmtpd.controller import Controller
from aiosmtpd.smtp import SMTP, AuthResult
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID


@dataclass
class Box:
    """What arrived, and what to answer. `at_rcpt`, `at_data`: address → reply, or one of the words below.

    `drop`: close the line after the message without an answer; `hang`: never answer; `drop before`: close the
    line at RCPT.
    """

    at_rcpt: dict[str, str] = field(default_factory=dict)
    at_data: dict[str, str] = field(default_factory=dict)
    raw: list[tuple[str, str, bytes]] = field(default_factory=list)
    connections: int = 0

    @property
    def mails(self) -> list[EmailMessage]:
        return [message_from_bytes(raw, policy=policy.default) for _, _, raw in self.raw]  # type: ignore[misc]

    @property
    def to(self) -> list[str]:
        return [recipient for _, recipient, _ in self.raw]

    # hooks of aiosmtpd

    async def handle_EHLO(
        self, server: Any, session: Any, envelope: Any, hostname: str, responses: list[str]
    ) -> list[str]:
        self.connections += 1
        session.host_name = hostname
        return responses

    async def handle_RCPT(self, server: Any, session: Any, envelope: Any, address: str, options: Any) -> str:
        answer = self.at_rcpt.get(address, "250 OK")
        if answer == "drop before":
            server.transport.abort()
        if answer == "hang":
            await asyncio.sleep(30)
        if answer.startswith("250"):
            envelope.rcpt_tos.append(address)
        return answer

    async def handle_DATA(self, server: Any, session: Any, envelope: Any) -> str:
        address = envelope.rcpt_tos[0]
        answer = self.at_data.get(address, "250 taken")
        if answer == "drop":
            server.transport.abort()
            return "250 nobody hears this"
        if answer == "hang":
            await asyncio.sleep(30)
        if answer.startswith("250"):
            self.raw.append((envelope.mail_from, address, envelope.original_content))
        return answer


def _authenticate(server: Any, session: Any, envelope: Any, mechanism: str, data: Any) -> AuthResult:
    good = (data.login, data.password) == (b"reader", b"p@ss:word/1")
    # Not handled: the library answers 535 itself.
    return AuthResult(success=good, handled=False)


class _Server(Controller):
    """A controller whose server may demand TLS and a password."""

    def __init__(self, box: Box, context: ssl.SSLContext | None, starttls: bool, auth: bool) -> None:
        self._context, self._starttls, self._auth = context, starttls, auth
        outer = context if not starttls else None
        super().__init__(box, hostname="127.0.0.1", port=0, ssl_context=outer)

    def factory(self) -> SMTP:
        extra: dict[str, Any] = {}
        if self._auth:
            # The library calls only STARTTLS a TLS session; under smtps the whole line is one.
            extra = {"authenticator": _authenticate, "auth_required": self._starttls}
            extra["auth_require_tls"] = self._starttls
        if self._starttls:
            extra |= {"tls_context": self._context, "require_starttls": True}
        return SMTP(self.handler, decode_data=False, **extra)

    def _trigger_server(self) -> None:
        # The library would open a connection to the port that was asked for, which is 0 here.
        socket.create_connection(self.server.sockets[0].getsockname(), 5).close()


@contextmanager
def serving(
    box: Box, context: ssl.SSLContext | None = None, starttls: bool = False, auth: bool = False
) -> Iterator[int]:
    """The port of a server that runs for the block."""
    server = _Server(box, context, starttls, auth)
    server.start()
    try:
        yield server.server.sockets[0].getsockname()[1]
    finally:
        server.stop()


def certificate(folder: Path, host: str = "127.0.0.1") -> tuple[ssl.SSLContext, Path]:
    """(context of a server for `host`, file with the authority that a client must trust)."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "suanjia test")])
    start = dt.datetime.now(dt.UTC) - dt.timedelta(days=1)
    try:
        alternative: x509.GeneralName = x509.IPAddress(ipaddress.ip_address(host))
    except ValueError:
        alternative = x509.DNSName(host)
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(start)
        .not_valid_after(start + dt.timedelta(days=9))
        .add_extension(x509.SubjectAlternativeName([alternative]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    pem = made.public_bytes(serialization.Encoding.PEM)
    authority, both = folder / "authority.pem", folder / "server.pem"
    authority.write_bytes(pem)
    both.write_bytes(
        pem
        + key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        )
    )
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(both)
    return context, authority
