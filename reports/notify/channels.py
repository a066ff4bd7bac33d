"""Sending one message to every channel of SUANJIA_NOTIFY, and reading what the service really answered.

A robot's address is a secret: it is never in a message, a log or an error of ours.
"""

from __future__ import annotations

import json
import logging
import re
import tomllib
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from importlib.resources import files
from typing import Any

_NEXT = re.compile(r"\s*,\s*(?=[A-Za-z0-9+]+://)")
_LOGGERS = ("apprise", "urllib3", "requests")


class NotifySettingsError(ValueError):
    """SUANJIA_NOTIFY cannot be used; the message tells the place in the list, never the address."""


@dataclass(frozen=True, slots=True)
class Told:
    """How one channel ended. `kind` is Apprise's schema, `who` a hash of the address."""

    kind: str
    who: str
    ok: bool
    message: str


@dataclass(frozen=True, slots=True)
class Channel:
    """One place to tell. `plugin` is Apprise's object."""

    kind: str
    who: str
    plugin: Any

    def tell(self, title: str, body: str) -> Told:
        """Send, within the service's limit, and look at its answer."""
        shown_title, shown_body = fitted(self.kind, title, body, int(self.plugin.body_maxlen))
        with _quiet(), _listening() as answers:
            sent = bool(self.plugin.notify(title=shown_title, body=shown_body))
        refused = [words for status, text in answers if (words := refusal(self.kind, status, text))]
        if refused:
            return Told(self.kind, self.who, ok=False, message=refused[0])
        return Told(self.kind, self.who, ok=sent, message="" if sent else "not taken: no answer, or an error")


def channels(comma_list: str) -> list[Channel]:
    """The channels of a comma list of Apprise addresses. NotifySettingsError for one that cannot be read."""
    if not comma_list.strip():
        return []
    found = []
    with _quiet():
        from apprise import Apprise

        # An address may hold commas itself, so only one before the next scheme parts two of them.
        for place, url in enumerate(_NEXT.split(comma_list.strip().strip(",")), 1):
            kind = url.split("://")[0].lower() if "://" in url else ""
            plugin = Apprise.instantiate(url, suppress_exceptions=True) if kind else None
            if plugin is None:
                raise NotifySettingsError(
                    f"SUANJIA_NOTIFY: address {place} ({kind or '?'}://…) cannot be read"
                )
            found.append(Channel(kind, sha256(url.encode()).hexdigest()[:32], plugin))
    return found


@cache
def _tables() -> Mapping[str, Any]:
    return tomllib.loads((files("reports.notify") / "caps.toml").read_text(encoding="utf-8"))


def fitted(kind: str, title: str, body: str, plugin_limit: int) -> tuple[str, str]:
    """Title and body cut at a line end so that both fit; what is left out is marked by an ellipsis."""
    limit = _tables()["caps"].get(kind, {}).get("bytes")

    def size(text: str) -> int:
        return len(f"{title}\r\n{text}".encode()) if limit else len(f"{title}\r\n{text}")

    most = limit or plugin_limit
    if size(body) <= most:
        return title, body
    lines = body.split("\n")
    while lines and size("\n".join([*lines, "…"])) > most:
        lines.pop()
    if lines:
        return title, "\n".join([*lines, "…"])
    # One line that is too long by itself is cut inside.
    cut = body
    while cut and size(cut + "…") > most:
        cut = cut[: len(cut) - max(1, (size(cut + "…") - most) // 4)]
    return title, cut + "…"


def refusal(kind: str, status: int, text: bytes) -> str:
    """Why the service did not take it, or an empty text. HTTP 200 alone proves nothing."""
    if not 200 <= status < 300:
        return f"HTTP {status}"
    good = _tables()["answers"].get(kind)
    if good is None:
        return ""
    try:
        answer = json.loads(text)
    except ValueError:
        return "an answer that is no JSON"
    if not isinstance(answer, dict):
        return "an answer that is no JSON object"
    told = {name: answer[name] for name in good if name in answer}
    if not told:
        return "an answer without a result code"
    for name, value in told.items():
        if value not in good[name]:
            words = answer.get("errmsg") or answer.get("msg") or answer.get("message") or ""
            clean = " ".join(str(words).split())[:120]
            return f"{name} {value}" + (f": {clean}" if clean else "")
    return ""


@contextmanager
def _quiet() -> Iterator[None]:
    """Keep robots' addresses out of debug logs."""
    before = {name: logging.getLogger(name).level for name in _LOGGERS}
    for name in _LOGGERS:
        logging.getLogger(name).setLevel(logging.CRITICAL)
    try:
        with warnings.catch_warnings():
            # Apprise loads a module that Python 3.13 will not have.
            warnings.simplefilter("ignore", DeprecationWarning)
            yield
    finally:
        for name, level in before.items():
            logging.getLogger(name).setLevel(level)


@contextmanager
def _listening() -> Iterator[list[tuple[int, bytes]]]:
    """(status, body) of every answer that requests gets in the block; Apprise keeps them to itself."""
    from requests import Response, Session

    heard: list[tuple[int, bytes]] = []
    send = Session.send

    def listen(self: Session, request: Any, **options: Any) -> Response:
        response = send(self, request, **options)
        heard.append((response.status_code, response.content))
        return response

    Session.send = listen  # type: ignore[method-assign]
    try:
        yield heard
    finally:
        Session.send = send  # type: ignore[method-assign]
