"""SMTP: TLS unless the server is this machine, every step bounded, every answer sorted into four endings."""

from __future__ import annotations

import smtplib
import socket
import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from ipaddress import ip_address
from types import TracebackType
from urllib.parse import unquote, urlsplit

_PORTS = {"smtp": 25, "smtps": 465, "smtp+starttls": 587}


class SmtpSettingsError(ValueError):
    """SUANJIA_SMTP_URL cannot be used; the message never shows the password."""


@dataclass(frozen=True, slots=True)
class Server:
    """Where mail is handed in."""

    kind: str
    host: str
    port: int
    user: str
    password: str

    def __repr__(self) -> str:
        return f"Server({self.kind}://{self.host}:{self.port})"


@dataclass(frozen=True, slots=True)
class Ending:
    """How one attempt ended. `state`: sent, retry, failed or unknown; `reached`: was there a server?"""

    state: str
    code: int | None
    message: str
    reached: bool = True


def parse_url(text: str) -> Server:
    """`smtps://user:password@host:465`, `smtp+starttls://…`, or `smtp://127.0.0.1:25`.

    Without TLS only this machine is spoken to.
    """
    try:
        parts = urlsplit(text.strip())
        host, port = parts.hostname or "", parts.port
    except ValueError:
        raise SmtpSettingsError(
            "SUANJIA_SMTP_URL is no address such as smtps://user:password@host:465"
        ) from None
    if parts.scheme not in _PORTS or not host or parts.path.strip("/") or parts.query or parts.fragment:
        raise SmtpSettingsError(
            "SUANJIA_SMTP_URL must be smtps://…, smtp+starttls://… or, to this machine alone, smtp://…"
        )
    if parts.scheme == "smtp" and not _loopback(host):
        raise SmtpSettingsError(
            "smtp:// sends in clear: only to this machine; use smtps:// or smtp+starttls://"
        )
    user, password = unquote(parts.username or ""), unquote(parts.password or "")
    return Server(parts.scheme, host, port or _PORTS[parts.scheme], user, password)


def _loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


class Line:
    """One connection, opened when it is needed and opened again after it broke. A context manager."""

    def __init__(self, server: Server, seconds: float, own_name: str = "localhost") -> None:
        self._server, self._seconds, self._name = server, seconds, own_name
        self._smtp: smtplib.SMTP | None = None

    def __enter__(self) -> Line:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        smtp, self._smtp = self._smtp, None
        if smtp is not None:
            try:
                with self._within(smtp):
                    smtp.quit()
            except (smtplib.SMTPException, OSError):
                smtp.close()

    def send(self, sender: str, recipient: str, message: bytes, entering_data: Callable[[], None]) -> Ending:
        """Hand in one message. `entering_data` is called once the server is ready for it."""
        try:
            smtp = self._connected()
        except smtplib.SMTPResponseException as error:
            return Ending("retry", error.smtp_code, _words(error.smtp_error), reached=False)
        except (smtplib.SMTPException, OSError) as error:
            return Ending("retry", None, f"no connection: {_why(error)}", reached=False)
        in_data = False
        try:
            for command in (f"MAIL FROM:<{sender}>", f"RCPT TO:<{recipient}>"):
                code, words = self._step(smtp, command)
                if not 200 <= code < 300:
                    return self._refused(code, words)
            code, words = self._step(smtp, "DATA")
            if code != 354:
                return self._refused(code, words)
            entering_data()
            in_data = True
            with self._within(smtp):
                smtp.send(_dotted(message))
                code, words = smtp.getreply()
        except (smtplib.SMTPException, OSError) as error:
            state = "unknown" if in_data else "retry"
            self._drop()
            return Ending(state, None, f"the line broke: {_why(error)}")
        return Ending("sent", code, _words(words)) if 200 <= code < 300 else self._refused(code, words)

    def _refused(self, code: int, words: bytes) -> Ending:
        """4xx is for now, 5xx for good; anything else is a server that does not speak SMTP: for now."""
        state = "failed" if 500 <= code < 600 else "retry"
        if code == 421 or not self._reset():
            self._drop()
        return Ending(state, code, _words(words))

    def _reset(self) -> bool:
        try:
            return self._smtp is not None and self._step(self._smtp, "RSET")[0] == 250
        except (smtplib.SMTPException, OSError):
            return False

    def _drop(self) -> None:
        if self._smtp is not None:
            self._smtp.close()
            self._smtp = None

    def _step(self, smtp: smtplib.SMTP, command: str) -> tuple[int, bytes]:
        with self._within(smtp):
            return smtp.docmd(command)

    def _connected(self) -> smtplib.SMTP:
        if self._smtp is not None:
            return self._smtp
        server = self._server
        context = ssl.create_default_context()
        smtp: smtplib.SMTP
        if server.kind == "smtps":
            smtp = smtplib.SMTP_SSL(local_hostname=self._name, timeout=self._seconds, context=context)
        else:
            smtp = smtplib.SMTP(local_hostname=self._name, timeout=self._seconds)
        # smtplib checks the certificate against this name.
        smtp._host = server.host  # type: ignore[attr-defined]
        try:
            with self._within(smtp):
                code, words = smtp.connect(server.host, server.port)
            if code != 220:
                raise smtplib.SMTPConnectError(code, words)
            with self._within(smtp):
                smtp.ehlo_or_helo_if_needed()
            if server.kind == "smtp+starttls":
                with self._within(smtp):
                    smtp.starttls(context=context)
                with self._within(smtp):
                    smtp.ehlo_or_helo_if_needed()
            if server.user:
                self._log_in(smtp)
        except BaseException:
            smtp.close()
            raise
        self._smtp = smtp
        return smtp

    def _log_in(self, smtp: smtplib.SMTP) -> None:
        """One attempt, by the first way that the server offers: a wrong password is wrong in every way, and
        some servers lock who tries again."""
        offered = smtp.esmtp_features.get("auth", "").upper().split()
        way = next((way for way in ("PLAIN", "LOGIN", "CRAM-MD5") if way in offered), None)
        if way is None:
            raise smtplib.SMTPNotSupportedError("the server offers no way to log in that we know")
        smtp.user, smtp.password = self._server.user, self._server.password
        answer = getattr(smtp, f"auth_{way.lower().replace('-', '_')}")
        with self._within(smtp):
            smtp.auth(way, answer)

    @contextmanager
    def _within(self, smtp: smtplib.SMTP) -> Iterator[None]:
        """Bound one step as a whole: a server that sends a byte now and then would reset a mere timeout."""
        late = threading.Event()

        def cut() -> None:
            late.set()
            sock = getattr(smtp, "sock", None)
            if sock is not None:
                try:
                    sock.shutdown(socket.SHUT_RDWR)
                except OSError:
                    return  # it is closed already

        timer = threading.Timer(self._seconds, cut)
        timer.daemon = True
        timer.start()
        try:
            yield
        except (smtplib.SMTPException, OSError):
            if late.is_set():
                raise TimeoutError(f"no answer within {self._seconds:g} s") from None
            raise
        finally:
            timer.cancel()


def _dotted(message: bytes) -> bytes:
    """The message with CRLF line ends, leading dots doubled, and the end of data."""
    text = b"\r\n".join(message.splitlines())
    if text.startswith(b"."):
        text = b"." + text
    return text.replace(b"\r\n.", b"\r\n..") + b"\r\n.\r\n"


def _why(error: Exception) -> str:
    return _words(str(error)) or type(error).__name__


def _words(text: bytes | str) -> str:
    """What the server said, on one line and short; a server's words are outside bytes."""
    said = text.decode("utf-8", "replace") if isinstance(text, bytes) else text
    return " ".join("".join(c if c.isprintable() else " " for c in said).split())[:200]
