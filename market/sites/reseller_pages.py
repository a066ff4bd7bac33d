"""Static pages of resellers: Wangsu 网宿 (8-card table), Jygpu 极智算 (text on the home page), Lanrui
揽睿 (closed zones).

Wangsu: a table of eight-card machines per month is known for H100, H200, A100, H20, 4090, A800 and H800,
its cells are not: all amounts are `rebuilt sample`. Jygpu: real, one line of 2026-07-15 (8×910B,
15,600-17,040); its articles about the market are linked, never quoted. Lanrui: real, the two prices of
2023; since its zones closed on 2025-06-30 the page carries a notice and no offer, which is what a reader
has to report as a gap.
"""

from __future__ import annotations

from datetime import date
from html import escape

from market.facts import latest, market_day, provider_facts
from market.site import Answer, Ask, Route, Site, cells, html_answer, page

LANRUI_CLOSED = date(2025, 6, 30)
# rebuilt sample: yuan per month and machine of eight cards
WANGSU = {
    "H100": "78,000",
    "H200": "96,000",
    "A100 80G": "30,000",
    "H20": "48,000",
    "RTX 4090": "8,200",
    "A800": "32,000",
    "H800": "面议",
}


def wangsu(ask: Ask) -> Answer:
    """`/product/gpu-`: GPU model, machine, price a month; one line asks to enquire."""
    rows = [[card, f"{card}*8", "8卡整机", price] for card, price in WANGSU.items() if ask.samples]
    head = ("GPU型号", "配置", "规格", "价格（元/月）")
    body = f"<h1>GPU 裸金属</h1><table>{cells(head, 'th')}{''.join(map(cells, ask.cut(rows)))}</table>"
    return html_answer(page("GPU服务器-网宿商城", body))


def jygpu(ask: Ask) -> Answer:
    """The home page: text lines, and links to articles that quote a market nobody can check."""
    facts = latest(provider_facts("jygpu"), ask.now, lambda f: f.card_raw).values()
    lines = [
        f"<p>{f.cards}×{escape(f.card_raw)} 裸金属 {f.amount:,}-{int(f.amount_high):,} 元/月</p>"
        for f in ask.cut(list(facts))
    ]
    body = (
        f"<h1>极智算 算力租赁</h1><div class='price'>{''.join(lines)}</div>"
        "<ul class='news'><li><a href='/news/1'>H100 8卡整机租金由 9.2 万降至 8.45 万</a></li>"
        "<li><a href='/news/2'>2026 年算力租赁行情：4090 降幅 10%-17%</a></li></ul><p>客服 400-000-0000</p>"
    )
    return html_answer(page("极智算", body))


def lanrui(ask: Ask) -> Answer:
    """`/pricing`."""
    if market_day(ask.now) > LANRUI_CLOSED:
        body = "<h1>服务公告</h1><p>T1、T2 可用区已于 2025-06-30 停止服务，用户已迁移至 Cova 平台。</p>"
        return html_answer(page("揽睿星舟", body))
    facts = latest(provider_facts("lanrui"), ask.now, lambda f: (f.card_raw, f.price_kind))
    by_kind = {f.price_kind: f for f in facts.values()}
    rows = []
    if "list" in by_kind:
        listed, promo = by_kind["list"], by_kind.get("promo")
        price = (
            f"￥{promo.amount_low}/时 <del>￥{listed.amount_low}/时</del>"
            if promo
            else f"￥{listed.amount_low}/时"
        )
        rows = [
            f"<div class='spec'><h3>{listed.card_raw} {listed.vram_gb}G</h3>"
            f"<span class='price'>{price}</span></div>"
        ]
    return html_answer(page("算力价格 - 揽睿星舟", f"<h1>算力规格</h1>{''.join(ask.cut(rows))}"))


SITES = [
    Site(
        slug="wangsu",
        name="网宿商城",
        origins={"https://online.wangsu.com": (Route("/product/gpu-", wangsu),)},
        swaps={
            "changed_field": (("GPU型号", "型号"),),
            "changed_header": (("价格（元/月）", "月租（元/月）"),),
            "changed_unit": (("价格（元/月）", "价格（元/年）"),),
        },
    ),
    Site(
        slug="jygpu",
        name="极智算",
        origins={"https://www.jygpu.com": (Route("/", jygpu),)},
        aliases={"https://jygpu.com": "https://www.jygpu.com"},
        swaps={"changed_field": (("class='price'", "class='cost'"),), "changed_unit": (("元/月", "元/年"),)},
    ),
    Site(
        slug="lanrui",
        name="揽睿星舟",
        origins={"https://lanrui.co": (Route("/pricing", lanrui),)},
        aliases={"https://www.lanrui.co": "https://lanrui.co"},
        swaps={"changed_field": (("class='price'", "class='cost'"),), "changed_unit": (("/时", "/天"),)},
    ),
]
