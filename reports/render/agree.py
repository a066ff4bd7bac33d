"""Do the parts of an issue agree? Sentences against tables, HTML against text, both against the data."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from decimal import Decimal
from typing import Any

from reports.render import figures
from reports.render.visible import amounts, html_links, html_text, numbers
from reports.render.words import Words, choices

SECTIONS = (
    *("fit.title", "chart.title", "mover.title", "region.title", "exclusion.title", "mark.title"),
    *("held.title", "source.title", "correction.title", "method.title"),
)
# What mail clients drop, clip or refuse to show, and what a template leaves when it was not filled.
_FORBIDDEN = {
    "a style element": r"<style",
    "a script": r"<script|\son[a-z]+=",
    "SVG": r"<svg|\.svg\b",
    "a data URI": r"(?:src|href|url)\s*[=(]\s*[\"']?data:",
    "a class": r"\sclass=",
    "a web font": r"@font-face|<link",
    "an unfilled placeholder": r"\{\{|\}\}|\{%|%\}|\{[a-z_]+\}",
}
# A number with decimals; a version or a date is none.
_FIGURE = re.compile(r"(?<![\d.-])\d[\d,]*\.\d+(?![\d.-])")
_EMPTY = re.compile(r"\b(?:None|nan|NaN|inf|undefined)\b")


def disagreements(lang: str, html: str, text: str, data: Mapping[str, Any]) -> Iterator[str]:
    """Sentences about what is wrong with one language of an issue; none for a good one.

    `data` is the document of report.json with its numbers as Decimal.
    """
    seen = html_text(html)
    yield from _shape(html, seen, text)
    yield from _sections(lang, seen, text, data)
    in_html, in_text = numbers(seen), numbers(text)
    if in_html != in_text:
        odd = ", ".join(sorted(in_html ^ in_text)[:5])
        yield f"numbers differ between the {lang} HTML and its text: {odd}"
    yield from _sentences(lang, seen, text, data)
    known = known_amounts(data)
    for name, part in (("HTML", seen), ("text", text)):
        if wrong := sorted(amounts(part) - known):
            yield f"the {lang} {name} shows {wrong[0]}, which is not in the data"


def _shape(html: str, seen: str, text: str) -> Iterator[str]:
    size, most = len(html.encode()), choices()["html_bytes"]
    if size > most:
        yield f"the HTML has {size} bytes, {most} at most"
    for what, pattern in _FORBIDDEN.items():
        if re.search(pattern, html, re.IGNORECASE):
            yield f"{what} in the HTML"
    for name, part in (("HTML", seen), ("text", text)):
        if found := _EMPTY.search(part):
            yield f"{found[0]!r} stands in the {name}"
    for link in html_links(html):
        if not re.match(r"https://[^\s/]+|mailto:|cid:chart$|chart\.(?:zh|en)\.png$", link):
            yield f"the link {link} is not absolute https"


def _sections(lang: str, seen: str, text: str, data: Mapping[str, Any]) -> Iterator[str]:
    w = Words(lang)
    wanted = [w(key) for key in SECTIONS]
    if data["coverage"]["low"]:
        wanted.append(w("head.low").strip())
    if data["rebuilt"]:
        wanted.append(w("head.rebuilt"))
    for words in wanted:
        for name, part in (("HTML", seen), ("text", text)):
            if words not in part:
                yield f"the {lang} {name} lacks {words!r}"


def _sentences(lang: str, seen: str, text: str, data: Mapping[str, Any]) -> Iterator[str]:
    """The sentences stand in both parts, and every figure in them and in the subject is one of the data."""
    sentences = [*data["sentences"][lang], data["subject"][lang]]
    known = known_figures(data)
    for sentence in sentences:
        if wrong := sorted(set(_FIGURE.findall(sentence)) - known):
            yield f"{wrong[0]} in {sentence!r} is not in the data"
    for sentence in data["sentences"][lang]:
        for name, part in (("HTML", seen), ("text", text)):
            if sentence not in " ".join(part.split()):
                yield f"the {lang} {name} lacks the sentence {sentence!r}"


def known_figures(data: Mapping[str, Any]) -> frozenset[str]:
    """Every figure with decimals that a sentence may have: amounts, index values and changes of the week."""
    cells = [cell for cell in data["cells"] if cell["value"] is not None]
    values = {figures.index_value(Decimal(cell["value"])) for cell in cells}
    links = [Decimal(cell["link"]) for cell in cells if cell["link"] is not None]
    moves = {moved[1:-1] for link in links if (moved := figures.change(link)) is not None}
    return known_amounts(data) | values | moves


def known_amounts(data: Mapping[str, Any]) -> frozenset[str]:
    """Every amount that an issue may show, as it is printed."""
    found: list[Decimal] = []
    for fit in data["fits"]:
        found += [fit["total_cny_p50"], fit["total_cny_p90"], fit["price_cny_per_card_hour"]]
    found += [cell["level"] for cell in data["cells"] if cell["level"] is not None]
    found += [row["price_cny_per_card_hour"] for row in data["held"]]
    revised = (data["revision"] or {}).get("fits", ())
    found += [total for row in revised for total in (row["old"], row["new"])]
    return frozenset(figures.amount(Decimal(value)) for value in found if value is not None)
