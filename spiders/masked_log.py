"""Logs without secrets: credentials, hidden values and the queries of signed addresses are masked in every
record. This module imports no Scrapy.
"""

from __future__ import annotations

import logging
import re
from typing import Any

_SIGNED = re.compile(
    r"\?[^\s\"'<>?]*?(?<=[?&])(?:sig|signature|x-amz-signature|token|password)=[^\s\"'<>)]+", re.I
)
_MIN = 4
_hidden: set[str] = set()
_plain = logging.getLogRecordFactory()


def hide(value: str) -> None:
    """A value that no later record may show."""
    if len(value) >= _MIN:
        _hidden.add(value)


def mask(text: str) -> str:
    """`text` without what must not be seen."""
    for value in _hidden:
        text = text.replace(value, "[redacted]")
    return _SIGNED.sub("?[redacted]", text)


def install() -> None:
    """Mask the records of this process from now on (levels that are not logged cost nothing)."""
    logging.setLogRecordFactory(_record)


def _record(*args: Any, **more: Any) -> logging.LogRecord:
    record = _plain(*args, **more)
    said = record.getMessage()
    shown = mask(said)
    if shown != said:
        record.msg, record.args = shown, ()
    return record
