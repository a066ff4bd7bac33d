"""Gitee AI 模力方舟: a JavaScript page over a JSON list, ten products a page, prices per *machine*.

Rebuilt after daily captures of 2026-07/08 and the list's field names. Real: card, memory, hourly price
per card, stock where a capture shows it (可租7/16), the delisting of two cards on 2026-08-16 22:00.
`hour_price` is the machine's: a product of eight cards costs eight times the card. Made up: product
names and stock where none was seen.
"""

from __future__ import annotations

import re
from datetime import datetime
from typing import Any, NamedTuple

from market.facts import SHANGHAI, Fact, latest, provider_facts
from market.site import Answer, Ask, Route, Site, json_answer, pick, script
from market.sites._spa import shell

ORIGIN = "https://ai.gitee.com"
SIZE = 10
DELISTED_AT = datetime(2026, 8, 16, 22, tzinfo=SHANGHAI)
DELISTED = frozenset({"海光 BW1000", "摩尔线程 MTT S5000"})


class Good(NamedTuple):
    """What one listing is, whatever a capture called it: model, memory, share of a card, node."""

    model: str
    vram: str
    share: str
    node: str


MODELS = {  # pattern on the captured name → the list's model; the first that fits
    r"910B1": "Ascend 910B1",
    r"910B2C": "Ascend 910B2C",
    r"910B": "Ascend 910B",
    r"BW1000": "海光 BW1000",
    r"S5000": "摩尔线程 MTT S5000",
    r"天垓150": "壁仞 天垓150",
    r"106M": "壁仞 壁砺106M",
    r"智铠100": "天数智芯 智铠100",
    r"S60": "燧原 S60",
    r"C500": "沐曦 曦云 C500",
    r"5090": "NVIDIA RTX 5090",
    r"4090 ?D": "NVIDIA RTX 4090 D",
    r"4090": "NVIDIA RTX 4090",
    r"3090": "NVIDIA RTX 3090",
    r"3080": "NVIDIA RTX 3080",
    r"A100": "NVIDIA A100",
}
NODES = ("商汤", "超聚变", "超级边", "shangtang", "chaojubian", "高配", "XEON")
SPELLINGS = {"超级边": "超聚变", "shangtang": "商汤", "chaojubian": "超聚变"}


def good(fact: Fact) -> Good | None:
    """The listing a fact belongs to; None for rows without memory (the first day's hand check)."""
    model = next((m for pattern, m in MODELS.items() if re.search(pattern, fact.card_raw)), None)
    if model is None or not fact.vram_gb:
        return None
    seen = next((n for n in NODES if n in fact.card_raw or n in fact.note), "")
    return Good(model, fact.vram_gb, fact.cards, SPELLINGS.get(seen, seen))


def stock(fact: Fact, key: Good, cards: int) -> tuple[int, int]:
    """`(idle, total)` as captured, else made up."""
    if found := re.search(r"(\d+)\s*/\s*(\d+)", fact.note.replace("1/4", "").replace("1/2", "")):
        return int(found[1]), int(found[2])
    if "售罄" in fact.note or "sold out" in fact.note:
        return 0, 8
    return pick(9, key, cards), 8


def product(fact: Fact, key: Good, cards: int, now: datetime) -> dict[str, Any]:
    """One item of the list."""
    idle, total = stock(fact, key, cards)
    gone = key.model in DELISTED and now >= DELISTED_AT
    parts = [f"{key.model} {key.vram}GB", "" if key.share == "1" else f"（{key.vram}GB 切片）"]
    parts += [f"-{key.node}" if key.node else "", f" × {cards}" if cards > 1 else ""]
    return {
        "name": "".join(parts),
        "gpu_model": key.model,
        "gpu_num": cards,
        "gpu_idle": 0 if gone else idle,
        "gpu_total": total,
        "hour_price": None if gone else float(fact.amount * cards),
        "status": "offline" if gone else "sold_out" if idle == 0 else "normal",
    }


def items(ask: Ask) -> list[dict[str, Any]]:
    """Every listing; whole cards also as machines of eight (rebuilt sample: eight times the card)."""
    found = latest(provider_facts("gitee_ai"), ask.now, good)
    rows = []
    for key, fact in found.items():
        assert isinstance(key, Good)
        for cards in (1, 8) if key.share == "1" and ask.samples else (1,):
            rows.append(product(fact, key, cards, ask.now))
    return rows


def products(ask: Ask) -> Answer:
    """`GET /api/base/market/products?page=N`; a page past the end is empty."""
    page = int(ask.query("page", "1")) if ask.query("page", "1").isdigit() else 1
    rows = items(ask)
    start = (max(1, page) - 1) * SIZE
    body = {"items": ask.cut(rows[start : start + SIZE]), "total": len(rows), "page": page, "size": SIZE}
    return json_answer(body)


PAGE, ASSET = shell("算力市场 - 模力方舟", "/compute", "root", lambda ask: script("gitee_compute.js"))

SITE = Site(
    slug="gitee_ai",
    name="模力方舟 Gitee AI",
    origins={ORIGIN: (PAGE, ASSET, Route("/api/base/market/products", products))},
    swaps={
        "changed_field": (('"hour_price"', '"price_hour"'), ('class="price"', 'class="cost"')),
        "changed_unit": (("元/时", "元/天"), ('"hour_price"', '"day_price"')),
    },
)
