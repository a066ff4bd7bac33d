"""Boxes of a rendered page: an element that names one card and quotes its price, whatever its markup.

For pages whose class names nobody has documented. The smallest element around a price that also names a card
is its box; where such an element names several, the price belongs to none of them.
This module imports no Scrapy.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from spiders.page_text import Hits, Page

# Bounded, and begun once a number: a page of digits must not cost the square of its length.
AMOUNT = r"(?:[￥¥]\s{0,20}\d[\d.,]{0,40}|(?<!\d)\d[\d.,]{0,40}\s{0,20}万?(?:元|CNY|RMB))"
_PRICE = re.compile(AMOUNT)
_PERIOD = re.compile(
    r"[/每]\s*(?:卡|台)?\s*(?:\d+\s*)?(?:小时|时|天|日|周|个?月|年|[hd]\b)|起租|包[日周月年]"
)
_NO_RENT = re.compile(r"代金券|优惠券|充值|赠送?|满减|折扣券|算力金|/\s*G[Bi]?B?\b|元/GB")
NOTHING = re.compile(r"暂无(?:报价|价格)|即将上线|敬请期待|已?售罄|已租完|询价|面议|联系(?:客服|我们)|已下线")
CARD = re.compile(
    r"(?<![A-Za-z0-9])(?:RTX|GTX|GeForce|NVIDIA|Tesla|Quadro|TITAN|vGPU|Ascend|MTT|MLU|DCU|"
    r"PRO\s?\d{4}|[ABHLPTV]\d{1,3}0?S?(?![\d.])|[2-5]0[5-9]0(?:\s?(?:Ti|D|SUPER))?(?![\d.]))|"
    r"昇腾|天垓|智铠|壁砺|燧原|沐曦|曦云|摩尔线程|海光|寒武纪|思元|昆仑芯|910[BC]|310P|K100",
    re.I,
)
_VRAM = re.compile(r"显存\D{0,4}(\d{1,3})\s*G|(\d{1,3})\s*G[Bi]{0,2}\s*显存|^(\d{1,3})\s*G[Bi]{0,2}$", re.I)
_PROMO = re.compile(r"特惠|限时|活动|促销|秒杀|新人|新用户|首")
_LEAST = re.compile(r"(?:[元时天日月年h]|\d)\s{0,4}起(?![租订步用])|起价|低至")
_TITLES = 4
_BARE = re.compile(r"\d[\d,]{0,12}(?:\.\d{1,6})?")
_LARGER = 3  # times a box beside it, at most: the rest of a page is no box
_STOCK = (
    ("sold_out", re.compile(r"售罄|已租完|无库存|缺货|即将上线|已下线")),
    ("limited", re.compile(r"紧张|仅剩")),
    ("available", re.compile(r"可租|空闲|充足|有货|库存充")),
)
_IDLE = re.compile(r"(\d{1,5})\s*卡?\s*可租|(?:可租|空闲|剩余|库存)\D{0,3}(\d{1,5})(?:\s*/\s*(\d{1,5}))?")


@dataclass(frozen=True, slots=True)
class Box:
    """One box: `title` names the card (or all that are named, for the card reader to judge), `prices` are the
    texts that quote one."""

    number: int
    title: str
    prices: tuple[str, ...]
    lines: tuple[str, ...]
    struck: bool = False  # a struck-out price stands in it: what is asked for now is a discount

    @property
    def kind(self) -> str | None:
        """`public_discount` beside a struck-out price; None leaves it to the words (特惠价, 起)."""
        return "public_discount" if self.struck and not _PROMO.search(" ".join(self.lines)) else None

    @property
    def vram(self) -> str | None:
        """GB as the box says, None if it does not."""
        found = next(filter(None, (_VRAM.search(line) for line in self.lines)), None)
        return next(filter(None, found.groups())) if found else None

    @property
    def status(self) -> str | None:
        """`available`, `limited`, `sold_out`, None where the box says nothing of it."""
        rest = " ".join(line for line in self.lines if line not in self.prices or len(self.prices) == 0)
        return next((word for word, pattern in _STOCK if pattern.search(rest)), None)

    @property
    def stock(self) -> tuple[int | None, int | None]:
        """(free, all) cards where the box counts them."""
        found = next(filter(None, (_IDLE.search(line) for line in self.lines)), None)
        if found is None:
            return None, None
        return int(found[1] or found[2]), int(found[3]) if found[3] else None


def boxes(root: Any) -> list[Box]:
    """The boxes of a document, in its order. A box without a price has the words that stand for one
    (`已售罄`), or its bare number: what the others beside it quote is missing there, not the box."""
    page = Page(_body(root))
    prices, cards, periods = page.hits(_PRICE), page.hits(CARD), page.hits(_PERIOD)
    around = _nearest(page, cards)
    groups: dict[Any, list[str]] = {}
    for element in _smallest(page, prices):
        box = None if _NO_RENT.search(page.text(element)) else around[element]
        if box is not None:
            told = _with_period(element, box, page, prices, periods)
            groups.setdefault(box, []).append(told + _from(element, box, page, prices, told))
    priced: set[Any] = set()
    for box in groups:
        for ancestor in (box, *box.iterancestors()):
            if ancestor in priced:
                break
            priced.add(ancestor)
    for element in _smallest(page, page.hits(NOTHING)):
        box = around[element]
        if box is not None and box not in priced:
            groups.setdefault(box, [page.text(element)])
    for box in _beside(page, groups, cards):
        groups[box] = [next((line for line in page.lines(box) if _BARE.fullmatch(line)), "")]
    struck = page.struck(_PRICE)
    ordered = sorted(groups, key=page.number)
    return [_made(n, box, groups[box], page, struck) for n, box in enumerate(ordered)]


def _beside(page: Page, boxes: Iterable[Any], cards: Hits) -> list[Any]:
    """Elements that stand among boxes, look like them, name a card and hold no box."""
    holders = {element for box in boxes for element in (box, *box.iterancestors())}
    found = []
    for around in holders:
        like = {_look(child): len(page.text(child)) for child in around if child in holders}
        if sum(child in holders for child in around) < 2:
            continue
        for child in around:
            known = like.get(_look(child)) if page.is_shown(child) and child not in holders else None
            start, end = page.span(child) if known is not None else (0, 0)
            if known and end - start <= _LARGER * known and cards.within(start, end):
                found.append(child)
    return found


def _look(element: Any) -> tuple[Any, str]:
    return element.tag, (element.get("class") or "").partition(" ")[0] if isinstance(element.tag, str) else ""


def _made(number: int, element: Any, prices: list[str], page: Page, struck: list[int]) -> Box:
    lines = page.lines(element)
    titles = list(dict.fromkeys(line for line in lines if CARD.search(line) and not _PRICE.fullmatch(line)))
    short = [title for title in titles if not _PRICE.search(title)] or titles
    title = " / ".join(short[:_TITLES])
    return Box(number, title, tuple(dict.fromkeys(prices)), tuple(lines), page.holds(element, struck))


def _body(root: Any) -> Any:
    found = root.find("body")
    return root if found is None else found


def _smallest(page: Page, hits: Hits) -> list[Any]:
    """Elements that match and hold no element that does."""
    found = {element for element in page.shown if hits.within(*page.span(element))}
    return [e for e in page.shown if e in found and not any(child in found for child in e)]


def _nearest(page: Page, cards: Hits) -> dict[Any, Any]:
    """Element → itself or the nearest one around it that names a card; None where there is none."""
    found: dict[Any, Any] = {}
    for element in page.shown:  # a parent before its children
        names = cards.within(*page.span(element))
        found[element] = element if names else found.get(element.getparent())
    return found


def _from(element: Any, box: Any, page: Page, prices: Hits, told: str) -> str:
    """` 起` where the words around a price, up to the next one, make it the least that is asked."""
    around = element
    for outer in element.iterancestors():
        if around is box or not page.is_shown(outer) or prices.count(*page.span(outer)) != 1:
            break
        around = outer
    return " 起" if _LEAST.search(page.text(around)) and not _LEAST.search(told) else ""


def _with_period(element: Any, box: Any, page: Page, prices: Hits, periods: Hits) -> str:
    """The amount with its period, where that stands in an element beside or around it."""
    text = page.text(element)
    if element is box or _PERIOD.search(text):
        return text
    after = element.getnext()
    if after is not None and page.is_shown(after) and _PERIOD.match(page.text(after, 40)):
        return text + page.text(after)
    for around in element.iterancestors():
        if around is box or not page.is_shown(around) or prices.count(*page.span(around)) != 1:
            break
        if periods.within(*page.span(around)):
            return page.text(around)
    return text
