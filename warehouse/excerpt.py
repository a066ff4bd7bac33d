"""The place in the evidence that a locator names, shown as bytes really stand there.

`/data/list/17/price` (JSON pointer), `row 12` (sheet), `…#line=4` (text), anything else: the printed text
itself is looked up in the decoded body.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any

from spiders.textio import decode

_AROUND = 60
_LONGEST = 400
_LINE = re.compile(r"(?:\brow |#line=|\bline=)(\d+)")


@dataclass(frozen=True, slots=True)
class Excerpt:
    """What stands at the place, and where that is in words a person can follow."""

    text: str
    where: str


def excerpt(body: bytes, locator: str, printed: str | None) -> Excerpt | None:
    """The place that `locator` names, else where `printed` stands; None when neither is found."""
    text, _ = decode(body, "")
    return _pointed(text, locator) or _line(text, locator, printed) or _found(text, printed)


def _pointed(text: str, locator: str) -> Excerpt | None:
    pointer = locator.split("#", 1)[0]
    if not pointer.startswith("/"):
        return None
    try:
        here: Any = json.loads(text)
    except ValueError:
        return None
    walked = ""
    for part in pointer.split("/")[1:]:
        key = part.replace("~1", "/").replace("~0", "~")
        if isinstance(here, dict) and key in here:
            here = here[key]
        elif isinstance(here, list) and re.fullmatch("[0-9]{1,9}", key) and int(key) < len(here):
            here = here[int(key)]
        else:
            break
        walked += f"/{part}"
    if not walked:
        return None
    return Excerpt(_short(json.dumps(here, ensure_ascii=False)), f"JSON {walked}")


def _line(text: str, locator: str, printed: str | None) -> Excerpt | None:
    match = _LINE.search(locator)
    if match is None:
        return None
    lines = text.splitlines()
    number = int(match[1])
    # A sheet's row numbers count from the row under the header.
    index = number if "row " in locator else number - 1
    if index >= len(lines) or index < 0 or (printed and printed not in lines[index]):
        return None
    return Excerpt(_short(lines[index]), f"line {index + 1}")


def _found(text: str, printed: str | None) -> Excerpt | None:
    if not printed or (at := text.find(printed)) < 0:
        return None
    around = text[max(0, at - _AROUND) : at + len(printed) + _AROUND]
    return Excerpt(
        _short(" ".join(around.split())),
        f"characters {at}–{at + len(printed)}, first of {text.count(printed)}",
    )


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"
