"""A page as a reader sees it: what is commented out, struck out or not displayed is taken out of the
document before anything is read.
"""

from __future__ import annotations

import re
from typing import Any

from cssselect import SelectorError
from cssselect import parse as parse_css
from lxml.cssselect import CSSSelector
from lxml.etree import XPathSyntaxError

from spiders.textio import parse_html, visible_text

_GONE = frozenset(("del", "s", "strike", "template", "noscript"))
# A browser says "not visible" of these although they hold what a declaration may ask for.
_NEVER_SHOWN = frozenset(("script", "option", "select", "optgroup", "title", "head", "html", "body"))
_INLINE = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.I)
_COMMENT = re.compile(r"/\*.*?\*/", re.S)
_AT_RULE = re.compile(r"@[^{};]+(?:;|\{(?:[^{}]*\{[^{}]*\})*[^{}]*\})")
_RULE = re.compile(r"([^{}]+)\{([^{}]*)\}")
_DISPLAY = re.compile(r"(?:^|;)\s*(display|visibility)\s*:\s*([a-z-]+)", re.I)
_MOST_RULES = 400  # rules about display in one page; more is no hand-written price page
# Words that stand in a picture in place of a unit: `<strong>980</strong><img alt="元/月">`.
_UNIT_ALT = re.compile(
    r"\s*(?:[￥¥]|万?元)?\s*(?:[/／每]?\s*[卡台]?\s*[/／]?\s*(?:小时|时|天|日|周|个?月|季|半年|年))?\s*"
)


def document(text: str) -> Any:
    """The root of a page's document without what no reader sees. Scripts stay: prices may stand in them."""
    root = parse_html(text)
    hidden = _by_style_sheet(root)
    for element in list(root.iter()):
        if element.getparent() is not None and _is_gone(element, hidden):
            element.drop_tree()
    _pictures(root)
    return root


def _is_gone(element: Any, hidden: set[Any]) -> bool:
    if not isinstance(element.tag, str):
        return True
    if element.tag in _GONE:
        return True
    if element.tag in _NEVER_SHOWN:
        return False
    return (
        element in hidden
        or element.get("hidden") is not None
        or element.get("data-suanjia-hidden") is not None
        or bool(_INLINE.search(element.get("style") or ""))
    )


def _by_style_sheet(root: Any) -> set[Any]:
    """Elements that the page's own style sheets do not display; the stronger, else the later, rule wins."""
    rules: list[tuple[tuple[int, ...], int, str, bool]] = []
    for style in root.iter("style"):
        sheet = _AT_RULE.sub("", _COMMENT.sub("", style.text_content()))
        for selector, body in _RULE.findall(sheet):
            said = [hides(word, value) for word, value in _DISPLAY.findall(body)]
            if said:
                rules += [(rank, len(rules), one, said[-1]) for one, rank in _selectors(selector)]
    hidden: set[Any] = set()
    for _, _, selector, hides_it in sorted(rules, key=lambda rule: rule[:2])[:_MOST_RULES]:
        try:
            found = CSSSelector(selector, translator="html")(root)
        except (SelectorError, XPathSyntaxError):
            continue
        hidden = hidden | set(found) if hides_it else hidden - set(found)
    return hidden


def hides(word: str, value: str) -> bool:
    """Does `display: none` or `visibility: hidden` stand here?"""
    return value.lower() in (("none",) if word.lower() == "display" else ("hidden", "collapse"))


def _selectors(group: str) -> list[tuple[str, tuple[int, ...]]]:
    """The selectors of a rule that say something of a page at rest, with their specificity."""
    found: list[tuple[str, tuple[int, ...]]] = []
    for one in group.split(","):
        if ":" in one or not one.strip():
            continue
        try:
            found.append((one.strip(), parse_css(one.strip())[0].specificity()))
        except SelectorError:
            continue
    return found


def _pictures(root: Any) -> None:
    """A picture that stands for a unit becomes its words; one that fills a cell alone stays as its tag."""
    for image in list(root.iter("img")):
        alt = (image.get("alt") or "").strip()
        if alt and _UNIT_ALT.fullmatch(alt):
            image.tail = alt + (image.tail or "")
            image.drop_tree()
            continue
        cell = next((e for e in image.iterancestors() if e.tag in ("td", "th")), None)
        if cell is not None and not visible_text(cell):
            cell.text = picture(alt)


def picture(alt: str) -> str:
    """A picture as text that the price reader knows as one."""
    return f'<img alt="{alt}">'.replace("\n", " ")
