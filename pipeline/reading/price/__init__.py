"""The price reader: one grammar for price texts as Chinese pages write them.

`read` turns a cell and its context into an offer or a reason. Three stages: normalise (spelling), lex
(tokens), decide (with context). It never raises and its time grows linearly with the text.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from catalog.card_index import index
from pipeline.reading import card as card_reader
from pipeline.reading import markup
from pipeline.reading.normalise import normalise
from pipeline.reading.price.cell import Cell
from pipeline.reading.price.decide import decide
from pipeline.reading.price.found import Scan
from pipeline.reading.price.lexer import lex
from pipeline.reading.price.lines import lines, unpaired
from pipeline.reading.price.model import Money, PriceReading, PriceReject
from pipeline.reading.price.scan import scan
from pipeline.reading.price.shop_json import shop_json
from pipeline.reading.price.words import vocabulary

__all__ = ["Money", "PriceReading", "PriceReject", "read"]

_REPEATED: Final = 65_536  # most of a crawl repeats; entries, not bytes
_LONGEST_KEPT: Final = 2_000  # characters of a text that may be remembered
_CONTEXTS: Final = 4_096


def read(
    text: str,
    context: str = "",
    provider: str | None = None,
    *,
    currency_hint: str | None = None,
    mode_hint: str | None = None,
) -> PriceReading | PriceReject:
    """Read one price cell. Never raises for any text.

    `context`: headings, header cells and row labels around the cell, ` | ` between. `provider`: a slug of the
    catalog; its own meanings of card names apply. `currency_hint`: ISO code of the page's currency, used only
    where the cell and its column name none. `mode_hint`: a billing mode that the source states apart.
    """
    if len(text) + len(context) > _LONGEST_KEPT:
        return _read(text, context, provider, currency_hint, mode_hint)
    return _remembered(text, context, provider, currency_hint, mode_hint)


def _read(
    text: str, context: str, provider: str | None, currency_hint: str | None, mode_hint: str | None
) -> PriceReading | PriceReject:
    plain = markup.strip(shop_json(text))
    around = _context(context, provider) if len(context) <= _LONGEST_KEPT else _context_of(context, provider)
    own = _scan(normalise(plain.text), provider)
    if own.bare and (parted := lines(text)):
        each = [_scan(normalise(one), provider) for one in parted]
        if unpaired(each, own, around[0]):
            return PriceReject("multiple_offers")
    return decide(
        Cell(
            text=own,
            context=around[0],
            siblings=around[1],
            provider=provider,
            currency_hint=currency_hint,
            mode_hint=mode_hint,
            struck=plain.struck or around[2],
            image=plain.image or around[3],
        )
    )


_remembered = lru_cache(maxsize=_REPEATED)(_read)


# Letters are worth a search for cards; digits and Chinese words only where a name starts with them.
_LETTERS: Final = re.compile(r"[A-Za-z] ?[A-Za-z0-9]")


def _may_name(text: str, provider: str | None) -> bool:
    if _LETTERS.search(text):
        return True
    numbers, words, firsts = _starts(provider)
    if numbers.search(text):
        return True
    return not firsts.isdisjoint(text) and words.search(text) is not None


@lru_cache(maxsize=64)
def _starts(provider: str | None) -> tuple[re.Pattern[str], re.Pattern[str], frozenset[str]]:
    """Numbers and Chinese words that a card's name starts with, and the first characters of the words."""
    starts = sorted(index(provider).edges)
    words = [word for word in starts if not word.isascii()]
    numbers = "|".join(word for word in starts if word.isascii() and word.isdigit())
    return re.compile(numbers), re.compile("|".join(words)), frozenset(word[0] for word in words)


def _scan(text: str, provider: str | None, *, context: bool = False) -> Scan:
    found = card_reader.find(text, provider) if _may_name(text, provider) else []
    # A CPU's name is no card; the words around it (无卡模式) are left to the vocabulary.
    hits = [hit for hit in found if hit.kind != "cpu"]
    return scan(text, lex(text, hits), hits, context=context)


_NOTHING: Final = Scan("", (), ())


def _context_of(context: str, provider: str | None) -> tuple[Scan, Scan, bool, bool]:
    plain = markup.strip(context)
    main, siblings = _split_siblings(normalise(plain.text))
    return (
        _scan(main, provider, context=True),
        _scan(siblings, provider) if siblings else _NOTHING,
        plain.struck,
        plain.image,
    )


_context = lru_cache(maxsize=_CONTEXTS)(_context_of)


def _split_siblings(context: str) -> tuple[str, str]:
    """Parts of a context that tell of other cells of the row or column (`（同一行：单卡月租3000元）`)."""
    pattern = _siblings()
    if not pattern.search(context):
        return context, ""
    kept: list[str] = []
    apart: list[str] = []
    for part in re.split(r"([()|])", context):
        match = pattern.search(part)
        if match is None or not part[match.end() :].strip(" :"):
            kept.append(part)  # a header such as 列表价(元/时) tells of no other cell
            continue
        kept.append(part[: match.start()])
        apart.append(part[match.start() :])
    return "".join(kept), " | ".join(apart)


@lru_cache(maxsize=1)
def _siblings() -> re.Pattern[str]:
    words = [word for word, tags in vocabulary().items() if "sibling" in tags or "column" in tags]
    return re.compile("|".join(map(re.escape, sorted(words, key=len, reverse=True))))
