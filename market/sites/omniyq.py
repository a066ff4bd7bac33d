"""omniyq.com 云擎天下: a static page of text lines, one whole server a line, yuan per month (archetype
A9).

Rebuilt after daily captures of 2026-07/08: `8*H100 - 75000/月`, the count sign is any of `* × x X`, the
dash is a separator, 元 is absent, memory stands only on some cards. Real: card, count, amount, date.
Planted as documented or likely: a contact line whose digits stand near prices, a date line, stock
headings, a purchase line.
"""

from __future__ import annotations

from html import escape

from market.facts import Fact, latest, market_day, provider_facts
from market.site import Answer, Ask, Route, Site, html_answer, page

ORIGIN = "https://www.omniyq.com"
SIGNS = ("*", "×", "x", "X")
DASHES = ("-", "–", "—")
NAMES = {
    "昇腾 910B": "910B",
    "A100 80G": "A100 nvlink 80G",
    "RTX 4090": "4090",
    "RTX 5090": "5090",
    "H100 80G": "H100",
    "H20 96GB": "H20 96G",
    "H20 141GB": "H20 141G",
}


def servers(ask: Ask) -> list[Fact]:
    """The newest monthly price of every card."""
    facts = latest(provider_facts("omniyq"), ask.now, lambda f: f.card_raw if f.mode == "monthly" else None)
    return sorted(facts.values(), key=lambda f: (-f.amount, f.card_raw))


def line(index: int, fact: Fact) -> str:
    """`8*H100 - 75000/月`, with the sign and dash of this line."""
    sign, dash = SIGNS[index % len(SIGNS)], DASHES[index % len(DASHES)]
    return f"{fact.cards}{sign}{NAMES.get(fact.card_raw, fact.card_raw)} {dash} {fact.amount_low}/月"


def price_page(ask: Ask) -> Answer:
    """`/h-col-104.html`."""
    lines = [line(i, fact) for i, fact in enumerate(ask.cut(servers(ask)))]
    day = market_day(ask.now)
    half = (len(lines) + 1) // 2
    body = (
        "<h1>算力租赁</h1>"
        f"<div class='richText'><p>{day.month}月{day.day}日报价</p><p>现货：</p>"
        f"<p>{'<br>'.join(map(escape, lines[:half]))}</p>"
        + "".join(f"<p>{escape(text)}</p>" for text in lines[half:])
        + "<p>以上均为裸金属整机，含电含带宽，详询 0755-00000000 转 8001</p></div>"
    )
    return html_answer(page("算力租赁-云擎天下", body))


SITE = Site(
    slug="omniyq",
    name="云擎天下",
    origins={ORIGIN: (Route("/h-col-104.html", price_page),)},
    swaps={"changed_field": (("richText", "richTxt"),), "changed_unit": (("/月", "/年"),)},
)
