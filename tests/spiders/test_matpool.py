"""Matpool against a local site: paging, prices, provenance."""

from __future__ import annotations

import json
from http.server import BaseHTTPRequestHandler
from urllib.parse import parse_qs, urlsplit

from tests.spiders.conftest import NOW, Crawl
from tests.spiders.site import Answer, serving


def pool(
    number: int, price: int = 220000, discount: int | None = 220000, **more: object
) -> dict[str, object]:
    hardware = {
        "gpu": {"gpuName": "NVIDIA GeForce RTX 4090", "gpuRamMB": 24564, "gpuIds": [0]},
        "machine": {"cpuName": "Xeon", "ramMB": 61440, "diskGB": 200},
        "priceMillicent": price,
    }
    if discount is not None:
        hardware["discountPriceMillicent"] = discount
    return {
        "resource_pool_id": f"pool-{number}",
        "gpu_model": "NVIDIA GeForce RTX 4090",
        "domain": 0,
        "driver_version": "550.54.14",
        "max_available_units": 6,
        "total": 32,
        "machine": {"agentId": 119, "hardware": hardware},
        **more,
    }


def paged(pools: list[dict[str, object]], size: int = 2):
    def answer(handler: BaseHTTPRequestHandler) -> Answer:
        page = int(parse_qs(urlsplit(handler.path).query)["page"][0])
        rows = pools[(page - 1) * size : page * size]
        body = {
            "pools": rows,
            "pagination": {"page": page, "num_pages": -(-len(pools) // size), "total": len(pools)},
        }
        return Answer(json.dumps(body), type="application/json")

    return answer


def test_three_pages_are_read_and_quoted(crawl: Crawl) -> None:
    pools = [pool(1), pool(2, discount=198000), pool(3, discount=None), pool(4), pool(5)]
    with serving({"/api/machine_pools": paged(pools)}) as site:
        done = crawl("matpool", {"https://matgo.cn": site.origin})
    assert done.kinds() == [], done.log
    assert [parse_qs(urlsplit(p).query)["page"][0] for p in site.paths()] == ["1", "2", "3"]
    assert len(done.listings) == 6  # five list prices and one discount that differs
    first = done.listings[0]
    assert (first.price_text, first.unit, first.price_kind) == ("220000", "1e-5 CNY/unit/hour", "list")
    assert (first.card_text, first.vram_text, first.vram_unit) == ("NVIDIA GeForce RTX 4090", "24564", "MB")
    assert (first.region_text, first.stock_idle, first.stock_total) == ("1区", 6, 32)
    assert first.observed_at == NOW
    assert first.source_url == "https://matgo.cn/api/machine_pools?machine_category=0&page=1&per_page=100"
    assert first.locator == "/pools/0/machine/hardware/priceMillicent"
    assert {entry.price_kind for entry in done.listings} == {"list", "public_discount"}
    assert "suanjia/" in site.headers[-1]["User-Agent"]
