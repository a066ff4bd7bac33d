"""The parameters of one version of the method, frozen: read from `methods/<id>.toml`, never changed in
code.
"""

from __future__ import annotations

import hashlib
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, fields
from datetime import date
from decimal import Decimal
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Any


class MethodError(ValueError):
    """A method version that does not exist or whose file cannot be used; the message says which and why."""


@dataclass(frozen=True, slots=True)
class Scope:
    """What may enter a cell; money in CNY per card-hour."""

    currency: str
    classes: tuple[str, ...]
    trusts: tuple[str, ...]
    price_kinds: tuple[str, ...]
    date_precision: str
    sites: tuple[str, ...]
    abroad_labels: tuple[str, ...]
    min_cny: Decimal
    max_cny: Decimal


@dataclass(frozen=True, slots=True)
class Week:
    """Calendar; hours count from the Monday 00:00 that ends the week."""

    timezone: str
    freeze_hours: int
    publish_hours: int


@dataclass(frozen=True, slots=True)
class LevelHold:
    """Bands around the median of the window; ratios of price to median."""

    window_hours: int
    min_observations: int
    hold_below: Decimal
    hold_above: Decimal
    review_below: Decimal
    review_above: Decimal
    across_classes: Decimal
    release_within: Decimal


@dataclass(frozen=True, slots=True)
class Outlier:
    """Bands around the median relative of a cell, in log points."""

    min_relatives: int
    z: float
    mad_factor: float
    floor_log: float
    few_ratio: float
    release_within: Decimal
    release_hours: int


@dataclass(frozen=True, slots=True)
class Missing:
    """How long and from what an absent key is imputed."""

    max_weeks: int
    gone_after_runs: int
    same_provider_keys: int
    same_region_keys: int
    nation_keys: int


@dataclass(frozen=True, slots=True)
class Key:
    """When a change of what comes with the card makes another good (share of the former amount)."""

    bundle_tolerance: float


@dataclass(frozen=True, slots=True)
class NewCard:
    """How many weeks a card waits before it gets an index."""

    candidate_weeks: int


@dataclass(frozen=True, slots=True)
class Bar:
    """What a grade asks for: keys and providers at least, imputed share at most."""

    keys: int
    providers: int
    imputed: float


@dataclass(frozen=True, slots=True)
class Gate:
    """Publication gate."""

    min_keys: int
    max_imputed: float
    a: Bar
    b: Bar


@dataclass(frozen=True, slots=True)
class Uncertainty:
    """Interval of a link, and when a move is called flat."""

    interval_from_keys: int
    confidence: float
    flat_moved_share: float


@dataclass(frozen=True, slots=True)
class Check:
    """GEKS watchdog."""

    window_weeks: int
    alarm_log: float
    alarm_weeks: int


@dataclass(frozen=True, slots=True)
class Outage:
    """How many rows without a value a silent cell gets."""

    rows: int


@dataclass(frozen=True, slots=True)
class Parity:
    """Regional comparison."""

    reference: str
    billing_modes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Administered:
    """When a seller's second mode is called a rule of its first."""

    min_goods: int
    max_spread: float


@dataclass(frozen=True, slots=True)
class Method:
    """All parameters of one version, and the digest of its file. It counts from the week `valid_from` on."""

    id: str
    valid_from: date
    scope: Scope
    week: Week
    level_hold: LevelHold
    outlier: Outlier
    missing: Missing
    key: Key
    new_card: NewCard
    gate: Gate
    uncertainty: Uncertainty
    check: Check
    outage: Outage
    parity: Parity
    administered: Administered
    digest: str


_SECTIONS: dict[str, type] = {
    "scope": Scope,
    "week": Week,
    "level_hold": LevelHold,
    "outlier": Outlier,
    "missing": Missing,
    "key": Key,
    "new_card": NewCard,
    "gate": Gate,
    "uncertainty": Uncertainty,
    "check": Check,
    "outage": Outage,
    "parity": Parity,
    "administered": Administered,
}


def _folder() -> Traversable:
    return files("warehouse") / "index" / "methods"


def method_ids() -> list[str]:
    """All versions, oldest first."""
    names = [f.name.removesuffix(".toml") for f in _folder().iterdir() if f.name.endswith(".toml")]
    return sorted(names, key=_order)


def in_force(day: date) -> Method:
    """The version that counts on a day in Shanghai: the newest that began by then, else the oldest."""
    versions = [load_method(name) for name in method_ids()]
    return next((m for m in reversed(versions) if m.valid_from <= day), versions[0])


def lineage(method: Method) -> list[Method]:
    """The versions that counted before, oldest first, and the given one."""
    older = [load_method(name) for name in method_ids() if _order(name) < _order(method.id)]
    return [*(m for m in older if m.valid_from < method.valid_from), method]


def _order(method_id: str) -> list[int]:
    return [int(part) for part in method_id.split(".")]


@cache
def load_method(method_id: str | None = None) -> Method:
    """One version; None = the newest. MethodError for an unknown id or a file that does not fit."""
    wanted = method_ids()[-1] if method_id is None else method_id
    source = _folder() / f"{wanted}.toml"
    if wanted not in method_ids():
        raise MethodError(f"no method {wanted}; there are {', '.join(method_ids())}")
    return parse_method(source.read_bytes(), wanted)


def parse_method(content: bytes, expected_id: str) -> Method:
    """The bytes of a method file. Every section and key must be there and no other."""
    raw = tomllib.loads(content.decode())
    unknown = set(raw) - set(_SECTIONS) - {"id", "valid_from"}
    if unknown or raw.get("id") != expected_id:
        raise MethodError(f"method {expected_id}: wrong id or unknown sections {sorted(unknown)}")
    if raw.get("valid_from") is None or raw["valid_from"].weekday() != 0:
        raise MethodError(f"method {expected_id}: valid_from must be a Monday, the first week it counts in")
    sections = {name: _section(name, kind, raw.get(name, {})) for name, kind in _SECTIONS.items()}
    digest = hashlib.sha256(content).hexdigest()
    return Method(id=raw["id"], valid_from=raw["valid_from"], digest=digest, **sections)


def _section(name: str, kind: type, values: Mapping[str, Any]) -> Any:
    names = {f.name: f.type for f in fields(kind)}
    if set(names) != set(values):
        raise MethodError(f"[{name}]: wants exactly {sorted(names)}, has {sorted(values)}")
    return kind(**{key: _typed(str(names[key]), value) for key, value in values.items()})


def _typed(kind: str, value: Any) -> Any:
    if kind == "Decimal":
        return Decimal(value)
    if kind == "Bar":
        return Bar(**value)
    return tuple(value) if isinstance(value, list) else value
