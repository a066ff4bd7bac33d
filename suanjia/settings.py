"""Settings: one table of what can be set, read from the environment, then `suanjia.toml`, then the default.

Secrets are never printed: `Value.shown()` masks them. Nothing here imports a heavy package, since every
command loads it.
"""

from __future__ import annotations

import json
import os
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from catalog import toml_text


class SettingsError(ValueError):
    """A setting that cannot be used; the message names it and says what would do."""


@dataclass(frozen=True, slots=True)
class Spec:
    """One setting: its key in `suanjia.toml` (prefixed, upper case in the environment), meaning."""

    key: str
    default: str
    help: str
    secret: bool = False

    @property
    def env(self) -> str:
        return "SUANJIA_" + self.key.upper()


SPECS: tuple[Spec, ...] = (
    Spec("now", "", "frozen clock, ISO 8601 with offset; empty = the machine's"),
    Spec("origins", "{}", "JSON object: origin → origin; requests to the first go to the second"),
    Spec("browser", "", "path of the browser executable; empty = look on PATH"),
    Spec("timeout", "30", "seconds a response may take"),
    Spec("delay", "3", "seconds between requests to one host; 0 only for origins mapped to loopback"),
    Spec("smtp_url", "", "smtp://, smtps:// or smtp+starttls:// with user:password@host:port", secret=True),
    Spec("mail_from", "", "sender of the weekly issue"),
    Spec("mail_to", "", "comma list of recipients; recipients.csv is used instead when present"),
    Spec("notify", "", "comma list of Apprise URLs", secret=True),
    Spec("unsubscribe_url", "", "https address with {token} in it, for List-Unsubscribe"),
    Spec("keep_generations", "12", "how many published generations are kept"),
    Spec("evidence_days", "730", "how long evidence is kept"),
    Spec("evidence_gb", "20", "size budget of the evidence folder"),
    Spec("http_host", "127.0.0.1", "address that `serve` listens on"),
    Spec("http_port", "8765", "port that `serve` listens on"),
    Spec("log_format", "console", "log lines of `serve`: console or json"),
    Spec("contact", "", "web or mail address that goes into the user agent, so that a site can reach you"),
    Spec("evidence_keep_days", "90", "evidence named by a segment of the last so many days is never removed"),
    Spec(
        "job_memory_mb", "4096", "resident memory of a job of `serve` and its children; over it the job ends"
    ),
)
_BY_KEY = {spec.key: spec for spec in SPECS}


@dataclass(frozen=True, slots=True)
class Value:
    """A setting as found: its text and where it came from (`environment`, `suanjia.toml`, `default`)."""

    spec: Spec
    text: str
    origin: str

    def shown(self) -> str:
        """The text for people, secrets masked."""
        return "••••" if self.spec.secret and self.text else self.text


@dataclass(frozen=True, slots=True)
class Settings:
    """What one invocation works with. `now()` is the clock of everything that is dated."""

    home: Path
    frozen_now: datetime | None = None
    verbosity: int = 0
    values: Mapping[str, Value] = field(default_factory=dict)
    environ: Mapping[str, str] = field(default_factory=dict, repr=False)

    def now(self) -> datetime:
        """Aware UTC time: the one given with `--now`, else the machine's."""
        return self.frozen_now or datetime.now(UTC)

    def text(self, key: str) -> str:
        """The raw text of a setting; KeyError for a key that is not in the table."""
        return self.values[key].text if key in self.values else _BY_KEY[key].default

    def number(self, key: str) -> float:
        """A non-negative number; SettingsError names the setting otherwise."""
        try:
            value = float(self.text(key))
        except ValueError:
            value = -1.0
        if not 0 <= value < 1e9:
            raise SettingsError(f"{_BY_KEY[key].env} must be a number of 0 or more, not {self.text(key)!r}")
        return value

    def origins(self) -> dict[str, str]:
        """Origin → origin. Both sides are scheme://host[:port] with no path."""
        try:
            table = json.loads(self.text("origins") or "{}")
        except json.JSONDecodeError as error:
            raise SettingsError(f"SUANJIA_ORIGINS is not JSON: {error}") from None
        if not isinstance(table, dict) or not all(isinstance(v, str) for v in table.values()):
            raise SettingsError("SUANJIA_ORIGINS must be a JSON object of origin to origin")
        return {_origin(k): _origin(v) for k, v in table.items()}

    def credential(self, name: str) -> str | None:
        """A user's own key, e.g. `AUTODL_TOKEN`; None where it is not set. Never stored or printed."""
        return self.environ.get("SUANJIA_" + name) or None


def _origin(text: str) -> str:
    parts = urlsplit(text)
    if parts.scheme not in {"http", "https"} or not parts.netloc or parts.path.strip("/") or parts.query:
        raise SettingsError(f"SUANJIA_ORIGINS: {text!r} is not an origin such as https://matgo.cn")
    return f"{parts.scheme}://{parts.netloc}"


def parse_now(text: str) -> datetime:
    """ISO 8601 with offset → aware UTC; SettingsError otherwise."""
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise SettingsError(f"{text!r} is not a time such as 2026-11-30T04:00:00+08:00") from None
    if moment.tzinfo is None:
        raise SettingsError(f"{text!r} has no offset; write for example {text}+08:00")
    return moment.astimezone(UTC)


def load(
    home: str | None = None,
    now: str | None = None,
    verbosity: int = 0,
    environ: Mapping[str, str] | None = None,
) -> Settings:
    """Read every source once. Flags win over environment, `suanjia.toml` and defaults."""
    env = dict(os.environ if environ is None else environ)
    where = Path(home or env.get("SUANJIA_HOME") or "var")
    file = _read_toml(where / "suanjia.toml")
    values: dict[str, Value] = {}
    for spec in SPECS:
        if spec.env in env:
            values[spec.key] = Value(spec, env[spec.env], "environment")
        elif spec.key in file:
            values[spec.key] = Value(spec, _as_text(file[spec.key]), "suanjia.toml")
        else:
            values[spec.key] = Value(spec, spec.default, "default")
    moment = now or values["now"].text
    return Settings(where, parse_now(moment) if moment else None, verbosity, values, env)


def _read_toml(path: Path) -> dict[str, Any]:
    if not path.is_file():
        return {}
    try:
        table = toml_text.loads(path.read_text(encoding="utf-8"), float)
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise SettingsError(f"{path.name}: {error}") from None
    unknown = sorted(set(table) - set(_BY_KEY))
    if unknown:
        raise SettingsError(f"{path.name}: unknown key {unknown[0]!r}")
    return table


def _as_text(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False) if isinstance(value, (dict, list)) else str(value)
