"""Names that no table of cards knows: makers' brands before a model number, processors, instance types."""

from __future__ import annotations

import re
from typing import Final

from pipeline.reading.price.amounts import Reader
from pipeline.reading.price.found import Scan
from pipeline.reading.price.lexer import FRACTION, NUMBER

_BRANDS: Final = frozenset(("gt", "gtx", "rtx", "quadro", "radeon", "rx", "tesla", "geforce"))
_PROCESSOR: Final = re.compile(r"e[357]-?[0-9]{4}|i[3579]-?[0-9]{4,5}|xeon|epyc|ryzen")
_SIZES: Final = ("large", "small", "medium")  # of instance types


def unknown_name(found: Scan, reader: Reader, i: int) -> None:
    """Note in `found` what the unknown name at token `i` is, if it is one of these."""
    token = reader.tokens[i]
    if token.value in _BRANDS:
        found.flags.setdefault("gpu", i)
        if i + 1 < reader.n:
            _model(found, reader, i + 1)
    elif _PROCESSOR.match(token.value):
        found.flags.setdefault("processor", i)
    elif any(size in token.value for size in _SIZES):
        found.skus.append(found.text[token.start : token.end])


def _model(found: Scan, reader: Reader, i: int) -> None:
    """`GT 710/730`: a card that the catalog does not know, or several."""
    token = reader.tokens[i]
    if token.kind == FRACTION:
        found.models += 2
    elif token.kind == NUMBER:
        found.models += 1
        if reader.sign(i + 1, "/、") and reader.kind(i + 2) == NUMBER:
            found.models += 1
