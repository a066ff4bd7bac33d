"""Shengsuanyun 胜算云: `/hashrate`, a React page of cards, yuan per card-hour.

Rebuilt after daily captures of 2026-07/08: the HTML shell is empty, the unit stands in some cells and
only in the heading for others, 天垓 is filed under the wrong maker (it is Iluvatar's). Real: card,
memory, price. Made up: stock.
"""

from __future__ import annotations

from market.facts import latest, provider_facts
from market.site import Ask, Site, js_json, pick, script
from market.sites._spa import shell

ORIGIN = "https://www.shengsuanyun.com"


def draw(ask: Ask) -> str:
    """The page's script with its rows."""
    found = latest(provider_facts("shengsuanyun"), ask.now, lambda f: f.card_raw)
    rows = [
        {
            "name": f.card_raw,
            "memory": f"{f.vram_gb}GB" if f.vram_gb else "-",
            "price": f.amount_low,
            "stock": f"{pick(9, f.card_raw)}/8" if pick(9, f.card_raw) <= 8 else "0/8",
        }
        for f in found.values()
    ]
    return script("shengsuanyun.js").replace("[/* ITEMS */]", js_json(ask.cut(rows)))


SITE = Site(
    slug="shengsuanyun",
    name="胜算云",
    origins={ORIGIN: shell("胜算云", "/hashrate", "root", draw)},
    swaps={
        "changed_field": (('class="price"', 'class="cost"'), ("hashrate-table", "market-table")),
        "changed_header": (("<th>显卡</th>", "<th>型号</th>"),),
        "changed_unit": (("元/时", "元/天"),),
    },
)
