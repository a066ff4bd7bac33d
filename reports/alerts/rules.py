"""The rules of `alerts.toml`: a list of tables `[[alert]]`, each with a kind and what it watches."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

from catalog import toml_text
from reports.numbers import decimal_or_none
from reports.render.words import LANGS

FILE = "alerts.toml"
# kind → (fields it needs, fields it may have beside the common ones)
KINDS: Mapping[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "below": (("card", "price"), ("region", "mode")),
    "above": (("card", "price"), ("region", "mode")),
    "lowest": (("card", "weeks"), ("region", "mode")),
    "fit_below": (("workload", "budget"), ("region",)),
    "back_in_stock": (("card",), ("region", "mode", "provider")),
    "source_broken": ((), ("provider", "runs")),
}
COMMON = ("name", "kind", "hysteresis", "quiet_hours", "lang")
HYSTERESIS = Decimal("0.03")
QUIET_HOURS = 24
BROKEN_RUNS = 3


class RulesError(ValueError):
    """alerts.toml cannot be used; the message names the rule and the field."""


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule. `limit`: CNY per card-hour (below, above) or in all (fit_below). `hysteresis`: the share by
    which a price must leave the limit before it can cross it again."""

    name: str
    kind: str
    hysteresis: Decimal
    quiet: timedelta
    lang: str
    card: str | None = None
    region: str | None = None
    mode: str = "on_demand"
    provider: str | None = None
    workload: str | None = None
    limit: Decimal | None = None
    weeks: int = 13
    runs: int = BROKEN_RUNS


def read_rules(path: Path) -> list[Rule]:
    """All rules of the file. RulesError for the first that is wrong."""
    try:
        table = toml_text.loads(path.read_text(encoding="utf-8-sig"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise RulesError(f"{path.name}: {error}") from None
    rows = table.get("alert")
    if (
        not isinstance(rows, list)
        or not all(isinstance(row, dict) for row in rows)
        or set(table) != {"alert"}
    ):
        raise RulesError(f"{path.name}: write each rule as a table [[alert]]")
    rules = [_rule(row, f"{path.name}, alert {place}") for place, row in enumerate(rows, 1)]
    names = [rule.name for rule in rules]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise RulesError(f"{path.name}: two alerts are called {twice!r}")
    return rules


def _rule(row: Mapping[str, Any], where: str) -> Rule:
    kind = row.get("kind")
    if not isinstance(kind, str) or kind not in KINDS:
        raise RulesError(f"{where}: kind is one of {', '.join(KINDS)}, not {kind!r}")
    needed, allowed = KINDS[kind]
    name = row.get("name")
    if not isinstance(name, str) or not name.strip():
        raise RulesError(f"{where}: a name is missing")
    where = f"{where} ({name})"
    if unknown := sorted(set(row) - {*COMMON, *needed, *allowed}):
        raise RulesError(f"{where}: {kind} has no field {unknown[0]!r}")
    if missing := [field for field in needed if field not in row]:
        raise RulesError(f"{where}: {kind} needs {missing[0]}")
    lang = row.get("lang", "zh")
    if lang not in LANGS:
        raise RulesError(f"{where}: lang is one of {', '.join(LANGS)}")
    limit = _number(row, "price" if "price" in row else "budget", where)
    hysteresis, quiet = (
        _number(row, "hysteresis", where, zero=True),
        _number(row, "quiet_hours", where, zero=True),
    )
    return Rule(
        name=name,
        kind=kind,
        hysteresis=HYSTERESIS if hysteresis is None else hysteresis,
        quiet=timedelta(hours=QUIET_HOURS if quiet is None else float(quiet)),
        lang=lang,
        card=_text(row, "card", where),
        region=_text(row, "region", where),
        mode=_text(row, "mode", where) or "on_demand",
        provider=_text(row, "provider", where),
        workload=_text(row, "workload", where),
        limit=limit,
        weeks=_whole(row, "weeks", where, 13),
        runs=_whole(row, "runs", where, BROKEN_RUNS),
    )


def _number(row: Mapping[str, Any], field: str, where: str, zero: bool = False) -> Decimal | None:
    try:
        value = decimal_or_none(row.get(field))
    except ValueError as error:
        raise RulesError(f"{where}: {field}: {error}") from None
    if value is not None and (value < 0 or (value == 0 and not zero) or value >= 10**9):
        raise RulesError(f"{where}: {field} must be {'0 or more' if zero else 'above 0'}")
    return value


def _whole(row: Mapping[str, Any], field: str, where: str, default: int) -> int:
    value = row.get(field, default)
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= 520:
        raise RulesError(f"{where}: {field} must be a whole number from 1 on")
    return value


def _text(row: Mapping[str, Any], field: str, where: str) -> str | None:
    value = row.get(field)
    if value is not None and (not isinstance(value, str) or not value.strip()):
        raise RulesError(f"{where}: {field} must be a text")
    return value
