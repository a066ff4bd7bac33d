"""Guessing: which archetype a page looks like, and where its facts seem to stand."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable
from typing import Any

from spiders.pages.document import document
from spiders.pages.draft import REVIEW, Draft, basis_of, css_of, quoted, region_of, unit_of
from spiders.pages.draft_tables import (
    FACT_HEADS,
    MONEY,
    PRICE_HEAD,
    SPEC_LABEL,
    columns,
    is_spec,
    names_card,
    tables,
)
from spiders.pages.lines import card_words
from spiders.pages.locate import bare, cell_text, folded
from spiders.pages.signs import is_article
from spiders.tables import expand
from spiders.textio import visible_lines, visible_text

_INLINE = frozenset("a b em font i label small span strong u".split())
_CPRICE = re.compile(r"\bcprice\b")
_PAID_BY = re.compile(r"((?:小?时|日|天|周|月|季度?|半年|年)(?:付|租)|[包按](?:小?时|日|天|周|月|季|年|量))")
_SHOP = re.compile(r"/console/v1|/cart/goods\.htm|idcsmart|智简魔方", re.I)


def draft(html: str, url: str) -> Draft:
    """What a page looks like to a machine."""
    root = document(html)
    made = Draft()
    if is_article(root, plain_text=False):
        made.notes.append("the page is an article: articles give no offers, look for the seller's price list")
        return made
    for guess in (_shop, _script_price, tables, _spec_page, _boxes, _periods, _lines):
        if guess(root, html, url, made):
            break
    else:
        made.notes.append(
            "no GPU prices in the page's text: is it drawn by a script (--browser), a picture, a login?"
        )
    return made


# -- archetypes ---


def _shop(root: Any, html: str, url: str, made: Draft) -> bool:
    if not _SHOP.search(html):
        return False
    made.archetype = "shop"
    made.notes.append("a shop of 智简魔方: its prices come by JSON, this page is not read")
    return True


def _script_price(root: Any, html: str, url: str, made: Draft) -> bool:
    scripts = [
        s
        for s in root.iter("script")
        if _CPRICE.search(s.text_content() or "") and s.getparent().tag != "head"
    ]
    row = _repeated(scripts, root)
    if row is None:
        return False
    made.archetype = "script_price"
    made.source = [f"rows = {quoted(row)}  {REVIEW}"]
    label = next((m[1] for m in re.finditer(r"(显卡|GPU|型号)\s*[:：]", visible_text(root))), "显卡")
    made.read = [f"card = {{ label = {quoted(label)} }}  {REVIEW}", *region_of(root), basis_of(root)]
    holder = scripts[0].getparent()
    made.read.append(f"price_css = {quoted(css_of(holder, root) + ' script')}  {REVIEW}")
    return True


def _repeated(elements: list[Any], root: Any) -> str | None:
    """CSS of the boxes that hold one of the elements each: the first ancestors with like siblings."""
    for level in range(1, 8):
        boxes = []
        for element in elements:
            above = list(element.iterancestors())[:level]
            boxes.append(above[-1] if len(above) == level else None)
        if None in boxes or len(set(boxes)) < len(boxes):
            return None
        if card_words().search(visible_text(boxes[0]).upper()) if boxes else False:
            return css_of(boxes[0], root)
    return None


def _spec_page(root: Any, html: str, url: str, made: Draft) -> bool:
    for table in root.iter("table"):
        rows = [[cell.text for cell in row] for row in expand(table)]
        if not rows or len(rows[0]) != 2 or not is_spec(rows):
            continue
        made.archetype = "per_sku_pages"
        made.source = [f'follow = "a"  {REVIEW}: links on `pages` to the pages of the goods, as this is one']
        made.notes.append(
            "this is the page of one good: `pages` must name the page that links to all of them"
        )
        for label, _ in rows:
            said = bare(folded(label))
            if SPEC_LABEL.fullmatch(said):
                made.read.append(f"card = {{ label = {quoted(label)} }}  {REVIEW}")
            elif PRICE_HEAD.search(label):
                made.prices.append(
                    [
                        f"label = {quoted(label)}  {REVIEW}",
                        unit_of(label, [row[1] for row in rows if row[0] == label]),
                    ]
                )
            else:
                name = next((name for name, pattern in FACT_HEADS if pattern.search(said)), None)
                made.read += [f"{name} = {{ label = {quoted(label)} }}  {REVIEW}"] if name else []
        made.read.append(basis_of(root))
        return bool(made.prices)
    return False


def _boxes(root: Any, html: str, url: str, made: Draft) -> bool:
    """Boxes of one class that name a card each: rows of a fake table, or cards."""
    groups: dict[tuple[Any, ...], list[Any]] = defaultdict(list)
    for element in root.iter("div", "li", "ul", "dl", "tr", "section", "article"):
        if element.get("class"):
            groups[element.tag, element.get("class").split()[0]].append(element)
        elif element.tag == "li":  # a list that names its items by their place alone
            groups[element.tag, element.getparent()].append(element)
    found = [
        (sum(_holds_card(box) for box in boxes), depth(boxes[0]), boxes)
        for boxes in groups.values()
        if len(boxes) > 1
        and sum(map(_holds_card, boxes)) > 1
        and sum(map(_holds_card, boxes)) * 3 >= len(boxes)
    ]
    priced = [
        (n, -d, boxes)
        for n, d, boxes in found
        if any(MONEY.search(line) for b in boxes for line in visible_lines(b))
    ]
    if not priced:
        return False
    _, _, boxes = max(priced, key=lambda one: (one[0], one[1]))
    made.source = [f"rows = {quoted(css_of(boxes[0], root))}  {REVIEW}"]
    classes = Counter(
        (c.tag, (c.get("class") or "").split()[0])
        for c in boxes[0]
        if isinstance(c.tag, str) and c.get("class")
    )
    if not _holds_card(boxes[0]) and classes and classes.most_common(1)[0][1] > 2:
        (tag, name), _ = classes.most_common(1)[0]
        made.archetype = "div_table"
        made.source.append(f"cells = {quoted(f'{tag}.{name}')}  {REVIEW}")
        rows = [[cell_text(c) for c in box if isinstance(c.tag, str)] for box in boxes]
        columns([row for row in rows if len(row) == len(rows[0])], made, root)
        return True
    if (cells := _like_cells(boxes)) and not _holds_card(boxes[0]):
        made.archetype = "div_table"
        made.source.append(f"cells = {quoted(cells)}  {REVIEW}")
        columns([[cell_text(c) for c in box if isinstance(c.tag, str)] for box in boxes], made, root)
        return True
    made.archetype = "cards"
    box = next(b for b in boxes if _holds_card(b))
    card = _smallest(box, names_card)
    made.read = [
        f"card = {{ css = {quoted(css_of(card, root))} }}  {REVIEW}",
        *region_of(root, box),
        basis_of(root),
    ]
    found_at: dict[str, list[str]] = defaultdict(list)
    for one in boxes:
        for price in _money_in(one):
            found_at[css_of(price, root)].append(visible_text(price))
    often = [css for css, texts in found_at.items() if len(texts) * 3 >= len(boxes)]
    for css in often[:4]:
        labels = dict.fromkeys(m[1] for text in found_at[css] if (m := _PAID_BY.match(text)))
        if len(labels) > 1:  # one place, several ways of paying: the word before each price tells them apart
            made.prices += [[f"label = {quoted(label)}  {REVIEW}", unit_of(label, [])] for label in labels]
        else:
            made.prices.append([f"css = {quoted(css)}  {REVIEW}", unit_of("", found_at[css])])
    return True


def _like_cells(boxes: list[Any]) -> str:
    """The tag of the children of boxes that all have as many of one kind, "" if they do not."""
    kinds = {tuple(c.tag for c in box if isinstance(c.tag, str)) for box in boxes}
    tags = kinds.pop() if len(kinds) == 1 else ()
    return str(tags[0]) if len(tags) > 2 and len(set(tags)) == 1 else ""


def _money_in(box: Any) -> list[Any]:
    """Blocks of a box that speak of money and hold no block that does."""
    told = [
        e for e in box.iter()
        if isinstance(e.tag, str) and e is not box and e.tag not in _INLINE
        and MONEY.search(visible_text(e)) and not names_card(visible_text(e))
    ]  # fmt: skip
    holders = {above for e in told for above in e.iterancestors()}
    return [e for e in told if e not in holders]


def depth(element: Any) -> int:
    """How deep an element lies."""
    return sum(1 for _ in element.iterancestors())


def _holds_card(element: Any) -> bool:
    return card_words().search(visible_text(element).upper()) is not None


def _smallest(box: Any, fits: Callable[[str], bool]) -> Any:
    """The element with the shortest text that fits, blocks before the inline parts of one."""
    found = [e for e in box.iter() if isinstance(e.tag, str) and e is not box and fits(visible_text(e))]
    return min(
        found, key=lambda e: (len(visible_text(e)), e.tag in ("b", "span", "i", "em", "strong")), default=None
    )


def _periods(root: Any, html: str, url: str, made: Draft) -> bool:
    for select in root.iter("select"):
        options = [" ".join((option.text_content() or "").split()) for option in select.iter("option")]
        if sum(bool(re.search(r"[年月季周天日].*\d{2,}\s*元|[￥¥]\s*\d", option)) for option in options) > 1:
            made.archetype = "select_period"
            made.source = [f"options = {quoted(css_of(select, root) + ' option')}  {REVIEW}"]
            title = next((e for e in root.iter("h1", "h2", "title") if _holds_card(e)), None)
            made.read = [
                f"card = {{ css = {quoted('h1' if title is None else css_of(title, root))} }}  {REVIEW}"
            ]
            made.read += [*region_of(root), basis_of(root)]
            return True
    return False


def _lines(root: Any, html: str, url: str, made: Draft) -> bool:
    lines = [line for line in visible_lines(root) if names_card(line) and MONEY.search(line)]
    if len(lines) < 2:
        return False
    holder = min(
        (e for e in root.iter("div", "td", "section", "article", "body", "pre", "ul")
         if sum(line in lines for line in visible_lines(e)) == len(lines)),
        key=lambda e: (len(visible_text(e)), -depth(e)), default=None,
    )  # fmt: skip
    if holder is None:
        return False
    made.archetype = "text"
    made.source = [f"lines = {quoted(css_of(holder, root))}  {REVIEW}"]
    made.read = [*region_of(root)]
    return True
