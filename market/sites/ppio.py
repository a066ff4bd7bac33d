"""PPIO 派欧云: GPU products behind a key; prices are strings of 1e-5 yuan per hour.

Rebuilt after clients of the sister platform and the vendor's skills (2026-03): an expired key answers
401 with a body *without* `data`, which looks like "no stock" to whoever ignores the status. Every row is
a `rebuilt sample`; currency and scale for this site are a guess of the documents.
"""

from __future__ import annotations

from typing import Any

from market.site import Answer, Ask, Route, Site, html_answer, json_answer, page

API = "https://api.ppinfra.com"
PAGE = "https://ppio.com"
TEST_TOKEN = "market-test-token"
# rebuilt sample: id, name, cpu, memory, disk, yuan, spot yuan, stock, regions
GOODS = (
    ("4090.16c62g", "RTX 4090 24GB", 16, 62, 60, "210000", "126000", "normal", "CN-01 (河北)"),
    ("4090.16c125g", "RTX 4090 24GB", 16, 125, 60, "225000", "", "low", "CN-02 (江苏)"),
    ("5090.16c96g", "RTX 5090 32GB", 16, 96, 100, "330000", "198000", "high", "CN-01 (河北)"),
    ("3090.14c58g", "RTX 3090 24GB", 14, 58, 60, "130000", "78000", "none", "CN-01 (河北)"),
    ("a100.14c120g", "A100 SXM 80GB", 14, 120, 100, "690000", "", "low", "CN-03 (浙江)"),
)


def product(row: tuple[Any, ...]) -> dict[str, Any]:
    """One product."""
    ident, name, cpu, memory, disk, price, spot, stock, region = row
    return {
        "id": ident,
        "name": name,
        "cpuPerGpu": cpu,
        "memoryPerGpu": memory,
        "diskPerGpu": disk,
        "availableDeploy": stock != "none",
        "canBuy": True,
        "inventoryState": stock,
        "regions": [region],
        "billingMethods": ["onDemand", *(["spot"] if spot else []), "monthly"],
        "price": price,
        "spotPrice": spot or "0",
        "monthlyPrice": [{"month": 1, "price": str(int(price) * 600)}],
    }


def products(ask: Ask) -> Answer:
    """`/gpu-instance/openapi/v1/products`, optionally only one billing method."""
    if ask.header("Authorization") != f"Bearer {TEST_TOKEN}":
        return json_answer(
            {"code": 401, "reason": "INVALID_API_KEY", "message": "invalid api key"}, status=401
        )
    wanted = ask.query("billingMethod")
    rows = [product(r) for r in GOODS if ask.samples]
    return json_answer({"data": ask.cut([r for r in rows if not wanted or wanted in r["billingMethods"]])})


def pricing(ask: Ask) -> Answer:
    """`/pricing?gpu=1`: a shell whose script nobody documented; it lists nothing."""
    return html_answer(page("价格 - PPIO派欧云", '<div id="__next"></div>'))


SITE = Site(
    slug="ppio",
    name="PPIO 派欧云",
    origins={
        API: (Route("/gpu-instance/openapi/v1/products", products),),
        PAGE: (Route("/pricing", pricing),),
    },
    swaps={"changed_field": (('"spotPrice"', '"spot"'), ('"price"', '"amount"'))},
)
