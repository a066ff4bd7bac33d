"""A first provider file: its lines, every guess marked (`# REVIEW`), and the words they are made of.

A person reads the file beside the page before it is used.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from catalog.regions import regions
from spiders.textio import visible_text

REVIEW = "# REVIEW"
_PERIODS = (
    ("半年", "元/半年"), ("季", "元/季"), ("月", "元/月"), ("年", "元/年"), ("周", "元/周"), ("天", "元/天"),
    ("日", "元/天"), ("时", "元/小时"), ("按量", "元/小时"),
)  # fmt: skip
_PRICED_ALREADY = ("text", "select_period", "script_price")
_NO_PRICE = [f'column = "?"  {REVIEW}: no price was found', f'unit = "元/月"  {REVIEW}']


@dataclass
class Draft:
    """Lines of `[source]` and `[read]`; `notes`: what a person must look at. `archetype` "": none was
    found."""

    archetype: str = ""
    source: list[str] = field(default_factory=list)
    read: list[str] = field(default_factory=list)
    prices: list[list[str]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def toml(made: Draft, slug: str, url: str, today: str, *, browser: bool = False) -> str:
    """The provider file of a draft, every guess marked."""
    parts = urlsplit(url)
    archetype = made.archetype or "table"
    out = [
        f"# A draft from {url}, {today}. Every line marked {REVIEW} is a guess: read it beside the page.",
        *(f"# ! {note}" for note in made.notes),
        f'slug = "{slug}"',
        f"name = {quoted(slug)}  {REVIEW}: the seller's name",
        'class = "idc"',
        f'homepage = "{parts.scheme}://{parts.netloc}"',
        f'status = "active"  {REVIEW}: terms and robots.txt read?',
        "",
        "[source]",
        f'archetype = "{archetype}"  {REVIEW}',
    ]
    if archetype == "shop":
        out += [f'origin = "{parts.scheme}://{parts.netloc}"', "products = []"]
    else:
        out += [
            f"pages = [{quoted(url)}]  {REVIEW}: all pages with prices",
            *(["browser = true"] if browser else []),
            *made.source,
        ]
        out += ["", "[read]", *made.read, f'tax = "unknown"  {REVIEW}: included | excluded']
        for price in made.prices or ([] if archetype in _PRICED_ALREADY else [_NO_PRICE]):
            out += ["", "[[read.price]]", *price]
    return "\n".join(out) + "\n"


def quoted(text: str) -> str:
    """A TOML string."""
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", " ") + '"'


def css_of(element: Any, root: Any) -> str:
    """A short CSS expression for an element: its id, its class, or its place under one that has either."""
    if element.get("id"):
        return (
            f"{element.tag}#{element.get('id')}"
            if re.fullmatch(r"[\w-]+", element.get("id"))
            else element.tag
        )
    names = [
        name for name in (element.get("class") or "").split() if re.fullmatch(r"-?[A-Za-z_][\w-]*", name)
    ]
    if names:
        return f"{element.tag}.{names[0]}"
    above = element.getparent()
    if above is None or above.tag in ("body", "html"):
        return str(element.tag)
    return f"{css_of(above, root)} > {element.tag}"


def region_of(root: Any, box: Any = None) -> list[str]:
    """Where the place seems to stand: a heading or a short element that names a city, never the prose."""
    scopes: list[Any] = [] if box is None else [box]
    for scope in (*scopes, root):
        for element in _short(scope):
            if any(name in visible_text(element) for name in _cities()):
                return [f"region = {{ css = {quoted(css_of(element, root))} }}  {REVIEW}"]
    return [f'# region = {{ text = "…" }}  {REVIEW}: no place found; never take it from the prose']


def _short(scope: Any) -> Iterator[Any]:
    """Headings first, then elements with a class and a few words."""
    yield from (e for e in scope.iter("h1", "h2", "h3", "h4") if visible_text(e))
    for element in scope.iter("p", "span", "div", "td"):
        if element.get("class") and 0 < len(visible_text(element)) <= 16 and len(element) == 0:
            yield element


def _cities() -> frozenset[str]:
    return frozenset(
        r.short for r in regions().values() if r.level in ("city", "province") and len(r.short) > 1
    )


def basis_of(root: Any) -> str:
    text = visible_text(root)
    single = re.search(r"单卡|/\s*卡|卡时|每卡", text) and not re.search(r"[*×xX]\s*[248](?!\d)", text)
    return (
        f'basis = "{"card" if single else "server"}"  {REVIEW}: what one amount pays for, a card or a machine'
    )


def unit_of(head: str, cells: list[str]) -> str:
    """The unit line of a price, from its head, else from its cells."""
    for text in (head, *cells):
        for word, unit in _PERIODS:
            if word in text:
                unit = unit.replace("元", "万元") if text is head and "万元" in head else unit
                return f'unit = "{unit}"  {REVIEW}: yuan? per machine or card?'
    return f'unit = ""  {REVIEW}: the page says no period; without one every price is refused'
