"""OpenBayes, GPUFree 算力自由 and Suanjiayun 算家云: pages drawn by script, whose markup nobody
documented.

Only third parties' notes and an aggregator quote prices (OpenBayes 4090 at 2.70 and a promotion at 1.15;
GPUFree 4090 at 1.38; Suanjiayun 4090, 4090D and 5090 at 1.24, 1.14, 2.68), so every row here is a
`rebuilt sample`: without samples the pages list no card. Class names are ours.
"""

from __future__ import annotations

from typing import Any

from market.site import Ask, Site
from market.sites._spa import cards, shell


def item(title: str, price: str, *lines: str, badge: str = "") -> dict[str, Any]:
    """One card of a page."""
    return {"title": title, "lines": list(lines), "price": price, "badge": badge}


# rebuilt sample
OPENBAYES = [
    item("NVIDIA RTX 4090", "￥2.70/小时", "显存 24 GB", badge="空闲"),
    item("NVIDIA RTX 4090", "<del>￥2.70/小时</del> 特惠价 ￥1.15/小时", "显存 24 GB", badge="限时活动"),
    item("NVIDIA A100 80G", "暂无报价", "显存 80 GB", badge="即将上线"),
]
GPUFREE = [
    item("RTX 4090", "<b>1.38</b> 元/小时", "24GB 显存 / 16核 / 60GB 内存", badge="3卡可租"),
    item("RTX 3090", "已售罄", "24GB 显存", badge="售罄"),
]
SUANJIAYUN = [
    item("RTX 4090", "¥<span>1.24</span>/时", "24G", badge="充足"),
    item("RTX 4090D", "¥<span>1.14</span>/时", "24G", badge="充足"),
    item("RTX 5090", "¥<span>2.68</span>/时", "32G", badge="紧张"),
]


def draw_openbayes(ask: Ask) -> str:
    """`/pricing`."""
    rows = OPENBAYES if ask.samples else []
    return cards(
        ask.cut(rows),
        root="root",
        heading="算力价格",
        list="price-grid",
        item="price-card",
        price="price-value",
    )


def draw_gpufree(ask: Ask) -> str:
    """The home page."""
    rows = GPUFREE if ask.samples else []
    return cards(
        ask.cut(rows), root="app", heading="GPU 租用", list="gpu-market", item="market-item", price="cost"
    )


def draw_suanjiayun(ask: Ask) -> str:
    """The home page."""
    rows = SUANJIAYUN if ask.samples else []
    return cards(
        ask.cut(rows), root="app", heading="算力市场", list="market", item="card", price="hour-price"
    )


SITES = [
    Site(
        slug="openbayes",
        name="OpenBayes 贝式计算",
        origins={"https://openbayes.com": shell("价格 - OpenBayes", "/pricing", "root", draw_openbayes)},
        aliases={"https://www.openbayes.com": "https://openbayes.com"},
        swaps={"changed_field": (("price-value", "amount"),), "changed_unit": (("/小时", "/天"),)},
    ),
    Site(
        slug="gpufree",
        name="算力自由 GPUFree",
        origins={"https://www.gpufree.cn": shell("算力自由", "/", "app", draw_gpufree)},
        aliases={"https://gpufree.cn": "https://www.gpufree.cn"},
        swaps={"changed_field": (('"cost"', '"fee"'),), "changed_unit": (("元/小时", "元/天"),)},
    ),
    Site(
        slug="suanjiayun",
        name="算家云",
        origins={"https://www.suanjiayun.com": shell("算家云", "/", "app", draw_suanjiayun)},
        aliases={"https://suanjiayun.com": "https://www.suanjiayun.com"},
        swaps={"changed_field": (("hour-price", "price-hour"),), "changed_unit": (("/时", "/天"),)},
    ),
]
