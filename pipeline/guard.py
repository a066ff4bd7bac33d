"""Text cells of CSV files that a spreadsheet would run as a formula get an apostrophe before them, and lose
it again when a sheet is read. Numbers are left alone.

A cell is run when it begins with `=`, `+`, `-`, `@` (full-width ones too), a tab or a line end; a text that
already has apostrophes before one of these gets one more, so that reading gives back what was written.
"""

from __future__ import annotations

import re

STARTS = "'*[=+\\-@\\t\\r\\n＝＋－＠]"
"""What a text begins with that must be guarded: a regular expression that Python and DuckDB read alike."""
NUMBER = "[+-]?[0-9]+([.][0-9]+)?"
"""A plain number, which is none of them."""
_STARTS, _NUMBER = re.compile(STARTS), re.compile(NUMBER)


def guarded(text: str) -> str:
    """The text as a cell that no spreadsheet runs."""
    return "'" + text if _STARTS.match(text) and not _NUMBER.fullmatch(text) else text


def unguarded(text: str) -> str:
    """What `guarded` was given."""
    return text[1:] if text.startswith("'") and _STARTS.match(text) else text


def guarded_sql(column: str) -> str:
    """`guarded` of a VARCHAR expression, in SQL."""
    starts, number = (pattern.replace("'", "''") for pattern in (f"^{STARTS}", f"^{NUMBER}$"))
    return (
        f"CASE WHEN regexp_matches({column}, '{starts}') AND NOT regexp_matches({column}, '{number}')"
        f" THEN '''' || {column} ELSE {column} END"
    )
