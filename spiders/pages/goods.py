"""What the archetypes have in common: a good with its quotes, and what a declaration asked for and found."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from catalog.source_model import Locator, PriceColumn, Read, Source, attribute_of
from spiders.pages.locate import Page, by_label, said_by

FACTS = ("card", "vram", "count", "region")
_SOLD_OUT = re.compile(r"(?<!未)(?:售罄|售完|已租完|已租满|无库存|缺货|已下[线架])|sold\s?out", re.I)
_IDLE = re.compile(r"空闲\s*[/／]\s*总[量数]\s*[:：]?\s*(\d{1,5})\s*[/／]\s*(\d{1,5})")
_RAM = re.compile(r"\s*(\d{1,5})\s*(T|G)i?B?\b.*", re.I | re.S)


@dataclass(slots=True)
class Quote:
    """One price of a good as printed. `header`: the words above or beside it; `price`: what the declaration
    says of it; `months`: the period where a script says it."""

    text: str
    header: str = ""
    price: PriceColumn | None = None
    months: str | None = None
    locator: str = ""


@dataclass(slots=True)
class Good:
    """One good of a page. `card` None: the price text names it; "": its field is empty."""

    locator: str
    card: str | None = None
    vram: str | None = None
    count: str | None = None
    region: str | None = None
    ram: str | None = None
    sold_out: bool = False
    stock: tuple[int, int] | None = None
    quotes: list[Quote] = field(default_factory=list)
    rest: tuple[str, ...] = ()  # cells that the declaration does not ask for, for telling like goods apart
    sku: str | None = None


@dataclass(slots=True)
class Reading:
    """What was read of one page. `asked` and `found` are keys of the declaration (`read.card`); `near`: what
    stands there instead."""

    goods: list[Good] = field(default_factory=list)
    asked: dict[str, str] = field(default_factory=dict)
    found: set[str] = field(default_factory=set)
    near: str = ""
    skipped: dict[str, int] = field(default_factory=dict)
    broken: list[tuple[str, str, str]] = field(default_factory=list)  # field, expected, found

    def skip(self, what: str) -> None:
        """Count a row that is no good."""
        self.skipped[what] = self.skipped.get(what, 0) + 1

    def look(self, key: str, wanted: str, found: bool) -> None:
        """Note that `wanted` was looked for, and whether it was there."""
        self.asked[key] = wanted
        if found:
            self.found.add(key)


Reader = Callable[[Page, Source, Read, Reading], None]


def wanted(locator: Locator | PriceColumn) -> str:
    """A locator in words."""
    parts = [
        f"{name} {value!r}"
        for name in ("column", "row", "label", "css")
        if (value := getattr(locator, name, None)) is not None
    ]
    return " in ".join(parts)


def key_of(number: int) -> str:
    """The key of the n-th price of a declaration."""
    return f"read.price[{number}]"


def fact(
    locator: Locator | None, page: Page, box: Any, reading: Reading, key: str, *, inside: bool = False
) -> str | None:
    """The text of a fact that stands in a box or on the page; None where it does not. With `inside`, a label
    is looked for in the box alone."""
    if locator is None:
        return None
    if locator.text is not None:
        return locator.text
    text = _text(locator, page, box, inside)
    reading.look(key, wanted(locator), text is not None)
    return text


def _text(locator: Locator, page: Page, box: Any, inside: bool) -> str | None:
    label = locator.label if locator.label is not None else locator.column
    if locator.css is not None:
        for element in page.by_css(locator.css, box):
            if label is None and (text := said_by(element, locator.css)):
                return text
            if label is not None and (hit := by_label(label, element)):
                return hit[0]
        return None
    if label is None:
        return None
    hit = by_label(label, box) if box is not None else None
    if hit is None and not (inside and box is not None):
        hit = by_label(label, page.root)
    return hit[0] if hit else None


def facts(good: Good, read: Read, page: Page, box: Any, reading: Reading) -> Good:
    """Fill card, memory, count and region of a good from a box and its page."""
    for name in FACTS:
        text = fact(getattr(read, name), page, box, reading, f"read.{name}", inside=name != "region")
        if getattr(read, name) is not None:
            setattr(good, name, text if text is not None else ("" if name == "card" else None))
    return good


def priced(read: Read, page: Page, box: Any, reading: Reading, at: str) -> Iterator[Quote]:
    """The quotes of the price locators in a box (None: on the page)."""
    for number, price in enumerate(read.price):
        quotes = list(_quotes(price, page, box, f"{at}/price={number}"))
        reading.look(key_of(number), wanted(price), bool(quotes))
        yield from quotes


def _quotes(price: PriceColumn, page: Page, box: Any, at: str) -> Iterator[Quote]:
    label = price.label or price.column or price.row
    scope = page.root if box is None else box
    if price.css is None:
        if label is not None and (hit := by_label(label, scope)):
            yield Quote(hit[0], hit[2], price, locator=at)
        return
    css, _ = attribute_of(price.css)
    elements = page.by_css(css, box) if box is not None else page.found(css)
    for number, element in enumerate(elements):
        if label is None:
            said = said_by(element, price.css)
            yield Quote(said, "", price, locator=f"{at}/{number}" if number else at)
        elif hit := by_label(label, element):
            yield Quote(hit[0], hit[2], price, locator=at)


def stock(good: Good, text: str) -> Good:
    """What the words of a row say of its stock."""
    good.sold_out = bool(_SOLD_OUT.search(text))
    if found := _IDLE.search(text):
        good.stock = int(found[1]), int(found[2])
    return good


def memory_of_machine(text: str | None) -> str | None:
    """GB of a cell under 内存; None where it is no size."""
    found = _RAM.fullmatch(text or "")
    return None if found is None else str(int(found[1]) * (1024 if found[2].upper() == "T" else 1))
