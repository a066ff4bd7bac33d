"""Guessing at tables: the columns of card, facts and prices."""

from __future__ import annotations

import re
from typing import Any

from spiders.pages.draft import REVIEW, Draft, basis_of, css_of, quoted, region_of, unit_of
from spiders.pages.lines import card_words
from spiders.pages.locate import bare, folded
from spiders.pages.tables import header_depth, is_title
from spiders.tables import expand

MONEY = re.compile(
    r"[￥¥]\s*\d|\d[\d,.]*\s*万?\s*(?:元|/\s*(?:小?时|天|日|周|月|季|年))|面议|电询|询价|"
    r"^\s*(?:\d{3,7}|\d{1,3}(?:[,，]\d{3})+)(?:\.\d+)?\s*$"
)
PRICE_HEAD = re.compile(
    r"价|租金|费用|月付|年付|季付|半年付|日付|周付|时付|月租|年租|包月|包年|元|￥|¥|/月|/年|/时|按量|按需"
)
_UNIT_HEAD = re.compile(r"万?元|￥|¥")  # under such a head a bare number is a price, however small
BARE = re.compile(r"^\s*\d[\d,.]*\s*$")
FACT_HEADS = (
    ("vram", re.compile(r"显存|GPU内存|VRAM", re.I)),
    ("count", re.compile(r"^(?:GPU|显)?卡?数量?$|卡数|数量|张数", re.I)),
    ("region", re.compile(r"机房|数据中心|地区|区域|地域|城市|节点")),
)
SPEC_LABEL = re.compile(r"显卡(?:型号)?|GPU(?:型号)?|型号", re.I)


def tables(root: Any, html: str, url: str, made: Draft) -> bool:
    best: tuple[int, Any, list[list[str]]] | None = None
    for table in root.iter("table"):
        rows = table_rows(table)
        inner = [t for t in table.iter("table") if t is not table]
        score = sum(bool(names_card(cell)) for row in rows for cell in row) if not inner and rows else 0
        if score and len(rows) > 1 and len(rows[0]) > 1 and (best is None or score > best[0]):
            best = score, table, rows
    if best is None or (len(best[2][0]) == 2 and is_spec(best[2])):
        return False
    _, table, rows = best
    made.archetype = "table"
    css = css_of(table, root)
    made.source = [
        f"rows = {quoted(css if css != 'table' and not css.startswith('body') else 'table')}  {REVIEW}"
    ]
    if sum(bool(names_card(cell)) for cell in rows[0]) > 1:
        made.source.insert(0, f'goods = "columns"  {REVIEW}')
        _price_rows(rows, made)
        made.read = [f"card = {{ header = true }}  {REVIEW}", *region_of(root), basis_of(root)]
        return True
    columns(rows, made, root)
    return True


def table_rows(table: Any) -> list[list[str]]:
    """Texts of a table: the names of its columns, as a declaration may give them, then its rows."""
    cells = expand(table)
    while cells and is_title(cells[0]):
        cells = cells[1:]
    if not cells:
        return []
    depth = header_depth(cells)
    parts = [[row[c].text for row in cells[:depth]] for c in range(len(cells[0]))]
    last = [names[-1] for names in parts]
    # The lowest storey of a header where it tells the columns apart, else all of them.
    head = ["".join(dict.fromkeys(names)) if last.count(names[-1]) > 1 else names[-1] for names in parts]
    return [head, *([cell.text for cell in row] for row in cells[depth:])]


def names_card(text: str) -> bool:
    return len(text) < 80 and card_words().search(text.upper()) is not None


def columns(rows: list[list[str]], made: Draft, root: Any) -> None:
    head, body = rows[0], rows[1:]
    score = [sum(names_card(row[c]) for row in body) for c in range(len(head))]
    card = max(range(len(head)), key=lambda c: score[c])
    made.read.append(f"card = {{ column = {quoted(head[card])} }}  {REVIEW}")
    region = False
    for name, pattern in FACT_HEADS:
        column = next(
            (c for c, text in enumerate(head) if c != card and pattern.search(bare(folded(text)))), None
        )
        if column is not None:
            made.read.append(f"{name} = {{ column = {quoted(head[column])} }}  {REVIEW}")
            region = region or name == "region"
    made.read += ([] if region else region_of(root)) + [basis_of(root)]
    money = [c for c in range(len(head)) if c != card and _is_price(head[c], [row[c] for row in body])]
    made.prices = [
        [f"column = {quoted(head[c])}  {REVIEW}", unit_of(head[c], [row[c] for row in body])] for c in money
    ]
    if not money:
        made.notes.append("no column looks like a price")


def _is_price(head: str, cells: list[str]) -> bool:
    worded = [cell for cell in cells if cell.strip(" -—")]
    money = BARE if _UNIT_HEAD.search(head) else MONEY
    told = sum(bool(money.search(cell) or MONEY.search(cell)) for cell in worded)
    return (bool(PRICE_HEAD.search(head)) and told * 2 >= len(worded)) or (
        told * 3 >= 2 * len(worded) > 0 and "￥" in "".join(cells)
    )


def _price_rows(rows: list[list[str]], made: Draft) -> None:
    for row in rows[1:]:
        if row[0] and _is_price(row[0], row[1:]):
            made.prices.append([f"row = {quoted(row[0])}  {REVIEW}", unit_of(row[0], row[1:])])


def is_spec(rows: list[list[str]]) -> bool:
    return any(
        SPEC_LABEL.fullmatch(bare(folded(row[0]))) or SPEC_LABEL.fullmatch(row[0].strip()) for row in rows
    )
