"""Who sells: a TOML file a provider, built in under `catalog/providers/`, the user's in the home."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any

from pydantic import ValidationError

from catalog import toml_text
from catalog.provider_model import (
    Billing,
    Checklist,
    Expect,
    Fact,
    Locator,
    Provider,
    Read,
    Route,
    Source,
    Terms,
)

__all__ = [
    "Billing",
    "Checklist",
    "Expect",
    "Fact",
    "Locator",
    "Provider",
    "ProviderFileError",
    "Read",
    "Route",
    "Source",
    "Terms",
    "load_providers",
    "read_provider",
]

BUILT_IN = Path(__file__).parent / "providers"
_USER_CLASSES = ("marketplace", "cloud", "idc")


class ProviderFileError(ValueError):
    """A provider file that does not fit the schema. `file`, `key` (dotted, "" = the whole file), `reason`."""

    def __init__(self, file: Path, key: str, reason: str) -> None:
        self.file, self.key, self.reason = file, key, reason
        super().__init__(f"{file}: {key + ': ' if key else ''}{reason}")


def load_providers(home: Path | None = None) -> Mapping[str, Provider]:
    """All providers by slug, sorted: the built-in ones, each replaced by the user's file of the same slug.

    `home` is the data directory (`home/providers/*.toml`); None reads the built-in ones alone. Raises
    ProviderFileError for the first file that does not fit; nothing is skipped in silence.
    """
    found = dict(_built_in())
    if home is not None:
        for path in sorted((home / "providers").glob("*.toml")):
            provider = read_provider(path)
            found[provider.slug] = provider
    return MappingProxyType(dict(sorted(found.items())))


def read_provider(path: Path, *, builtin: bool = False) -> Provider:
    """One provider file. Raises ProviderFileError naming file, key and reason."""
    try:
        data: dict[str, Any] = toml_text.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ProviderFileError(path, "", error.strerror or str(error)) from None
    except UnicodeDecodeError:
        raise ProviderFileError(path, "", "not UTF-8") from None
    except tomllib.TOMLDecodeError as error:
        raise ProviderFileError(path, "", f"not TOML: {error}") from None
    if "builtin" in data:
        raise ProviderFileError(path, "builtin", "unknown key")
    try:
        provider = Provider(**data, builtin=builtin)
    except ValidationError as error:
        first = error.errors()[0]
        raise ProviderFileError(path, _key(first["loc"], data), _words(first["msg"])) from None
    if provider.slug != path.stem:
        raise ProviderFileError(path, "slug", f"{provider.slug!r} is not the file name {path.stem!r}")
    if not builtin and provider.class_ not in _USER_CLASSES:
        raise ProviderFileError(path, "class", f"must be one of {', '.join(_USER_CLASSES)}")
    return provider


@cache
def _built_in() -> Mapping[str, Provider]:
    return MappingProxyType(
        {path.stem: read_provider(path, builtin=True) for path in sorted(BUILT_IN.glob("*.toml"))}
    )


def _key(loc: tuple[int | str, ...], data: object) -> str:
    """The dotted key as the user wrote it: pydantic's own steps into unions and defaults are left out."""
    parts: list[str] = []
    here: Any = data
    for i, step in enumerate(loc):
        if isinstance(step, int):
            parts.append(f"[{step}]")
            here = here[step] if isinstance(here, list | tuple) and step < len(here) else None
        elif isinstance(here, dict) and (step in here or i == len(loc) - 1):
            parts.append(("." if parts else "") + step)
            here = here.get(step)
    return "".join(parts)


def _words(message: str) -> str:
    return message.removeprefix("Value error, ")
