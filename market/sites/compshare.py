"""CompShare 优云智算: the public price list, and the signed API of the console (`_compshare_api`).

Rebuilt after surveys and a screenshot of 2026-09/10 and the vendor's price events of 2025-10 to 2025-12.
Real: every amount on the page. Kept traps: floors (`起`), a month shown per hour (`折 ¥1.00/时`), a
thousands comma in the month only, the no-card mode among the cards, empty cells, the hour cut instead of
rounded (day / 22 and month / 600 agree).
"""

from __future__ import annotations

from market.facts import Fact, latest, provider_facts
from market.site import Answer, Ask, Route, Site, cells, html_answer, page
from market.sites._compshare_api import call, card_key

ORIGIN = "https://www.compshare.cn"
API = "https://api.compshare.cn"
VRAM = {
    "4090": 24,
    "3090": 24,
    "3080Ti": 12,
    "4090_48G": 48,
    "5090": 32,
    "A800": 80,
    "H20": 96,
    "P40": 24,
    "2080": 8,
    "A100": 80,
}
UNITS = {"on_demand": "小时", "daily": "日", "monthly": "月", "spot": "小时"}


def prices(ask: Ask) -> dict[str, dict[tuple[str, str], Fact]]:
    """Card → (mode, kind) → newest list or floor price; the API's own zones are left to the API."""
    found = latest(
        provider_facts("compshare"),
        ask.now,
        lambda f: (
            (card_key(f.card_raw), f.mode, f.price_kind)
            if f.price_kind in {"list", "floor"} and not f.region_raw.startswith("cn-")
            else None
        ),
    )
    rows: dict[str, dict[tuple[str, str], Fact]] = {}
    for fact in found.values():
        rows.setdefault(card_key(fact.card_raw), {})[fact.mode, fact.price_kind] = fact
    return rows


def text(fact: Fact | None) -> str:
    """A price cell."""
    if fact is None:
        return "-"
    if fact.mode == "monthly" and fact.per == "hour":
        return f"折 ¥{fact.amount_low}/时"
    if fact.price_kind == "floor":
        return f"¥{fact.amount_low}/小时 起"
    amount = f"{fact.amount:,.2f}" if fact.mode == "monthly" else fact.amount_low
    return f"¥{amount}/{UNITS[fact.mode]}"


def lines(ask: Ask) -> list[list[str]]:
    """Card, memory, host, hour, day, month, spot; a card with a floor has a second line for its listed
    host.
    """
    rows = []
    for card, by in prices(ask).items():
        name = f"RTX {card.replace('_', ' ')}" if card[0].isdigit() else card
        others = [text(by.get((mode, "list"))) for mode in ("daily", "monthly", "spot")]
        listed, floor = by.get(("on_demand", "list")), by.get(("on_demand", "floor"))
        host = "14核/64G" if listed and listed.basis == "server" else "-"
        if floor and (not listed or floor.since >= listed.since):
            rows.append([name, f"{VRAM[card]}GB", "-", text(floor), *others])
            others = ["-"] * 3
        if listed:
            rows.append([name, f"{VRAM[card]}GB", host, text(listed), *others])
    return rows


def price_list(ask: Ask) -> Answer:
    """`/price-list`: one table; the last line is the no-card mode."""
    head = ("GPU型号", "显存", "配置", "按量计费", "包日", "包月", "抢占式")
    rows = [*ask.cut(lines(ask)), ["无卡模式", "-", "-", "¥0.15/小时", "-", "-", "-"]]
    body = (
        f"<h1>价格列表</h1><table class='price-table'>{cells(head, 'th')}{''.join(map(cells, rows))}</table>"
        "<p>教育邮箱认证或企业认证享 95 折。系统盘超出免费额度部分 ¥0.01/GB/日。</p>"
    )
    return html_answer(page("价格列表 - 优云智算", body))


SITE = Site(
    slug="compshare",
    name="优云智算",
    origins={ORIGIN: (Route("/price-list", price_list),), API: (Route("/", call, "GET POST"),)},
    swaps={
        "changed_field": (("GPU型号", "显卡"), ('"Instance":', '"Machine":')),
        "changed_header": (("按量计费", "后付费"),),
        "changed_unit": (("/小时", "/天"),),
    },
)
