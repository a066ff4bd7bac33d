"""Reason codes: why a listing became no offer, or an observation is held back (`reasons.csv`).

Stages: `text` (a free price text), `card` (a card name), `sheet` (a structured row or quote sheet), `source`
(what a spider knows about a row), `hold` (an observation held back, see the method).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType

from catalog.table import rows


@dataclass(frozen=True, slots=True)
class Reason:
    """One code with its words in both languages."""

    code: str
    stage: str
    zh: str
    en: str


@cache
def reasons() -> Mapping[str, Reason]:
    """All reasons by code."""
    return MappingProxyType({row["code"]: Reason(**row) for row in rows("reasons.csv")})


def reason_text(code: str, lang: str | None = None) -> str:
    """The words of a code: `zh`, `en`, or both (`没有填写价格 price missing`); an unknown code is itself."""
    reason = reasons().get(code)
    if reason is None:
        return code
    return {"zh": reason.zh, "en": reason.en}.get(lang or "", f"{reason.zh} {reason.en}")
