"""Paths into JSON, numbers as they are printed, and the comparison of a row with what a spider expects of it.

A path is steps with `/` between (`machine/hardware/priceMillicent`, `list/0/name`); a `/` or `~` inside a
step is written `~1`, `~0` as in JSON pointers. This module imports no Scrapy.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from decimal import Decimal
from difflib import get_close_matches
from typing import Any

NUMBER, TEXT, FLAG, LIST, TABLE, ANY = "number", "text", "flag", "list", "table", "any"
Expectation = Mapping[str, str | tuple[Any, ...]]
"""Path → one of the words above (`number|text` allows both, `number|null` a field without a value), or a
tuple of the values that may stand there."""
PRICE = f"{NUMBER}|null"
"""A price that may be null: it is quoted and refused as missing, while a field that is gone has moved."""

_MISSING = object()
_MEMORY = re.compile(r"(?P<number>\d{1,9}(?:\.\d+)?)\s*(?P<unit>[MG](?:i?B)?)?", re.I)


def loads(text: str) -> Any:
    """JSON with numbers kept as printed: integers as int, the rest as Decimal. ValueError for bad JSON."""
    try:
        return json.loads(text, parse_float=Decimal, parse_constant=_no_constant)
    except RecursionError:
        raise ValueError("nested too deeply to be an answer") from None
    except ArithmeticError:
        raise ValueError("a number that no Decimal can hold") from None


def json_is_cut(body: str, error: ValueError) -> bool:
    """Does the document begin as JSON and stop before its end?"""
    if body.lstrip("\ufeff \r\n\t")[:1] not in ("{", "[") or not isinstance(error, json.JSONDecodeError):
        return False
    return error.pos >= len(body.rstrip()) - 1 or error.msg.startswith("Unterminated string")


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")


def steps(path: str) -> list[str]:
    """The steps of a path."""
    return (
        [s.replace("~1", "/").replace("~0", "~") for s in path.strip("/").split("/")]
        if path.strip("/")
        else []
    )


def pointer(*parts: str | int) -> str:
    """A JSON pointer from steps: `pointer("pools", 0)` is `/pools/0`."""
    return "".join("/" + str(p).replace("~", "~0").replace("/", "~1") for p in parts)


def get(node: Any, path: str) -> Any:
    """What stands at `path`, None if nothing does (or null)."""
    found = _find(node, path)
    return None if found is _MISSING else found


def has(node: Any, path: str) -> bool:
    """Does anything stand at `path`, be it null?"""
    return _find(node, path) is not _MISSING


def _find(node: Any, path: str) -> Any:
    for step in steps(path):
        if isinstance(node, dict) and step in node:
            node = node[step]
        elif isinstance(node, list) and (at := whole(step)) is not None and -len(node) <= at < len(node):
            node = node[at]
        else:
            return _MISSING
    return node


def whole(text: str | None) -> int | None:
    """A plain whole number of at most eighteen digits; None for anything else (`--1`, `²`, `1.0`)."""
    return int(text) if text and re.fullmatch(r"-?[0-9]{1,18}", text) else None


def text(node: Any, path: str = "") -> str | None:
    """The scalar at `path` as printed; None for nothing, null, a list or an object. Never an empty string."""
    found = get(node, path)
    if found is None or isinstance(found, (dict, list)):
        return None
    if isinstance(found, bool):
        return "true" if found else "false"
    if isinstance(found, Decimal):
        return format(found, "f")
    return str(found).strip() or None


def memory(name: str, printed: str | None) -> dict[str, str]:
    """A printed memory size as listing fields: `memory("vram", "40GB")` gives `vram_text` 40, `vram_unit` GB.

    Only number and unit are taken apart; what is not one number with one of these units stays whole.
    """
    if printed is None:
        return {}
    found = _MEMORY.fullmatch(printed.strip())
    if found is None:
        return {f"{name}_text": printed}
    unit = (found["unit"] or "GB").upper().replace("IB", "B")
    return {f"{name}_text": found["number"], f"{name}_unit": unit if unit.endswith("B") else unit + "B"}


def counted(cards: str | None) -> dict[str, str]:
    """A printed number of cards as a listing field: `0.25` and `1/4` are a share of one card."""
    if cards is None:
        return {}
    return {"share_text" if "/" in cards or cards.startswith(("0.", ".")) else "count_text": cards}


def local_disk(printed: Any) -> dict[str, Any]:
    """The disk inside an instance as listing fields: part of what is bought, never compared; {} for none."""
    if printed in (None, "", "-", [], {}, 0):
        return {}
    shown = printed if isinstance(printed, str) else json.dumps(printed, ensure_ascii=False, default=str)
    return {"extra": {"local_disk": shown}}


def linked(model: str | None) -> dict[str, str]:
    """Listing fields of a model that its seller names by its interconnect: `A800-80GB-NVLink` is another good
    than `A800-80GB`, at another price; {} for any other name."""
    found = re.search(r"NV-?(?:Link|Switch)", model or "", re.I)
    return {"sku": model or "", "interconnect_text": found.group()} if found else {}


def kind(value: Any) -> str:
    """The word of a JSON value's type."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return FLAG
    if isinstance(value, (int, Decimal)):
        return NUMBER
    words: dict[type, str] = {str: TEXT, list: LIST, dict: TABLE}
    return words.get(type(value), type(value).__name__)


def fits(value: Any, expected: str | tuple[Any, ...]) -> bool:
    """Is a present value what was expected?"""
    if isinstance(expected, tuple):
        return any(
            value == allowed and isinstance(value, bool) == isinstance(allowed, bool) for allowed in expected
        )
    return expected == ANY or kind(value) in expected.split("|")


def differences(row: Any, expect: Expectation, *, optional: bool = False) -> Iterator[tuple[str, str, str]]:
    """(field, expected, found) for each field of `expect` that `row` does not bear out.

    With `optional`, a field may be absent or null. A missing field comes with the name it may have moved to.
    """
    for path, expected in expect.items():
        value = _find(row, path)
        word = " or ".join(map(repr, expected)) if isinstance(expected, tuple) else expected
        if value is _MISSING or value is None:
            may_be_null = isinstance(expected, str) and "null" in expected.split("|")
            if not optional and not (may_be_null and value is None):
                yield path, word, _moved(row, path) if value is _MISSING else "null"
        elif not fits(value, expected):
            shown = json.dumps(value, ensure_ascii=False, default=str)[:60]
            yield path, word, shown if isinstance(expected, tuple) else f"{kind(value)} {shown}"


def _moved(row: Any, path: str) -> str:
    """Where a missing field may have gone."""
    wanted = steps(path)[-1]
    places = list(_places(row))
    same = next((place for place in places if place[-1] == wanted), None)
    if same is not None:
        return f"missing; now at {_shown(same)}"
    by_name = {place[-1]: place for place in reversed(places)}
    lowered = next((place for name, place in by_name.items() if name.lower() == wanted.lower()), None)
    near = get_close_matches(wanted, list(by_name), n=1, cutoff=0.5)
    if lowered is not None or near:
        return f"missing; {_shown(lowered or by_name[near[0]])} is similar"
    beside = get(row, "/".join(path.strip("/").split("/")[:-1])) if "/" in path.strip("/") else row
    names = [name for name in beside if name] if isinstance(beside, dict) else []
    return f"missing; there are {', '.join(names[:8])}" if names else "missing"


def _shown(place: tuple[str, ...]) -> str:
    return pointer(*place).removeprefix("/")


def _places(node: Any, above: tuple[str, ...] = (), depth: int = 6) -> Iterator[tuple[str, ...]]:
    if isinstance(node, dict) and depth:
        for key, value in node.items():
            yield (*above, key)
            yield from _places(value, (*above, key), depth - 1)
    elif isinstance(node, list) and node and depth:
        yield from _places(node[0], (*above, "0"), depth - 1)
