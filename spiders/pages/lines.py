"""Archetypes `text` (one good a line) and `select_period` (one good a page, a period a choice)."""

from __future__ import annotations

import re
from functools import cache

from catalog.source_model import Read, Source
from catalog.table import rows
from spiders.pages.goods import Good, Quote, Reading, facts, stock
from spiders.pages.locate import Page, cell_text
from spiders.textio import visible_lines

_PRICE = re.compile(r"\d[\d,.]*\s*万?\s*(?:元|/\s*(?:小?时|天|日|周|月|季|年|台|卡|h\b))|[￥¥$]\s*\d|\d\s*万")
# A choice that begins with its period and no number: `半年8700元`.
_LEAD = re.compile(r"(半年|季(?=度|[^付])|月(?=[^付])|年(?=[^付])|周(?=[^付]))")
_CHOOSE = re.compile(r"(?:请)?选择.{0,6}|-+|")


def read_text(page: Page, source: Source, read: Read, reading: Reading) -> None:
    """Every visible line of the selected elements that names a card or quotes a price."""
    outer = page.found(source.lines)
    chosen = set(outer)
    number = 0
    for element in outer:
        if any(above in chosen for above in element.iterancestors()):
            continue
        for line in visible_lines(element):
            number += 1
            if not (re.search(r"\d", line) and (_PRICE.search(line) or card_words().search(line.upper()))):
                reading.skip("line without a good")
                continue
            at = f"line={number}"
            good = Good(at, quotes=[Quote(line, locator=at)])
            if read.region is not None or read.card is not None:
                facts(good, read, page, None, reading)
                good.card = good.card or None
            reading.goods.append(stock(good, line))


@cache
def card_words() -> re.Pattern[str]:
    """Any card name of the catalog as a whole word, in capitals; the pipeline decides what the line means."""
    words = sorted({row["alias"].upper() for row in rows("card_aliases.csv")}, key=len, reverse=True)
    spelt = (r"[ \-_]?".join(map(re.escape, re.split(r"[ \-_]+", word))) for word in words)
    return re.compile(rf"(?<![A-Z0-9])(?:\d+X)?(?:{'|'.join(spelt)})(?![A-Z0-9])")


def read_select_period(page: Page, source: Source, read: Read, reading: Reading) -> None:
    """The choices of period: each is a price cell of the page's good."""
    good = facts(Good("page"), read, page, None, reading)
    for number, element in enumerate(page.found(source.options)):
        text = cell_text(element)
        if not _CHOOSE.fullmatch(text.strip()) or element.tag != "option":
            lead = _LEAD.match(text.strip())
            header = f"{lead[1]}付" if lead else ""
            good.quotes.append(Quote(text, header, locator=f"option={number}"))
    reading.look("source.options", f"css {source.options!r}", bool(good.quotes))
    if good.quotes:
        reading.goods.append(good)
