"""Where a seller's name leads: to a page that a person can read, never to an interface or a data file."""

from __future__ import annotations

import pytest

from catalog.providers import load_providers
from reports.render.links import is_machine, link, seller_page

HOME = "https://www.example.com"
MACHINES = (
    "https://g.alicdn.com/aliyun/ecs-price-info/2.0.314/price/download/instancePrice.json",
    "https://matgo.cn/api/machine_pools?machine_category=0&page=1&per_page=100",
    "https://buy-api.example.com/pricingDetail/list",
    "https://openapi.suanli.cn/deployment/resource/search",
    "https://www.example.com/anonymous-api/trade/price",
    "https://workbench.cloud.tencent.com/cgi/api?i=cvm/DescribeZoneInstanceConfigInfos",
    "https://www.example.com/console/v1/product",
    "https://www.example.com/prices.CSV?v=3",
)
PAGES = (
    "https://www.autodl.com/home",
    "https://www.ctyun.cn/document/10029787/10047957",
    "https://www.omniyq.com/h-col-104.html",
    "https://www.capitalonline.net/gpu",
    "https://www.example.com/rapid-deploy?file=a.json",
)


@pytest.mark.parametrize("url", MACHINES)
def test_an_address_for_programs_gives_way_to_the_sellers_site(url: str) -> None:
    assert is_machine(url)
    assert seller_page(url, HOME) == HOME
    assert seller_page(url, None) is None


@pytest.mark.parametrize("url", PAGES)
def test_a_page_is_linked_as_it_was_read(url: str) -> None:
    assert not is_machine(url)
    assert seller_page(url, HOME) == url


@pytest.mark.parametrize("url", [None, "", "sheet:quotes.csv", "http://www.example.com"])
def test_what_cannot_be_followed_gives_way_too(url: str | None) -> None:
    assert link(url) is None
    assert seller_page(url, HOME) == HOME


def test_the_routes_of_the_provider_files_are_told_apart_by_their_kind() -> None:
    """Kinds that answer programs are machines by their address, kinds that show pages are not."""
    for provider in load_providers().values():
        for route in provider.routes:
            if provider.status == "active" and route.url and route.kind in {"api", "signed_api"}:
                assert is_machine(route.url), route.url
            if route.url and route.kind in {"page", "browser", "table", "text"}:
                assert not is_machine(route.url), route.url
