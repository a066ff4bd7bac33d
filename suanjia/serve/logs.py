"""Log lines of the service: for people or one JSON object a line, with run ids, without secrets."""

from __future__ import annotations

import json
import logging
import re
import sys
from collections.abc import Iterable
from datetime import UTC, datetime

from suanjia.settings import Settings

MASK = "••••"
_FIELDS = ("job", "run_id", "step", "state", "code", "seconds", "peak_mb", "provider")
_LOGIN = re.compile(r"(\b[a-z][a-z0-9+.-]*://)[^/\s@]+@", re.I)
_SECRET_NAME = re.compile(r"SUANJIA_\w*(TOKEN|KEY|SECRET|PASSWORD)$")
_SHORTEST = 6
# Whoever controls a line's text must not begin a second line or colour the terminal.
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")


def secrets_of(settings: Settings) -> list[str]:
    """Every secret text of the settings and the environment, longest first."""
    found = {value.text for value in settings.values.values() if value.spec.secret}
    found |= {part for text in found for part in re.split(r"[,:/@\s]+", text) if len(part) >= 8}
    found |= {text for name, text in settings.environ.items() if _SECRET_NAME.match(name)}
    return sorted((text for text in found if len(text) >= _SHORTEST), key=len, reverse=True)


class Masked(logging.Formatter):
    """Formats a record, masks secrets and logins in addresses, and keeps it on one line."""

    def __init__(self, secrets: Iterable[str], as_json: bool) -> None:
        super().__init__()
        self._secrets, self._json = tuple(secrets), as_json

    def format(self, record: logging.LogRecord) -> str:
        """One line."""
        at = datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds")
        text = record.getMessage()
        if record.exc_info:
            text += "\n" + self.formatException(record.exc_info)
        fields = {name: getattr(record, name) for name in _FIELDS if getattr(record, name, None) is not None}
        fields = {name: self.clean(v) if isinstance(v, str) else v for name, v in fields.items()}
        level, name = record.levelname.lower(), record.name
        if self._json:
            line = {
                "at": at,
                "level": level,
                "logger": name,
                "message": self.clean(text, keep=True),
                **fields,
            }
            return json.dumps(line, ensure_ascii=False, default=str)
        shown = "".join(f" {name}={value}" for name, value in fields.items())
        return f"{at} {level:<7} {self.clean(text)}{shown}"

    def clean(self, text: str, keep: bool = False) -> str:
        """The text without secrets; with `keep`, control characters stay (JSON escapes them)."""
        for secret in self._secrets:
            text = text.replace(secret, MASK)
        text = _LOGIN.sub(rf"\1{MASK}@", text)
        return text if keep else _CONTROL.sub(" ", text)


def set_up(settings: Settings) -> None:
    """Everything that is logged goes to stderr through `Masked`."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(Masked(secrets_of(settings), settings.text("log_format") == "json"))
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(logging.DEBUG if settings.verbosity > 0 else logging.INFO)
    logging.getLogger("apscheduler").setLevel(logging.WARNING)
