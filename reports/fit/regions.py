"""Which offers a region filter admits: names and GB/T 2260 codes, as `suanjia cheapest` reads them."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Sequence
from functools import cache

from warehouse import catalog_tables

NATION = "CN"
MAINLAND_SITE = "mainland"
OUTSIDE_MAINLAND = ("81", "82", "71")
MUNICIPALITIES = ("11", "12", "31", "50")

Admits = Callable[[str | None, str], bool]  # (region_code, site) → takes part


class RegionError(ValueError):
    """A name that is no place."""


@cache
def _aliases() -> dict[str, str]:
    return {row["alias"]: row["code"] for row in catalog_tables.region_aliases()}


@cache
def names() -> dict[str, str]:
    """Code → short name of every place of the catalog."""
    return {str(row["code"]): str(row["short"] or row["name"]) for row in catalog_tables.regions()}


@cache
def _provinces_of(macro: str) -> tuple[str, ...]:
    return tuple(
        sorted(
            str(row["code"])[:2]
            for row in catalog_tables.regions()
            if row.get("macro_code") == macro and str(row["code"]).endswith("0000")
        )
    )


def code_of(text: str) -> str:
    """The code that a name or code means; RegionError, with near names, for what is no place."""
    word = text.strip()
    if word in names() or (len(word) == 2 and word.isascii() and word.isupper()):
        return word[:2] + "0000" if word.startswith(MUNICIPALITIES) and word.endswith("0100") else word
    code = _aliases().get(word.lower())
    if code is None:
        near = difflib.get_close_matches(word.lower(), list(_aliases()), n=3)
        raise RegionError(
            f"no region is called {text!r}" + (f"; did you mean {', '.join(near)}?" if near else "")
        )
    return code


def admits(codes: Sequence[str]) -> Admits:
    """A predicate over (region_code, site).

    Without codes everything in the mainland takes part, national offers and unknown places too. A code admits
    itself and what lies in it, never the macro-region or nation above it; `CN` admits national offers.
    """
    if not codes:
        return _mainland
    exact = frozenset(codes)
    prefixes = tuple(
        sorted(
            {_prefix(code) for code in codes if code.isdigit()}
            | {prefix for code in codes if code.startswith("CN-") for prefix in _provinces_of(code)}
        )
    )

    def admit(code: str | None, site: str) -> bool:
        if code is None:
            return False
        return code in exact or (code.isdigit() and bool(prefixes) and code.startswith(prefixes))

    return admit


def _mainland(code: str | None, site: str) -> bool:
    if site != MAINLAND_SITE:
        return False
    return (
        code is None or code.startswith(NATION) or (code.isdigit() and not code.startswith(OUTSIDE_MAINLAND))
    )


def _prefix(code: str) -> str:
    """`440000` → `44`, `130700` → `1307`; a county is whole."""
    if code.endswith("0000"):
        return code[:2]
    return code[:4] if code.endswith("00") else code
