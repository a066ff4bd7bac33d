"""Featurize: a home page drawn by script, "from" prices per card.

Known: the home page and `/vm/available` show prices, written as 起价; their markup is not known, so the
class names here are ours. Real: the from-prices of 2026-07-02.
"""

from __future__ import annotations

from typing import Any

from market.facts import latest, provider_facts
from market.site import Ask, Route, Site
from market.sites._spa import cards, shell

ORIGIN = "https://featurize.cn"


def items(ask: Ask) -> list[dict[str, Any]]:
    """One card a GPU model; a floor says 按量起价."""
    found = latest(provider_facts("featurize"), ask.now, lambda f: f.card_raw)
    return [
        {
            "title": f.card_raw,
            "lines": [f"显存 {f.vram_gb} GB"],
            "price": f"按量起价 ¥{f.amount_low}/小时",
            "badge": "可租用",
        }
        for f in found.values()
        if f.price_kind == "floor"
    ]


def draw(ask: Ask) -> str:
    """The script of both pages."""
    return cards(
        ask.cut(items(ask)),
        root="app",
        heading="按量与包月 GPU 实例",
        list="vm-list",
        item="vm-card",
        price="vm-price",
    )


HOME, ASSET = shell("Featurize - 让深度学习更简单", "/", "app", draw)

SITE = Site(
    slug="featurize",
    name="Featurize",
    origins={ORIGIN: (HOME, Route("/vm/available", HOME.handler), ASSET)},
    aliases={"https://www.featurize.cn": ORIGIN},
    swaps={"changed_field": (("vm-price", "vm-cost"),), "changed_unit": (("/小时", "/天"),)},
)
