"""Goods of a page → fields of listings: what is printed, with the declaration's words beside it."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from catalog.source_model import Read, Source
from spiders.pages import boxes, lines, tables
from spiders.pages.goods import Good, Quote, Reader, Reading
from spiders.pages.locate import Page
from spiders.shape import memory

READERS: Mapping[str, Reader] = {
    "table": tables.read_table,
    "div_table": tables.read_div_table,
    "cards": boxes.read_cards,
    "script_price": boxes.read_script_price,
    "per_sku_pages": boxes.read_sku_page,
    "text": lines.read_text,
    "select_period": lines.read_select_period,
}
_BOXED = frozenset(("cards", "script_price", "div_table"))
_BASIS_IN_UNIT = re.compile(r"卡|张|块|颗|台|机|套|GPU|server|card|device", re.I)
_CARD_IN_UNIT = re.compile(r"\s*(?:每|单)?(?:卡|张|块|颗|GPU|card)\s*(?:小?时|[天日周月年])?\s*", re.I)
_IN_WAN = re.compile(r"[（(\[【/／:：]\s*(?:单位\s*[:：]?\s*)?(?:人民币)?\s*万元?\s*(?:[/／]|[）)\]】]|$)")
_BASIS_WORD = {"card": "卡", "server": "台"}
# A declared mode with a length of its own is a commitment, whatever the amount is quoted for.
_TERM = {"daily": "1 day", "weekly": "1 week", "monthly": "1 month", "yearly": "1 year"}


def read_page(root: Any, source: Source, read: Read) -> Reading:
    """All goods of a document (`document.document`)."""
    page = Page(root)
    if source.archetype in _BOXED:
        page.boxes = frozenset(page.found(source.rows))
    reading = Reading()
    READERS[source.archetype or ""](page, source, read, reading)
    _tell_apart(reading.goods)
    return reading


def _tell_apart(goods: list[Good]) -> None:
    """Like goods of one page at different prices are different goods: the cells nobody asked for name
    them."""
    like: dict[tuple[Any, ...], list[Good]] = defaultdict(list)
    for good in goods:
        like[good.card, good.vram, good.count, good.region, good.ram].append(good)
    for group in like.values():
        by_price: dict[tuple[str, ...], Good] = {}
        for good in group:
            by_price.setdefault(tuple(quote.text for quote in good.quotes), good)
        if len(by_price) < 2 or len({good.rest for good in by_price.values()}) < len(by_price):
            continue
        width = min(len(good.rest) for good in group)
        differ = [n for n in range(width) if len({good.rest[n] for good in by_price.values()}) > 1]
        for good in group:
            first = by_price[tuple(quote.text for quote in good.quotes)]
            good.sku = " / ".join(first.rest[n] for n in differ if first.rest[n]) or None


def fields(good: Good, quote: Quote, read: Read) -> dict[str, Any]:
    """The fields of a listing for one price of a good."""
    basis = _basis(quote, read)
    idle, total = good.stock or (None, None)
    given: dict[str, Any] = {
        "price_text": quote.text,
        "context": _context(quote, basis),
        "basis": basis,
        "card_text": good.card,
        **memory("vram", good.vram),
        "count_text": good.count,
        "region_text": good.region,
        "sku": good.sku,
        "tax": None if read.tax == "unknown" else read.tax,
        "ram_text": good.ram,
        "ram_unit": "GB" if good.ram else None,
        "status": "sold_out" if good.sold_out else None,
        "stock_idle": idle,
        "stock_total": total,
    }
    if quote.months is not None and re.fullmatch(r"[1-9]\d{0,2}", quote.months):
        count = "" if quote.months == "1" else f"{quote.months} "
        given |= {"unit": f"CNY/{basis or 'server'}/{count}month", "context": ""}
    if quote.price is not None and quote.price.mode:
        mode = quote.price.mode
        given |= {"mode": mode, "mode_fixed": True, "term_text": _TERM.get(mode)}
    return given


def _basis(quote: Quote, read: Read) -> str | None:
    """What one amount pays for: as the price's own unit says (`元/卡/月`), else as declared for all."""
    parts = re.split(r"[/／]", quote.price.unit if quote.price else "")
    said = {
        "card" if _CARD_IN_UNIT.fullmatch(part) else "server" for part in parts if _BASIS_IN_UNIT.search(part)
    }
    return said.pop() if read.basis and len(said) == 1 else read.basis or None


def _context(quote: Quote, basis: str | None) -> str:
    """Header and declared unit; the last that names a period is the one that counts."""
    unit = quote.price.unit if quote.price else ""
    if _IN_WAN.search(quote.header) and "万" not in unit:
        unit = unit.replace("元", "万元", 1)  # the page says so above every price
    if unit and basis and not _BASIS_IN_UNIT.search(unit) and "/" in unit:
        unit = unit.replace("/", f"/{_BASIS_WORD[basis]}/", 1)
    return " | ".join(filter(None, (quote.header, unit)))


def listed(reading: Reading, read: Read, make: Callable[..., Any], *, article: bool = False) -> Iterator[Any]:
    """Listings of all goods; `make(locator, **fields)` fills in where they stand. Those of an article say so:
    they are never offers."""
    for good in reading.goods:
        for quote in good.quotes:
            given = fields(good, quote, read)
            if article:
                given["trust"] = "article"
            yield make(quote.locator or good.locator, **given)
