"""Archetypes `cards` and `script_price` (a box a good), `per_sku_pages` (a page a good)."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from catalog.source_model import Read, Source
from spiders.pages.goods import Good, Quote, Reading, facts, memory_of_machine, priced, stock
from spiders.pages.locate import Page, by_label, cell_text, names
from spiders.pages.tables import RAM
from spiders.tables import select
from spiders.textio import visible_lines, visible_text

_JSON = re.compile(r"\{[^{}]*\}")
_MONEY = re.compile(
    r"[￥¥$元]|/\s*(?:小?时|天|日|周|月|季|年|h\b)|面议|电询|询价|咨询|在线购买|登[录陆]|暂无|NaN"
)
_ZERO = re.compile(r"0*(?:\.0*)?")


def read_cards(page: Page, source: Source, read: Read, reading: Reading) -> None:
    """Card boxes. Without a price locator, the lines of a box that speak of money are its prices."""
    for number, box in enumerate(_boxes(page)):
        at = f"card={number}"
        good = facts(Good(at), read, page, box, reading)
        good.quotes = (
            list(priced(read, page, box, reading, at)) if read.price else list(_lines(box, good, at))
        )
        if not visible_text(box):
            reading.skip("empty box")
            continue
        if not good.quotes:
            good.quotes = [Quote("", locator=at)]
        reading.goods.append(stock(_with_ram(good, box), visible_text(box)))


def _boxes(page: Page) -> list[Any]:
    """The outermost of the boxes that were selected."""
    return [
        b
        for b in sorted(page.boxes, key=page.order.__getitem__)
        if not page.boxes.intersection(b.iterancestors())
    ]


def _lines(box: Any, good: Good, at: str) -> Iterator[Quote]:
    for number, line in enumerate(visible_lines(box)):
        if line != good.card and _MONEY.search(line):
            yield Quote(line, locator=f"{at}/line={number}")


def _with_ram(good: Good, box: Any) -> Good:
    hit = by_label(RAM, box)
    good.ram = memory_of_machine(hit[0]) if hit and names(hit[2], RAM) else None
    return good


def read_script_price(page: Page, source: Source, read: Read, reading: Reading) -> None:
    """Row boxes whose price is written by `getPrice(JSON …)`: the argument says prices and periods."""
    scripts = 0
    for number, box in enumerate(_boxes(page)):
        at = f"row={number}"
        good = facts(Good(at), read, page, box, reading)
        found = select(box, read.price_css)
        scripts += len(found)
        for n, element in enumerate(found):
            good.quotes += list(_scripted(element, reading, f"{at}/script={n}"))
        if not found:
            # No script but words in its place: 面议.
            outer = select(box, read.price_css.rpartition(" ")[0]) if " " in read.price_css.strip() else []
            good.quotes = [Quote(cell_text(e), locator=at) for e in outer[:1]] or [Quote("", locator=at)]
        reading.goods.append(stock(_with_ram(good, box), visible_text(box)))
    reading.look("read.price_css", f"css {read.price_css!r}", scripts > 0)


def _scripted(element: Any, reading: Reading, at: str) -> Iterator[Quote]:
    text = element.text_content() if element.tag == "script" else _script_text(element)
    arguments = _argument(text)
    if arguments is None:
        reading.broken.append(
            ("read.price_css", "JSON with cprice and cycle", text.strip()[:80] or "nothing")
        )
        return
    said = str(arguments.get("pricedes") or "").strip()
    if said:
        yield Quote(said, locator=at)
        return
    prices = [part.strip() for part in str(arguments["cprice"]).split(",")]
    cycles = [part.strip() for part in str(arguments["cycle"]).split(",")]
    pairs = [
        (p, cycles[n] if n < len(cycles) else "")
        for n, p in enumerate(prices)
        if p and not _ZERO.fullmatch(p)
    ]
    if not pairs:
        yield Quote("", locator=at)
    for n, (price, cycle) in enumerate(pairs):
        yield Quote(price, months=cycle, locator=f"{at}/{n}")


def _script_text(element: Any) -> str:
    return " ".join(script.text_content() for script in element.iter("script"))


def _argument(text: str) -> dict[str, Any] | None:
    """The JSON object with `cprice` and `cycle` among a script's arguments."""
    for found in _JSON.findall(text):
        for raw in (found, found.replace('\\"', '"'), found.replace("'", '"')):
            try:
                value = json.loads(raw)
            except ValueError:
                continue
            if isinstance(value, dict) and "cprice" in value and "cycle" in value:
                return value
    return None


def read_sku_page(page: Page, source: Source, read: Read, reading: Reading) -> None:
    """A page of one good: labels, or CSS."""
    good = facts(Good("page"), read, page, None, reading)
    good.quotes = list(priced(read, page, None, reading, "page"))
    hit = by_label(RAM, page.root)
    good.ram = memory_of_machine(hit[0]) if hit else None
    if good.card or good.quotes:
        reading.goods.append(good)
