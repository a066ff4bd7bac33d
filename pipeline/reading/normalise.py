"""One spelling for what pages write in many: entities, widths, dashes, signs, traditional characters.

Every reader of `pipeline.reading` works on `normalise(text)`; positions (`CardHit.start`) are in it.
"""

from __future__ import annotations

import html
import re
import unicodedata
from typing import Final

from catalog.table import rows

_UNESCAPES: Final = 3  # copies of copies escape twice (`&amp;#xff1a;`); more is hostile, not text
# Spam copies lose the ampersand: `#xff1a;`, `Vff0c;`.
_BARE_HEX: Final = re.compile(r"#x([0-9a-fA-F]{2,5});|V(ff[0-9a-fA-F]{2});")
_BARE_DEC: Final = re.compile(r"(?<![&\w])#([0-9]{2,6});")
# A full-width comma separates; between full-width digits or behind a currency sign it groups thousands.
_WIDE_GROUP: Final = re.compile(r"(?<=[０-９])，(?=[０-９]{3}(?![０-９]))")
_SIGNED_GROUP: Final = re.compile(
    r"(?<=[¥￥$][0-9])，(?=[0-9]{3}(?![0-9]|-[0-9]{3}-))|(?<=[¥￥$][0-9]{2})，(?=[0-9]{3}(?![0-9]|-[0-9]{3}-))"
)
# Markdown escapes (`8\\*H100`), and a backslash used as a multiplication sign (`8\\H100`).
_ESCAPED: Final = re.compile(r"\\(?=[*#_~|<>()+.!\[\]-])")
_BACKSLASH_TIMES: Final = re.compile(r"(?<=[0-9]) ?\\ ?(?=[A-Za-z0-9])")
# AutoDL4090, AutoDL1052元/月: a seller's name ends where the card or the price begins.
_GLUED_NAME: Final = re.compile(
    "(?<![a-z])(?:"
    + "|".join(row["words"].replace(" ", "|") for row in rows("price_words.csv") if row["tag"] == "seller")
    + ")(?=[0-9]|[a-z]{1,4}[0-9])",
    re.IGNORECASE,
)
_MAY_BE_GLUED: Final = re.compile("[A-Za-z]{4}[0-9]")  # the quick look first: few texts have it
_CACHED: Final = 20_000  # code points remembered; a hostile text must not fill the memory


def _table() -> dict[int, str]:
    table = {ord(row["from"]): row["to"] for row in rows("characters.csv")}
    table[ord("，")] = ", "  # it separates; a comma without a space may group thousands
    return table


class _Characters(dict[int, str]):
    """Code point → replacement, filled on demand; the argument of `str.translate`."""

    def __missing__(self, code: int) -> str:
        value = _replacement(chr(code))
        if len(self) < _CACHED:
            self[code] = value
        return value


def _replacement(char: str) -> str:
    category = unicodedata.category(char)
    if category[0] == "Z" or char in "\t\n\r\f\v":
        return " "
    if category in {"Cc", "Cf"}:
        return ""  # zero-width marks, byte order marks, direction marks
    folded = unicodedata.normalize("NFKC", char)
    if folded == char:
        return char
    decomposition = unicodedata.decomposition(char)
    # A footnote mark or a numbered bullet must not become a digit of the price beside it.
    if decomposition.startswith(("<super>", "<sub>", "<circle>")) and not char.isalpha():
        return " "
    if decomposition.startswith("<fraction>"):
        return folded.replace("\u2044", "/")
    return folded


_CHARACTERS: Final = _Characters(_table())


def normalise(text: str) -> str:
    """`text` in the spelling that the readers expect. Never raises; time grows linearly with the text.

    Entities are resolved (also escaped twice or without `&`), full-width and compatibility forms folded,
    every dash becomes `-`, every tilde `~`, every multiplication sign `×`, `￥` becomes `¥`, traditional
    characters simplified ones; zero-width characters vanish, runs of white space become one space.
    Markup is left alone (`pipeline.reading.markup` strips it).
    """
    if "\\" in text:
        text = _BACKSLASH_TIMES.sub("×", _ESCAPED.sub("", text))
    if "`" in text:
        text = text.replace("`", "")
    if _MAY_BE_GLUED.search(text):
        text = _GLUED_NAME.sub(r"\g<0> ", text)
    if text.isascii() and "&" not in text and "#" not in text:
        return " ".join(_ascii_controls(text).split())
    if "&" in text:
        for _ in range(_UNESCAPES):
            plain = html.unescape(text)
            if plain == text:
                break
            text = plain
    if ";" in text:
        text = _BARE_HEX.sub(lambda m: _char(int(m[1] or m[2], 16)), text)
        text = _BARE_DEC.sub(lambda m: _char(int(m[1])), text)
    if "，" in text:
        text = _SIGNED_GROUP.sub(",", _WIDE_GROUP.sub(",", text))
    return " ".join(text.translate(_CHARACTERS).split())


def _ascii_controls(text: str) -> str:
    return text if text.isprintable() else text.translate(_CHARACTERS)


def _char(code: int) -> str:
    return chr(code) if code < 0x110000 and not 0xD800 <= code < 0xE000 else " "
