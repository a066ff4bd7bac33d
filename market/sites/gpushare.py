"""Gpushare 恒源云: the market of hosts behind a bearer token (HTTP 401 when it is stale).

Rebuilt after three watcher scripts of one family (2026): paging by `pn`/`ps` until `pn*ps >= total`,
free cards are `gpuNum - gpuUsed`, `payg` is the hourly price, no region. Every row is a `rebuilt
sample`; other sku names are ours.
"""

from __future__ import annotations

from typing import Any

from market.site import Answer, Ask, Route, Site, digest, json_answer, pick

ORIGIN = "https://api.gpushare.com"
TEST_TOKEN = "market-test-token"
# rebuilt sample: card → (yuan per hour, hosts)
CARDS = {
    "RTX 3090": ("0.98", 44),
    "RTX 3090 Ti": ("0.99", 12),
    "RTX 4090": ("1.92", 31),
    "RTX A6000": ("2.20", 14),
    "Tesla V100 32G": ("1.60", 7),
    "RTX 2080 Ti": ("0.72", 9),
    "CPU": ("0.20", 3),
}


def machine(card: str, hour: str, number: int) -> dict[str, Any]:
    """One host."""
    key = (card, number)
    total = 0 if card == "CPU" else 8 if pick(3, *key) else 4
    hourly = float(hour) + (0.1 if number % 4 == 0 else 0)
    return {
        "id": 10000 + int(digest(*key, length=6), 16) % 80000,
        "machineName": f"node-{digest(*key, length=6)}",
        "isOnline": number % 11 != 0,
        "gpuNum": total,
        "gpuUsed": pick(total + 1, "used", *key),
        "baseInfo": {
            "gpuName": card,
            "gpuToolkitVersion": "12.2",
            "gpuDriverVersion": "535.183.01",
            "netDownloadSpeed": 125_000_000,
        },
        "skuList": [
            {"skuName": "payg", "price": round(hourly, 2)},
            {"skuName": "week", "price": round(hourly * 150, 2)},
            {"skuName": "month", "price": round(hourly * 580, 2)},
        ],
    }


def market_list(ask: Ask) -> Answer:
    """`/app/api/market/machine/list`."""
    if ask.header("Authorization") != f"Bearer {TEST_TOKEN}":
        return json_answer({"code": 401, "msg": "token 已失效，请重新登录"}, status=401)
    wanted = ask.query("gpuName")
    rows = [machine(c, hour, n) for c, (hour, hosts) in CARDS.items() for n in range(hosts) if ask.samples]
    rows = sorted(
        (r for r in rows if not wanted or r["baseInfo"]["gpuName"] == wanted), key=lambda r: int(r["id"])
    )
    page, size = max(1, int(ask.query("pn", "1"))), max(1, min(50, int(ask.query("ps", "50"))))
    start = (page - 1) * size
    data = {"total": len(rows), "pn": page, "ps": size, "list": ask.cut(rows[start : start + size])}
    return json_answer({"code": 0, "msg": "success", "data": data})


SITE = Site(
    slug="gpushare",
    name="恒源云",
    origins={ORIGIN: (Route("/app/api/market/machine/list", market_list),)},
    swaps={
        "changed_field": (('"skuList"', '"skus"'), ('"gpuNum"', '"gpuCount"')),
        "changed_unit": (('"payg"', '"daily"'),),
    },
)
